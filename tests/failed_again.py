"""Runs the tests that failed in the last run of pytest once more, one after the other: `python -m tests.failed_again`.

The suite runs six processes on two cores, with real servers and browsers, so a test may exceed a limit of time on a
busy machine although nothing is wrong. Each such test is named; a test that fails again is a failure. More failures
than `MOST` are not repeated: they have a common cause.
"""

import json
import subprocess
import sys
from pathlib import Path

MOST = 3


def main(root: Path = Path()) -> int:
    """Run them in the folder `root`; the exit code is 0 if all pass now."""
    try:
        failed = sorted(json.loads((root / ".pytest_cache/v/cache/lastfailed").read_bytes()))
    except FileNotFoundError:
        failed = []
    if not 0 < len(failed) <= MOST:
        return 1
    print("These tests failed and are run once more, alone:", *failed, sep="\n  ", flush=True)
    done = subprocess.run([sys.executable, "-m", "pytest", *failed], cwd=root)
    if done.returncode == 0:
        print("These tests failed beside others and passed alone:", *failed, sep="\n  ", flush=True)
    return int(done.returncode != 0)


if __name__ == "__main__":
    sys.exit(main())
