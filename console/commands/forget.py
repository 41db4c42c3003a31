"""`exemplar forget TASK [URL …]`: what the ledger knows of them is forgotten, so that they are found again."""

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
    """Forget URLs of TASK, or all of them with its example and the memory of its lists: the next run finds them anew.

    Rows that are in an output already stay there; a .db gets them anew, a .jsonl keeps the ones it has.
    """
    from crawler.discovery.crawl_state import forget_lists
    from extractors.html.urls import normalise
    from workers.forgetting import forget_task, unsee

    with ledger_of(task, tasks, purpose="forget") as ledger:
        if urls:
            gone = [each for each in urls if unsee(ledger, normalise(each))]
            forget_lists(ledger.redis, task)
            missed = [each for each in urls if each not in gone]
        else:
            seen = ledger.counts().seen
            if not yes:
                click.confirm(f"forget all {counted(seen, 'URL')} of {task}?", abort=True, err=True)
            forget_task(ledger.redis, task)
            gone, missed = [], []
    if as_json:
        print_json({"task": task, "forgotten": list(gone) if urls else "all", "unknown": missed})
    else:
        say(f"{task}: {counted(len(gone), 'URL') if urls else 'everything'} forgotten; the next run finds them again")
        for each in missed:
            say(f"not known: {each}")
    if missed:
        raise click.exceptions.Exit(1)
