"""Problems that exist now, such as a full disk: one record each, which disappears when the problem is over.

A process keeps its own records and writes them to one hash in Redis with its heartbeats, so `exemplar status` shows
them on every machine. The records of a process that died are ignored.
"""

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import cast

import redis

from .. import keys
from ..redis_access.redis_clock import Clock
from ..stored_json import loaded
from .presence import Presence, alive

OVER_AFTER = 600.0  # seconds after which a problem that did not occur again is over, even without evidence
CALM = 8.0  # seconds without the problem, after which it is over if work succeeds; pages are tried again more often


@dataclass(frozen=True, slots=True)
class PresentProblem:
    """A problem that exists now. `first` and `last`: when it occurred, in Unix seconds. `nodes`: where."""

    text: str
    first: float
    last: float
    count: int
    nodes: tuple[str, ...]

    def in_words(self, is_over: bool = False) -> str:
        """Return one line, with days and times of this machine's time zone."""
        first, last = (datetime.fromtimestamp(at).strftime("%m-%d %H:%M:%S") for at in (self.first, self.last))
        times = "once" if self.count == 1 else f"{self.count} times"
        if is_over:
            return f"resolved: {self.text} (from {first} to {last}, {times})"
        return f"problem: {self.text} (since {first}" + (f", {times})" if self.count > 1 else ")")


OnChange = Callable[[PresentProblem, bool], None]  # called with a problem that is new (False) or over (True)
_Key = tuple[str, str]  # the subject of a problem, and its text


class ProblemBook:
    """The present problems of one process.

    `on_change` gets each problem twice: when it begins, and when it is over. `clock` is this machine's; records in
    Redis have times by Redis' clock.
    """

    def __init__(self, presence: Presence, on_change: OnChange, *, clock: Clock = time.time):
        self.redis, self.presence, self.clock = presence.redis, presence, clock
        self.on_change = on_change
        self._problems: dict[_Key, PresentProblem] = {}
        self._working: set[_Key] = set()  # problems whose subject has succeeded since they last occurred
        self._is_shown = False  # whether records are in Redis

    def note(self, text: str, *, about: str = "") -> None:
        """Note a problem. `about`: what it concerns, such as a task; by default its text. Sends nothing.

        Each text is a problem of its own: a task has several outputs, and more than one may be unavailable.
        """
        now, key = self.clock(), (about or text, text)
        self._working.discard(key)
        known = self._problems.get(key)
        if known is not None:
            self._problems[key] = replace(known, last=now, count=known.count + 1)
            return
        problem = PresentProblem(text, now, now, 1, (self.presence.node,))
        is_new = all(other.text != text for other in self._problems.values())
        self._problems[key] = problem
        if is_new:  # several tasks may have the same output
            self.presence.note_error(text)
            self.on_change(problem, False)

    def works(self, about: str) -> None:
        """Note that something succeeded. Its problems are over if they do not occur again soon. Sends nothing."""
        self._working.update(key for key in self._problems if key[0] == about)

    def flush(self) -> None:
        """Write the present problems to Redis, and remove those that are over."""
        self._end_those_over()
        ahead = self.clock() - self.presence.clock()
        shifted = (replace(one, first=one.first - ahead, last=one.last - ahead) for one in self._problems.values())
        records = list(map(asdict, shifted))
        if records:
            self.redis.hset(keys.PROBLEMS_NOW, self.presence.name, json.dumps(records, ensure_ascii=False))
            self._is_shown = True
        elif self._is_shown:
            self.clear()

    def clear(self) -> None:
        """Remove all problems of this process from Redis: it ends."""
        if self._is_shown:
            self.redis.hdel(keys.PROBLEMS_NOW, self.presence.name)
            self._is_shown = False

    def _end_those_over(self) -> None:
        for key, problem in list(self._problems.items()):
            if self.clock() - problem.last > (CALM if key in self._working else OVER_AFTER):
                del self._problems[key]
                self._working.discard(key)
                if all(other.text != problem.text for other in self._problems.values()):
                    self.on_change(problem, True)


def present_problems(connection: "redis.Redis") -> list[PresentProblem]:
    """Return the present problems of the whole cluster, the oldest first; those with the same text as one."""
    living = {process["name"] for process in alive(connection)}
    by_text: dict[str, PresentProblem] = {}
    for field, raw in cast(dict[bytes, bytes], connection.hgetall(keys.PROBLEMS_NOW)).items():
        if field.decode() not in living:
            connection.hdel(keys.PROBLEMS_NOW, field.decode())
            continue
        for record in json.loads(raw):
            problem = loaded(PresentProblem, record)
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
