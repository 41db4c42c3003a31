"""A ledger in memory, for the lists of a trial: it is empty at first, and nothing is kept.

It has the methods of a ledger and its Redis that `SectionLists`, `Admission` and `Rendering` use. Any other use is an
error, not an empty result.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Unpack

import redis

from workers.ledger import Ledger
from workers.url_states import FINAL_STATES, OPEN_STATES, Counts, EndDetails, Fingerprint, Found, State, fingerprint

REPLIES: dict[str, Callable[[], Any]] = {  # replies of a Redis without any key
    "HGET": lambda: None, "HGETALL": dict, "HKEYS": list, "LRANGE": list, "SMEMBERS": set,
    "DEL": int, "HDEL": int, "HSET": int, "SADD": int, "SREM": int,
}  # fmt: skip


class EmptyRedis(redis.Redis):
    """A Redis without any key, which stores nothing and has no connection."""

    def execute_command(self, *args: Any, **options: Any) -> Any:
        """Return the reply to a command."""
        return [None] * (len(args) - 2) if args[0] == "HMGET" else REPLIES[args[0]]()

    def pipeline(self, transaction: bool = True, shard_hint: Any = None) -> Any:
        """Return itself: the commands of a pipeline store nothing either."""
        return self

    def execute(self) -> list[Any]:
        """Return no replies."""
        return []


class MemoryLedger(Ledger):
    """The ledger of one task's first run. `entered`: the URLs that wait, `settled`: the state of the others."""

    def __init__(self, task: str):
        super().__init__(EmptyRedis(), task, clock=time.time)
        self.entered: dict[Fingerprint, Found] = {}
        self.settled: dict[Fingerprint, State] = {}

    def add(self, found: Iterable[Found]) -> list[bool]:
        """Enter URLs as waiting; return for each whether it was new."""
        new = []
        for entry in found:
            name = fingerprint(entry.url)
            new.append(name not in self.entered and name not in self.settled)
            if new[-1]:
                self.entered[name] = entry
        return new

    def have_rows(self, names: Sequence[Fingerprint]) -> list[bool]:
        """Return False for each fingerprint: a trial writes no row."""
        return [False] * len(names)

    def settle(
        self,
        name: Fingerprint,
        state: State,
        reason: str,
        **details: Unpack[EndDetails],
    ) -> bool:
        """Give a waiting URL its final state; return False if it does not wait."""
        if self.entered.pop(name, None) is None:
            return False
        self.settled[name] = state
        return True

    def drop(self, name: Fingerprint) -> bool:
        """Forget a waiting URL; return False if it does not wait."""
        return self.entered.pop(name, None) is not None

    def counts(self) -> Counts:
        """Return how many URLs are in each state."""
        states = dict.fromkeys((*OPEN_STATES, *FINAL_STATES), 0)
        states["waiting"] = len(self.entered)
        for state in self.settled.values():
            states[state] += 1
        return Counts(sum(states.values()), states)

    def in_order(self) -> list[Found]:
        """Return the waiting URLs in the order in which a run would fetch them."""
        return sorted(self.entered.values(), key=lambda entry: entry.rank)
