"""The start of the command line: of the script `exemplar`, and of `python -m console`."""

import sys


def main() -> None:
    """Run the command line and exit; Ctrl-C while its modules are loaded ends it without a traceback."""
    try:
        from console.cli import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
