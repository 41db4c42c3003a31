"""A URL in the ledger: its fingerprint, its states and rechecks, and the arguments and results of the steps."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date, timedelta
from hashlib import blake2b
from typing import Any, Literal, TypedDict

from .stored_json import loaded

State = Literal["waiting", "leased", "fetched", "written", "duplicate", "rejected", "failed", "forgotten"]
OPEN_STATES: tuple[State, ...] = ("waiting", "leased", "fetched")
FINAL_STATES: tuple[State, ...] = ("written", "duplicate", "rejected", "failed", "forgotten")
MOST_ATTEMPTS = 3  # times a page may crash or time out its worker

ENUMERATED_LATER = 2  # days for which a URL that the pattern generated may still appear

Fingerprint = str  # 16 hex digits
HASH_UNKNOWN = ""  # of the text of a row whose plan was lost; the beginning of each hash
KEPT = "kept"  # instead of the id of a run, for a page that is extracted again
Revisit = tuple[float, float] | None  # seconds between two checks, and for how long; None: no rechecks


def fingerprint(url: str) -> Fingerprint:
    """Return the key of a normalised URL in the ledger: 64 bits of BLAKE2b (one clash expected in 6 billion URLs)."""
    return blake2b(url.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def may_appear(info: Mapping[str, Any], today: date) -> bool:
    """Whether an article may appear later at a URL without one: the pattern generated it for one of the last days."""
    day = info.get("written_for")
    return bool(day) and date.fromisoformat(str(day)) >= today - timedelta(days=ENUMERATED_LATER)


@dataclass(frozen=True, slots=True)
class Found:
    """A URL to be fetched. `rank` orders the waiting ones: the smallest is fetched first."""

    url: str
    rank: float = 0.0
    info: Mapping[str, Any] = field(default_factory=dict)  # the data on the URL from discovery, JSON-ready


@dataclass(frozen=True, slots=True)
class ThreadEnd:
    """The known end of a thread: `page`, the URL with which its next visit begins; the thread's `url` and `title`."""

    page: str
    url: str
    title: str


@dataclass(frozen=True, slots=True)
class RecheckPlan:
    """The rechecks of a written page: `every` how many seconds, `until` a Unix time; its last version and hash.

    `thread`: where the next visit begins; None: with the page itself. `row_hash`: `content_hash` of its row; None if
    unknown.
    """

    every: float
    until: float
    version: int
    hash: str  # content_hash of the article as extracted with the example alone
    thread: ThreadEnd | None = None
    row_hash: str | None = None

    def to_json(self) -> str:
        """Return the plan as it is stored."""
        return json.dumps({name: value for name, value in asdict(self).items() if value is not None})


def recheck_of(info: Mapping[str, Any]) -> RecheckPlan | None:
    """Return the plan in the data on a URL; None if it was not written before."""
    stored = info.get("visits")
    return loaded(RecheckPlan, stored) if stored else None


class EndDetails(TypedDict, total=False):
    """What may be given with the final state of a URL."""

    worker: str  # settle only if this worker still holds the page
    recheck: RecheckPlan | None  # check the written article again; it stays written after any result
    listed: bool  # False: the URL is only counted, not kept among the problems
    observation: str  # of its page, for the task's health, as JSON (`health.observations`)
    rows: int  # that outputs get
    left_out: int  # rows that no output gets
    queued: Sequence[Any]  # rows that are queued in the same step (`row_queue.to_queue`)


@dataclass(frozen=True, slots=True)
class Leased:
    """A URL that a spider may fetch now. `tries` counts this time too."""

    fingerprint: Fingerprint
    url: str
    tries: int
    info: Mapping[str, Any]

    @property
    def rank(self) -> float:
        """The rank that it had while it waited."""
        return float(self.info["rank"])

    @property
    def thread(self) -> ThreadEnd | None:
        """Return where this visit of a thread begins; None: with its first page."""
        plan = recheck_of(self.info)
        return plan.thread if plan else None


