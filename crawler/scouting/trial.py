"""The trial of a task, without any effect: its lists are read, some articles extracted, nothing is written. No Redis.

 example → start pages and further lists → links taken and left → the newest articles → extractions

A run's own `Walk` chooses the lists; the trial extracts the articles that a run would fetch first. It differs from a
run in two ways: it reads few lists, and it does not look for sitemaps.

Like `survey`, an async function with `fetch` as argument: URL → page, or the reason why there is none.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice
from urllib.parse import urlsplit

from crawler.discovery.links import ASSET, PageLink
from crawler.discovery.listings import ListPage, read_listing
from crawler.discovery.pagination import pagination
from crawler.discovery.walk import Walk, WalkPlan
from crawler.patterns.pattern import Pattern
from crawler.run.admission import UNDATED, last_day, newest_first
from crawler.run.section_lists import start_pages
from crawler.scouting.doubts import about_example, about_left, about_titles, about_year
from crawler.scouting.fitting import shared_start
from crawler.scouting.inference import SeenPage, SiteLinks
from crawler.scouting.sample_extractions import SampleExtraction, extract_sample, is_empty_shell
from crawler.scouting.survey import Fetch, fetch_all
from crawler.task_list.models import Task
from extractors import Section, UnusablePage
from extractors.html.urls import normalise
from extractors.registry import LIST_METHODS
from workers.inbox import StoredPage

MOST_LISTS = 5  # lists that are read
ARTICLES = 10  # articles that are extracted
SURE = 0.8  # confidence from which the example fits itself
OWN_LISTS = ("start", "next")  # kinds of lists that are the section's own
FORBIDDEN = "robots.txt forbids it"
TAKEN = "matches the pattern"  # why a link is an article


@dataclass(frozen=True, slots=True)
class JudgedLink:
    """A link of a list page, with the reason of the judgement. `taken`: it leads to an article of the task."""

    link: PageLink
    taken: bool
    reason: str


@dataclass(frozen=True, slots=True)
class ReadList:
    """A list of the task: its links with the judgement on each, or why it could not be read."""

    url: str
    kind: str
    judged: tuple[JudgedLink, ...] = ()
    reason: str = ""

    @property
    def taken(self) -> int:
        """Return how many links are articles of the task."""
        return sum(link.taken for link in self.judged)


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of a trial. `found`: article URLs on the lists read; `forbidden`: those that robots.txt disallows."""

    task: str
    pattern: str
    example: SampleExtraction
    lists: tuple[ReadList, ...]
    found: int
    samples: tuple[SampleExtraction, ...]
    forbidden: tuple[str, ...]
    problems: tuple[str, ...]
    warnings: tuple[str, ...] = ()  # doubts; the cases may be intended

    @property
    def ok(self) -> bool:
        """Return whether the trial found no problem."""
        return not self.problems


async def trial(fetch: Fetch, task: Task, today: date) -> Trial:
    """Try a task; `today`: for the dates in start pages and patterns."""
    return await _Trial(fetch, task, today).run()


