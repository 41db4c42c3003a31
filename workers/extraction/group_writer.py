"""Pages become rows in groups: the pages of a job are extracted one after another and written together.

A group is written to one output after another, never to two at the same time. For each of them the worker holds the
output, makes sure that it still holds the pages, and writes the rows; then it settles the pages whose rows all file
outputs have, and in that step their rows are queued for the other outputs (`workers.writing.row_queue`). A page that an
output could not take is released with the names of those that have its rows, and they do not get them again. A row that
an output refuses because of its content is kept (`workers.writing.refused_rows`), and its page counts as written.
"""

import logging
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ..addresses import shown
from ..errors import SinkUnavailable
from ..health.observations import article_observation, is_observed, to_json
from ..ledger import Ledger
from ..page_store import unpack
from ..reporting.worker_reports import Watch, WorkerTimes
from ..rows import RowKey, key_of
from ..sinks.interface import PageKind, SourcePage
from ..url_states import Fingerprint, PageLease
from ..writing.outputs import Output
from ..writing.refused_rows import keep_refused
from ..writing.row_queue import to_queue
from .ledger_recovery import confirm, heal
from .page_decision import FoundArticle, WriteRows
from .section_preparation import PreparedSection

GROUP_SECONDS = 2.0  # how long a page waits for the others of its group
GROUP_CHARACTERS = 4_000_000  # in the texts of a group

log = logging.getLogger(__name__)


@dataclass(slots=True)
class PendingPage:
    """A page whose rows are to be written. `delivered`: the outputs that have them; `is_held`: this worker holds it.

    `is_doubtful`: its rows were claimed before the ledger was compared with an output.
    """

    lease: PageLease
    decision: WriteRows
    delivered: set[str] = field(default_factory=set)
    is_held: bool = True
    is_settled: bool = False
    is_doubtful: bool = False
    problems: dict[str, str] = field(default_factory=dict)  # why outputs could not take its rows

    @property
    def name(self) -> Fingerprint:
        """The page's fingerprint."""
        return self.lease.fingerprint


