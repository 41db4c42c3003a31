"""One extraction worker: pages → articles → sinks → ledger.

The pages of a job are leased and read together. The attempt of each is counted just before its extraction, and is
subtracted once it is extracted; its rows wait for those of the other pages of the job, to be claimed and written
together (`workers.extraction.group_writer`). So a crash counts as an attempt of one page only, and waiting for an
output counts for none.
"""

import logging
from collections.abc import Sequence
from functools import partial
from typing import Any

import redis

from .. import keys
from ..errors import OutputError, SinkUnavailable
from ..extraction.block_pages import ROW_FETCHES, BlockPages
from ..extraction.group_writer import GroupWriter
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
from ..extraction.page_observer import PageObservers
from ..extraction.picture_keeping import keep_pictures
from ..extraction.row_claims import RowClaims
from ..extraction.section_preparation import PreparedSection, SectionPreparation
from ..extraction_config import config_of
from ..health.observations import failed_observation, is_observed, refused_observation, to_json
from ..ledger import RETRY_PAUSES, Ledger
from ..log_ids import log_ids
from ..page_store import StoredPage, unpack
from ..redis_access.redis_clock import Clock, clock_of
from ..reporting.worker_reports import Watch, WorkerTimes
from ..sinks import SourcePage
from ..url_states import Fingerprint, PageLease
from ..writing.outputs import Output, shortest_wait
from .job_observers import observers_of

MOST_FETCHES = 3  # fetches of a page whose stored body is damaged each time

log = logging.getLogger(__name__)


