"""`exemplar forget TASK [URL …]`: what the ledger knows of them is forgotten, so that they are found again."""

from pathlib import Path

import click

from console.options import counted, examples, json_option, print_json, say, tasks_file, tasks_option


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
    from crawler.discovery.memory import forget_lists
    from crawler.task_list.mistakes import TaskError, suggest
    from extractors.urls import normalise
    from workers.connection import connect
    from workers.embedded import redis_for
    from workers.forgetting import forget_task, unsee
    from workers.ledger import Ledger, ledgers
    from workers.quarantine import state_folder

    file = tasks_file(tasks)
    with redis_for(state_folder(file.absolute().parent), purpose="forget", say=say) as url:
        connection = connect(url)
        if task not in (known := ledgers(connection)):
            hint = suggest(task, known) if known else "no task has run yet"
            raise TaskError(f"nothing is known of a task {task!r}; {hint}")
        ledger = Ledger(connection, task)
        if urls:
            gone = [each for each in urls if unsee(ledger, normalise(each))]
            forget_lists(connection, task)
            missed = [each for each in urls if each not in gone]
        else:
            seen = ledger.counts().seen
            if not yes:
                click.confirm(f"forget all {counted(seen, 'URL')} of {task}?", abort=True, err=True)
            forget_task(connection, task)
            gone, missed = [], []
    if as_json:
        print_json({"task": task, "forgotten": list(gone) if urls else "all", "unknown": missed})
    else:
        say(f"{task}: {counted(len(gone), 'URL') if urls else 'everything'} forgotten; the next run finds them again")
        for each in missed:
            say(f"not known: {each}")
    if missed:
        raise click.exceptions.Exit(1)
