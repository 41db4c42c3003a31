"""Extract the kept pages of a task again, without a request, and write new versions of the rows whose text differs.

Processes extract (`workers.extraction.page_processes`); this one writes. A batch of rows is noted in the file of the
kept pages before it is written, and removed when all outputs have it: the next run completes an interrupted one with
the same rows, and outputs that already have them do not write them again.
"""

import fcntl
import json
import os
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Literal

from extractors import Section, UnusablePage
from extractors.html.decoding import decode
from extractors.html.urls import normalise

from ..errors import ExemplarError
from ..extraction_config import ExtractionConfig, config_of, example_of
from ..ledger import Ledger
from ..page_store import StoredPage
from ..pages.kept_pages import KeptPage, KeptPages, kept_pages_of
from ..redis_access.epoch import current_epoch
from ..reporting.worker_reports import Watch
from ..rows import Row, RowKey, canonical_url, content_hash, key_of
from ..url_states import fingerprint
from ..writing.outputs import Output
from ..writing.refused_rows import keep_refused
from ..writing.row_queue import RowQueue
from .entries import entry_row, wanted
from .near_duplicates import NearDuplicates
from .page_decision import Fail, FoundArticle, FoundList, Reject, article_row, judge_page
from .page_processes import DEADLINE, PageProcesses
from .picture_keeping import want_pictures
from .section_preparation import PreparedSection, SectionPreparation

ROWS_AT_ONCE = 50  # rows of a batch
SAMPLES = 5
Kind = Literal["same", "changed", "refused", "failed"]


@dataclass(frozen=True, slots=True)
class NewRow:
    """A row that differs from its newest version; `earlier`: the number of that version, 0 without one.

    `example_hash`: of an article's text as extracted with the example alone.
    """

    row: Row
    earlier: int
    example_hash: str = ""

    @property
    def is_entry(self) -> bool:
        """Whether it is the row of an entry of a list page."""
        return self.row["listed_on"] is not None


@dataclass(frozen=True, slots=True)
class ExtractedAgain:
    """The present result for a kept page. `hash`: of its text as extracted with the example alone, for rechecks."""

    page: int
    url: str
    kind: Kind
    reason: str = ""
    hash: str = ""
    rows: tuple[NewRow, ...] = ()


@dataclass(slots=True)
class ReExtractionReport:
    """The results of a run. Pages: `same`, `changed`, `refused`, `failed`; of the changed ones some may be `postponed`.

    `postponed`: pages whose URL is being fetched or extracted. `duplicates`: articles that another URL has. `rows`: new
    rows; `new_rows`: those without an earlier version. `samples`: some of the new rows; `failures`: some URLs
    with reasons.
    """

    pages: int = 0
    same: int = 0
    changed: int = 0
    refused: int = 0
    failed: int = 0
    postponed: int = 0
    duplicates: int = 0
    rows: int = 0
    new_rows: int = 0
    completed: int = 0  # rows of an interrupted run
    samples: list[NewRow] = field(default_factory=list)
    failures: list[tuple[str, str]] = field(default_factory=list)


def section_for(ledger: Ledger, kept: KeptPages, *, example: str | None, method: str | None) -> PreparedSection:
    """Return the section for a task's kept pages: as in a worker, or with another example or method.

    If another example is given, pages are compared only with it, without recent pages. Raises `ExemplarError` if it is
    neither a kept page nor the task's example, or is unusable.
    """
    config = _config(ledger)
    if method is not None:
        config = replace(config, method=method)
    prepared = SectionPreparation(ledger.redis, Watch(), clock=ledger.clock).prepare(config)
    if example is None:
        return prepared
    page = _example_page(ledger, kept, normalise(example))
    try:
        section = Section(decode(page.body, page.content_type)[0], page.url, method=config.method)
    except UnusablePage as error:
        raise ExemplarError(f"unusable example {example}: {error}") from None
    version = f"kept-{page.fetched_at:%Y%m%dT%H%M%S}-{fingerprint(page.url)}"
    return replace(prepared, section=section, example_only=section, version=version, candidates=None)


def kept_pages_for(ledger: Ledger) -> KeptPages:
    """Return the kept pages of a task. Raises `ExemplarError` if none was ever kept."""
    kept = kept_pages_of(_config(ledger), clock=ledger.clock)
    if not kept.path.exists():
        raise ExemplarError(
            f"no page of task {ledger.task} is kept: {kept.path} does not exist; set keep_pages: 30d, and run the task"
        )
    return kept


