"""What a wake-up job runs: pages → articles → sinks → ledger.

Each page is leased, and its attempt counted, just before its extraction, and settled just after its row is written, one
page after another. When a page crashes its worker, no other page of the job is blamed or lost.
"""

import logging
import os
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

import re2
import redis
from rq import get_current_job

from extractors import Article, Listing, NoArticle, Section, UnusablePage
from extractors.content.multipage import joined
from extractors.html.decoding import decode
from extractors.html.urls import normalise
from extractors.page import Refuse

from .entries import entry_row, joined_lists, wanted_entries
from .errors import OutputError, SinkUnavailable
from .extraction_config import ExtractionConfig, begin_example, config_of, end_example
from .filters import of_other_days, unwanted
from .forgetting import has_forgotten
from .inbox import StoredPage, unpack
from .ledger import LISTED, Ledger
from .near_duplicates import NearDuplicates
from .quarantine import quarantine, state_folder
from .recent_pages import (
    Candidates,
    RecentPage,
    SectionPages,
    begin_recent,
    drop_recent,
    end_recent,
    section_pages,
    section_version,
)
from .rows import Row, content_hash, row_of
from .sinks import Sink, open_sink
from .url_states import MOST_ATTEMPTS, Fingerprint, PageLease, RecheckPlan, fingerprint
from .usage_rights import Usage, usage_of
from .worker_reports import NoWatch, Watch

PAGE_DEADLINE = 20.0  # seconds for one page; the supervisor kills a worker that takes longer
LEASE_MARGIN = 40.0  # seconds on top: waiting for a file's lock or a database belongs to the lease, not the deadline
SINK_PAUSE = 5.0  # seconds until a page is tried again whose output was unavailable
CLAIM_PAUSE = 2.0  # seconds until a page is tried again whose canonical URL another page is writing
TASK_PAUSE = 15.0  # seconds until pages are tried again whose task is not published, or can't be run as published
MOST_BEGINS = 20  # times in a row that workers may begin to prepare an example or a recent page without finishing
ONLY_LISTS = "list-rank"  # a method by which no page gives a row of its own
SECTIONS_KEPT = 200  # prepared sections a worker keeps, 0.1 to 1.4 MB each

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Prepared:
    """What a worker keeps of a task as long as its extraction config, example and recent pages stay the same.

    `example_only`: the section without recent pages, for rechecks; the same object as `section` in tasks without any.
    """

    config: ExtractionConfig
    version: str | None
    section: Section
    example_only: Section
    sinks: tuple[Sink, ...]
    candidates: Candidates | None


