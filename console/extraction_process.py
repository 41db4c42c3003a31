"""The extraction workers of `exemplar run`: `exemplar work extract` as a child process that ends with its parent.

Present problems are printed as lines of JSON: `{"problem": {…}, "over": false}`.
"""

import os
import signal
import sys

import redis

from console.options import log_to_stderr, print_json
from crawler.fetching.spider_process import EXIT_UNAVAILABLE
from workers.connection import reason
from workers.present_problems import PresentProblem
from workers.processes import die_with_parent
from workers.quarantine import state_folder
from workers.supervisor import Supervisor


def main(count: int, *, exits_without_redis: bool) -> None:
    """Supervise `count` workers on `$REDIS_URL` until SIGTERM."""
    die_with_parent(signal.SIGTERM)
    log_to_stderr()
    url = os.environ["REDIS_URL"]
    supervisor = Supervisor(url, count, state=state_folder(), exits_without_redis=exits_without_redis)
    signal.signal(signal.SIGTERM, supervisor.stop)
    # The run itself reports that Redis is unavailable, once for all its parts.
    try:
        supervisor.run(on_problem=_print_problem, on_notice=lambda text: None)
    except redis.RedisError as error:
        print(f"Redis failed: {reason(error)}", file=sys.stderr)
        sys.exit(EXIT_UNAVAILABLE)


def _print_problem(problem: PresentProblem, is_over: bool) -> None:
    print_json({"problem": problem.to_dict(), "over": is_over})


if __name__ == "__main__":
    main(int(sys.argv[1]), exits_without_redis="--exit" in sys.argv)
