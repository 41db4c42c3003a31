"""Notes on the effect of an edit of tasks.yaml on existing rows and URLs, each with a command."""

from collections.abc import Iterator
from pathlib import Path

import redis

from crawler.task_list.mistakes import TaskError
from crawler.task_list.models import Task
from crawler.task_list.publication import Change, published_task
from workers.addresses import shown
from workers.ledger import Ledger, ledgers

NOTED = ("pattern", "example", "method", "keep", "drop", "skip", "revisit")
MOST_TASKS = 100  # changed tasks that are explained; more notes would not be read


def notes_on(connection: "redis.Redis", change: Change, folder: Path) -> list[str]:
    """Return notes on a change of the task list: one for each changed key that affects earlier rows or URLs.

    Only tasks that have run have earlier rows. `folder`: that of tasks.yaml.
    """
    if not (change.changed or (change.added and change.removed)):
        return []
    have_run = set(ledgers(connection))
    notes: list[str] = []
    for name in change.changed[:MOST_TASKS]:
        before, after = change.earlier_task(name), _published(connection, name)
        if before and after and name in have_run:
            notes += _about(before, after, Ledger(connection, name))
    return [*notes, *_renamed(connection, change, have_run)]


def _published(connection: "redis.Redis", name: str) -> Task | None:
    try:
        return published_task(connection, name)[name]
    except TaskError:
        return None


def _about(before: Task, after: Task, ledger: Ledger) -> Iterator[str]:
    """Yield a note for each changed key of a task that has run."""
    name, counts = after.name, ledger.counts().states
    written = f"the rows written before ({counts['written']}) remain unchanged"
    changed = {key for key in NOTED if str(getattr(before, key)) != str(getattr(after, key))}
    if "pattern" in changed:
        yield (
            f"{name}: the pattern has changed: it applies to links that are found from now on; {written}. To find what "
            f"it matches in the whole archive: exemplar crawl {name} --all; to start over: exemplar forget {name}"
        )
    for key in sorted(changed & {"example", "method"}):
        again = f"To fetch everything again: exemplar forget {name}"
        if after.keep_pages:
            again = f"To extract the kept pages again: exemplar re-extract {name}"
        yield f"{name}: {key} has changed: pages are extracted with the new {key} from now on; {written}. {again}"
    for key in sorted(changed & {"keep", "drop", "skip"}):
        yield (
            f"{name}: {key} has changed: later pages are judged by the new rules; {written}, and the rejected URLs "
            f"({counts['rejected']}) stay rejected. To judge those again: exemplar forget {name} --reason {key}"
        )
    if "revisit" in changed:
        yield (
            f"{name}: revisit has changed: pages that are written from now on are read again so; those written before "
            f"are read as it said then. To fetch everything again: exemplar forget {name}"
        )
    for output in [output for output in after.outputs() if output not in before.outputs()][:1]:
        yield (
            f"{name}: output {shown(output)} is new: it gets rows from now on. To write the earlier ones there, too: "
            f"exemplar export {name} --to {shown(output)}"
        )


def _renamed(connection: "redis.Redis", change: Change, have_run: set[str]) -> Iterator[str]:
    """Yield a note for each new task that is probably a removed one under another name."""
    removed = [task for name in change.removed[:MOST_TASKS] if (task := change.earlier_task(name)) and name in have_run]
    for name in change.added[:MOST_TASKS] if removed else ():
        task = _published(connection, name)
        if task is None or name in have_run:
            continue
        alike = [old for old in removed if old.example == task.example or str(old.pattern) == str(task.pattern)]
        if alike:
            old = alike[0].name
            yield (
                f"{name} seems to be {old} under a new name: it starts with an empty ledger, and fetches and writes "
                f"all articles again. To keep the ledger of {old}, stop and run: exemplar rename {old} {name}"
            )
