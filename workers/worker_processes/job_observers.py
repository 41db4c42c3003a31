"""The observers of a job: each concern that follows pages beside their extraction is a line of `observers_of`."""

import logging
from functools import partial

from ..extraction.page_decision import Fail, WriteRows
from ..extraction.page_observer import PageObserver, PageObservers
from ..extraction.recent_pages import Candidates
from ..extraction.section_preparation import PreparedSection
from ..health.store import update_health
from ..ledger import Ledger
from ..pages.quarantine import keep_page
from ..redesign.redesign_watch import RedesignWatch
from ..reporting.worker_reports import Watch, WorkerTimes
from ..task_state.problems import requeue
from ..unproposed import METHODS
from ..url_states import PageLease

log = logging.getLogger(__name__)


def observers_of(
    ledger: Ledger, section: PreparedSection, worker: str, watch: Watch, times: WorkerTimes
) -> PageObservers:
    """Return the observers of a job with pages of a section, in the order in which they are told."""
    observers: list[PageObserver] = [Quarantine(ledger)]
    if section.candidates:
        observers.append(VoteCandidates(section.candidates, ledger.task, watch, times))
    config = section.config
    if section.version is not None and config.redesign != "ignore" and config.method in METHODS:
        observers.append(RedesignWatch(ledger.redis, section, worker, watch, times))
    observers.append(HealthUpdate(ledger))
    return PageObservers(ledger.task, observers)


class Quarantine(PageObserver):
    """Keeps the pages that cannot be extracted."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def failed(self, lease: PageLease, decision: Fail) -> None:
        """Keep the page, if there is one."""
        ledger, page = self._ledger, decision.page
        if page is not None:
            keep_page(ledger.redis, ledger.task, lease.fingerprint, page, decision.reason)


class VoteCandidates(PageObserver):
    """Makes written pages candidates for the vote, unless they may be old."""

    def __init__(self, candidates: Candidates, task: str, watch: Watch, times: WorkerTimes) -> None:
        self._candidates, self._task = candidates, task
        self._watch, self._times = watch, times

    def written(self, lease: PageLease, decision: WriteRows) -> None:
        """Consider the page; it has the time of an extraction."""
        found = decision.article
        if found is None or not self._candidates.has_room() or lease.is_old:
            return
        with self._watch.during(self._task, lease.fingerprint, self._times.page_deadline):
            self._candidates.consider(lease.fingerprint, found.page, found.article)

    def end(self) -> None:
        """Offer the pages that were chosen."""
        self._candidates.offer()


class HealthUpdate(PageObserver):
    """Counts what was observed of the job's pages for the health of their task."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def end(self) -> None:
        """Count the observations, and log new alarms."""
        ledger = self._ledger
        for change in update_health(ledger.redis, ledger.task, partial(requeue, ledger)):
            log.warning("task %s: %s", ledger.task, change.alarm.in_words())
