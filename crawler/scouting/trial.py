"""A task tried without leaving a trace: its lists read, some articles cut, nothing written. No Redis.

    example → start pages and what follows them → links taken and left → the newest articles → extractions

A run's own `SectionLists` chooses the lists and enters their articles, on a ledger in memory; the trial cuts those that
a run would fetch first. It differs from a run in two ways: it reads few lists, and it does not look for sitemaps.

An async function as `survey` is: it is given `fetch`: URL → page, or the reason why there is none.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from crawler.discovery.link_judgement import JudgedLink, judged
from crawler.discovery.listings import ListPage, read_listing
from crawler.rendering.task import Rendering
from crawler.run.admission import Admission
from crawler.run.run_report import RunOptions, RunReport
from crawler.run.run_settings import SETTINGS
from crawler.run.section_lists import SectionLists
from crawler.scouting.doubts import about_example, about_left, about_titles, about_year
from crawler.scouting.fetch import Fetch, fetch_all
from crawler.scouting.inference import SeenPage, SiteLinks
from crawler.scouting.memory_ledger import MemoryLedger
from crawler.scouting.sample_extractions import SampleExtraction, cut_page, is_empty_shell
from crawler.task_list.models import Task
from extractors import Section, UnusablePage
from extractors.html.urls import normalise
from extractors.registry import LIST_METHODS
from workers.inbox import StoredPage

MOST_LISTS = 5  # lists that are read
ARTICLES = 10  # that are cut
SURE = 0.8  # confidence from which the example is said to fit itself
OWN_LISTS = ("start", "next")  # kinds of lists that are the section's own
FORBIDDEN = "robots.txt forbids it"


@dataclass(frozen=True, slots=True)
class ReadList:
    """A list of the task: its links with what becomes of each, or why it could not be read."""

    url: str
    kind: str
    judged: tuple[JudgedLink, ...] = ()
    reason: str = ""

    @property
    def taken(self) -> int:
        """Return how many links are articles of the task."""
        return sum(each.taken for each in self.judged)


@dataclass(frozen=True, slots=True)
class Trial:
    """What a task would do. `found`: article URLs on the lists read; `forbidden`: those that robots.txt holds back."""

    task: str
    pattern: str
    example: SampleExtraction
    lists: tuple[ReadList, ...]
    found: int
    cuts: tuple[SampleExtraction, ...]
    forbidden: tuple[str, ...]
    problems: tuple[str, ...]
    warnings: tuple[str, ...] = ()  # what may be meant so

    @property
    def ok(self) -> bool:
        """Return whether nothing is wrong with the task."""
        return not self.problems


async def trial(fetch: Fetch, task: Task, today: date, articles: int = ARTICLES) -> Trial:
    """Try a task; `today` writes out dates in start pages and patterns."""
    return await _Trial(fetch, task, today, articles).run()


class _Trial:
    """What a trial has seen so far."""

    def __init__(self, fetch: Fetch, task: Task, today: date, articles: int):
        self.fetch, self.task, self.today, self.articles = fetch, task, today, articles
        self.lists: list[ReadList] = []
        self.listed: set[str] = set()  # article URLs on the lists
        self.problems: list[str] = []
        self.report, self.ledger = RunReport.begun(task.name, SETTINGS.now()), MemoryLedger(task.name)
        self.run_lists = _lists_of_a_run(task, today, self.report, self.ledger)

    async def run(self) -> Trial:
        section, example = await self.read_example()
        await self.read_lists()
        found = self.found_on_lists() or self.written_by_pattern()
        newest = found[: self.articles]
        answers = await fetch_all(self.fetch, newest)
        cuts = tuple(self.cut(section, url, answers[url]) for url in newest)
        self.judge(example, found, cuts)
        forbidden = tuple(cut.url for cut in cuts if cut.reason == FORBIDDEN)
        return Trial(
            self.task.name,
            str(self.task.pattern),
            example,
            tuple(self.lists),
            len(found),
            cuts,
            forbidden,
            tuple(self.problems),
            tuple(self.doubts(example, found, cuts)),
        )

    async def read_example(self) -> tuple[Section, SampleExtraction]:
        url = normalise(self.task.example)
        page = await self.fetch(url)
        alone = Section(None, method="density")
        if isinstance(page, str):
            self.problems.append(f"example {url}: {page}; if that persists, name another")
            return alone, SampleExtraction(url, reason=page)
        if not self.task.pattern.match(page.url):
            self.problems.append(f"example {url} leads to {page.url}, which is not of the pattern")
        if self.task.render is True or (self.task.render == "auto" and is_empty_shell(page)):
            self.problems.append("a run opens this task's pages in a browser; here they are read without one")
        try:
            section = Section(page.body, page.url, method=self.task.method)
        except UnusablePage as error:
            self.problems.append(f"example {url}: unusable page: {error}")
            return alone, SampleExtraction(url, reason=str(error))
        return section, cut_page(section, page)

    async def read_lists(self) -> None:
        """Read the start pages and some of what follows them, until there are enough articles."""
        self.run_lists.begin()
        walk = self.run_lists.walk
        starts = walk.plan.starts if walk else ()
        if not starts and not self.task.pattern.enumerable:
            self.problems.append("no start page: the pattern's host varies; name the section's list page under start:")
        while len(self.lists) < max(MOST_LISTS, len(starts)) and (place := self.run_lists.next_page()):
            if _is_beyond_the_task(place):
                self.run_lists.record_failure(place, "not read in a trial", passing=False)
                continue
            if len(self.found_on_lists()) >= self.articles and place.kind not in OWN_LISTS:
                break
            page = await self.fetch(place.url)
            if isinstance(page, str):
                self.lists.append(ReadList(place.url, place.kind, reason=page))
                self.run_lists.record_failure(place, page, passing=False)
            else:
                self.read(place, page)
        self.problems += self.report.problems

    def read(self, place: ListPage, page: StoredPage) -> None:
        listing = read_listing(page.body, page.url, page.content_type)
        links = judged(listing.links, self.task.pattern, self.task.follow, page.url)
        self.listed |= {normalise(each.link.url) for each in links if each.taken}
        self.lists.append(ReadList(page.url, place.kind, tuple(links)))
        self.run_lists.read(place, page.body, page.url, page.content_type)

    def found_on_lists(self) -> list[str]:
        """Return the article URLs of the lists that a run would fetch, in its order."""
        return [one.url for one in self.ledger.in_order() if one.url in self.listed]

    def written_by_pattern(self) -> list[str]:
        """Return some article URLs that the pattern writes by itself: those of its newest day."""
        written = [one for one in self.ledger.in_order() if "written_for" in one.info]
        newest = max((str(one.info["written_for"]) for one in written), default="")
        return [one.url for one in written if one.info["written_for"] == newest][: self.articles]

    def cut(self, section: Section, url: str, page: StoredPage | str) -> SampleExtraction:
        if isinstance(page, str):
            return SampleExtraction(url, reason=page)
        found = cut_page(section, page)
        if page.url != url and not self.task.pattern.match(page.url):
            return SampleExtraction(url, reason=f"leads to {page.url}, which is not of the pattern", kind=found.kind)
        return found

    def judge(self, example: SampleExtraction, found: Sequence[str], cuts: Sequence[SampleExtraction]) -> None:
        """Note what is wrong."""
        if example.characters and example.confidence < SURE:
            self.problems.append(
                f"example {example.url} is cut with confidence {example.confidence:.2f} only ({example.reason}); "
                "name another, ordinary article"
            )
        elif example.kind and not example.characters:
            self.problems.append(f"example {example.url} holds no article: {example.reason}")
        if not found:
            read = sum(not each.reason for each in self.lists)
            self.problems.append(f"nothing matches: no link on {read} list pages is of the pattern{self.nearest()}")
        else:
            self.judge_cuts(cuts)

    def judge_cuts(self, cuts: Sequence[SampleExtraction]) -> None:
        there = [cut for cut in cuts if cut.kind]
        missing = [cut for cut in cuts if not cut.kind]
        if len(missing) * 2 > len(cuts):
            self.problems.append(f"{len(missing)} of {len(cuts)} pages can't be had ({missing[0].reason})")
        if there and not any(cut.characters for cut in there):
            self.problems.append(f"none of {len(there)} pages gives an article ({there[0].reason})")
        elif sum(cut.by_example for cut in there) * 2 < len(there) and self.task.method in ("auto", "example"):
            fits = sum(cut.by_example for cut in there)
            self.problems.append(f"the example fits {fits} of {len(there)} pages; name a more ordinary one")

    def doubts(self, example: SampleExtraction, found: Sequence[str], cuts: Sequence[SampleExtraction]) -> list[str]:
        """Return what a person should look at again, one sentence each."""
        pattern, own = self.task.pattern, [each for each in self.lists if each.kind in OWN_LISTS]
        pages = tuple(SeenPage(each.url, tuple(one.link for one in each.judged)) for each in self.lists)
        left = [each for one in self.lists for each in one.judged if not each.taken]
        known = {each.link.url: each.reason for each in left if each.reason != pattern.difference(each.link.url)}
        evidence = SiteLinks(normalise(self.task.example), pages, frozenset(page.url for page in pages), known)
        notes = (
            None if self.task.method in LIST_METHODS else about_example(example),
            about_titles([example, *(cut for cut in cuts if cut.url != example.url)]),
            about_left(evidence, pattern, [each.url for each in own]),
            about_year(normalise(self.task.example), pattern, found),
        )
        return [note for note in notes if note]

    def nearest(self) -> str:
        """Return the rejected link that agrees with the example farthest, and where it leaves the pattern."""
        links = [each for one in self.lists for each in one.judged]
        example = normalise(self.task.example)
        best = max(links, key=lambda each: _alike(each.link.url, example), default=None)
        return f"; the nearest: {best.link.url} ({best.reason})" if best else ""


def _lists_of_a_run(task: Task, today: date, report: RunReport, ledger: MemoryLedger) -> SectionLists:
    options = RunOptions()
    task = task.model_copy(update={"forget": None})  # nothing is known that could be forgotten
    admission = Admission(task, options, ledger, today)
    rendering = Rendering(ledger.redis, task)
    return SectionLists(report, admission, rendering, beat=lambda: None)


def _is_beyond_the_task(place: ListPage) -> bool:
    """Return whether a run would look here for sitemaps that the task does not name."""
    return place.kind == "robots" or (place.kind == "sitemap" and place.url == place.start)


def _alike(url: str, example: str) -> int:
    """Return how many characters two URLs share from the start."""
    return next((n for n, (a, b) in enumerate(zip(url, example, strict=False)) if a != b), min(len(url), len(example)))