class ExtractionWorker:
    """One worker's prepared examples and open sinks, by task, and the extraction of pages with them."""

    def __init__(self, connection: "redis.Redis", name: str, *, watch: Watch | None = None, state: Path | None = None):
        self.redis = connection
        self.name = name
        self.watch = watch or NoWatch()
        self.state = state or state_folder()
        self._prepared: dict[str, _Prepared] = {}

    def extract_pages(self, task: str, names: Sequence[Fingerprint]) -> None:
        """Extract, write and settle the pages of one job; skip those that are settled or leased to another worker."""
        self.watch.job(task, names)
        ledger = Ledger(self.redis, task)
        prepared = self._prepare_or_postpone(ledger, names)
        if prepared is not None:
            for name in names:
                self._process(prepared, ledger, name)
            if prepared.candidates:
                prepared.candidates.offer()
        self.watch.job(task, [])

    def close(self) -> None:
        """Close all sinks."""
        for prepared in self._prepared.values():
            _close(prepared)
        self._prepared.clear()

    def _prepare_or_postpone(self, ledger: Ledger, names: Sequence[Fingerprint]) -> _Prepared | None:
        """Return what the task's pages are extracted with; None if it is unavailable, and the pages are postponed."""
        config = config_of(self.redis, ledger.task)
        if config is None:
            log.warning("task %s is not published; %d of its pages wait", ledger.task, len(names))
            ledger.postpone(names, TASK_PAUSE, "task is not published")
            return None
        try:
            return self._prepare(config)
        except (OutputError, ValueError) as error:
            self._report_problem(error)
            ledger.postpone(names, TASK_PAUSE, str(error))
            return None

    def _process(self, prepared: _Prepared, ledger: Ledger, name: Fingerprint) -> None:
        lease = ledger.take(name, self.name, seconds=PAGE_DEADLINE + LEASE_MARGIN)
        if lease is None:
            return
        self.watch.begin(ledger.task, name, PAGE_DEADLINE)
        try:
            self._extract(prepared, ledger, lease)
        except (SinkUnavailable, OutputError) as error:
            self._report_problem(error)
            ledger.let_go(name, self.name, SINK_PAUSE, str(error))
        finally:
            self.watch.end()

    def _report_problem(self, error: Exception) -> None:
        log.error("%s; pages are kept and tried again", error)
        self.watch.problem(str(error))

    def _extract(self, prepared: _Prepared, ledger: Ledger, lease: PageLease) -> None:
        try:
            page = unpack(lease.page)
        except ValueError as error:
            ledger.settle(lease.fingerprint, "failed", str(error), worker=self.name)
            return
        if lease.attempts > MOST_ATTEMPTS:
            self._fail(prepared, ledger, lease, page, f"crashed or timed out its worker {MOST_ATTEMPTS} times")
            return
        try:
            refuse: Refuse = "never" if lease.accepted else "sure"
            extracted = _extract_all_pages(prepared.section, page, refuse=refuse)
            by_example = (
                extracted
                if prepared.example_only is prepared.section
                else _extract_all_pages(prepared.example_only, page, refuse=refuse)
            )
        except UnusablePage as error:
            self._fail(prepared, ledger, lease, page, f"unusable page: {error}")
            return
        except MemoryError:
            raise  # the worker itself may have grown too large: it ends, and another one tries the page
        except Exception as error:  # a defect of ours: the page is kept in quarantine, the others go on
            log.exception("page %s of task %s", page.url, prepared.config.task)
            self._fail(prepared, ledger, lease, page, f"extractor error: {type(error).__name__}: {error}")
            return
        if isinstance(extracted, NoArticle):
            ledger.settle(lease.fingerprint, "rejected", extracted.reason, worker=self.name)
            return
        usage = usage_of(page.headers, extracted.robots_meta, extracted.tdm_meta, prepared.config.product)
        if note := usage.forbids(prepared.config.skip):
            ledger.settle(lease.fingerprint, "rejected", f"skip: {note}", worker=self.name)
            return
        if isinstance(extracted, Listing):
            self.watch.end()
            self._write_entries(prepared, ledger, lease, page, extracted, usage)
            return
        if reason := unwanted(extracted, prepared.config):
            ledger.settle(lease.fingerprint, "rejected", reason, worker=self.name)
            return
        if (days := lease.info.get("days")) and (reason := of_other_days(extracted, days)):
            ledger.settle(lease.fingerprint, "rejected", reason, worker=self.name)
            return
        self.watch.end()  # the deadline is for the extraction, not for the sinks
        example_hash = content_hash(by_example if isinstance(by_example, Article) else extracted)
        self._write(prepared, ledger, lease, page, extracted, usage, example_hash)

    def _write(
        self,
        prepared: _Prepared,
        ledger: Ledger,
        lease: PageLease,
        page: StoredPage,
        article: Article,
        usage: Usage,
        example_hash: str,
    ) -> None:
        canonical = canonical_url(article, page.url, lease.url, prepared.config)
        claim = ledger.claim(lease.fingerprint, fingerprint(canonical), self.name)
        if claim == "lost":
            return
        if claim == "busy":
            ledger.let_go(lease.fingerprint, self.name, CLAIM_PAUSE, f"waits for another page of {canonical}")
            return
        if claim == "theirs":
            ledger.settle(lease.fingerprint, "duplicate", canonical, worker=self.name)
            return
        near = self._near_duplicate(prepared.config, article, canonical)
        if near and prepared.config.near_duplicates == "drop":
            ledger.settle(lease.fingerprint, "duplicate", f"near {near}", worker=self.name)
            return
        previous = lease.recheck
        row = row_of(
            article,
            task=prepared.config.task,
            url=lease.url,
            canonical_url=canonical,
            fetched_at=page.fetched_at,
            version=_next_version(ledger, previous, canonical),
            section_version=prepared.version,
            near_duplicate_of=near,
            parts=1 + len(page.parts),
            parts_missing=page.missing,
            usage=usage,
        )
        recheck = _next_recheck(prepared.config, previous, row, example_hash)
        if previous and _is_nothing_new(previous, row, example_hash):
            note = "a page of it is missing" if page.missing else "unchanged"
            ledger.settle(lease.fingerprint, "written", note, worker=self.name, recheck=recheck)
            return
        again = lease.again or lease.accepted or has_forgotten(ledger)  # its row may have been written before
        if self._deliver(prepared, ledger, lease, [row], again=again, recheck=recheck):
            self._consider(prepared, lease, page, article)

    def _write_entries(
        self,
        prepared: _Prepared,
        ledger: Ledger,
        lease: PageLease,
        page: StoredPage,
        listing: Listing,
        usage: Usage,
    ) -> None:
        """Write the entries of a list page that have no row yet; the page itself has none."""
        config = prepared.config
        wanted = wanted_entries(listing, config, lease.info.get("days"))
        names = {fingerprint(canonical): canonical for canonical in wanted}
        claimed = ledger.claim_entries(
            lease.fingerprint, list(names), self.name, pages_give_rows=config.method != ONLY_LISTS
        )
        if claimed == "lost":
            return
        if claimed == "busy":
            ledger.let_go(lease.fingerprint, self.name, CLAIM_PAUSE, "waits for another page that shares an entry")
            return
        new = [name for name, mine in zip(names, claimed, strict=True) if mine]
        rows = [entry_row(wanted[names[name]], names[name], page, config, prepared.version, usage) for name in new]
        note = f"{LISTED}: {len(listing.entries)} entries, {len(rows)} new"
        recheck = _next_recheck_of_list(config, lease.recheck, content_hash(listing), is_new=bool(rows))
        # again: a worker that died may have written some of the rows
        self._deliver(prepared, ledger, lease, rows, again=True, recheck=recheck, note=note, entries=new)

    def _deliver(
        self,
        prepared: _Prepared,
        ledger: Ledger,
        lease: PageLease,
        rows: Sequence[Row],
        *,
        again: bool,
        recheck: RecheckPlan | None,
        note: str = "",
        entries: Sequence[Fingerprint] = (),
    ) -> bool:
        """Write a page's rows and settle it. False if our lease expired while we waited for a lock."""
        with ExitStack() as locks:
            for sink in sorted(
                prepared.sinks, key=lambda sink: sink.name
            ):  # the same order in all workers: no deadlock
                locks.enter_context(sink.exclusive())
            if not ledger.holds(lease.fingerprint, self.name):
                return False
            for sink in prepared.sinks if rows else ():
                sink.write(rows, again=again)
            ledger.entries_written(entries)
            ledger.settle(lease.fingerprint, "written", note, worker=self.name, recheck=recheck)
        return True

    def _consider(self, prepared: _Prepared, lease: PageLease, page: StoredPage, article: Article) -> None:
        """Make a written page a candidate for the vote, unless a back-fill found it: those are not recent."""
        if prepared.candidates is None or not prepared.candidates.has_room() or lease.info.get("days"):
            return
        self.watch.begin(prepared.config.task, lease.fingerprint, PAGE_DEADLINE)
        try:
            prepared.candidates.consider(lease.fingerprint, page, article)
        except (MemoryError, redis.RedisError):
            raise
        except Exception:  # a defect of ours; the page is written all the same
            log.exception("task %s: page %s can't be judged as a recent page", prepared.config.task, page.url)
        finally:
            self.watch.end()

    def _near_duplicate(self, config: ExtractionConfig, article: Article, canonical: str) -> str | None:
        if config.near_duplicates == "keep":
            return None
        return NearDuplicates(self.redis, config.task).first_like(article.text, canonical)

    def _fail(self, prepared: _Prepared, ledger: Ledger, lease: PageLease, page: StoredPage, reason: str) -> None:
        quarantine(self.state, prepared.config.task, lease.fingerprint, page, reason)
        ledger.settle(lease.fingerprint, "failed", reason, worker=self.name)

    def _prepare(self, config: ExtractionConfig) -> _Prepared:
        version = section_version(self.redis, config.task)
        prepared = self._prepared.get(config.task)
        if prepared and prepared.version == version and prepared.config == config:
            return prepared
        if prepared:
            _close(prepared)
        sinks = tuple(open_sink(output, config.task, Path(config.folder)) for output in config.outputs)
        pages, section = self._voters(config)
        candidates = Candidates(self.redis, config.task, section, pages) if pages else None
        example_only = self._section(pages.example, config) if pages and pages.recent and config.revisit else section
        while len(self._prepared) >= SECTIONS_KEPT:
            _close(self._prepared.pop(next(iter(self._prepared))))
        version = pages.version if pages else None
        self._prepared[config.task] = _Prepared(config, version, section, example_only, sinks, candidates)
        return self._prepared[config.task]

    def _voters(self, config: ExtractionConfig) -> tuple[SectionPages | None, Section]:
        """Prepare the example and all recent pages of one version; drop recent pages that can't be prepared."""
        while True:
            pages = section_pages(self.redis, config.task)
            section = self._section(pages.example if pages else None, config)
            if pages is None:
                return None, section
            bad = next((page for page in pages.recent if not self._learn(section, config.task, page, pages)), None)
            if bad is None:
                return pages, section
            log.error("task %s: recent page %s can't be prepared; it is dropped", config.task, bad.url)
            drop_recent(self.redis, config.task, pages, bad)

    def _learn(self, section: Section, task: str, page: RecentPage, pages: SectionPages) -> bool:
        """Let a recent page vote on later ones. False if it can't be prepared, or crashes or times out every worker."""
        if begin_recent(self.redis, task, page) > MOST_BEGINS:
            return False
        self.watch.begin(task, page.name, PAGE_DEADLINE)
        try:
            section.learn(page.body(pages.example), page.url, content_type=page.content_type)
        except MemoryError:
            raise
        except Exception:
            log.exception("recent page %s of task %s", page.url, task)
            return False
        finally:
            self.watch.end()
        end_recent(self.redis, task, page)
        return True

    def _section(self, example: StoredPage | None, config: ExtractionConfig) -> Section:
        if example is None:
            return _without_example(config)
        if begin_example(self.redis, config.task) > MOST_BEGINS:
            raise OutputError(
                f"task {config.task}: its example {example.url} crashes or times out every worker; name another example"
            )
        self.watch.begin(config.task, "example", PAGE_DEADLINE)
        section = None
        try:
            section = Section(decode(example.body, example.content_type)[0], example.url, method=config.method)
        except UnusablePage as error:
            log.error("task %s: unusable example: %s; pages are extracted without it", config.task, error)
        except MemoryError:
            raise  # another worker may have the memory; without the example, this one's rows would differ from theirs
        except Exception:  # a defect of ours must not stop the whole task
            log.exception("task %s: its example can't be prepared; pages are extracted without it", config.task)
        finally:
            self.watch.end()
        end_example(self.redis, config.task)
        return section or _without_example(config)


