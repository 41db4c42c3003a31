"""The process that makes the report of one stored page: a request as JSON on standard input, HTML on standard output.

An extraction may hang or crash on a page, as on some failed pages, so the process has limits of time and memory.
"""

import json
import os
import resource
import sys

from workers.processes import limit_memory

MEMORY = 3 * 2**30  # bytes of address space
SECONDS = 60  # seconds of CPU time


def main() -> int:
    """Make the report that is requested on standard input."""
    limit_memory(MEMORY)
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8", errors="replace")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # other output goes to standard error
    out.write(requested_report(json.load(sys.stdin.buffer)))
    out.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
