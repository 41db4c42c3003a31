"""The extraction workers of `exemplar run`: `exemplar work extract` as a child process that ends with its parent."""

import os
import select
import signal
import sys

from console.options import log_to_stderr
from workers.processes import die_with_parent
from workers.quarantine import state_folder
from workers.supervisor import Supervisor


def main(count: int, *, resize: bool = False) -> None:
    """Supervise `count` workers on `$REDIS_URL` until SIGTERM; with `resize` as many as standard input names last."""
    die_with_parent(signal.SIGTERM)
    log_to_stderr()
    wanted = _Wanted(count).now if resize else None
    supervisor = Supervisor(os.environ["REDIS_URL"], count, state=state_folder(), wanted=wanted)
    signal.signal(signal.SIGTERM, supervisor.stop)
    reported: set[str] = set()

    def report(text: str) -> None:
        if text not in reported:
            reported.add(text)
            print(f"problem: {text}", file=sys.stderr, flush=True)

    supervisor.run(on_problem=report)


class _Wanted:
    """The last whole line of standard input as a number. Read without a thread, since the supervisor forks."""

    def __init__(self, count: int):
        self.count = count
        self._rest = b""

    def now(self) -> int:
        while select.select([0], [], [], 0)[0] and (data := os.read(0, 4096)):
            *lines, self._rest = (self._rest + data).split(b"\n")
            if lines:
                self.count = int(lines[-1])
        return self.count


if __name__ == "__main__":
    main(int(sys.argv[1]), resize="--resize" in sys.argv)
