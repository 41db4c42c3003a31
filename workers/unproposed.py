"""Why no example is proposed for a task whose pages are off the template: a note of the last search, for people.

It is removed when an example is proposed or replaced.
"""

from collections.abc import Iterable
from typing import Any, cast

import redis

from . import keys

METHODS = ("auto", "example")  # methods that compare a page with an example, so that a new one is looked for
SMALLEST = 4  # pages that are off the template, and pages of a cluster


def note_unproposed(connection: "redis.Redis", task: str, reason: str) -> None:
    """Note why no example is proposed."""
    connection.hset(keys.UNPROPOSED, task, reason)


def forget_unproposed(connection: Any, task: str) -> None:
    """Remove the note. `connection` may be a pipeline."""
    connection.hdel(keys.UNPROPOSED, task)


def unproposed(connection: "redis.Redis", tasks: Iterable[str]) -> dict[str, str]:
    """Return, for those tasks for which no example is proposed, the reason, as far as it is known."""
    names = list(dict.fromkeys(tasks))
    found = cast("list[bytes | None]", connection.hmget(keys.UNPROPOSED, names) if names else [])
    return {name: reason.decode() for name, reason in zip(names, found, strict=True) if reason}
