"""One extraction worker: pages → articles → sinks → ledger.

The pages of a job are leased and read together. The attempt of each is counted just before its extraction, and is
subtracted once it is extracted; its rows wait for those of the other pages of the job, to be claimed and written
together (`workers.extraction.group_writer`). So a crash counts as an attempt of one page only, and waiting for an
output counts for none.
"""

import logging
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

import redis

from extractors.article import GONE

from .. import keys
from ..errors import OutputError, SinkUnavailable
from ..extraction.block_pages import ROW_FETCHES, BlockPages
from ..extraction.group_writer import GroupWriter, report_problem
from ..extraction.page_decision import (
    Decision,
    Fail,
    FetchAgain,
    FoundArticle,
    FoundList,
    KeepRow,
    MarkDuplicate,
    Postpone,
    Reject,
    WriteRows,
    judge,
    sent_page,
)
from ..extraction.picture_keeping import keep_pictures
from ..extraction.row_claims import RowClaims
from ..extraction.section_preparation import PreparedSection, SectionPreparation
from ..extraction_config import config_of
from ..health.observations import failed_observation, is_observed, refused_observation, to_json
from ..ledger import RETRY_PAUSES, Ledger
from ..log_ids import log_ids
from ..page_store import StoredPage, unpack
from ..redis_access.redis_clock import clock_of
from ..reporting.worker_reports import Watch, WorkerTimes
from ..sinks import SourcePage
from ..url_states import Fingerprint, PageLease, may_appear
from ..writing.outputs import shortest_wait
from .job_observers import observers_of

MOST_FETCHES = 3  # fetches of a page whose stored body is damaged each time

log = logging.getLogger(__name__)


class ExtractionWorker:
    """Extracts pages with the prepared sections of their tasks."""

    def __init__(
        self, connection: "redis.Redis", name: str, *, watch: Watch | None = None, times: WorkerTimes | None = None
    ):
        self.redis = connection
        self.name = name
        self.watch = watch or Watch()
        self.times = times or WorkerTimes()
        self.clock = clock_of(connection).now
        self._sections = SectionPreparation(connection, self.watch, times=self.times)
        self.failure: Exception | None = None  # the unexpected error that ended the last job

    def extract_pages(self, task: str, names: Sequence[Fingerprint]) -> None:
        """Extract, write and settle the pages of one job; skip those that are settled or leased to another worker."""
        self.failure = None
        try:
            with log_ids(task=task):
                self._extract_pages(task, names)
        except Exception as error:
            self.failure = error
            raise

    def _extract_pages(self, task: str, names: Sequence[Fingerprint]) -> None:
        self.watch.job(task, names)
        ledger = Ledger(self.redis, task)
        if task.endswith(keys.PICTURES):
            self._keep_pictures(ledger, names)
        elif (section := self._prepare_or_postpone(ledger, names)) is not None:
            ExtractionJob(ledger, section, self.name, self.watch, self.times).extract(names)
        self.watch.job(task, [])

    def close(self) -> None:
        """Close all sinks."""
        self._sections.close()

    def _keep_pictures(self, ledger: Ledger, names: Sequence[Fingerprint]) -> None:
        task = ledger.task.removesuffix(keys.PICTURES)
        if (config := config_of(self.redis, task)) is None:
            ledger.postpone(names, self.times.task_pause, f"task {task} is not published")
        elif problem := keep_pictures(ledger, names, config, self.name, self.watch, self.times):
            report_problem(self.watch, problem, ledger.task)

    def _prepare_or_postpone(self, ledger: Ledger, names: Sequence[Fingerprint]) -> PreparedSection | None:
        """Return the prepared section of the task; None if it is unavailable, in which case the pages are postponed."""
        config = config_of(self.redis, ledger.task)
        if config is None:
            log.warning("task %s is not published; %d of its pages wait", ledger.task, len(names))
            ledger.postpone(names, self.times.task_pause, "task is not published")
            return None
        try:
            section = self._sections.prepare(config)
        except (OutputError, ValueError) as error:
            report_problem(self.watch, error, ledger.task)
            ledger.postpone(names, self.times.task_pause, str(error))
            return None
        wait, problem = shortest_wait(section.outputs)
        if wait:
            ledger.postpone(names, wait, problem)
            return None
        return section


