"""The evidence of a redesign in one job of a worker.

At the end of the job the pages off the template are noted, and a new example is looked for. The pages are then already
settled, and after an adoption they are extracted again. So that a run with `--once` does not end in between, the worker
marks the task before it settles the first of them.
"""

import redis

from ..extraction.page_decision import FoundArticle, Reject, WriteRows
from ..extraction.page_observer import PageObserver
from ..extraction.section_preparation import PreparedSection
from ..page_store import StoredPage
from ..redis_access.redis_clock import clock_of
from ..reporting.worker_reports import Watch, WorkerTimes
from ..url_states import Fingerprint, PageLease
from .adoption import close_late_gap
from .off_template import OffTemplateNote, OffTemplatePages, mark_pending, unmark_pending
from .proposal_finder import ProposalFinder

OF_LEDGER = frozenset({"url", "rank", "day", "visits"})  # a record's fields that are not from discovery
PAGES_LONG = 3  # the search for a proposal may take this many deadlines of a page: it extracts 20 pages twice


class RedesignWatch(PageObserver):
    """Gathers the pages of one job that are off the template.

    Pages that a back-fill found, or that were kept, are no evidence: they may be old.
    """

    def __init__(
        self, connection: "redis.Redis", section: PreparedSection, worker: str, watch: Watch, times: WorkerTimes
    ):
        self.redis, self.section, self.worker, self.clock = connection, section, worker, clock_of(connection).now
        self.watch, self.times = watch, times
        self._is_pending = False
        self._low: dict[Fingerprint, tuple[OffTemplateNote, StoredPage | None]] = {}
        self._fitting: list[Fingerprint] = []

    def judged(self, judged: object) -> None:
        """Mark the task if the page is off the template."""
        fits = judged.article.fits if isinstance(judged, FoundArticle) else getattr(judged, "fits", True)
        if not fits and not self._is_pending:
            self._is_pending = True
            mark_pending(self.redis, self.section.config.task, self.worker)

    def written(self, lease: PageLease, decision: WriteRows) -> None:
        """Gather a page whose row was written, if it is off the template, or if it was earlier and fits now."""
        found = decision.article
        if found is None or lease.is_old:
            return
        if found.article.fits:
            self._fitting += [lease.fingerprint] * bool(lease.recheck)
            return
        row = decision.rows[0]
        self._add(lease, found, version=row["version"], hash_=row["content_hash"])

    def refused(self, lease: PageLease, decision: Reject) -> None:
        """Gather a page that was rejected, if it is off the template."""
        if not decision.fits and not lease.is_old and not lease.recheck:
            self._add(lease, None)

    def end(self) -> None:
        """Note the pages off the template, and look for a new example if there are enough."""
        try:
            config = self.section.config
            low = OffTemplatePages(self.redis, config.task)
            if self._fitting:
                low.forget(self._fitting)
            noted = low.note(self._low)
            if noted:
                close_late_gap(self.redis, config)
            if noted or (config.redesign == "adopt" and low.count()):  # an adoption may be interrupted
                with self.watch.during(config.task, "example", PAGES_LONG * self.times.page_deadline):
                    ProposalFinder(self.redis, self.section).look()
        finally:
            if self._is_pending:
                unmark_pending(self.redis, self.section.config.task, self.worker)

    def _add(self, lease: PageLease, found: FoundArticle | None, *, version: int = 0, hash_: str = "") -> None:
        info = {name: value for name, value in lease.info.items() if name not in OF_LEDGER}
        note = OffTemplateNote(lease.url, self.clock(), "written" if found else "rejected", version, hash_, info)
        page = found.page if found and not (found.page.parts or found.page.missing) else None
        self._low[lease.fingerprint] = note, page
