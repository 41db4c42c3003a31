"""A task tried without leaving a trace: its lists read, some articles cut, nothing written. No Redis.

    example → start pages and what follows them → links taken and left → the newest articles → extractions

An async function as `survey` is: it is given `fetch`: URL → page, or the reason why there is none.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import islice

from crawler.discovery.listings import ListPage as Place
from crawler.discovery.listings import read_listing
from crawler.discovery.walk import JudgedLink, Walk, judged
from crawler.scouting.doubts import about_example, about_left, about_titles, about_year
from crawler.scouting.fetch import Fetch, fetch_all
from crawler.scouting.inference import SeenPage, SiteLinks
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
        """How many links are articles of the task."""
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
        """Whether nothing is wrong with the task."""
        return not self.problems


async def trial(fetch: Fetch, task: Task, today: date, articles: int = ARTICLES) -> Trial:
    """Try a task; `today` writes out dates in start pages and patterns."""
    return await _Trial(fetch, task, today, articles).run()


@dataclass
class _Trial:
    """What a trial has seen so far."""

    fetch: Fetch
    task: Task
    today: date
    articles: int
    lists: list[ReadList] = field(default_factory=list)
    found: dict[str, tuple[date, object]] = field(default_factory=dict)  # article URL → how new it is
    problems: list[str] = field(default_factory=list)
    unread_starts: list[str] = field(default_factory=list)  # derived ones; told if the last of them can't be read

    async def run(self) -> Trial:
        section, example = await self.read_example()
        await self.walk()
        if not self.found and self.task.pattern.enumerable:
            for url in islice(self.task.pattern.enumerate(self.today, self.today), self.articles):
                self.found.setdefault(url, self.rank(url))
        newest = sorted(self.found, key=lambda url: self.found[url], reverse=True)[: self.articles]
        answers = await fetch_all(self.fetch, newest)
        cuts = tuple(self.cut(section, url, answers[url]) for url in newest)
        self.judge(example, cuts)
        forbidden = tuple(cut.url for cut in cuts if cut.reason == FORBIDDEN)
        return Trial(
            self.task.name,
            str(self.task.pattern),
            example,
            tuple(self.lists),
            len(self.found),
            cuts,
            forbidden,
            tuple(self.problems),
            tuple(self.doubts(example, cuts)),
        )

    async def read_example(self) -> tuple[Section, SampleExtraction]:
        url = normalise(self.task.example)
        page = await self.fetch(url)
        alone = Section(None, method="density")
        if isinstance(page, str):
            self.problems.append(f"example {url}: {page}; if it stays so name another")
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

    async def walk(self) -> None:
        """Read the start pages and some of what follows them, until there are articles enough."""
        starts = [normalise(url) for url in self.task.start_urls(self.today)]
        spares: Sequence[str] = ()
        if not starts:
            derived = [normalise(url) for url in self.task.pattern.prefixes()]
            starts, spares = derived[:1], derived[1:]
        if not starts and not self.task.pattern.enumerable:
            self.problems.append("no start page: the pattern's host varies; name the section's list page under start:")
        walk = Walk(
            self.task.pattern, starts, self.task.follow, self.task.depth, spares=spares, look_for_sitemaps=False
        )
        while len(self.lists) < max(MOST_LISTS, len(starts)) and (place := walk.next_page()):
            if len(self.found) >= self.articles and place.kind not in ("start", "next"):
                return
            page = await self.fetch(place.url)
            if isinstance(page, str):
                self.missed(walk, place, page)
            else:
                self.read(walk, place, page)

    def missed(self, walk: Walk, place: Place, reason: str) -> None:
        self.lists.append(ReadList(place.url, place.kind, reason=reason))
        spare = bool(walk.spares)
        walk.failed(place)
        if place.kind == "start":
            self.unread_starts.append(f"start page {place.url}: {reason}")
            if not spare:
                self.problems += self.unread_starts

    def read(self, walk: Walk, place: Place, page: StoredPage) -> None:
        listing = read_listing(page.body, page.url, page.content_type)
        known = set(self.found)
        taken = walk.read(listing.links)
        for one in taken:
            self.found.setdefault(one.link.url, self.rank(one.link.url))
        new = len(self.found) - len(known)
        walk.note(Place(page.url, place.kind, place.depth), listing, found=len(taken), new=new)
        links = judged(listing.links, self.task.pattern, self.task.follow, page.url)
        self.lists.append(ReadList(page.url, place.kind, tuple(links)))

    def rank(self, url: str) -> tuple[date, object]:
        """Newer is greater, by the URL."""
        match = self.task.pattern.match(url)
        return match.recency if match else (date.min, ())

    def cut(self, section: Section, url: str, page: StoredPage | str) -> SampleExtraction:
        if isinstance(page, str):
            return SampleExtraction(url, reason=page)
        found = cut_page(section, page)
        if page.url != url and not self.task.pattern.match(page.url):
            return SampleExtraction(url, reason=f"leads to {page.url}, which is not of the pattern", kind=found.kind)
        return found

    def judge(self, example: SampleExtraction, cuts: Sequence[SampleExtraction]) -> None:
        """Note what is wrong."""
        if example.characters and example.confidence < SURE:
            self.problems.append(
                f"example {example.url} is cut with confidence {example.confidence:.2f} only ({example.reason}); "
                "name another, ordinary article"
            )
        elif example.kind and not example.characters:
            self.problems.append(f"example {example.url} holds no article: {example.reason}")
        if not self.found:
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

    def doubts(self, example: SampleExtraction, cuts: Sequence[SampleExtraction]) -> list[str]:
        """What a person should look at again."""
        pattern, own = self.task.pattern, [each for each in self.lists if each.kind in OWN_LISTS]
        pages = tuple(SeenPage(each.url, tuple(one.link for one in each.judged)) for each in self.lists)
        left = [each for one in self.lists for each in one.judged if not each.taken]
        known = {each.link.url: each.reason for each in left if each.reason != pattern.difference(each.link.url)}
        evidence = SiteLinks(normalise(self.task.example), pages, frozenset(page.url for page in pages), known)
        notes = (
            None if self.task.method in LIST_METHODS else about_example(example),
            about_titles([example, *(cut for cut in cuts if cut.url != example.url)]),
            about_left(evidence, pattern, [each.url for each in own]),
            about_year(normalise(self.task.example), pattern, list(self.found)),
        )
        return [note for note in notes if note]

    def nearest(self) -> str:
        """A link that was left, and where it leaves the pattern: the one that goes along with it farthest."""
        links = [each for one in self.lists for each in one.judged]
        example = normalise(self.task.example)
        best = max(links, key=lambda each: _alike(each.link.url, example), default=None)
        return f"; the nearest: {best.link.url} ({best.reason})" if best else ""


def _alike(url: str, example: str) -> int:
    """How many characters two URLs share from the start."""
    return next((n for n, (a, b) in enumerate(zip(url, example, strict=False)) if a != b), min(len(url), len(example)))