class ExtractionJob:
    """The extraction of the pages of one job, by the worker of this name."""

    def __init__(self, ledger: Ledger, section: PreparedSection, worker: str, watch: Watch, times: WorkerTimes):
        self.ledger, self.section, self.worker, self.watch, self.times = ledger, section, worker, watch, times
        self.group = GroupWriter(ledger, section, worker, watch=watch, times=times)
        self.claims = RowClaims(ledger, section, worker, pause=times.claim_pause)
        self.observers = observers_of(ledger, section, worker, watch, times)

    def extract(self, names: Sequence[Fingerprint]) -> None:
        """Extract one page after another, and write them in groups."""
        earlier: list[Fingerprint] = []  # the page before the present one
        for leases in self.ledger.take_all(names, self.worker, seconds=self.times.page_lease):
            for lease in leases:
                with log_ids(page=lease.fingerprint, run=lease.run):
                    self._process(lease, earlier)
                earlier = [lease.fingerprint]
                if self.group.is_due():
                    self._write()
            self.watch.end()  # the deadline of the last page is for its extraction
        self._write()
        self.observers.tell(lambda one: one.end())

    def _process(self, lease: PageLease, earlier: Sequence[Fingerprint]) -> None:
        """Decide on a page, and carry out the decision, or add its rows to the group."""
        ledger, name = self.ledger, lease.fingerprint
        wait, problem = shortest_wait(self.group.missing(lease))
        if wait:
            self.watch.end()
            ledger.release(name, self.worker, wait, problem, delivered=sorted(lease.delivered))
            return
        self.watch.begin(ledger.task, name, self.times.page_deadline)
        ledger.begin(lease, self.worker, seconds=self.times.page_lease, earlier=earlier)
        judged = judge(self.section, lease)
        self.observers.tell(lambda one: one.judged(judged))
        if isinstance(judged, FoundArticle):
            article = judged.article
            log.info("extracted %s: %s, confidence %.2f", lease.url, article.method, article.confidence)
            self.group.add_found(lease, judged)  # the next page, or the writing of the group, ends its deadline
            return
        if isinstance(judged, FoundList):
            self.watch.end()  # the deadline is for the extraction, not for the sinks
            self._claim_alone(lease, judged)
        elif isinstance(judged, Reject) and (self._settle_missing(judged, lease) or self._is_blocked(judged, lease)):
            pass
        elif self._keep_refused(judged, lease):
            self._carry_out(judged, lease)
        self.watch.end()

    def _is_blocked(self, judged: Reject, lease: PageLease) -> bool:
        return judged.page is not None and not self._unblocked([(lease, judged)])

    def _settle_missing(self, judged: Reject, lease: PageLease) -> bool:
        """Settle an error page with status 200 at a URL that the pattern generated, as a spider settles a 404.

        Return whether it was one.
        """
        if not (judged.reason.startswith(GONE) and lease.info.get("source") == "pattern"):
            return False
        if may_appear(lease.info, datetime.fromtimestamp(self.ledger.clock(), UTC).date()):
            self.ledger.drop(lease.fingerprint)
        else:
            self.ledger.settle(lease.fingerprint, "rejected", judged.reason, worker=self.worker)
        return True

    def _unblocked(self, judged: Sequence[tuple[PageLease, Any]]) -> list[tuple[PageLease, Any]]:
        """Return the articles, or refused pages, that are no block pages; let the others be fetched again later."""
        ledger, has_example = self.ledger, self.section.version is not None
        sent = [one for one in judged if not one[0].is_kept]
        reasons = BlockPages(ledger).reasons([sent_page(*one, has_example=has_example) for one in sent])
        for (lease, _), reason in zip(sent, reasons, strict=True):
            if not reason:
                continue
            log.info("blocked: %s: %s", lease.url, reason)
            name, fetches = lease.fingerprint, self.section.config.retries + 1
            if lease.info.get("blocked"):
                fetches = ROW_FETCHES
            fetched = ledger.refetch(name, self.worker, reason, most=fetches, pauses=RETRY_PAUSES)
            if fetched < 0:
                ledger.settle(name, "failed", reason, worker=self.worker)
            if abs(fetched) == 1 and is_observed(lease.info, lease.run):  # one observation of each URL
                ledger.observe(to_json(failed_observation(lease.url, reason, ledger.clock(), "blocked")))
        blocked = {lease.fingerprint for (lease, _), reason in zip(sent, reasons, strict=True) if reason}
        return [one for one in judged if one[0].fingerprint not in blocked]

    def _claim_found(self) -> None:
        """Claim the canonical URLs of the articles that wait in the group, and carry out the decisions on them."""
        found = self._unblocked(self.group.take_found())
        if not found:
            return
        busy = []
        for (lease, article), decision in zip(found, self.claims.decide_articles(found), strict=True):
            if isinstance(decision, Postpone):
                busy.append((lease, article))
            else:
                self._follow(lease, decision)
        for lease, article in busy:
            self._claim_alone(lease, article)

    def _claim_alone(self, lease: PageLease, found: FoundArticle | FoundList) -> None:
        """Claim the rows of one page, and carry out the decision; a page of the group may have the claim."""
        decision = self.claims.decide(lease, found)
        if isinstance(decision, Postpone) and self.group:
            self._write()
            decision = self.claims.decide(lease, found)
        self._follow(lease, decision)

    def _follow(self, lease: PageLease, decision: Decision | None) -> None:
        """Add a page to the group, or carry out the decision on it; None if its lease is lost."""
        if isinstance(decision, WriteRows):
            self.group.add(lease, decision)
        elif decision is not None:
            with log_ids(page=lease.fingerprint, run=lease.run):
                self._carry_out(decision, lease)

    def _keep_refused(self, decision: Decision, lease: PageLease) -> bool:
        """Keep the page of a URL that gets no row, if the task keeps pages: a later extraction may give one.

        It does not keep pages whose use the site's directives forbid, pages that crash workers (they are in
        quarantine), and rechecks (the page that gave the row is kept). False if the page cannot be kept now, and was
        released.
        """
        kept_pages = self.section.kept_pages
        if kept_pages is None or not isinstance(decision, Reject | Fail) or lease.recheck or not decision.is_keepable:
            return True
        name = lease.fingerprint
        self.watch.writing(self.ledger.task, [name], self.times.write_deadline)
        try:
            with kept_pages.exclusive():
                kept_pages.write_pages([SourcePage(lease.url, unpack(lease.page), kind="refused", info=lease.info)])
        except SinkUnavailable as error:
            report_problem(self.watch, error, self.ledger.task)
            self.ledger.release(name, self.worker, max(kept_pages.wait(), self.times.sink_pause), str(error))
            return False
        return True

    def _carry_out(self, decision: Decision, lease: PageLease) -> None:
        """Carry out the decision on a page without rows."""
        log.info("no row for %s: %s", lease.url, _in_words(decision))
        ledger, name = self.ledger, lease.fingerprint
        observation = _observation_of(decision, lease, ledger.clock())
        settle = partial(ledger.settle, name, worker=self.worker, observation=observation)
        match decision:
            case Reject(reason):
                settle("rejected", reason)
                self.observers.tell(lambda one: one.refused(lease, decision))
            case Fail(reason, page, error):
                if error is not None and page is not None:
                    log.error("page %s of task %s", page.url, ledger.task, exc_info=error)
                self.observers.tell(lambda one: one.failed(lease, decision))
                settle("failed", reason)
            case FetchAgain(reason):
                if ledger.refetch(name, self.worker, reason, most=MOST_FETCHES) < 0:
                    settle("failed", reason)
            case Postpone(reason, seconds):
                ledger.release(name, self.worker, seconds, reason)
            case MarkDuplicate(note):
                settle("duplicate", note)
            case KeepRow(note, recheck):
                settle("written", note, recheck=recheck)

    def _write(self) -> None:
        """Claim the rows of the group of pages, and write them."""
        self.watch.end()
        self._claim_found()
        for page in self.group.flush():
            self._tell_written(page.lease, page.decision)

    def _tell_written(self, lease: PageLease, decision: WriteRows) -> None:
        self.observers.tell(lambda one: one.written(lease, decision))


def _in_words(decision: Decision) -> str:
    """Return the decision on a page without rows in words, for the log."""
    match decision:
        case Reject(reason) | Fail(reason) | FetchAgain(reason) | Postpone(reason):
            return f"{type(decision).__name__.lower()}: {reason}"
        case MarkDuplicate(note) | KeepRow(note):
            return f"{'duplicate' if isinstance(decision, MarkDuplicate) else 'unchanged'}: {note}"
    return ""


def _observation_of(decision: Decision, lease: PageLease, now: float) -> str:
    """Return the observation of a page without rows, as JSON; "" if it is no evidence on the section's template."""
    if not is_observed(lease.info, lease.run):
        return ""
    match decision:
        case Reject(reason, page=StoredPage() as page):
            return to_json(refused_observation(lease.url, page.body, reason, now))
        case Fail(reason):
            return to_json(failed_observation(lease.url, reason, now))
    return ""
