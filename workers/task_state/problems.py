"""Every URL of a task that has no row: rejected, failed, or waiting to be tried again.

The buckets of settled URLs contain all of them with a short reason; the list of problems has the newest ones in full.
"""

import json
from dataclasses import dataclass
from typing import cast

from ..ledger import Ledger, short
from ..url_states import State, fingerprint
from .forgetting import buckets

AT_ONCE = 200  # URLs whose state is read together


@dataclass(frozen=True, slots=True)
class Problem:
    """A URL without a row. `url`: None if the ledger only keeps its fingerprint; its `reason` is then truncated.

    `at`: when it was settled, in Unix seconds; None if it is open, or the time is unknown.
    """

    state: State
    reason: str
    url: str | None = None
    at: float | None = None


def problems(ledger: Ledger) -> list[Problem]:
    """Return all problems: URLs to be tried again, then settled ones, first those with a URL, newest first."""
    settled = _settled(ledger)
    named: list[Problem] = []
    for row in ledger.problems(None):
        place = ledger.place_of(fingerprint(row["url"]))
        if settled.get(place) == (row["state"], short(row["reason"])):  # else accepted, forgotten or settled again
            del settled[place]
            named.append(Problem(row["state"], row["reason"], row["url"], float(row["at"])))
    return [*_to_be_tried_again(ledger), *named, *(Problem(*state) for state in settled.values())]


def _settled(ledger: Ledger) -> dict[tuple[str, bytes], tuple[State, str]]:
    """Return state and short reason of each rejected and failed URL, by its bucket and slot."""
    settled: dict[tuple[str, bytes], tuple[State, str]] = {}
    for names in buckets(ledger):
        flat = ledger.step("without_row", *names)
        for place, slot, raw in zip(flat[::3], flat[1::3], flat[2::3], strict=True):
            code = raw.decode("utf-8", "replace")
            settled[names[place - 1], slot] = "rejected" if code[0] == "r" else "failed", code[5:]
    return settled


def _to_be_tried_again(ledger: Ledger) -> list[Problem]:
    """Return the open URLs whose last attempt failed temporarily."""
    names = cast(list[bytes], ledger.redis.hkeys(ledger.keys["why"]))
    open_problems: list[Problem] = []
    for start in range(0, len(names), AT_ONCE):
        records = cast(list["bytes | None"], ledger.redis.hmget(ledger.keys["open"], names[start : start + AT_ONCE]))
        urls = [json.loads(record)["url"] for record in records if record]
        states = zip(urls, map(ledger.state_of, urls), strict=True)
        open_problems += [Problem(*state, url) for url, state in states if state and state[1]]
    return open_problems
