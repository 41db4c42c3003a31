"""Serve the sample site from the command line: `python tests/site/site.py --port 18480`."""

import argparse
import signal
import sys
from pathlib import Path

DEFAULT_PORT = 18480
ENDS = {signal.SIGINT, signal.SIGTERM}


def main() -> None:
    from console.sample_site.pages import DESIGNS

    parser = argparse.ArgumentParser(description="Serve the sample news site on 127.0.0.1 until interrupted.")
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="0 picks a free one (default: %(default)s)")
    parser.add_argument("--design", choices=DESIGNS, default=DESIGNS[0], help="which markup (default: %(default)s)")
    options = parser.parse_args()
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)  # one that comes early waits for `sigwait`
    serve(options.port, options.design)


def serve(port: int, design: str) -> None:
    """Print the address, then serve until a signal comes; a port in use ends the program with a message."""
    from console.sample_site.server import SiteServer

    try:
        site = SiteServer(port, design)
    except OSError as error:
        sys.exit(f"cannot serve on port {port}: {error.strerror}")
    with site:
        print(site.url, flush=True)
        signal.sigwait(ENDS)


if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[2])  # the repository's root instead of this folder
    main()
