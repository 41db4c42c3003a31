"""Every URL of a task that has no row: rejected, failed, or waiting to be tried again.

The buckets of settled URLs contain all of them with a short reason; the list of problems has the newest ones in full.
A person acts on the failed ones, whose pages may be in quarantine. Refused rows are in `workers.writing.refused_rows`.
"""

import json
from dataclasses import dataclass
from itertools import islice
from typing import cast

from ..health.store import open_alarms
from ..ledger import Ledger, short
from ..pages.quarantine import drop_page
from ..url_states import State, fingerprint
from .forgetting import buckets

AT_ONCE = 200  # URLs whose state is read together
PROBES = 5  # pages by which a run probes whether a block is over; so many good ones end its alarm


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


def failures(ledger: Ledger) -> list[Problem]:
    """Return all failed URLs of a task: first those with a URL, newest first."""
    if not ledger.counts().states["failed"]:  # then no bucket has to be read
        return []
    return [problem for problem in problems(ledger) if problem.state == "failed"]


def retry(ledger: Ledger, url: str) -> bool:
    """Let the next run fetch a failed URL again. False if it has not failed."""
    return _done(ledger, url, ledger.retry(url))


def drop(ledger: Ledger, url: str) -> bool:
    """Reject a failed URL permanently, because a person does not need it. False if it has not failed."""
    return _done(ledger, url, ledger.drop_failed(url))


def requeue(ledger: Ledger, since: float, *, most: int | None = None) -> int:
    """Let failed and rejected URLs wait again, because their site sent block pages; return their number.

    `since`: when they were settled at the earliest, Unix seconds; `most`: the oldest ones, at most so many. URLs that
    the server refused finally, such as dead links, stay rejected.
    """
    rows = [row for row in ledger.problems(None) if float(row["at"]) >= since - 1]  # `at` has whole seconds
    urls = dict.fromkeys(
        row["url"] for row in reversed(rows) if row["state"] == "failed" or row["reason"][:4] != "http"
    )
    waiting = (url for url in urls if retry(ledger, url) or ledger.retry(url, "rejected"))
    return sum(1 for _ in islice(waiting, most))


def probe_block(ledger: Ledger) -> None:
    """Let some of the pages wait again that an open alarm `blocked` concerns: they show whether the block is over."""
    for since in _blocked_since(ledger):
        requeue(ledger, since, most=PROBES)


def is_in_block(ledger: Ledger, url: str) -> bool:
    """Whether a URL was rejected since the first sign of an open alarm `blocked`."""
    rows = ledger.problems(None) if (since := _blocked_since(ledger)) else []
    return any(row["url"] == url and float(row["at"]) >= since[0] - 1 for row in rows)


def _blocked_since(ledger: Ledger) -> list[float]:
    return [alarm.since for alarm in open_alarms(ledger.redis, [ledger.task]) if alarm.kind == "blocked"]


def _done(ledger: Ledger, url: str, was_failed: bool) -> bool:
    if was_failed:
        drop_page(ledger.redis, ledger.task, fingerprint(url))
    return was_failed
