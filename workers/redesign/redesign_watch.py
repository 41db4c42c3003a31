"""The evidence of a redesign in one job of a worker.

At the end of the job the pages off the template are noted, and a new example is looked for. The pages are then already
settled, and after an adoption they are extracted again. So that a run with `--once` does not end in between, the worker
marks the task before it settles the first of them:

    low:pending  zset: worker -> when its mark expires, Unix seconds
"""

import logging

import redis

from .. import keys
from ..extraction.page_decision import FoundArticle, Reject, WriteRows
from ..extraction.section_preparation import PreparedSection
from ..page_store import StoredPage
from ..redis_access.full_redis import even_when_full
from ..redis_access.redis_clock import Clock
from ..reporting.worker_reports import Watch, WorkerTimes
from ..url_states import PageLease
from .adoption import close_late_gap
from .off_template import OffTemplateNote, OffTemplatePage, OffTemplatePages
from .proposal_finder import ProposalFinder

OF_LEDGER = frozenset({"url", "rank", "day", "visits"})  # a record's fields that are not from discovery
PAGES_LONG = 3  # the search for a proposal may take this many deadlines of a page: it extracts 20 pages twice

PENDING_FOR = 120.0  # seconds after which the mark of a dead worker does not count

log = logging.getLogger(__name__)


class RedesignWatch:
    """Gathers the pages of one job that are off the template.

    Articles that a back-fill found are no evidence: they may be old.
    """

    def __init__(self, connection: "redis.Redis", section: PreparedSection, worker: str, *, clock: Clock):
        self.redis, self.section, self.worker, self.clock = connection, section, worker, clock
        self._is_pending = False
        self._low: list[OffTemplatePage] = []

    def judged(self, judged: object) -> None:
        """Mark the task if the page is off the template. Call it before the page is settled."""
        fits = judged.article.fits if isinstance(judged, FoundArticle) else getattr(judged, "fits", True)
        if not fits and not self._is_pending:
            self._is_pending = True
            until = self.clock() + PENDING_FOR
            even_when_full(self.redis, "ZADD", _pending(self.section.config.task), until, self.worker)

    def written(self, lease: PageLease, decision: WriteRows) -> None:
        """Gather a page whose row was written, if it is off the template."""
        found = decision.article
        if found is None or found.article.fits or "days" in lease.info:
            return
        row = decision.rows[0]
        self._add(lease, "written", found, version=row["version"], hash_=row["content_hash"])

    def refused(self, lease: PageLease, decision: Reject) -> None:
        """Gather a page that was rejected, if it is off the template."""
        if not decision.fits and "days" not in lease.info and not lease.recheck:
            self._add(lease, "rejected", None)

    def end(self, watch: Watch, times: WorkerTimes) -> None:
        """Note the pages off the template, and look for a new example if there are enough."""
        try:
            config = self.section.config
            low = OffTemplatePages(self.redis, config.task, clock=self.clock)
            noted = low.note(self._low)
            if noted:
                close_late_gap(self.redis, config, clock=self.clock)
            if noted or (config.redesign == "adopt" and low.count()):  # an adoption may be interrupted
                self._look(watch, times)
        finally:
            if self._is_pending:
                self.redis.zrem(_pending(self.section.config.task), self.worker)

    def _look(self, watch: Watch, times: WorkerTimes) -> None:
        watch.begin(self.section.config.task, "example", PAGES_LONG * times.page_deadline)
        try:
            ProposalFinder(self.redis, self.section, clock=self.clock).look()
        except (MemoryError, redis.RedisError):
            raise
        except Exception:  # a defect in the search must not stop the task
            log.exception("task %s: looking for a new example failed", self.section.config.task)
        finally:
            watch.end()

    def _add(
        self, lease: PageLease, state: str, found: FoundArticle | None, *, version: int = 0, hash_: str = ""
    ) -> None:
        info = {name: value for name, value in lease.info.items() if name not in OF_LEDGER}
        note = OffTemplateNote(
            lease.url, self.clock(), "written" if state == "written" else "rejected", version, hash_, info
        )
        page: StoredPage | None = found.page if found and not (found.page.parts or found.page.missing) else None
        self._low.append(OffTemplatePage(lease.fingerprint, note, page))


def redesign_pending(connection: "redis.Redis", task: str, *, clock: Clock) -> bool:
    """Whether a worker may still find a new example in the pages that it has settled."""
    now = clock()
    return bool(connection.zcount(_pending(task), now, now + PENDING_FOR))


def _pending(task: str) -> str:
    return keys.of_task(task, "low:pending")