class ReExtraction:
    """Extracts the kept pages of one task again. `processes`: how many; by default one for each core."""

    def __init__(
        self,
        ledger: Ledger,
        kept: KeptPages,
        section: PreparedSection,
        *,
        processes: int | None = None,
        deadline: float = DEADLINE,
    ):
        self.ledger, self.kept, self.section = ledger, kept, section
        self.report = ReExtractionReport()
        self._processes, self._deadline = processes, deadline
        self._near = NearDuplicates(ledger.redis, ledger.task)

    def run(self, *, since: float = 0.0, dry_run: bool = False) -> ReExtractionReport:
        """Extract the pages that were fetched `since` a time (Unix seconds); with `dry_run` nothing is written.

        Raises `SinkUnavailable` if an output is unavailable; the next run writes what is missing.
        """
        with _alone(self.kept):
            if not dry_run:
                self._complete()
            pages = self.kept.newest_of_each_url(since=since)
            self.kept.close()  # SQLite's connections must not be used across a fork
            pool = PageProcesses(self._examiner, self._failed, processes=self._processes, deadline=self._deadline)
            batch: list[ExtractedAgain] = []
            with closing(pool.results(pages)) as outcomes:
                for outcome in outcomes:
                    self._count(outcome)
                    batch += [outcome] * bool(outcome.rows)
                    if sum(len(each.rows) for each in batch) >= ROWS_AT_ONCE:
                        self._write(batch, dry_run)
                        self.kept.close()
                        batch = []
                self._write(batch, dry_run)
        return self.report

    # -- in the processes ---------------------------------------------------------------------------------------------

    def _examiner(self) -> Callable[[int], ExtractedAgain]:
        kept = KeptPages(self.kept.path, clock=self.kept.clock)

        def examine(number: int) -> ExtractedAgain:
            try:
                pages = kept.read([number])
                return examine_page(self.section, kept, pages[0]) if pages else ExtractedAgain(number, "", "same")
            except (ValueError, MemoryError) as error:
                return self._failed(number, str(error) or "too little memory")

        return examine

    def _failed(self, number: int, reason: str) -> ExtractedAgain:
        with closing(KeptPages(self.kept.path, clock=self.kept.clock)) as kept:
            try:
                [page] = kept.read([number])
            except ValueError:
                return ExtractedAgain(number, f"page {number} of {kept.name}", "failed", reason)
            return ExtractedAgain(number, page.url, "failed", reason)

    # -- in this process ----------------------------------------------------------------------------------------------

    def _count(self, outcome: ExtractedAgain) -> None:
        report = self.report
        report.pages += 1
        setattr(report, outcome.kind, getattr(report, outcome.kind) + 1)
        if outcome.kind == "failed" and len(report.failures) < SAMPLES:
            report.failures.append((outcome.url, outcome.reason))

    def _write(self, batch: Sequence[ExtractedAgain], dry_run: bool) -> None:
        """Write the new rows of some pages to all outputs."""
        if dry_run:
            for outcome in batch:
                self._note(outcome.rows)
            return
        changes = [change for outcome in batch for change in self._accepted(outcome)]
        if not changes:
            return
        ids = self.kept.plan([json.dumps(asdict(new_row) | {"page": page}) for page, new_row in changes])
        self._deliver([new_row.row for _, new_row in changes])
        self.kept.done(ids, [(page, new_row.row, new_row.example_hash) for page, new_row in changes])

    def _accepted(self, outcome: ExtractedAgain) -> list[tuple[int, NewRow]]:
        """Record the new rows of a page in the ledger; return those that are to be written."""
        is_article = not outcome.rows[0].is_entry
        canonical = fingerprint(outcome.rows[0].row["canonical_url"] if is_article else outcome.url)
        version = outcome.rows[0].row["version"] if is_article else 0
        rows = outcome.rows
        if is_article and (rows := self._judged_new(rows[0])) == ():
            self.report.duplicates += 1
            return []
        state = self.ledger.extracted_again(outcome.url, canonical, version=version, hash_=outcome.hash)
        newest = self.kept.newest_rows([fingerprint(new_row.row["canonical_url"]) for new_row in rows])
        if state == "busy" or [row.version if row else 0 for row in newest] != [new_row.earlier for new_row in rows]:
            self.report.postponed += 1
            return []
        if state == "theirs":
            self.report.duplicates += 1
            return []
        rows = tuple(new_row for new_row in rows if not self._has_entry(new_row))
        self._note(rows)
        return [(outcome.page, new_row) for new_row in rows]

    def _judged_new(self, new_row: NewRow) -> tuple[NewRow, ...]:
        """Return the row of an article; a first version is checked for near-duplicates, as in a worker."""
        if new_row.earlier:
            return (new_row,)
        row, config = dict(new_row.row), self.section.config
        near = None
        if config.near_duplicates != "keep":
            near = self._near.first_like(row["text"], row["canonical_url"])
            if near and config.near_duplicates == "drop":
                return ()
        version = 2 if self.ledger.is_entry(fingerprint(row["canonical_url"])) else 1
        return (replace(new_row, row=row | {"near_duplicate_of": near, "version": version}),)

    def _has_entry(self, new_row: NewRow) -> bool:
        """Whether an entry has a row already, from a page that is not kept."""
        canonical = fingerprint(new_row.row["canonical_url"])
        return new_row.is_entry and not new_row.earlier and self.ledger.is_entry(canonical)

    def _note(self, rows: Sequence[NewRow]) -> None:
        self.report.rows += len(rows)
        self.report.new_rows += sum(not new_row.earlier for new_row in rows)
        self.report.samples += rows[: SAMPLES - len(self.report.samples)]

    def _complete(self) -> None:
        """Write the rows that an interrupted run noted."""
        planned = [(number, json.loads(change)) for number, change in self.kept.planned()]
        if planned:
            self._deliver([change["row"] for _, change in planned])
            self.kept.done(
                [number for number, _ in planned],
                [(change["page"], change["row"], change.get("example_hash", "")) for _, change in planned],
            )
            self.report.completed = len(planned)

    def _deliver(self, rows: Sequence[Row]) -> None:
        """Write rows to all outputs of the task, which may already have them. Raises `SinkUnavailable`."""
        again = {key_of(row) for row in rows}
        for row in rows if self.section.pictures else ():
            want_pictures(self.ledger, row)
        for output in self.section.outputs:
            if not output.takes_pages:
                self._write_rows(output, [row for row in rows if output.admits(row)], again)
        for queued in self.section.queued:
            admitted = [row for row in rows if queued.options.where.admits(row)]
            RowQueue(self.ledger.redis, self.ledger.task, queued.name, queued.options).add(admitted, again=True)
        entries = [fingerprint(row["canonical_url"]) for row in rows if row["listed_on"] is not None]
        self.ledger.entries_written(entries)

    def _write_rows(self, output: Output, rows: Sequence[Row], again: AbstractSet[RowKey]) -> None:
        """Write rows to a file output; keep those that it refuses."""
        with output.exclusive():
            output.sink.fence(self.ledger.task, current_epoch(self.ledger.redis))
            refused = output.write(rows, again=again)
        if refused:
            keep_refused(self.ledger.redis, self.ledger.task, output.name, rows, refused, clock=self.ledger.clock)


