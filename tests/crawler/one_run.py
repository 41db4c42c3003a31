"""One run of a task as a process: `python -m tests.crawler.one_run TASK` prints its report, or why there is none."""

import json
import sys

import redis

from crawler.fetching.scrapy_process import EXIT_FAILED, EXIT_UNAVAILABLE
from crawler.logs import complain
from crawler.spiders.section import exit_code, run_section
from crawler.task_list.mistakes import TaskError
from workers.errors import ExemplarError, RedisUnavailable
from workers.redis_access.connection import reason


def main(task: str) -> int:
    try:
        report = run_section(task)
    except (RedisUnavailable, redis.RedisError) as error:
        complain(reason(error))
        return EXIT_UNAVAILABLE
    except (ExemplarError, TaskError) as error:
        complain(str(error))
        return EXIT_FAILED
    print(json.dumps(report.to_dict(), ensure_ascii=False))
    return exit_code(report)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