class GroupWriter:
    """Writes and settles the pages of one task and worker. Not for several threads."""

    def __init__(self, ledger: Ledger, section: PreparedSection, worker: str, *, watch: Watch, times: WorkerTimes):
        self.ledger, self.config, self.worker = ledger, section.config, worker
        self.outputs, self.queued = section.outputs, section.queued
        self.watch, self.times = watch, times
        self._found: list[tuple[PageLease, FoundArticle]] = []  # articles whose canonical URLs are not claimed yet
        self._pages: list[PendingPage] = []
        self._first_at = 0.0

    def __bool__(self) -> bool:
        return bool(self._pages or self._found)

    def missing(self, lease: PageLease) -> list[Output]:
        """Return the file outputs that do not have the rows of a page yet."""
        return [output for output in self.outputs if output.name not in lease.delivered]

    def add_found(self, lease: PageLease, found: FoundArticle) -> None:
        """Add an article whose canonical URL is claimed together with those of the other articles of the group."""
        if not self:
            self._first_at = time.monotonic()
        self._found.append((lease, found))

    def take_found(self) -> list[tuple[PageLease, FoundArticle]]:
        """Remove and return the articles that were found; those that are to be written are added again by `add`."""
        found, self._found = self._found, []
        return found

    def add(self, lease: PageLease, decision: WriteRows) -> None:
        """Add a page to the group."""
        if not self:
            self._first_at = time.monotonic()
        page = PendingPage(lease, decision, set(lease.delivered))
        if decision.rows:  # an output that gets no row of a page does not delay it
            page.delivered |= {
                output.name for output in self.outputs if not any(output.admits(row) for row in decision.rows)
            }
        self._pages.append(page)

    def is_due(self) -> bool:
        """Whether the group is old or large enough to be written now."""
        is_old = bool(self) and time.monotonic() - self._first_at > GROUP_SECONDS
        texts = [found.article.text for _, found in self._found]
        texts += [row["text"] for page in self._pages for row in page.decision.rows]
        return is_old or sum(map(len, texts)) > GROUP_CHARACTERS

    def flush(self) -> list[PendingPage]:
        """Write the group to the file outputs and settle its pages; release those that are not in all of them.

        Returns the pages that were settled. Reports each output that is unavailable.
        """
        pages, self._pages = self._pages, []
        for output in self.outputs:
            lacking = [page for page in pages if page.is_held and output.name not in page.delivered]
            if lacking and not output.wait():
                self._deliver(output, lacking)
        self._settle([page for page in pages if page.is_held and not page.is_settled and self._is_everywhere(page)])
        for page in pages:
            if page.is_held and not page.is_settled:
                self._release(page)
        if any(page.is_settled and page.decision.rows for page in pages):
            self.watch.wrote(self.ledger.task)
        return [page for page in pages if page.is_settled]

    def _release(self, page: PendingPage) -> None:
        lacking = [output for output in self.outputs if output.name not in page.delivered]
        pause = max(self.times.sink_pause, *(output.wait() for output in lacking))
        problems = (page.problems.get(output.name) or output.problem for output in lacking)
        reason = "; ".join(dict.fromkeys(filter(None, problems)))
        self.ledger.release(page.name, self.worker, pause, reason, delivered=sorted(page.delivered))

    def _deliver(self, output: Output, pages: Sequence[PendingPage]) -> None:
        """Write a group to one output. If it refuses the rows, each page is tried alone, since one may be at fault."""
        try:
            self._write(output, pages)
        except SinkUnavailable as error:
            report_problem(self.watch, error, self.ledger.task)
            if not output.has_begun:
                return
            for page in pages:
                with suppress(SinkUnavailable):
                    self._write(output, [page])

    def _write(self, output: Output, pages: Sequence[PendingPage]) -> None:
        self.watch.writing(self.ledger.task, [page.name for page in pages], self.times.write_deadline)
        try:
            with output.exclusive():
                held = self._confirm(output, pages)
                lacking = [page for page in held if output.name not in page.delivered]
                if output.takes_pages:
                    output.write_pages([_source_page(page) for page in lacking])
                else:
                    self._write_rows(output, lacking)
                for page in lacking:
                    page.delivered.add(output.name)
                # Inside the block, so that no other worker finds a row whose page is not settled.
                self._settle([page for page in held if self._is_everywhere(page)])
        except SinkUnavailable as error:
            for page in pages:
                page.problems[output.name] = str(error)
            raise
        finally:
            self.watch.end()

    def _write_rows(self, output: Output, pages: Sequence[PendingPage]) -> None:
        """Write the rows of pages to an output that is held; keep those that it refuses."""
        again: set[RowKey] = {
            key_of(row) for page in pages if page.decision.again or page.is_doubtful for row in page.decision.rows
        }
        rows = [row for page in pages for row in page.decision.rows if output.admits(row)]
        refused = output.write(rows, again=again)
        if refused:
            task = self.ledger.task
            keep_refused(self.ledger.redis, task, output.name, rows, refused)
            log.warning("task %s: %s refuses %d row(s); they are kept", task, output.name, len(refused))

    def _confirm(self, output: Output, pages: Sequence[PendingPage]) -> list[PendingPage]:
        """Return the pages that this worker still holds, after adding the output's rows to the ledger if necessary."""
        times, task = self.times, self.ledger.task

        def progress() -> None:
            self.watch.writing(task, [page.name for page in pages], times.write_deadline)

        delivered = {page.name: sorted(page.delivered) for page in pages}
        is_compared = False
        while True:
            answer = confirm(self.ledger, delivered, self.worker, seconds=times.page_lease)
            turn = output.sink.fence(task, answer.epoch)
            if turn == output.healed_in:
                break
            is_compared = True
            learnt = heal(self.ledger, self.config, output, self.outputs, turn, progress)
            if learnt:
                log.warning("task %s: %d row(s) found in %s were added to the ledger", task, learnt, output.name)
        for page in pages:
            page.is_held = page.name in answer.delivered
            page.is_doubtful |= is_compared
            page.delivered |= answer.delivered.get(page.name, frozenset())
        return [page for page in pages if page.is_held]

    def _settle(self, pages: Sequence[PendingPage]) -> None:
        if not pages:
            return
        pipe = self.ledger.redis.pipeline(transaction=False)
        for page in pages:
            self.ledger.entries_written(page.decision.entries, pipe=pipe)
        self.ledger.settle_all([self._end_of(page) for page in pages], pipe=pipe)
        for page, is_settled in zip(pages, pipe.execute()[-1], strict=True):
            page.is_settled, page.is_held = bool(is_settled), False
            if is_settled:
                self._log_settled(page)

    def _end_of(self, page: PendingPage) -> Sequence[Any]:
        conditions = [each.options.where for each in self.outputs] + [each.options.where for each in self.queued]
        admitted = [any(where.admits(row) for where in conditions) for row in page.decision.rows]
        return self.ledger.end_of(
            page.name,
            "written",
            page.decision.note,
            worker=self.worker,
            recheck=page.decision.recheck,
            observation=self._observation_of(page),
            rows=admitted.count(True),
            left_out=admitted.count(False),
            queued=self._rows_of(page),
        )

    def _log_settled(self, page: PendingPage) -> None:
        if log.isEnabledFor(logging.INFO):
            names = [shown(name) for name in (*sorted(page.delivered), *(output.name for output in self.queued))]
            text = f"written {page.lease.url}: {len(page.decision.rows)} row(s) for {', '.join(names)}"
            log.info("%s", text, extra={"page": page.name, "run": page.lease.run})

    def _rows_of(self, page: PendingPage) -> list[Any]:
        """Return the rows of a page in the form for queues. Those of a back-fill may have been written long ago."""
        again = page.decision.again or "days" in page.lease.info
        return to_queue(self.ledger.task, page.decision.rows, self.queued, again=again)

    def _observation_of(self, page: PendingPage) -> str:
        """Return the observation of a page, as JSON; "" for a list page, a recheck and a page of the archive."""
        found = page.decision.article
        article = found.article if found else page.decision.thread
        if article is None or not is_observed(page.lease.info, page.lease.run):
            return ""
        return to_json(article_observation(page.lease.url, article, self.ledger.clock()))

    def _is_everywhere(self, page: PendingPage) -> bool:
        return page.delivered.issuperset(output.name for output in self.outputs)


def report_problem(watch: Watch, error: Exception | str, task: str) -> None:
    """Report why pages of a task cannot be written or extracted now."""
    log.info("%s; pages are kept and tried again", error)  # the supervisor reports it once, as a warning
    watch.problem(str(error), task)


def _source_page(page: PendingPage) -> SourcePage:
    """Return a page in the form for outputs of pages."""
    article, lease = page.decision.article, page.lease
    stored = article.page if article else unpack(lease.page)
    kind: PageKind = "article" if article else "list"
    hash_ = article.example_hash if article else ""
    return SourcePage(lease.url, stored, page.decision.rows, kind, lease.info, hash_)
