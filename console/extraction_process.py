"""The extraction workers of `exemplar run`: `exemplar work extract` as a child process that ends with its parent.

Present problems are printed as lines of JSON, `{"problem": {…}, "over": false}`.
"""

import os
import signal
import sys

import redis

from crawler.fetching.scrapy_process import EXIT_UNAVAILABLE
from crawler.logs import complain, json_line, start_logging
from workers.redis_access.connection import reason
from workers.reporting.present_problems import PresentProblem
from workers.worker_processes.supervisor import Supervisor
from workers.writing.delivery import Draining


def main(count: int, *, exits_without_redis: bool, once: bool = False) -> None:
    """Supervise `count` workers on `$REDIS_URL` until SIGTERM.

    With `once` the rows of tasks that have ended are delivered at once.
    """
    start_logging()
    sys.stdout = sys.stderr  # what an output of another package prints is no line for the run
    draining: Draining = "idle" if once else ""
    supervisor = Supervisor(os.environ["REDIS_URL"], count, exits_without_redis=exits_without_redis, draining=draining)
    signal.signal(signal.SIGTERM, supervisor.stop)
    # The run itself reports that Redis is unavailable, once for all its parts.
    try:
        supervisor.run(on_problem=_print_problem, on_notice=lambda text: None)
    except redis.RedisError as error:
        complain(f"Redis failed: {reason(error)}")
        sys.exit(EXIT_UNAVAILABLE)


def _print_problem(problem: PresentProblem, is_over: bool) -> None:
    print(json_line({"problem": problem.to_dict(), "over": is_over}), file=sys.__stdout__, flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), exits_without_redis="--exit" in sys.argv, once="--once" in sys.argv)