def _without_example(config: ExtractionConfig) -> Section:
    """Return a section that uses the task's method alone, or `density` if that method needs an example."""
    try:
        return Section(None, method=config.method)
    except ValueError:
        return Section(None, method="density")


def _extract_all_pages(section: Section, page: StoredPage, *, refuse: Refuse) -> Article | Listing | NoArticle:
    """Extract the article, or the list, from all of its pages; unusable further pages are left out."""
    extracted = section.extract(
        page.body, page.url, content_type=page.content_type, fetched_at=page.fetched_at, refuse=refuse
    )
    if isinstance(extracted, NoArticle) or not page.parts:
        return extracted
    further = []
    for part in page.parts:
        with suppress(UnusablePage):
            result = section.extract(
                part.body, part.url, content_type=part.content_type, fetched_at=part.fetched_at, refuse=refuse
            )
            further.append(result)
    if isinstance(extracted, Listing):
        return joined_lists(extracted, [result for result in further if isinstance(result, Listing)])
    return joined(extracted, [result for result in further if isinstance(result, Article)])


def _next_version(ledger: Ledger, previous: RecheckPlan | None, canonical: str) -> int:
    """Return the version of an article's row: one more than at the last check, or than that of an entry's row."""
    if previous:
        return previous.version + 1
    return 2 if ledger.is_entry(fingerprint(canonical)) else 1


