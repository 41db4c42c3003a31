"""`exemplar forget TASK [URL …]`: the ledger forgets URLs, so that they can be found again."""

from pathlib import Path

import click

from console.known_task import ledger_of
from console.options import counted, examples, json_option, print_json, say, tasks_option


@click.command(
    epilog=examples("exemplar forget kuaibao https://news.example/a/1.html", "exemplar forget kuaibao --yes")
)
@click.argument("task")
@click.argument("urls", nargs=-1, metavar="[URL]…")
@click.option("--yes", is_flag=True, help="Forget the whole task without asking.")
@tasks_option
@json_option
def command(task: str, urls: tuple[str, ...], yes: bool, tasks: Path | None, as_json: bool) -> None:
    """Forget URLs of TASK, or all of them with its example and the state of its lists: the next run finds them again.

    Rows that were written stay in their outputs; later, a .db updates them and a .jsonl keeps the ones it has.
    """
    from crawler.discovery.crawl_state import forget_lists
    from extractors.html.urls import normalise
    from workers.forgetting import forget_task, forget_url

    with ledger_of(task, tasks, purpose="forget") as ledger:
        if urls:
            forgotten = [url for url in urls if forget_url(ledger, normalise(url))]
            forget_lists(ledger.redis, task)
            unknown = [url for url in urls if url not in forgotten]
        else:
            seen = ledger.counts().seen
            if not yes:
                click.confirm(f"forget all {counted(seen, 'URL')} of {task}?", abort=True, err=True)
            forget_task(ledger.redis, task)
            forgotten, unknown = [], []
    if as_json:
        print_json({"task": task, "forgotten": list(forgotten) if urls else "all", "unknown": unknown})
    else:
        what = counted(len(forgotten), "URL") if urls else "everything"
        say(f"{task}: {what} forgotten; the next run can find it again")
        for url in unknown:
            say(f"unknown URL: {url}")
    if unknown:
        raise click.exceptions.Exit(1)