class _Trial:
    """The state of a trial."""

    def __init__(self, fetch: Fetch, task: Task, today: date):
        self.fetch, self.task, self.today = fetch, task, today
        self.lists: list[ReadList] = []
        self.ranks: dict[str, tuple[int, int]] = {}  # article URLs on the lists: newest day first, then as they came
        self.shells: list[str] = []  # lists that are empty without their scripts
        self.renders_shells = False  # whether a run sees other pages than this trial: those that scripts have filled
        self.problems: list[str] = []
        starts, fallback_starts = start_pages(task, today)
        plan = WalkPlan(task.pattern, starts, task.follow, task.depth, fallback_starts=fallback_starts)
        self.walk = Walk(plan)

    async def run(self) -> Trial:
        section, example = await self.read_example()
        await self.read_lists()
        found = self.found_on_lists() or self.generated_by_pattern()
        newest = found[:ARTICLES]
        answers = await fetch_all(self.fetch, newest)
        samples = tuple(self.extract(section, url, answers[url]) for url in newest)
        self.note_problems(example, found, samples)
        forbidden = tuple(sample.url for sample in samples if sample.reason == FORBIDDEN)
        return Trial(
            self.task.name,
            str(self.task.pattern),
            example,
            tuple(self.lists),
            len(found),
            samples,
            forbidden,
            tuple(self.problems),
            tuple(self.doubts(example, samples)),
        )

    async def read_example(self) -> tuple[Section, SampleExtraction]:
        url = normalise(self.task.example)
        page = await self.fetch(url)
        alone = Section(None, method="density")
        if isinstance(page, str):
            self.problems.append(f"example {url}: {page}; if that persists, choose another one")
            return alone, SampleExtraction(url, reason=page)
        if not self.task.pattern.match(page.url):
            self.problems.append(f"example {url} redirects to {page.url}, which does not match the pattern")
        self.renders_shells = self.task.render is not False and is_empty_shell(page)
        if self.task.render is True or self.renders_shells:
            self.problems.append("a run renders this task's pages in a browser; a trial reads them without one")
        try:
            section = Section(page.body, page.url, method=self.task.method)
        except UnusablePage as error:
            self.problems += [] if self.renders_shells else [f"example {url}: unusable page: {error}"]
            return alone, SampleExtraction(url, reason=str(error))
        return section, extract_sample(section, page, self.task.accepts_lists)

    async def read_lists(self) -> None:
        """Read the start pages and some further lists, until there are enough articles."""
        failed: list[str] = []  # start pages, while there are others to try
        most = max(MOST_LISTS, len(self.walk.plan.starts))
        while len(self.lists) < most and (list_page := self.walk.next_page()):
            if _is_beyond_the_task(list_page):
                self.walk.record_failure(list_page)
                continue
            if len(self.ranks) >= ARTICLES and list_page.kind not in OWN_LISTS:
                break
            page = await self.fetch(list_page.url)
            if not isinstance(page, str):
                self.read(list_page, page)
                continue
            self.lists.append(ReadList(list_page.url, list_page.kind, reason=page))
            failed += [f"start page {list_page.url}: {page}"] if list_page.kind == "start" else []
            if not self.walk.fallback_starts:
                self.problems += failed
                failed = []
            self.walk.record_failure(list_page)

    def read(self, list_page: ListPage, page: StoredPage) -> None:
        listing = read_listing(page.body, page.url, page.content_type)
        links = judged(listing.links, self.task.pattern, self.task.follow, page.url)
        self.shells += [page.url] if listing.form == "page" and is_empty_shell(page) else []
        self.lists.append(ReadList(page.url, list_page.kind, tuple(links)))
        articles = newest_first(self.walk.article_links(listing.links), listing.form, self.today)
        known, undated = len(self.ranks), self.today - UNDATED if listing.form == "sitemap" else self.today
        for article in articles:
            day = last_day(article.match, article.link.published, self.today) or undated
            self.ranks.setdefault(article.match.url, (-day.toordinal(), len(self.ranks)))
        new = len(self.ranks) - known
        self.walk.record_read(replace(list_page, url=page.url), listing, found=len(articles), new=new)

    def found_on_lists(self) -> list[str]:
        """Return the article URLs of the lists, in the order in which a run would fetch them."""
        return sorted(self.ranks, key=self.ranks.__getitem__)

    def generated_by_pattern(self) -> list[str]:
        """Return some article URLs that the pattern enumerates: those of its newest day."""
        pattern = self.task.pattern
        return [*islice(pattern.enumerate(self.today, self.today), ARTICLES)] if pattern.enumerable else []

    def extract(self, section: Section, url: str, page: StoredPage | str) -> SampleExtraction:
        if isinstance(page, str):
            return SampleExtraction(url, reason=page)
        sample = extract_sample(section, page, self.task.accepts_lists)
        if page.url != url and not self.task.pattern.match(page.url):
            reason = f"redirects to {page.url}, which does not match the pattern"
            return SampleExtraction(url, reason=reason, kind=sample.kind)
        return sample

    def note_problems(
        self, example: SampleExtraction, found: Sequence[str], samples: Sequence[SampleExtraction]
    ) -> None:
        if self.renders_shells:
            pass  # nothing is known about its articles
        elif example.characters and example.confidence < SURE:
            self.problems.append(
                f"example {example.url} is extracted with a confidence of only {example.confidence:.2f} "
                f"({example.reason}); choose an ordinary article as the example"
            )
        elif example.kind and not example.characters:
            self.problems.append(f"example {example.url} contains no article: {example.reason}")
        if not found:
            read = sum(not read_list.reason for read_list in self.lists)
            self.problems.append(f"no link matches the pattern (list pages read: {read}){self.nearest()}")
            self.problems += [
                f"{url} is filled by scripts: add `render: true` to the task, so that a run opens it in a browser"
                for url in self.shells[:1]
                if self.task.render is not True and not self.renders_shells
            ]
        else:
            self.note_problems_of_samples(samples)

    def note_problems_of_samples(self, samples: Sequence[SampleExtraction]) -> None:
        fetched = [sample for sample in samples if sample.kind and not self.renders_shells]
        missing = [sample for sample in samples if not sample.kind]
        if len(missing) * 2 > len(samples):
            self.problems.append(f"{len(missing)} of {len(samples)} pages are unavailable ({missing[0].reason})")
        fits = sum(sample.by_example for sample in fetched)
        if fetched and not any(sample.characters for sample in fetched):
            self.problems.append(f"none of {len(fetched)} pages contains an article ({fetched[0].reason})")
        elif fits * 2 < len(fetched) and self.task.method in ("auto", "example"):
            self.problems.append(
                f"the example fits {fits} of {len(fetched)} pages; choose a more typical article as the example"
            )

    def doubts(self, example: SampleExtraction, samples: Sequence[SampleExtraction]) -> list[str]:
        """Return the doubts for a person to check, one sentence each."""
        pattern, own = self.task.pattern, [read_list.url for read_list in self.lists if read_list.kind in OWN_LISTS]
        pages = tuple(SeenPage(seen.url, tuple(judged_link.link for judged_link in seen.judged)) for seen in self.lists)
        left = [
            (judged_link.link.url, judged_link.reason) for judged_link in self.judged_links() if not judged_link.taken
        ]
        known = {url: reason for url, reason in left if reason != pattern.difference(url)}
        evidence = SiteLinks(normalise(self.task.example), pages, frozenset(page.url for page in pages), known)
        others = (sample for sample in samples if sample.url != example.url)
        no_article_needed = self.renders_shells or self.task.accepts_lists or self.task.method in LIST_METHODS
        notes = (
            None if no_article_needed else about_example(example),
            None if self.renders_shells else about_titles([example, *others]),
            about_left(evidence, pattern, own),
            about_year(normalise(self.task.example), pattern),
        )
        return [note for note in notes if note]

    def nearest(self) -> str:
        """Return the rejected link whose URL is most like the example, and why it does not match the pattern.

        That is the one with the longest equal beginning, of several the one with as many parts.
        """
        example = normalise(self.task.example)

        def likeness(judged: JudgedLink) -> tuple[int, int]:
            url = judged.link.url
            return len(shared_start((url, example))), -abs(url.count("/") - example.count("/"))

        best = max(self.judged_links(), key=likeness, default=None)
        return f"; the nearest: {best.link.url} ({best.reason})" if best else ""

    def judged_links(self) -> list[JudgedLink]:
        return [judged_link for read_list in self.lists for judged_link in read_list.judged]