def _next_recheck_of_list(
    config: ExtractionConfig, previous: RecheckPlan | None, hash_: str, *, is_new: bool
) -> RecheckPlan | None:
    """Return when to recheck a list page: it had a new entry within the time that `revisit` gives. None: never.

    Version 0 means that the page never had a row of its own.
    """
    if previous is None and config.revisit is None:
        return None
    every, during = config.revisit or (0.0, 0.0)
    until = time.time() + during if is_new or not previous else previous.until
    return RecheckPlan(every, until if config.revisit else 0.0, previous.version if previous else 0, hash_)


def _next_recheck(
    config: ExtractionConfig, previous: RecheckPlan | None, row: Row, example_hash: str
) -> RecheckPlan | None:
    """Return when to recheck a written article, and its present version and hash; None if never."""
    if previous is None and config.revisit is None:
        return None
    every, during = config.revisit or (0.0, 0.0)  # `revisit` was removed: this was the last one
    until = previous.until if previous else time.time() + during
    until = until if config.revisit else 0.0
    if previous and _is_nothing_new(previous, row, example_hash):
        return RecheckPlan(every, until, previous.version, previous.hash)
    return RecheckPlan(every, until, row["version"], example_hash)


def _is_nothing_new(previous: RecheckPlan, row: Row, example_hash: str) -> bool:
    """Whether a recheck creates no new version: the text is the same, or the article is incomplete this time.

    The hashes are of texts extracted with the example alone: other voters may extract another text of the same article.
    """
    return bool(row["parts_missing"]) or previous.hash == example_hash


