"""`exemplar accept TASK URL…`: accepts rejected pages as articles."""

from pathlib import Path

import click

from console.options import examples, json_option, ledger_of, task_argument, tasks_option
from console.problems import accept_page, show_results, urls_of_reason
from crawler.task_list.mistakes import TaskError
from workers.extraction_config import config_of


@click.command(
    epilog=examples(
        "exemplar accept kuaibao https://news.example/a/1.html",
        "exemplar accept kuaibao --reason 'a list: N of N texts each follow a link'",
    )
)
@task_argument
@click.argument("urls", nargs=-1, metavar="[URL]…")
@click.option(
    "--reason", metavar="TEXT", help="Accept all pages judged not to be articles, for a reason that begins with TEXT."
)
@tasks_option
@json_option
def command(task: str, urls: tuple[str, ...], reason: str | None, tasks: Path | None, as_json: bool) -> None:
    """Accept rejected pages of TASK as articles: the next run fetches them again and writes a row for each.

    `exemplar status --problems TASK` lists them. Accepted pages are not judged again; the task's keep, drop and skip
    still apply.
    """
    if bool(urls) == bool(reason):
        raise click.UsageError("give URLs, or a group by --reason TEXT: see exemplar status --problems TASK")
    with ledger_of(task, tasks, purpose="accept") as ledger:
        config = config_of(ledger.redis, task)
        if config is None:
            raise TaskError(f"task {task} is not in the published task list, so no run would fetch its pages")
        chosen = urls or urls_of_reason(ledger, reason, "judged")
        results = {url: accept_page(ledger, config, url) for url in chosen}
    show_results(task, results, done="accepted", effect="the next run fetches and writes them", as_json=as_json)