def _is_beyond_the_task(page: ListPage) -> bool:
    """Return whether a run would read this page for sitemaps that the task does not name."""
    return page.kind == "robots" or (page.kind == "sitemap" and page.url == page.start)


def judged(links: Sequence[PageLink], pattern: Pattern, follow: Sequence[Pattern], page_url: str) -> list[JudgedLink]:
    """Return for each link of the list page at `page_url` whether it leads to an article, and a short reason."""
    pages = set(pagination(page_url, [link for link in links if not pattern.match(link.url)]))
    reasons = (_reason(link.url, pattern, follow, page_url, pages) for link in links)
    return [JudgedLink(link, reason == TAKEN, reason) for link, reason in zip(links, reasons, strict=True)]


def _reason(url: str, pattern: Pattern, follow: Sequence[Pattern], page_url: str, pages: Container[str]) -> str:
    if pattern.match(url):
        return TAKEN
    if url == page_url:
        return "the list page itself"
    if any(list_pattern.match(url) for list_pattern in follow):
        return "a list page to follow"
    if url in pages:
        return "a further page of the list"
    if urlsplit(url).netloc != urlsplit(page_url).netloc:
        return f"on another host: {urlsplit(url).netloc}"
    if ASSET.search(urlsplit(url).path):
        return "a file, not a page"
    return pattern.difference(url) or "does not match the pattern"