def canonical_url(article: Article, final_url: str, requested: str, config: ExtractionConfig) -> str:
    """Return the article's canonical link, its URL after redirects, or the one requested.

    The first of these that matches the task's pattern: some canonical links name the home page or another host.
    """
    wanted = re2.compile(config.url_regex)
    for url in (article.canonical_url, final_url):
        if url and wanted.fullmatch(normalise(url)):
            return normalise(url)
    return requested


def cut_pages(task: str, names: Sequence[Fingerprint]) -> None:
    """Run one wake-up job inside a worker process. Jobs in Redis name this function (`workers.inbox.JOB`)."""
    this_worker().extract_pages(task, names)


_here = threading.local()


def this_worker() -> ExtractionWorker:
    """Return this process's worker; a plain `rq worker -S json` process gets one, too."""
    worker: ExtractionWorker | None = getattr(_here, "worker", None)
    if worker is None:
        job = get_current_job()
        if job is None:
            raise RuntimeError("cut_pages runs inside an RQ worker")
        worker = ExtractionWorker(job.connection, f"rq-{os.getpid()}")
        set_this_worker(worker)
    return worker


def set_this_worker(worker: ExtractionWorker) -> None:
    """Make `worker` the one of this process."""
    _here.worker = worker


def _close(prepared: _Prepared) -> None:
    for sink in prepared.sinks:
        sink.close()