def examine_page(section: PreparedSection, kept: KeptPages, page: KeptPage) -> ExtractedAgain:
    """Extract a kept page as a worker would, and compare its rows with the newest ones."""
    judged = judge_page(section, page.page, page.info)
    if isinstance(judged, Fail):
        return ExtractedAgain(page.id, page.url, "failed", judged.reason)
    if isinstance(judged, Reject):
        return ExtractedAgain(page.id, page.url, "refused", judged.reason)
    rows = list(_rows(section, kept, page, judged))
    hash_ = judged.example_hash if isinstance(judged, FoundArticle) else judged.hash
    return ExtractedAgain(page.id, page.url, "changed" if rows else "same", hash=hash_, rows=tuple(rows))


def _rows(
    section: PreparedSection, kept: KeptPages, page: KeptPage, judged: FoundArticle | FoundList
) -> Iterator[NewRow]:
    """Yield the rows that differ from their newest version.

    An article whose text by the example alone is unchanged does not differ: only the voting recent pages have changed.
    """
    config = section.config
    example_hash = judged.example_hash if isinstance(judged, FoundArticle) else ""
    if isinstance(judged, FoundArticle):
        article = judged.article
        articles = {canonical_url(article, page.page.url, page.url, config.url_regex): article}
    else:
        articles = wanted(judged.articles, config, page.info.get("days"))
    newest = kept.newest_rows([fingerprint(canonical) for canonical in articles])
    for (canonical, article), earlier in zip(articles.items(), newest, strict=True):
        if earlier is not None and earlier.is_like(content_hash(article)):
            continue
        if earlier is not None and example_hash and earlier.is_like_by_example(example_hash):
            continue
        version = earlier.version + 1 if earlier else 1
        if isinstance(judged, FoundList):
            row = entry_row(article, canonical, page.page, config, section.version, judged.usage)
            row = {**row, "version": version}
        else:
            near = earlier.near if earlier else None
            row = article_row(section, page.url, judged, canonical, version=version, near=near)
        yield NewRow(row, earlier.version if earlier else 0, example_hash)


def _config(ledger: Ledger) -> ExtractionConfig:
    config = config_of(ledger.redis, ledger.task)
    if config is None:
        raise ExemplarError(f"task {ledger.task} is not published; run it first")
    return config


def _example_page(ledger: Ledger, kept: KeptPages, url: str) -> StoredPage:
    page = kept.find(url) if kept.path.exists() else None
    if page is not None:
        return page.page
    stored = example_of(ledger.redis, ledger.task)
    if stored is not None and url in (normalise(stored.url), normalise(_config(ledger).example)):
        return stored
    raise ExemplarError(
        f"example {url} is not among the kept pages of task {ledger.task}, and no page is fetched here; name a kept "
        f"page, or set it as the task's example and run exemplar crawl {ledger.task}"
    )


@contextmanager
def _alone(kept: KeptPages) -> Iterator[None]:
    """Make sure that no other process extracts the same pages again. Raises `ExemplarError`."""
    lock = os.open(kept.path.with_name(f"{kept.path.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ExemplarError(f"another re-extract is processing {kept.name}; wait until it ends") from None
        yield
    finally:
        os.close(lock)
