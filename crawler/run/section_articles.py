"""The articles of one run: leased from the ledger, and what becomes of each.

lease ─▶ came ─▶ (several together) ─▶ inbox
     └─▶ rejected | failed, perhaps tried again | put off | not there yet
"""

import math
import time
from datetime import UTC, date, datetime, timedelta

from crawler.run.admission import OLD
from crawler.run.run_report import RunOptions, RunReport
from crawler.task_list.models import Task
from workers.inbox import Inbox, StoredPage
from workers.ledger import Ledger
from workers.url_states import Fingerprint, Leased

PAGES_A_FLUSH = 10  # pages that go to Redis together
BYTES_A_FLUSH = 2**20  # … or as soon as they are this big together
SECONDS_A_FLUSH = 0.2  # … or when nothing was handed in for so long: a slow crawl hands in each page at once
PAUSES = (3.0, 15.0, 60.0, 300.0, 1800.0)  # seconds before a page is tried again, by tries so far
OLD_A_RUN = 200  # articles found by back-fills that a run takes which does not back-fill itself
PATIENCE = 20.0  # seconds a run waits at its end for pages that are to be tried again
ENUMERATED_LATER = 2  # days for which a URL that the pattern wrote by itself may still appear


class SectionArticles:
    """What one run fetches. Pages gather here for a moment: `flush` hands them in."""

    def __init__(self, task: Task, options: RunOptions, report: RunReport, ledger: Ledger, inbox: Inbox):
        self.task, self.options, self.report = task, options, report
        self.ledger, self.inbox = ledger, inbox
        self._left = math.inf if options.limit is None else options.limit  # articles that may still be fetched
        self._old_left = OLD_A_RUN
        self._leased: set[Fingerprint] = set()
        self._pages: dict[Fingerprint, StoredPage] = {}
        self._bytes = 0
        self._flushed = time.monotonic()
        self._today = datetime.now(UTC).date()

    def lease(self, most: int) -> list[Leased]:
        """Up to `most` articles to fetch now, newest first; what a back-fill found comes last, and some of it a run."""
        most = int(min(most, self._left))
        if most <= 0:
            return []
        leased = self.ledger.lease(most, below=math.inf if self.options.backfill else OLD)
        if not leased and self._old_left > 0:
            leased = self.ledger.lease(min(most, self._old_left))
            self._old_left -= len(leased)
        self._left -= len(leased)
        self._leased.update(one.fingerprint for one in leased)
        return leased

    # -- what becomes of one ----------------------------------------------------------------------------------------

    def came(self, leased: Leased, page: StoredPage) -> None:
        """An article was fetched, with its further pages."""
        self.hand_in(leased.fingerprint, page)

    def hand_in(self, name: Fingerprint, page: StoredPage) -> None:
        """Hand a page to the inbox, together with its neighbours."""
        self._leased.discard(name)
        self._pages[name] = page
        self._bytes += len(page.body) + sum(len(part.body) for part in page.parts)
        self.report.fetched += 1
        if len(self._pages) >= PAGES_A_FLUSH or self._bytes >= BYTES_A_FLUSH:
            self.flush()
        else:
            self.flush_if_due()

    def rejected(self, leased: Leased, reason: str) -> None:
        """The URL holds no article: a dead link, robots.txt, another kind of file."""
        self._leased.discard(leased.fingerprint)
        self.ledger.settle(leased.fingerprint, "rejected", reason)
        self.report.rejected += 1

    def failed(self, leased: Leased, reason: str, *, passing: bool, rest: float = 0.0) -> None:
        """The article could not be fetched; if that may pass it is tried again, `task.retries` times.

        `rest`: seconds that it waits at least.
        """
        self._leased.discard(leased.fingerprint)
        if passing and not self.is_last_try(leased):
            pause = PAUSES[min(leased.tries, len(PAUSES)) - 1]
            self.ledger.try_later(leased.fingerprint, reason, max(pause, rest))
            self._later()
        else:
            self.ledger.settle(leased.fingerprint, "failed", reason)
            self.report.failed += 1

    def is_last_try(self, leased: Leased) -> bool:
        """Whether a failure in passing would be the article's end."""
        return leased.tries > self.task.retries

    def put_off(self, leased: Leased, reason: str, seconds: float) -> None:
        """The article may not be asked for now: it waits for at least `seconds`, and the try is not counted."""
        self._leased.discard(leased.fingerprint)
        self.ledger.try_later(leased.fingerprint, reason, seconds, counted=False)
        self._later()

    def _later(self) -> None:
        self.report.later += 1
        self._left += 1

    def not_there_yet(self, leased: Leased) -> bool:
        """Whether a URL that the pattern wrote by itself may still appear: then it is forgotten, not settled."""
        if not leased.info.get("written_for"):
            return False
        if date.fromisoformat(str(leased.info["written_for"])) < self._today - timedelta(days=ENUMERATED_LATER):
            return False
        self._leased.discard(leased.fingerprint)
        self.ledger.drop(leased.fingerprint)
        self._left += 1
        return True

    # -- all that are in hand ---------------------------------------------------------------------------------------

    @property
    def in_hand(self) -> int:
        """Articles that are leased to this run, or fetched and not handed in."""
        return len(self._leased) + len(self._pages)

    @property
    def are_enough(self) -> bool:
        """Whether this run may fetch no more."""
        return self._left <= 0

    def next_due(self) -> float | None:
        """Seconds until a page is to be tried again, if that is worth waiting for."""
        _, due = self.ledger.delayed()
        wait = max(0.0, due - time.time()) if due is not None else None
        return wait if wait is not None and wait <= PATIENCE else None

    def flush(self) -> None:
        """Hand in what has gathered."""
        self.inbox.deliver(self.ledger, self._pages)
        self._pages, self._bytes, self._flushed = {}, 0, time.monotonic()

    def flush_if_due(self) -> None:
        """Hand in what has gathered if nothing was for a while."""
        if time.monotonic() - self._flushed >= SECONDS_A_FLUSH:
            self.flush()

    def renew(self) -> None:
        """Keep our leases."""
        self.ledger.renew(list(self._leased))

    def give_up_leases(self) -> None:
        """We were silent for too long: others have them by now."""
        self._leased.clear()

    def put_back(self) -> None:
        """Give back what is not done."""
        self.ledger.put_back(list(self._leased))
