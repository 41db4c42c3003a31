"""The report of one stored page, as a process of its own: a request as JSON on standard input, HTML on standard output.

A page may hang or crash an extraction (`failures` has such pages), so the process has limits of time and memory.
"""

import json
import os
import resource
import sys

from workers.processes import die_with_parent

MEMORY = 3 * 2**30  # bytes of address space
SECONDS = 60  # of CPU


def main() -> int:
    """Make the report that standard input asks for."""
    die_with_parent()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8", errors="replace")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing but ours on standard output
    from console.report.stored_page import requested_report

    out.write(requested_report(json.load(sys.stdin.buffer)))
    out.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