@dataclass(frozen=True, slots=True)
class PageLease:
    """A page that is leased to a worker.

    `attempts`: how often a worker took it without settling it, this time included; beyond `MOST_ATTEMPTS` it must not
    be extracted. `again`: a worker took it before, so that its row may already be written.
    """

    fingerprint: Fingerprint
    url: str
    attempts: int
    again: bool
    page: Mapping[str, bytes]  # the stored page: body (compressed), url, type, status, at
    info: Mapping[str, Any] = field(default_factory=dict)

    @property
    def run(self) -> str:
        """Return the id of the run that fetched the page; "" if it is unknown."""
        return self.page.get("run", b"").decode()

    @property
    def accepted(self) -> bool:
        """Whether a person accepted the URL after it had been rejected."""
        return bool(self.info.get("accepted"))

    @property
    def is_kept(self) -> bool:
        """Whether the page was kept, and is extracted again."""
        return self.run == KEPT

    @property
    def is_old(self) -> bool:
        """Whether the page need not show the section's present state: a back-fill found it, or it was kept."""
        return bool(self.info.get("days")) or self.is_kept

    @property
    def delivered(self) -> frozenset[str]:
        """Return the names of the outputs that have its rows, while another one was unavailable."""
        outputs = self.page.get("delivered")
        return frozenset(json.loads(outputs)) if outputs else frozenset()

    @property
    def recheck(self) -> RecheckPlan | None:
        """Return version and hash at the last check if the article was written before."""
        return recheck_of(self.info)


@dataclass(frozen=True, slots=True)
class Claim:
    """The answer to the claim of a canonical URL.

    `state`: "mine"; "theirs": another URL of the task has written it; "busy": another URL holds the claim, try again
    later; "lost": the worker no longer holds the page. Two fields apply to "mine" only. `is_entry`: a
    list page has written, or has claimed, the row of this URL; `may_have_row`: an output may have the
    row although the ledger does not know it, since URLs of the task were forgotten or it was recovered from an output.
    """

    state: Literal["mine", "theirs", "busy", "lost"]
    is_entry: bool = False
    may_have_row: bool = False


@dataclass(frozen=True, slots=True)
class Counts:
    """The numbers of a task's URLs in each state. `rows`: rows written so far; a written URL may have any number.

    `left_out`: rows that no output got, by its `where`.
    """

    seen: int
    states: Mapping[State, int]
    rows: int = 0
    left_out: int = 0

    @property
    def unaccounted(self) -> int:
        """URLs that were seen and have no state: always 0, unless the ledger is inconsistent."""
        return self.seen - sum(self.states.values())

    @property
    def open(self) -> int:
        """URLs in an open state."""
        return sum(self.states[state] for state in OPEN_STATES)

    def to_dict(self) -> dict[str, int]:
        """Return seen, each state, and unaccounted, by name."""
        return {
            "seen": self.seen,
            **{str(state): n for state, n in self.states.items()},
            "unaccounted": self.unaccounted,
        }


def next_recheck(
    revisit: Revisit,
    previous: RecheckPlan | None,
    version: int,
    hash_: str,
    *,
    now: float,
    renew: bool = False,
    row_hash: str | None = None,
) -> RecheckPlan | None:
    """Return when to recheck a page whose row has this version and hash; None if never.

    `previous`: the plan up to this check, None at the first. The time for rechecks begins at the first check; with
    `renew` it starts over. If the task no longer has `revisit`, this check was the last one.
    """
    if previous is None and revisit is None:
        return None
    every, during = revisit or (0.0, 0.0)
    until = now + during if renew or previous is None else previous.until
    return RecheckPlan(every, until if revisit else 0.0, version, hash_, row_hash=row_hash)


def next_list_recheck(
    revisit: Revisit,
    previous: RecheckPlan | None,
    hash_: str,
    *,
    has_new: bool,
    now: float,
    thread: ThreadEnd | None = None,
) -> RecheckPlan | None:
    """Return when to check a list page again: as long as it had a new entry within the time that `revisit` gives.

    Version 0 means that the page never had a row of its own. `thread`: where the next visit of a thread begins.
    """
    version = previous.version if previous else 0
    plan = next_recheck(revisit, previous, version, hash_, now=now, renew=has_new)
    return replace(plan, thread=thread) if plan else None


def recovered_recheck(revisit: Revisit, version: int, fetched_at: float, *, now: float) -> RecheckPlan | None:
    """Return the plan of a row of this version whose plan was lost; None if no recheck is left.

    The hash of its text is unknown, so the next recheck only stores it.
    """
    if revisit is None or now + revisit[0] > fetched_at + revisit[1]:
        return None
    return RecheckPlan(revisit[0], fetched_at + revisit[1], version, HASH_UNKNOWN)


def is_unchanged(previous: RecheckPlan, hash_: str, row_hash: str, *, is_incomplete: bool) -> bool:
    """Whether a recheck creates no new version: the text is the same, or the article is incomplete this time.

    `hash_`: of the text extracted with the example alone, since other voters may extract another text of the same
    article; `row_hash`: of the text that a row would have, since what surrounds an article may change. The hashes of
    `previous` may be the beginnings of hashes.
    """
    is_same_row = bool(previous.row_hash) and row_hash.startswith(previous.row_hash or "")
    return is_incomplete or hash_.startswith(previous.hash) or is_same_row
