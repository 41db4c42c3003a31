"""The answer to a doorbell: pages → articles → sinks → ledger.

Each page is taken (leased, its attempt counted) just before it is cut, and settled just after it is written, one by
one: when a page takes its worker down, no other page of the job is blamed or lost.
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

from .briefs import Brief, begin_example, brief_of, end_example
from .entries import entry_row, joined_lists, wanted_entries
from .errors import OutputError, SinkUnavailable
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
from .url_states import MOST_CUTS, Fingerprint, PageLease, RecheckPlan, fingerprint
from .usage_rights import Usage, usage_of
from .worker_reports import NoWatch, Watch

PAGE_DEADLINE = 20.0  # seconds for one page; the supervisor ends a worker that takes longer
LEASE_MARGIN = 40.0  # seconds on top: waiting for a file's lock or a database belongs to the lease, not the deadline
SINK_PAUSE = 5.0  # seconds until a page is tried again whose target could not take it
CLAIM_PAUSE = 2.0  # seconds until a page is tried again whose canonical URL another page is writing
TASK_PAUSE = 15.0  # seconds until pages are tried again whose task is not published, or not as we can run it
MOST_BEGINS = 20  # times in a row that workers begin to prepare an example or a recent page and none is done with it
ONLY_LISTS = "list-rank"  # a method by which no page gives a row of its own
SECTIONS_KEPT = 200  # prepared sections a worker keeps, 0.1 to 1.4 MB each

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Prepared:
    """What a worker keeps for a task as long as brief, example and recent pages stay the same.

    `alone`: the section without recent pages, where articles are looked at again; else the same as `section`.
    """

    brief: Brief
    version: str | None
    section: Section
    alone: Section
    sinks: tuple[Sink, ...]
    candidates: Candidates | None


class Station:
    """A worker's place of work: prepared examples and open sinks, by task."""

    def __init__(
        self, connection: "redis.Redis", worker: str, *, watch: Watch | None = None, state: Path | None = None
    ):
        self.redis = connection
        self.worker = worker
        self.watch = watch or NoWatch()
        self.state = state or state_folder()
        self._prepared: dict[str, _Prepared] = {}

    def cut_pages(self, task: str, names: Sequence[Fingerprint]) -> None:
        """Cut, write and settle the pages of one job. Pages in other hands, or settled already, are passed over."""
        self.watch.job(task, names)
        ledger = Ledger(self.redis, task)
        prepared = self._ready(ledger, names)
        if prepared is not None:
            for name in names:
                self._work_on(prepared, ledger, name)
            if prepared.candidates:
                prepared.candidates.offer()
        self.watch.job(task, [])

    def close(self) -> None:
        """Close all sinks."""
        for prepared in self._prepared.values():
            _close(prepared)
        self._prepared.clear()

    def _ready(self, ledger: Ledger, names: Sequence[Fingerprint]) -> _Prepared | None:
        """What the task's pages are cut with; None if that can't be had now, and the pages rest."""
        brief = brief_of(self.redis, ledger.task)
        if brief is None:
            log.warning("task %s is not published; %d pages wait for it", ledger.task, len(names))
            ledger.postpone(names, TASK_PAUSE, "task is not published")
            return None
        try:
            return self._prepare(brief)
        except (OutputError, ValueError) as error:
            self._trouble(error)
            ledger.postpone(names, TASK_PAUSE, str(error))
            return None

    def _work_on(self, prepared: _Prepared, ledger: Ledger, name: Fingerprint) -> None:
        taken = ledger.take(name, self.worker, seconds=PAGE_DEADLINE + LEASE_MARGIN)
        if taken is None:
            return
        self.watch.begin(ledger.task, name, PAGE_DEADLINE)
        try:
            self._cut(prepared, ledger, taken)
        except (SinkUnavailable, OutputError) as error:
            self._trouble(error)
            ledger.let_go(name, self.worker, SINK_PAUSE, str(error))
        finally:
            self.watch.end()

    def _trouble(self, error: Exception) -> None:
        log.error("%s; pages wait and are tried again", error)
        self.watch.trouble(str(error))

    def _cut(self, prepared: _Prepared, ledger: Ledger, taken: PageLease) -> None:
        try:
            page = unpack(taken.page)
        except ValueError as error:
            ledger.settle(taken.fingerprint, "failed", str(error), worker=self.worker)
            return
        if taken.cuts > MOST_CUTS:
            self._fail(prepared, ledger, taken, page, f"ended its worker {MOST_CUTS} times (time or memory)")
            return
        try:
            refuse: Refuse = "never" if taken.accepted else "sure"
            found = _cut_whole(prepared.section, page, refuse=refuse)
            steady = found if prepared.alone is prepared.section else _cut_whole(prepared.alone, page, refuse=refuse)
        except UnusablePage as error:
            self._fail(prepared, ledger, taken, page, f"unusable page: {error}")
            return
        except MemoryError:
            raise  # it may be the worker that has grown: it ends, and the page is tried in another
        except Exception as error:  # a mistake of ours: the page is kept for us to look at, the others go on
            log.exception("page %s of task %s", page.url, prepared.brief.task)
            self._fail(prepared, ledger, taken, page, f"extractor error: {type(error).__name__}: {error}")
            return
        if isinstance(found, NoArticle):
            ledger.settle(taken.fingerprint, "rejected", found.reason, worker=self.worker)
            return
        usage = usage_of(page.headers, found.robots_meta, found.tdm_meta, prepared.brief.product)
        if said := usage.forbids(prepared.brief.skip):
            ledger.settle(taken.fingerprint, "rejected", f"skip: {said}", worker=self.worker)
            return
        if isinstance(found, Listing):
            self.watch.end()
            self._write_entries(prepared, ledger, taken, page, found, usage)
            return
        if reason := unwanted(found, prepared.brief):
            ledger.settle(taken.fingerprint, "rejected", reason, worker=self.worker)
            return
        if (days := taken.info.get("days")) and (reason := of_other_days(found, days)):
            ledger.settle(taken.fingerprint, "rejected", reason, worker=self.worker)
            return
        self.watch.end()  # from here on it is the sinks' time, not the page's
        said_alone = content_hash(steady if isinstance(steady, Article) else found)
        self._write(prepared, ledger, taken, page, found, usage, said_alone)

    def _write(
        self,
        prepared: _Prepared,
        ledger: Ledger,
        taken: PageLease,
        page: StoredPage,
        article: Article,
        usage: Usage,
        said_alone: str,
    ) -> None:
        canonical = canonical_url(article, page.url, taken.url, prepared.brief)
        claim = ledger.claim(taken.fingerprint, fingerprint(canonical), self.worker)
        if claim == "lost":
            return
        if claim == "busy":
            ledger.let_go(taken.fingerprint, self.worker, CLAIM_PAUSE, f"waits for another page of {canonical}")
            return
        if claim == "theirs":
            ledger.settle(taken.fingerprint, "duplicate", canonical, worker=self.worker)
            return
        near = self._near_duplicate(prepared.brief, article, canonical)
        if near and prepared.brief.near_duplicates == "drop":
            ledger.settle(taken.fingerprint, "duplicate", f"near {near}", worker=self.worker)
            return
        visited = taken.visits
        row = row_of(
            article,
            task=prepared.brief.task,
            url=taken.url,
            canonical_url=canonical,
            fetched_at=page.fetched_at,
            version=_next_version(ledger, visited, canonical),
            section_version=prepared.version,
            near_duplicate_of=near,
            parts=1 + len(page.parts),
            parts_missing=page.missing,
            usage=usage,
        )
        visits = _next_visits(prepared.brief, visited, row, said_alone)
        if visited and _is_nothing_new(visited, row, said_alone):
            said = "a page of it is missing" if page.missing else "unchanged"
            ledger.settle(taken.fingerprint, "written", said, worker=self.worker, visits=visits)
            return
        again = taken.again or taken.accepted or has_forgotten(ledger)  # its row may be there, by an earlier example
        if self._deliver(prepared, ledger, taken, [row], again=again, visits=visits):
            self._consider(prepared, taken, page, article)

    def _write_entries(
        self,
        prepared: _Prepared,
        ledger: Ledger,
        taken: PageLease,
        page: StoredPage,
        listing: Listing,
        usage: Usage,
    ) -> None:
        """Write the entries of a list page that have no row yet; the page itself has none."""
        brief = prepared.brief
        wanted = wanted_entries(listing, brief, taken.info.get("days"))
        names = {fingerprint(canonical): canonical for canonical in wanted}
        claimed = ledger.claim_entries(
            taken.fingerprint, list(names), self.worker, pages_give_rows=brief.method != ONLY_LISTS
        )
        if claimed == "lost":
            return
        if claimed == "busy":
            ledger.let_go(taken.fingerprint, self.worker, CLAIM_PAUSE, "waits for another page that shares an entry")
            return
        new = [name for name, mine in zip(names, claimed, strict=True) if mine]
        rows = [entry_row(wanted[names[name]], names[name], page, brief, prepared.version, usage) for name in new]
        said = f"{LISTED}: {len(listing.entries)} entries, {len(rows)} new"
        visits = _next_visits_of_list(brief, taken.visits, content_hash(listing), is_new=bool(rows))
        # again: a worker that died may have written some of them
        self._deliver(prepared, ledger, taken, rows, again=True, visits=visits, said=said, entries=new)

    def _deliver(
        self,
        prepared: _Prepared,
        ledger: Ledger,
        taken: PageLease,
        rows: Sequence[Row],
        *,
        again: bool,
        visits: RecheckPlan | None,
        said: str = "",
        entries: Sequence[Fingerprint] = (),
    ) -> bool:
        """Write a page's rows and settle it. False if its lease ran out while we waited: it is in other hands."""
        with ExitStack() as locks:
            for sink in sorted(prepared.sinks, key=lambda sink: sink.name):  # one order everywhere: no deadlock
                locks.enter_context(sink.exclusive())
            if not ledger.holds(taken.fingerprint, self.worker):
                return False
            for sink in prepared.sinks if rows else ():
                sink.write(rows, again=again)
            ledger.entries_written(entries)
            ledger.settle(taken.fingerprint, "written", said, worker=self.worker, visits=visits)
        return True

    def _consider(self, prepared: _Prepared, taken: PageLease, page: StoredPage, article: Article) -> None:
        """Let a written page stand for the vote, unless it is of a back-fill: those are not recent."""
        if prepared.candidates is None or not prepared.candidates.has_room() or taken.info.get("days"):
            return
        self.watch.begin(prepared.brief.task, taken.fingerprint, PAGE_DEADLINE)
        try:
            prepared.candidates.consider(taken.fingerprint, page, article)
        except (MemoryError, redis.RedisError):
            raise
        except Exception:  # a mistake of ours; the page is written all the same
            log.exception("page %s of task %s: whether it may vote can't be told", page.url, prepared.brief.task)
        finally:
            self.watch.end()

    def _near_duplicate(self, brief: Brief, article: Article, canonical: str) -> str | None:
        if brief.near_duplicates == "keep":
            return None
        return NearDuplicates(self.redis, brief.task).first_like(article.text, canonical)

    def _fail(self, prepared: _Prepared, ledger: Ledger, taken: PageLease, page: StoredPage, reason: str) -> None:
        quarantine(self.state, prepared.brief.task, taken.fingerprint, page, reason)
        ledger.settle(taken.fingerprint, "failed", reason, worker=self.worker)

    def _prepare(self, brief: Brief) -> _Prepared:
        version = section_version(self.redis, brief.task)
        prepared = self._prepared.get(brief.task)
        if prepared and prepared.version == version and prepared.brief == brief:
            return prepared
        if prepared:
            _close(prepared)
        sinks = tuple(open_sink(output, brief.task, Path(brief.folder)) for output in brief.outputs)
        pages, section = self._voters(brief)
        candidates = Candidates(self.redis, brief.task, section, pages) if pages else None
        alone = self._section(pages.example, brief) if pages and pages.recent and brief.revisit else section
        while len(self._prepared) >= SECTIONS_KEPT:
            _close(self._prepared.pop(next(iter(self._prepared))))
        version = pages.version if pages else None
        self._prepared[brief.task] = _Prepared(brief, version, section, alone, sinks, candidates)
        return self._prepared[brief.task]

    def _voters(self, brief: Brief) -> tuple[SectionPages | None, Section]:
        """Prepare the example and all recent pages of one version; recent pages that can't be prepared are dropped."""
        while True:
            pages = section_pages(self.redis, brief.task)
            section = self._section(pages.example if pages else None, brief)
            if pages is None:
                return None, section
            bad = next((page for page in pages.recent if not self._learn(section, brief.task, page, pages)), None)
            if bad is None:
                return pages, section
            log.error("task %s: recent page %s can't be prepared and votes no more", brief.task, bad.url)
            drop_recent(self.redis, brief.task, pages, bad)

    def _learn(self, section: Section, task: str, page: RecentPage, pages: SectionPages) -> bool:
        """Let a recent page vote on later ones; False if it can't be prepared, or ends every worker."""
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

    def _section(self, example: StoredPage | None, brief: Brief) -> Section:
        if example is None:
            return _without_example(brief)
        if begin_example(self.redis, brief.task) > MOST_BEGINS:
            raise OutputError(
                f"task {brief.task}: its example {example.url} ends every worker (time or memory); name another one"
            )
        self.watch.begin(brief.task, "example", PAGE_DEADLINE)
        section = None
        try:
            section = Section(decode(example.body, example.content_type)[0], example.url, method=brief.method)
        except UnusablePage as error:
            log.error("task %s: its example can't be used: %s; pages are cut without it", brief.task, error)
        except MemoryError:
            raise  # another worker has room for it; without the example this one's rows would differ from all others
        except Exception:  # a mistake of ours must not hold up the whole task
            log.exception("task %s: its example can't be prepared; pages are cut without it", brief.task)
        finally:
            self.watch.end()
        end_example(self.redis, brief.task)
        return section or _without_example(brief)


