"""Extract settled pages of a task again, without a request: their URLs wait in the ledger, as at a recheck, and their
stored pages go through the inbox to the workers. A row becomes a new version if its text differs, and nothing is
written twice.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, Literal

from ..errors import ExemplarError
from ..extraction_config import config_of
from ..inbox import PAGES_A_JOB, Inbox
from ..ledger import Ledger
from ..page_store import StoredPage
from ..pages.kept_pages import KeptPage, KeptPages, NewestRow, kept_pages_of
from ..url_states import HASH_UNKNOWN, KEPT, OPEN_STATES, RecheckPlan, State, fingerprint, recheck_of
from ..writing.row_queue import rows_waiting
from .row_claims import NO_NEW_ROWS, PAGE_MISSING, UNCHANGED

AHEAD = 10  # jobs of pages that wait for the workers at most
FAILURES = 5  # that a report names
Kind = Literal["same", "changed", "refused", "failed", "postponed"]


@dataclass(frozen=True, slots=True)
class PageAgain:
    """A page of a settled URL. `plan`: version and hash of its row; None without one. `page`: None to fetch it."""

    url: str
    plan: RecheckPlan | None
    info: Mapping[str, Any]
    page: StoredPage | None


def extract_again(
    ledger: Ledger, inbox: Inbox, pages: Iterable[PageAgain], *, waiting: bool = False
) -> list[PageAgain]:
    """Let the URLs of pages wait again, and deliver the pages that are stored; return those that are now extracted or
    fetched.

    The others are left as they are: their URLs are open, forgotten, or written with an unknown row. A URL that waits
    already counts as if it waited by this call if `waiting` is set: an interrupted call may have reopened it.
    """
    taken = [page for page in pages if _is_reopened(ledger, page, waiting)]
    inbox.deliver(ledger, {fingerprint(one.url): one.page for one in taken if one.page is not None})
    return taken


def _is_reopened(ledger: Ledger, page: PageAgain, waiting: bool) -> bool:
    if ledger.reopen(page.url, page.plan, page.info) is not None:
        return True
    return waiting and (ledger.state_of(page.url) or ("",))[0] == "waiting"


def kept_pages_for(ledger: Ledger) -> KeptPages:
    """Return the kept pages of a task. Raises `ExemplarError` if none was ever kept."""
    config = config_of(ledger.redis, ledger.task)
    if config is None:
        raise ExemplarError(f"task {ledger.task} is not published; run it first")
    kept = kept_pages_of(config, clock=ledger.clock)
    if not kept.path.exists():
        raise ExemplarError(
            f"no page of task {ledger.task} is kept: {kept.path} does not exist; set keep_pages: 30d, and run the task"
        )
    return kept


class ReExtraction:
    """The extraction of the kept pages of a task, by all workers that run. `since`: Unix seconds of their fetching.

    `counts`: pages by their result; `postponed` are those whose URL is being fetched or extracted, or is unknown.
    `failures`: the first URLs of pages that failed.
    """

    def __init__(self, ledger: Ledger, kept: KeptPages, *, since: float = 0.0):
        self.ledger, self.kept = ledger, kept
        self.counts: Counter[Kind] = Counter()
        self.failures: list[str] = []
        self._inbox = Inbox(ledger.redis)
        with closing(kept):
            self._waiting = kept.newest_of_each_url(since=since)[::-1]
        self._delivered: list[str] = []  # URLs that are not known to be settled, in order

    def step(self) -> bool:
        """Count the pages that are settled, and deliver further ones. Returns whether all rows are written."""
        while self._delivered:
            state = self.ledger.state_of(self._delivered[0])
            if state is not None and state[0] in OPEN_STATES:
                break
            self._count(self._delivered.pop(0), *(state or ("forgotten", "")))
        while self._waiting and len(self._delivered) < AHEAD * PAGES_A_JOB:
            later = self._deliver(self._waiting[-PAGES_A_JOB:][::-1])
            self._waiting[-PAGES_A_JOB:] = later[::-1]  # only now, so that it is repeated after an error of Redis
            if later:
                break
        return not self._delivered and not self._waiting and not rows_waiting(self.ledger.redis, self.ledger.task)

    def _deliver(self, numbers: Sequence[int]) -> list[int]:
        """Deliver pages; return those of URLs of which another page is delivered and not known to be settled."""
        with closing(self.kept):  # workers are forked, and SQLite's connections must not be used across a fork
            pages = [page for number in numbers for page in self._read(number)]
            rows = self.kept.rows_of(numbers)
        later, again = list[int](), dict[str, PageAgain]()
        for page in pages:
            if page.url in again or page.url in self._delivered:
                later.append(page.id)
                continue
            plan = _plan(page, rows.get(page.id))
            again[page.url] = PageAgain(page.url, plan, page.info, replace(page.page, run=KEPT))
        taken = extract_again(self.ledger, self._inbox, again.values())
        self._delivered += [one.url for one in taken]
        self.counts["postponed"] += len(again) - len(taken)
        return later

    def _read(self, number: int) -> Iterator[KeptPage]:
        """Yield a page, unless it was removed meanwhile; one that is damaged counts as failed."""
        try:
            yield from self.kept.read([number])
        except ValueError as error:
            self._fail(str(error))

    def _count(self, url: str, state: State, reason: str) -> None:
        found = reason.removeprefix("recheck: ") if reason.startswith("recheck: ") else state
        if found == "failed":
            self._fail(url)
        elif found != "written":
            self.counts["refused"] += 1
        else:
            self.counts["same" if reason.endswith((UNCHANGED, PAGE_MISSING, NO_NEW_ROWS)) else "changed"] += 1

    def _fail(self, page: str) -> None:
        self.counts["failed"] += 1
        self.failures += [page] * (len(self.failures) < FAILURES)


def _plan(page: KeptPage, row: NewestRow | None) -> RecheckPlan | None:
    """Return version and hash of the row that a kept page gave; for a list page, where a thread's visit begins."""
    if page.kind == "list":
        return replace(recheck_of(page.info) or RecheckPlan(0.0, 0.0, 0, HASH_UNKNOWN), every=0.0, until=0.0)
    if row is None:
        return None
    return RecheckPlan(0.0, 0.0, row.version, row.example_hash.hex(), row_hash=row.hash.hex())
