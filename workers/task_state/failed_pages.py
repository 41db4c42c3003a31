"""The failed pages of a task, which of them are in quarantine, and the actions of a person on them.

Refused rows are in `workers.writing.refused_rows`.
"""

from dataclasses import dataclass
from itertools import islice

from ..extraction_config import config_of
from ..health import open_alarms
from ..ledger import Ledger
from ..pages.quarantine import PageNote, drop_page, kept_notes
from ..url_states import fingerprint
from ..writing.outputs import options_of
from ..writing.refused_rows import RefusedRow, drop_refused, retry_refused
from .problems import Problem, problems

PROBES = 5  # pages by which a run probes whether a block is over; so many good ones end its alarm


@dataclass(frozen=True, slots=True)
class FailedPage:
    """A failed URL of a task; `page`: the note on its page in quarantine, None if it is not kept."""

    problem: Problem
    page: PageNote | None = None


def failures(ledger: Ledger) -> list[FailedPage]:
    """Return all failed pages of a task: those with a URL, newest first, then those without."""
    notes = kept_notes(ledger.redis, ledger.task)
    failed = [problem for problem in problems(ledger) if problem.state == "failed"]
    return [
        FailedPage(problem, notes.get(fingerprint(problem.url)) if problem.url is not None else None)
        for problem in failed
    ]


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


def retry_row(ledger: Ledger, row: RefusedRow) -> bool:
    """Queue a refused row for its output again. False if it is no longer kept."""
    config = config_of(ledger.redis, ledger.task)
    return retry_refused(ledger.redis, row, options_of(config, row.output) if config else None, clock=ledger.clock)


def drop_row(ledger: Ledger, row: RefusedRow) -> bool:
    """Remove a refused row, because a person does not need it. False if it is no longer kept."""
    return drop_refused(ledger.redis, row)


def _done(ledger: Ledger, url: str, was_failed: bool) -> bool:
    if was_failed:
        drop_page(ledger.redis, ledger.task, fingerprint(url))
    return was_failed