def _without_example(brief: Brief) -> Section:
    """Return the section cut by the task's method alone, or where that needs an example by `density`."""
    try:
        return Section(None, method=brief.method)
    except ValueError:
        return Section(None, method="density")


def _cut_whole(section: Section, page: StoredPage, *, refuse: Refuse) -> Article | Listing | NoArticle:
    """Cut the article, or the list, out of all its pages. What a further page can't give does not lose the rest."""
    found = section.extract(
        page.body, page.url, content_type=page.content_type, fetched_at=page.fetched_at, refuse=refuse
    )
    if isinstance(found, NoArticle) or not page.parts:
        return found
    further = []
    for part in page.parts:
        with suppress(UnusablePage):
            cut = section.extract(
                part.body, part.url, content_type=part.content_type, fetched_at=part.fetched_at, refuse=refuse
            )
            further.append(cut)
    if isinstance(found, Listing):
        return joined_lists(found, [cut for cut in further if isinstance(cut, Listing)])
    return joined(found, [cut for cut in further if isinstance(cut, Article)])


def _next_version(ledger: Ledger, visited: RecheckPlan | None, canonical: str) -> int:
    """The version of an article's row: one more than last time, or than the row that a list page gave its URL."""
    if visited:
        return visited.version + 1
    return 2 if ledger.is_entry(fingerprint(canonical)) else 1


