"""The extraction workers of `exemplar run`: `exemplar work extract` as a child process that ends with its parent."""

import os
import signal
import sys

from console.options import log_to_stderr
from workers.processes import die_with_parent
from workers.quarantine import state_folder
from workers.supervisor import Supervisor


def main(count: int) -> None:
    """Supervise `count` workers on `$REDIS_URL` until SIGTERM."""
    die_with_parent(signal.SIGTERM)
    log_to_stderr()
    supervisor = Supervisor(os.environ["REDIS_URL"], count, state=state_folder())
    signal.signal(signal.SIGTERM, supervisor.stop)
    reported: set[str] = set()

    def report(text: str) -> None:
        if text not in reported:
            reported.add(text)
            print(f"problem: {text}", file=sys.stderr, flush=True)

    supervisor.run(on_problem=report)


if __name__ == "__main__":
    main(int(sys.argv[1]))
