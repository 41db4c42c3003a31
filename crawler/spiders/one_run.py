"""One run of one task in this process, for `exemplar crawl`."""

from typing import Any

from crawler.fetching.scrapy_process import EXIT_FAILED, EXIT_OK, EXIT_UNAVAILABLE, run_spider
from crawler.run.run_report import RunReport
from crawler.spiders.section import SectionSpider
from workers.errors import ExemplarError


def run_section(task: str, **arguments: Any) -> RunReport:
    """Run the spider for one task in this process and return its report.

    Arguments as for `scrapy crawl section -a`: tasks (the file), limit, all, since, until, backfill. Raises
    `ExemplarError`, `TaskError` or `redis.RedisError` if the run cannot start.
    """
    given: dict[str, Any] = {name: str(value) for name, value in arguments.items() if value is not None}
    crawler = run_spider(SectionSpider, {}, task=task, **given)
    report: RunReport | None = getattr(crawler.spider, "report", None)
    if report is None:
        raise ExemplarError(f"task {task}: the spider ended without a report; run it with --verbose to see why")
    return report


def exit_code(report: RunReport) -> int:
    """Return the exit code of a report."""
    if report.outcome == "redis":
        return EXIT_UNAVAILABLE
    return EXIT_OK if report.ok and not report.failed else EXIT_FAILED
