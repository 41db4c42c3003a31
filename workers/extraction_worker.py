"""One extraction worker: pages → articles → sinks → ledger.

Each page is leased, and its attempt counted, just before its extraction, and settled just after its row is written, one
page after another. When a page crashes its worker, the attempt is counted for that page only; no other page is lost.
"""

import logging
import time
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import redis

from .clock import Clock
from .errors import OutputError, SinkUnavailable
from .extraction_config import config_of
from .ledger import Ledger
from .page_decision import (
    Decision,
    Fail,
    FoundArticle,
    FoundList,
    KeepRow,
    MarkDuplicate,
    Postpone,
    Reject,
    WriteRows,
    judge,
)
from .quarantine import quarantine, state_folder
from .row_claims import RowClaims
from .section_preparation import PreparedSection, SectionPreparation
from .url_states import Fingerprint, PageLease
from .worker_reports import NoWatch, Watch
from .worker_times import WorkerTimes

log = logging.getLogger(__name__)


class ExtractionWorker:
    """Extracts pages with the prepared sections of their tasks. `state`: the folder of the quarantine."""

    def __init__(
        self,
        connection: "redis.Redis",
        name: str,
        *,
        watch: Watch | None = None,
        state: Path | None = None,
        times: WorkerTimes | None = None,
        clock: Clock = time.time,
    ):
        self.redis = connection
        self.name = name
        self.watch = watch or NoWatch()
        self.state = state or state_folder()
        self.times = times or WorkerTimes()
        self.clock = clock
        self._sections = SectionPreparation(connection, self.watch, times=self.times, clock=clock)

    def extract_pages(self, task: str, names: Sequence[Fingerprint]) -> None:
        """Extract, write and settle the pages of one job; skip those that are settled or leased to another worker."""
        self.watch.job(task, names)
        ledger = Ledger(self.redis, task, clock=self.clock)
        section = self._prepare_or_postpone(ledger, names)
        if section is not None:
            for name in names:
                self._process(section, ledger, name)
            if section.candidates:
                section.candidates.offer()
        self.watch.job(task, [])

    def close(self) -> None:
        """Close all sinks."""
        self._sections.close()

    def _prepare_or_postpone(self, ledger: Ledger, names: Sequence[Fingerprint]) -> PreparedSection | None:
        """Return what the task's pages are extracted with; None if it is unavailable, and the pages are postponed."""
        config = config_of(self.redis, ledger.task)
        if config is None:
            log.warning("task %s is not published; %d of its pages wait", ledger.task, len(names))
            ledger.postpone(names, self.times.task_pause, "task is not published")
            return None
        try:
            return self._sections.prepare(config)
        except (OutputError, ValueError) as error:
            self._report_problem(error)
            ledger.postpone(names, self.times.task_pause, str(error))
            return None

    def _process(self, section: PreparedSection, ledger: Ledger, name: Fingerprint) -> None:
        """Lease one page, decide what follows from it, and carry that out."""
        lease = ledger.take(name, self.name, seconds=self.times.page_deadline + self.times.lease_margin)
        if lease is None:
            return
        self.watch.begin(ledger.task, name, self.times.page_deadline)
        try:
            decision = self._decide(section, ledger, lease)
            if decision is not None:
                self._carry_out(decision, section, ledger, lease)
        except (SinkUnavailable, OutputError) as error:
            self._report_problem(error)
            self._carry_out(Postpone(str(error), self.times.sink_pause), section, ledger, lease)
        finally:
            self.watch.end()

    def _decide(self, section: PreparedSection, ledger: Ledger, lease: PageLease) -> Decision | None:
        """Return what follows from a page; None if its lease is lost."""
        judged = judge(section, lease)
        if not isinstance(judged, FoundArticle | FoundList):
            return judged
        self.watch.end()  # the deadline is for the extraction, not for the sinks
        claims = RowClaims(ledger, self.name, pause=self.times.claim_pause)
        if isinstance(judged, FoundList):
            return claims.decide_list(section, lease, judged)
        return claims.decide_article(section, lease, judged)

    def _carry_out(self, decision: Decision, section: PreparedSection, ledger: Ledger, lease: PageLease) -> None:
        """Do what was decided. Only here, and in `_write` after its rows, a worker settles or releases a page."""
        settle = partial(ledger.settle, lease.fingerprint, worker=self.name)
        match decision:
            case Reject(reason):
                settle("rejected", reason)
            case Fail(reason, page, error):
                if error is not None and page is not None:
                    log.error("page %s of task %s", page.url, ledger.task, exc_info=error)
                if page is not None:
                    quarantine(self.state, ledger.task, lease.fingerprint, page, reason)
                settle("failed", reason)
            case Postpone(reason, seconds):
                ledger.release(lease.fingerprint, self.name, seconds, reason)
            case MarkDuplicate(note):
                settle("duplicate", note)
            case KeepRow(note, recheck):
                settle("written", note, recheck=recheck)
            case WriteRows(article=article):
                if self._write(decision, section, ledger, lease) and article is not None:
                    self._consider(section, lease, article)

    def _write(self, decision: WriteRows, section: PreparedSection, ledger: Ledger, lease: PageLease) -> bool:
        """Write a page's rows and settle it. False if the lease expired while this worker waited for a lock."""
        with ExitStack() as locks:
            # The same order in all workers: no deadlock.
            for sink in sorted(section.sinks, key=lambda sink: sink.name):
                locks.enter_context(sink.exclusive())
            if not ledger.holds(lease.fingerprint, self.name):
                return False
            for sink in section.sinks if decision.rows else ():
                sink.write(decision.rows, again=decision.again)
            ledger.entries_written(decision.entries)
            ledger.settle(lease.fingerprint, "written", decision.note, worker=self.name, recheck=decision.recheck)
        return True

    def _consider(self, section: PreparedSection, lease: PageLease, found: FoundArticle) -> None:
        """Make a written page a candidate for the vote, unless a back-fill found it: such pages are not recent."""
        if section.candidates is None or not section.candidates.has_room() or lease.info.get("days"):
            return
        self.watch.begin(section.config.task, lease.fingerprint, self.times.page_deadline)
        try:
            section.candidates.consider(lease.fingerprint, found.page, found.article)
        except (MemoryError, redis.RedisError):
            raise
        except Exception:  # a defect of ours; the page is written all the same
            log.exception("task %s: page %s can't be judged as a recent page", section.config.task, found.page.url)
        finally:
            self.watch.end()

    def _report_problem(self, error: Exception) -> None:
        log.error("%s; pages are kept and tried again", error)
        self.watch.problem(str(error))
