"""A note on an edit of tasks.yaml that probably renames a task, with the command that keeps its ledger."""

import redis

from crawler.task_list.publication import Change
from workers.ledger import ledgers


def notes_on(connection: "redis.Redis", change: Change) -> list[str]:
    """Return a note for each removed task that has run if tasks without a ledger are new."""
    have_run = set(ledgers(connection)) if change.added and change.removed else set[str]()
    new = [name for name in change.added if name not in have_run]
    return [
        f"{new[0]} begins with an empty ledger, and fetches and writes all articles; if it is {old} under a new name, "
        f"stop and run: exemplar rename {old} {new[0]}"
        for old in change.removed
        if old in have_run and new
    ]
