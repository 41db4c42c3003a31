"""Problems that exist now, such as a full disk: one record each, which disappears when the problem is over.

A process keeps its own records and writes them to one hash in Redis with its heartbeats, so `exemplar status` shows
them on every machine. The records of a process that died are ignored.
"""

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from typing import Any, cast

import redis

from . import keys
from .clock import Clock
from .presence import Presence, alive

OVER_AFTER = 600.0  # seconds after which a problem that did not occur again is over, though nothing has shown that


@dataclass(frozen=True, slots=True)
class PresentProblem:
    """A problem that exists now. `first` and `last`: when it occurred, in Unix seconds. `nodes`: where."""

    text: str
    first: float
    last: float
    count: int
    nodes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON-ready form."""
        return asdict(self)


OnChange = Callable[[PresentProblem, bool], None]  # gets a problem that is new (False) or over (True)


class ProblemBook:
    """The present problems of one process. `on_change` gets each problem twice: when it begins, and when it is over."""

    def __init__(self, presence: Presence, on_change: OnChange, *, clock: Clock = time.time):
        self.redis, self.presence, self.clock = presence.redis, presence, clock
        self.on_change = on_change
        self._problems: dict[str, PresentProblem] = {}  # by what they are about
        self._written: set[str] = set()  # what Redis has records about

    def note(self, text: str, *, about: str = "") -> None:
        """Note a problem. `about`: what it concerns, such as an output; by default its text. Sends nothing."""
        now, key = self.clock(), about or text
        known = self._problems.get(key)
        if known is not None:
            self._problems[key] = replace(known, text=text, last=now, count=known.count + 1)
            return
        self._problems[key] = problem = PresentProblem(text, now, now, 1, (self.presence.node,))
        self.presence.note_error(text)
        self.on_change(problem, False)

    def over(self, about: str) -> None:
        """Note that a problem is over, if there was one. Sends nothing."""
        problem = self._problems.pop(about, None)
        if problem is not None:
            self.on_change(problem, True)

    def flush(self) -> None:
        """Write the present problems to Redis, and remove those that are over."""
        for key, problem in list(self._problems.items()):
            if self.clock() - problem.last > OVER_AFTER:
                self.over(key)
        records = {self._field(key): json.dumps(asdict(problem)) for key, problem in self._problems.items()}
        if ended := self._written - set(records):
            self.redis.hdel(keys.PROBLEMS_NOW, *ended)
        if records:
            self.redis.hset(keys.PROBLEMS_NOW, mapping=cast(Any, records))
        self._written = set(records)

    def clear(self) -> None:
        """Remove all problems of this process from Redis: it ends."""
        if self._written:
            self.redis.hdel(keys.PROBLEMS_NOW, *self._written)
            self._written = set()

    def __len__(self) -> int:
        """Return how many problems there are."""
        return len(self._problems)

    def _field(self, about: str) -> str:
        return f"{self.presence.name} {digest_of(about)}"


def digest_of(about: str) -> str:
    """Return a short name for what a problem is about: the path of an output may be longer than a report may be."""
    return blake2b(about.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def present_problems(connection: "redis.Redis", *, clock: Clock = time.time) -> list[PresentProblem]:
    """Return the present problems of the whole cluster, the oldest first; those with the same text as one."""
    living = {process["name"] for process in alive(connection, clock=clock)}
    by_text: dict[str, PresentProblem] = {}
    for field, raw in cast(dict[bytes, bytes], connection.hgetall(keys.PROBLEMS_NOW)).items():
        process = field.decode().rsplit(" ", 1)[0]
        if process not in living:
            connection.hdel(keys.PROBLEMS_NOW, field.decode())
            continue
        record = json.loads(raw)
        problem = PresentProblem(
            record["text"], record["first"], record["last"], record["count"], tuple(record["nodes"])
        )
        known = by_text.get(problem.text)
        by_text[problem.text] = _together(known, problem) if known else problem
    return sorted(by_text.values(), key=lambda problem: problem.first)


def _together(one: PresentProblem, other: PresentProblem) -> PresentProblem:
    return PresentProblem(
        one.text,
        min(one.first, other.first),
        max(one.last, other.last),
        one.count + other.count,
        tuple(sorted({*one.nodes, *other.nodes})),
    )
