"""`exemplar crawl TASK`: one run of one task, now."""

from datetime import datetime
from pathlib import Path

import click

from console.options import DAY, examples, json_option, logging_options, task_argument, tasks_option
from console.terminal import print_json, say, show
from workers.processes import go_on_watched

STOP_WAIT = 20.0  # seconds after the stop signal until a spider that does not end is killed


@click.command(
    epilog=examples(
        "exemplar crawl kuaibao",
        "exemplar crawl kuaibao --limit 20",
        "exemplar crawl kuaibao --from 2020-01-01 --to 2023-12-31",
    )
)
@task_argument
@tasks_option
@click.option("--limit", type=click.IntRange(min=1), help="Maximum number of articles in this run.")
@click.option("--all", "all_", is_flag=True, help="Read the whole archive, without a limit on the first run.")
@click.option("--from", "from_", type=DAY, help="Back-fill the archive from this day on; new articles have priority.")
@click.option("--to", type=DAY, help="Back-fill the archive up to this day.")
@json_option
@logging_options
def command(
    task: str,
    tasks: Path | None,
    limit: int | None,
    all_: bool,
    from_: datetime | None,
    to: datetime | None,
    as_json: bool,
) -> None:
    """Find and fetch the new pages of TASK. They wait in Redis for extraction workers (or `exemplar run`).

    With --from or --to the section's archive is read, independently of the scheduled runs. If neither the URL of an
    article nor its list pages have a date, the article is fetched, and rejected if its own date is outside the range.

    The same as: scrapy crawl section -a task=TASK
    """
    from console.progress import crawled_line

    if from_ and to and to < from_:
        raise click.UsageError(f"--to {to:%Y-%m-%d} is before --from {from_:%Y-%m-%d}; swap the two")
    go_on_watched(STOP_WAIT, f"the spider did not end within {STOP_WAIT:.0f} s and was killed; nothing is lost")
    from crawler.spiders.section import exit_code, run_section

    report = run_section(
        task,
        tasks=str(tasks.absolute()) if tasks else None,
        limit=limit,
        all="yes" if all_ else None,
        since=_day(from_),
        until=_day(to),
        backfill="yes" if from_ or to else None,
    )
    if as_json:
        print_json(report.to_dict())
    else:
        show(crawled_line(report.to_dict()))
        for problem in report.problems:
            say(f"problem: {problem}")
        for remark in report.remarks:
            say(remark)
        if report.fetched:
            say("fetched pages wait for extraction; start `exemplar run`, or `exemplar work extract --until-empty`")
    raise click.exceptions.Exit(exit_code(report))


def _day(moment: datetime | None) -> str | None:
    return moment.date().isoformat() if moment else None
