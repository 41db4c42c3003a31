"""`exemplar crawl TASK`: one run of one task, now."""

from datetime import datetime
from pathlib import Path

import click

from console.options import examples, json_option, log_to_stderr, print_json, say, tasks_option, verbose_option


@click.command(
    epilog=examples("exemplar crawl kuaibao", "exemplar crawl kuaibao --limit 20", "exemplar crawl kuaibao --all")
)
@click.argument("task")
@tasks_option
@click.option("--limit", type=click.IntRange(min=1), help="At most so many articles in this run.")
@click.option("--all", "all_", is_flag=True, help="Walk the whole archive; no bound on the first run.")
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), help="Only articles whose URL has this day or a later one.")
@json_option
@verbose_option
def command(
    task: str, tasks: Path | None, limit: int | None, all_: bool, since: datetime | None, as_json: bool, verbose: bool
) -> None:
    """Find and fetch the new pages of TASK. They wait in Redis until extraction workers (or `exemplar run`) take them.

    The same as: scrapy crawl section -a task=TASK
    """
    from crawler.spider_process import exit_code, run_section

    log_to_stderr(verbose)
    report = run_section(
        task,
        tasks=str(tasks.absolute()) if tasks else None,
        limit=limit,
        all="yes" if all_ else None,
        since=since.date().isoformat() if since else None,
    )
    if as_json:
        print_json(report.to_dict())
    else:
        click.echo(
            f"{task}: {report.outcome}; {report.lists} list pages, {report.new} new articles, {report.fetched} "
            f"fetched, {report.rejected} rejected, {report.failed} failed, {report.later} to be tried again"
        )
        for problem in report.problems:
            say(f"problem: {problem}")
        if report.fetched:
            say("fetched pages wait for extraction: `exemplar run`, or `exemplar work extract --until-empty`")
    raise click.exceptions.Exit(exit_code(report))