def _next_visits_of_list(brief: Brief, visited: RecheckPlan | None, hash_: str, *, is_new: bool) -> RecheckPlan | None:
    """When to read a list page again: as long as it had a new entry within the time that articles count as young.

    Version 0 stands for a page that never gave a row of its own.
    """
    if visited is None and brief.revisit is None:
        return None
    every, during = brief.revisit or (0.0, 0.0)
    until = time.time() + during if is_new or not visited else visited.until
    return RecheckPlan(every, until if brief.revisit else 0.0, visited.version if visited else 0, hash_)


def _next_visits(brief: Brief, visited: RecheckPlan | None, row: Row, said_alone: str) -> RecheckPlan | None:
    """When to look at a written article again, and what it is now; None if never."""
    if visited is None and brief.revisit is None:
        return None
    every, during = brief.revisit or (0.0, 0.0)  # the task asks for none any more: this was the last one
    until = visited.until if visited else time.time() + during
    until = until if brief.revisit else 0.0
    if visited and _is_nothing_new(visited, row, said_alone):
        return RecheckPlan(every, until, visited.version, visited.hash)
    return RecheckPlan(every, until, row["version"], said_alone)


def _is_nothing_new(visited: RecheckPlan, row: Row, said_alone: str) -> bool:
    """Whether a later look gives no new version: the text is the same, or can't be had whole this time.

    Texts are compared as the example alone cuts them: other voters may cut an article differently that stayed the same.
    """
    return bool(row["parts_missing"]) or visited.hash == said_alone


def canonical_url(article: Article, found_at: str, asked: str, brief: Brief) -> str:
    """The URL an article counts under: its canonical link, the address it was found at, or the one asked for.

    The first that matches the task's pattern; sites point canonical links at their home page or at another host.
    """
    wanted = re2.compile(brief.url_regex)
    for url in (article.canonical_url, found_at):
        if url and wanted.fullmatch(normalise(url)):
            return normalise(url)
    return asked


def cut_pages(task: str, names: Sequence[Fingerprint]) -> None:
    """The job that a doorbell names (`workers.inbox.JOB`). Runs inside a worker process."""
    station().cut_pages(task, names)


_here = threading.local()


def station() -> Station:
    """This worker's station; a plain `rq worker -S json` process gets one too."""
    found: Station | None = getattr(_here, "station", None)
    if found is None:
        job = get_current_job()
        if job is None:
            raise RuntimeError("cut_pages runs inside an RQ worker")
        found = Station(job.connection, f"rq-{os.getpid()}")
        use(found)
    return found


def use(place: Station) -> None:
    """Make `place` the station of this process."""
    _here.station = place


def _close(prepared: _Prepared) -> None:
    for sink in prepared.sinks:
        sink.close()