class ExtractionWorker:
    """Extracts pages with the prepared sections of their tasks."""

    def __init__(
        self,
        connection: "redis.Redis",
        name: str,
        *,
        watch: Watch | None = None,
        times: WorkerTimes | None = None,
        clock: Clock | None = None,
    ):
        self.redis = connection
        self.name = name
        self.watch = watch or Watch()
        self.times = times or WorkerTimes()
        self.clock = clock or clock_of(connection).now
        self._sections = SectionPreparation(connection, self.watch, times=self.times, clock=self.clock)
        self.failure: Exception | None = None  # the unexpected error that ended the last job
        self._observers = PageObservers("")  # those of the present job

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
        ledger = Ledger(self.redis, task, clock=self.clock)
        if task.endswith(keys.PICTURES):
            self._keep_pictures(ledger, names)
            return
        section = self._prepare_or_postpone(ledger, names)
        if section is not None:
            group = GroupWriter(
                ledger,
                section.outputs,
                self.name,
                watch=self.watch,
                times=self.times,
                queued=section.queued,
                revisit=section.config.revisit,
            )
            self._observers = observers_of(ledger, section, self.name, self.watch, self.times)
            self._extract_in_turn(section, ledger, group, names)
            self._observers.tell(lambda one: one.end())
        self.watch.job(task, [])

    def _keep_pictures(self, ledger: Ledger, names: Sequence[Fingerprint]) -> None:
        task = ledger.task.removesuffix(keys.PICTURES)
        if (config := config_of(self.redis, task)) is None:
            ledger.postpone(names, self.times.task_pause, f"task {task} is not published")
        elif problem := keep_pictures(ledger, names, config, self.name, self.watch, self.times):
            self._report_problem(problem, ledger.task)
        self.watch.job(ledger.task, [])

    def close(self) -> None:
        """Close all sinks."""
        self._sections.close()

    def _extract_in_turn(
        self, section: PreparedSection, ledger: Ledger, group: GroupWriter, names: Sequence[Fingerprint]
    ) -> None:
        """Extract one page after another, and write them in groups."""
        earlier = ""
        for leases in ledger.take_all(names, self.name, seconds=self.times.page_lease):
            for lease in leases:
                with log_ids(page=lease.fingerprint, run=lease.run):
                    self._process(section, ledger, group, lease, earlier)
                earlier = lease.fingerprint
                if group.is_due():
                    self._write(section, ledger, group)
            self.watch.end()  # the deadline of the last page is for its extraction
        self._write(section, ledger, group)

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
            self._report_problem(error, ledger.task)
            ledger.postpone(names, self.times.task_pause, str(error))
            return None
        wait, problem = shortest_wait(section.outputs)
        if wait:
            ledger.postpone(names, wait, problem)
            return None
        return section

    def _process(
        self,
        section: PreparedSection,
        ledger: Ledger,
        group: GroupWriter,
        lease: PageLease,
        earlier: Fingerprint,
    ) -> None:
        """Decide on a page, and carry out the decision, or add its rows to the group. `earlier`: the page before it."""
        name = lease.fingerprint
        wait, problem = shortest_wait(group.missing(lease))
        if wait:
            self.watch.end()
            ledger.release(name, self.name, wait, problem, delivered=sorted(lease.delivered))
            return
        self.watch.begin(ledger.task, name, self.times.page_deadline)
        ledger.begin(lease, self.name, seconds=self.times.page_lease, earlier=[earlier] if earlier else [])
        judged = judge(section, lease)
        self._observers.tell(lambda one: one.judged(judged))
        if isinstance(judged, FoundArticle):
            article = judged.article
            log.info("extracted %s: %s, confidence %.2f", lease.url, article.method, article.confidence)
            group.add_found(lease, judged)  # the next page, or the writing of the group, ends its deadline
            return
        if isinstance(judged, FoundList):
            self.watch.end()  # the deadline is for the extraction, not for the sinks
            self._claim_alone(section, ledger, group, lease, judged)
        elif isinstance(judged, Reject) and judged.page and not self._unblocked(section, ledger, [(lease, judged)]):
            pass
        elif self._keep_refused(section.kept_pages, judged, ledger, lease):
            self._carry_out(judged, ledger, lease)
        self.watch.end()

    def _unblocked(
        self, section: PreparedSection, ledger: Ledger, judged: Sequence[tuple[PageLease, Any]]
    ) -> list[tuple[PageLease, Any]]:
        """Return the articles, or refused pages, that are no block pages; let the others be fetched again later."""
        reasons = BlockPages(ledger).reasons(
            [sent_page(*one, has_example=section.version is not None) for one in judged]
        )
        for (lease, _), reason in zip(judged, reasons, strict=True):
            if not reason:
                continue
            log.info("blocked: %s: %s", lease.url, reason)
            name, fetches = lease.fingerprint, section.config.retries + 1
            if lease.info.get("blocked"):
                fetches = ROW_FETCHES
            fetched = ledger.refetch(name, self.name, reason, most=fetches, pauses=RETRY_PAUSES)
            if fetched < 0:
                ledger.settle(name, "failed", reason, worker=self.name)
            if abs(fetched) == 1 and is_observed(lease.info):  # one observation of each URL
                ledger.observe(to_json(failed_observation(lease.url, reason, ledger.clock(), "blocked")))
        return [one for one, reason in zip(judged, reasons, strict=True) if not reason]

    def _claim_found(self, section: PreparedSection, ledger: Ledger, group: GroupWriter) -> None:
        """Claim the canonical URLs of the articles that wait in the group, and carry out the decisions on them."""
        found = self._unblocked(section, ledger, group.take_found())
        if not found:
            return
        decisions = self._claims(ledger).decide_articles(section, found)
        busy = []
        for (lease, article), decision in zip(found, decisions, strict=True):
            if isinstance(decision, Postpone):
                busy.append((lease, article))
            else:
                self._follow(ledger, group, lease, decision)
        for lease, article in busy:
            self._claim_alone(section, ledger, group, lease, article)

    def _claim_alone(
        self,
        section: PreparedSection,
        ledger: Ledger,
        group: GroupWriter,
        lease: PageLease,
        found: FoundArticle | FoundList,
    ) -> None:
        """Claim the rows of one page, and carry out the decision; a page of the group may have the claim."""
        claims = self._claims(ledger)
        decision = claims.decide(section, lease, found)
        if isinstance(decision, Postpone) and group:
            self._write(section, ledger, group)
            decision = claims.decide(section, lease, found)
        self._follow(ledger, group, lease, decision)

    def _claims(self, ledger: Ledger) -> RowClaims:
        return RowClaims(ledger, self.name, pause=self.times.claim_pause)

    def _follow(self, ledger: Ledger, group: GroupWriter, lease: PageLease, decision: Decision | None) -> None:
        """Add a page to the group, or carry out the decision on it; None if its lease is lost."""
        if isinstance(decision, WriteRows):
            group.add(lease, decision)
        elif decision is not None:
            with log_ids(page=lease.fingerprint, run=lease.run):
                self._carry_out(decision, ledger, lease)

    def _keep_refused(self, kept_pages: Output | None, decision: Decision, ledger: Ledger, lease: PageLease) -> bool:
        """Keep the page of a URL that gets no row, if the task keeps pages: a later extraction may give one.

        It does not keep pages whose use the site's directives forbid, pages that crash workers (they are in
        quarantine), and rechecks (the page that gave the row is kept). False if the page cannot be kept now, and was
        released.
        """
        if kept_pages is None or not isinstance(decision, Reject | Fail) or lease.recheck or not decision.is_keepable:
            return True
        name = lease.fingerprint
        self.watch.writing(ledger.task, [name], self.times.write_deadline)
        try:
            with kept_pages.exclusive():
                kept_pages.write_pages([SourcePage(lease.url, unpack(lease.page), kind="refused", info=lease.info)])
        except SinkUnavailable as error:
            self._report_problem(error, ledger.task)
            ledger.release(name, self.name, max(kept_pages.wait(), self.times.sink_pause), str(error))
            return False
        return True

    def _carry_out(self, decision: Decision, ledger: Ledger, lease: PageLease) -> None:
        """Carry out the decision on a page without rows."""
        log.info("no row for %s: %s", lease.url, _in_words(decision))
        observation = _observation_of(decision, lease, ledger.clock())
        settle = partial(ledger.settle, lease.fingerprint, worker=self.name, observation=observation)
        match decision:
            case Reject(reason):
                settle("rejected", reason)
                self._observers.tell(lambda one: one.refused(lease, decision))
            case Fail(reason, page, error):
                if error is not None and page is not None:
                    log.error("page %s of task %s", page.url, ledger.task, exc_info=error)
                self._observers.tell(lambda one: one.failed(lease, decision))
                settle("failed", reason)
            case FetchAgain(reason):
                if ledger.refetch(lease.fingerprint, self.name, reason, most=MOST_FETCHES) < 0:
                    settle("failed", reason)
            case Postpone(reason, seconds):
                ledger.release(lease.fingerprint, self.name, seconds, reason)
            case MarkDuplicate(note):
                settle("duplicate", note)
            case KeepRow(note, recheck):
                settle("written", note, recheck=recheck)

    def _write(self, section: PreparedSection, ledger: Ledger, group: GroupWriter) -> None:
        """Claim the rows of the group of pages, and write them."""
        self.watch.end()
        self._claim_found(section, ledger, group)
        for page in group.flush():
            self._tell_written(page.lease, page.decision)

    def _tell_written(self, lease: PageLease, decision: WriteRows) -> None:
        self._observers.tell(lambda one: one.written(lease, decision))

    def _report_problem(self, error: Exception | str, task: str) -> None:
        log.info("%s; pages are kept and tried again", error)  # the supervisor reports it once, as a warning
        self.watch.problem(str(error), task)


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
    if not is_observed(lease.info):
        return ""
    match decision:
        case Reject(reason, page=StoredPage() as page):
            return to_json(refused_observation(lease.url, page.body, reason, now))
        case Fail(reason):
            return to_json(failed_observation(lease.url, reason, now))
    return ""
