"""The start of the command line: of the script `exemplar`, and of `python -m console`."""

import os
import sys
from pathlib import Path


def main() -> None:
    """Run the command line and exit; Ctrl-C while its modules are loaded ends it without a traceback."""
    if sys.stdin is None:  # closed by the caller: `exemplar … <&-`
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115 (to the end of the process)
    try:
        from console.cli import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
