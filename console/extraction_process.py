"""The extraction workers of `exemplar run`: `exemplar work extract` as a child process that ends with its parent."""

import os
import signal
import sys

import redis

from crawler.fetching.scrapy_process import EXIT_UNAVAILABLE
from crawler.logs import complain, start_logging
from workers.redis_access.connection import reason
from workers.worker_processes.supervisor import Supervisor
from workers.writing.delivery import Draining


def main(count: int, *, exits_without_redis: bool, once: bool = False) -> None:
    """Supervise `count` workers on `$REDIS_URL` until SIGTERM.

    With `once` the rows of tasks that have ended are delivered at once.
    """
    start_logging()
    draining: Draining = "idle" if once else ""
    supervisor = Supervisor(os.environ["REDIS_URL"], count, exits_without_redis=exits_without_redis, draining=draining)
    signal.signal(signal.SIGTERM, supervisor.stop)
    # The run itself reports problems, and that Redis is unavailable, once for all its parts.
    try:
        supervisor.run(on_problem=lambda problem, is_over: None, on_notice=lambda text: None)
    except redis.RedisError as error:
        complain(f"Redis failed: {reason(error)}")
        sys.exit(EXIT_UNAVAILABLE)


if __name__ == "__main__":
    main(int(sys.argv[1]), exits_without_redis="--exit" in sys.argv, once="--once" in sys.argv)
