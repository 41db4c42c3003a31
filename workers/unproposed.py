"""Why no example is proposed for a task whose pages are off the template: a note of the last search, for people.

A note belongs to one example; it is removed when an example is proposed.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

import redis

from . import keys

METHODS = ("auto", "example")  # methods that compare a page with an example
SMALLEST = 4  # pages that are off the template, and pages of a cluster


def why_not_sought(redesign: str, method: str) -> str:
    """Return why no example is looked for by the task's own keys; empty if one is."""
    if redesign == "ignore":
        return "the task has `redesign: ignore`"
    if method not in METHODS:
        return f"method {method} does not compare pages with an example"
    return ""


def note_unproposed(connection: Any, task: str, reason: str, example_version: str) -> None:
    """Note why no example is proposed. `connection` may be a pipeline."""
    note = {"reason": reason, "example_version": example_version}
    connection.hset(keys.UNPROPOSED, task, json.dumps(note, ensure_ascii=False))


def forget_unproposed(connection: Any, task: str) -> None:
    """Remove the note: an example is proposed. `connection` may be a pipeline."""
    connection.hdel(keys.UNPROPOSED, task)


def unproposed(connection: "redis.Redis", tasks: Iterable[str]) -> dict[str, str]:
    """Return, for those tasks for which no example is proposed, the reason, as far as it is known.

    A task with no page off the template has none.
    """
    names = list(dict.fromkeys(tasks))
    if not names:
        return {}
    pipe = connection.pipeline(transaction=False)
    for name in names:
        pipe.hget(keys.CONFIGS, name)
        pipe.hget(keys.of_task(name, "example"), "version")
        pipe.hget(keys.UNPROPOSED, name)
        pipe.hget(keys.PROPOSALS, name)
        pipe.hlen(keys.of_task(name, "low"))
    found = pipe.execute()
    reasons = {name: _reason(found[5 * place : 5 * place + 5]) for place, name in enumerate(names)}
    return {name: reason for name, reason in reasons.items() if reason}


def _reason(found: Sequence[Any]) -> str:
    raw_config, version, raw_note, raw_proposal, low = found
    if raw_config is None or version is None:
        return ""
    config, note, proposal = (json.loads(raw) if raw else {} for raw in (raw_config, raw_note, raw_proposal))
    if proposal.get("state") == "proposed" and proposal.get("example_version") == version.decode():
        return ""
    if reason := why_not_sought(config.get("redesign", ""), config["method"]):
        return reason
    if note.get("example_version") == version.decode():
        return str(note["reason"])
    if 0 < low < SMALLEST:
        return f"at least {SMALLEST} pages off the template are required; found: {low}"
    return ""
