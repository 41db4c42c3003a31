"""The extraction workers of `exemplar run`: `exemplar work extract` as a child process that ends with its parent.

Present problems are printed as lines of JSON, `{"problem": {…}, "over": false}`; on a node with several Redis servers
they are printed as text on standard error, for a person.
"""

import os
import select
import signal
import sys

import redis

from console.options import log_to_stderr, print_json
from crawler.fetching.spider_process import EXIT_UNAVAILABLE
from crawler.logs import complain
from workers.redis_access.connection import reason
from workers.reporting.present_problems import PresentProblem
from workers.worker_processes.supervisor import Supervisor
from workers.writing.delivery import Draining


def main(count: int, *, exits_without_redis: bool, resize: bool = False, once: bool = False) -> None:
    """Supervise `count` workers on `$REDIS_URL` until SIGTERM; with `resize`, the last number on standard input.

    With `once` the rows of tasks that have ended are delivered at once.
    """
    log_to_stderr()
    url, wanted = os.environ["REDIS_URL"], _Wanted(count).now if resize else None
    draining: Draining = "idle" if once else ""
    supervisor = Supervisor(url, count, exits_without_redis=exits_without_redis, wanted=wanted, draining=draining)
    signal.signal(signal.SIGTERM, supervisor.stop)
    # The run itself reports that Redis is unavailable, once for all its parts.
    try:
        supervisor.run(on_problem=_say_problem if resize else _print_problem, on_notice=lambda text: None)
    except redis.RedisError as error:
        complain(f"Redis failed: {reason(error)}")
        sys.exit(EXIT_UNAVAILABLE)


def _print_problem(problem: PresentProblem, is_over: bool) -> None:
    print_json({"problem": problem.to_dict(), "over": is_over})


def _say_problem(problem: PresentProblem, is_over: bool) -> None:
    complain(problem.in_words(is_over))


class _Wanted:
    """The last complete line of standard input as a number. Read without a thread, since the supervisor forks."""

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
    main(
        int(sys.argv[1]),
        exits_without_redis="--exit" in sys.argv,
        resize="--resize" in sys.argv,
        once="--once" in sys.argv,
    )
