"""The survey: from one article's URL to a section, by reading some pages of the site. No network of its own.

A survey is an async function with another one as argument, `fetch`: URL → page, or the reason why there is none.

    example → home page, breadcrumb, folders above, pages named as lists → siblings
            → scope: the example's own folders, or also relatives in other folders that the example fits
            → pattern → three siblings, extracted

Scope. On a small site the whole site is the section; on a big one (`BIG_HOME`) it is the example's own folders, if
enough siblings are linked there. Where the pattern does not distinguish sections, a section is its list page alone.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal
from urllib.parse import urljoin, urlsplit

from crawler.discovery.links import PageLink, is_short
from crawler.discovery.listings import read_listing, robots_listing
from crawler.discovery.pagination import pagination
from crawler.discovery.sitemaps import USUAL_PLACE
from crawler.discovery.walk import is_own_section
from crawler.patterns.pattern import Pattern, PatternError
from crawler.scouting.address_parts import MARK, Address, Dates, address_of
from crawler.scouting.doubts import about_example, about_left, about_posts, about_titles, about_year
from crawler.scouting.fitting import fit
from crawler.scouting.inference import Inference, Relatives, SeenPage, SiteLinks, infer, relatives, siblings
from crawler.scouting.sample_extractions import (
    MOST_PROPOSALS,
    NAME_AN_ARTICLE,
    NAME_ONE,
    NoSection,
    SampleExtraction,
    extract_sample,
    is_empty_shell,
    prepared,
    proposals,
)
from crawler.scouting.section_pages import Candidate, candidates
from extractors.html.urls import normalise
from workers.inbox import StoredPage

Scope = Literal["auto", "section", "site"]
Fetch = Callable[[str], Awaitable[StoredPage | str]]  # URL → page, or the reason why there is none

MOST_LISTS = 6  # list pages that are read
LISTS_AT_ONCE = 2  # list pages that are read together, after the home page
MOST_CHILDREN = 2  # sitemaps of an index that are read
MOST_SAMPLES = 6  # pages of other folders that are extracted
SAMPLES_A_FAMILY = 2
TRIALS = 3  # siblings that are extracted
PLENTY = 30  # siblings that are enough for a section of their own on a big site
ENOUGH = 12  # linked siblings after which no further list pages are read
TWO = 2  # siblings that show that a page is an article although it looks like a list; links that show a section
FEW = 3  # siblings that a pattern needs
BIG_HOME = 250  # links of its own site on the home page of a big site
BIG_SITE = "a big site"
CONFIDENT = 0.8  # confidence of its extraction that a relative needs


@dataclass(frozen=True, slots=True)
class Survey:
    """A section that was found. `starts`: its list pages; `lone`: no list pages below them are read."""

    example: str
    scope: Literal["section", "site"]
    why: str
    inference: Inference
    starts: tuple[str, ...]
    lone: bool
    lists: tuple[Candidate, ...]
    samples: tuple[SampleExtraction, ...]
    sample_of_example: SampleExtraction
    warnings: tuple[str, ...] = ()
    insist: bool = False  # the pages are articles, even those that look like lists

    @property
    def pattern(self) -> str:
        """Return the pattern of the section's articles."""
        return self.inference.pattern


async def survey(fetch: Fetch, url: str, scope: Scope = "auto", insist: bool = False) -> Survey:
    """Survey the site of an article. Raises `NoSection` if no task can be made.

    `insist`: treat the page and its siblings as articles, also if their page types are others.
    """
    state = _Survey(fetch, url, scope, insist)
    try:
        return await state.run()
    except NoSection as error:
        raise state.doubt or error from None


async def several(
    fetch: Fetch, urls: Sequence[str], scope: Scope = "auto", insist: bool = False
) -> dict[str, Survey | NoSection]:
    """Make the surveys one after another; return for each URL its survey, or why there is none."""
    surveys: dict[str, Survey | NoSection] = {}
    for url in urls:
        try:
            surveys[url] = await survey(fetch, url, scope, insist)
        except NoSection as error:
            surveys[url] = error
    return surveys


@dataclass
class _Survey:
    """The state of a survey."""

    fetch: Fetch
    url: str  # in the form that a person gave
    scope: Scope
    insist: bool
    pages: dict[str, SeenPage] = field(default_factory=dict)  # pages that were read for links, by their own URL
    lists: dict[str, Candidate] = field(default_factory=dict)
    samples: dict[str, SampleExtraction] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)  # links to pages that are not articles, with the reasons
    warnings: list[str] = field(default_factory=list)
    feeds: list[str] = field(default_factory=list)
    shells: list[str] = field(default_factory=list)  # list pages that are empty without their scripts
    asked: dict[str, str] = field(default_factory=dict)  # dated list page, as today's paper → URL that led to it
    missing: set[str] = field(default_factory=set)  # links to pages that are unavailable
    tried: int = 0  # pages of groups of links
    doubt: NoSection | None = None  # why the example may not be an article; its siblings may show that it is one

    async def run(self) -> Survey:
        page = await self.fetch(self.url)
        if isinstance(page, str):
            raise NoSection(f"{self.url}: {page}")
        self.example = page.url
        listing = read_listing(page.body, page.url, page.content_type)
        if listing.form != "page":
            articles = [(link.url, link.text) for link in listing.links[:MOST_PROPOSALS]]
            form = "is a feed" if listing.form == "feed" else "is a sitemap or another list of URLs"
            raise NoSection(f"{page.url} {form}, not an article", NAME_AN_ARTICLE, articles)
        if urlsplit(page.url).path == "/" and not urlsplit(page.url).query:
            self.refuse(NoSection(f"{page.url} is the site's home page, not an article", NAME_ONE, proposals(page)))
        self.section, self.samples[page.url], doubt = prepared(page, self.insist)
        if doubt is not None:
            self.warnings.append(doubt.overruled if self.insist else doubt.disproved)
            self.doubt, self.insist = None if self.insist else doubt, True
        if page.url != normalise(self.url):
            self.warnings.append(f"the URL redirects to {page.url}, which is the example now")
        await self.read_lists(page)
        own = self.siblings()
        members, why, wide = await self.widen(own)
        if len(members) < FEW:
            raise NoSection(self.none_found(members))
        inference = self.infer(members)
        await self.try_siblings(inference)
        if any(link.url in self.refused for link in inference.matched):
            inference = self.infer([sibling for sibling in members if sibling.url not in self.refused])
        if self.doubt and not self.are_articles(inference):
            raise self.doubt
        return self.conclude(inference, why, wide)

    def refuse(self, error: NoSection) -> None:
        """Raise the error, or add it as a warning if a person insists on the article."""
        if not self.insist:
            raise error
        self.warnings.append(error.overruled)

    # -- list pages ---------------------------------------------------------------------------------------------------

    async def read_lists(self, page: StoredPage) -> None:
        """Read the home page and the breadcrumb; then, while siblings are few, other pages that may list them."""
        self.add_page(page)
        of_example = candidates(page.url, page.body, self.pages[page.url].links, page.content_type)
        feed = [Candidate(url, "feed") for url in self.feeds][:1]
        breadcrumb = [candidate for candidate in of_example[1:] if candidate.why == "breadcrumb"]
        await self.read([of_example[0], *breadcrumb][:LISTS_AT_ONCE])
        while len(self.lists) < MOST_LISTS and not self.has_enough():
            candidates_left = self.all_candidates(of_example, feed)
            waiting = [candidate for candidate in candidates_left if candidate.url not in self.lists]
            if not waiting:
                break
            await self.read(waiting[: min(LISTS_AT_ONCE, MOST_LISTS - len(self.lists))])
        if len(self.siblings()) <= FEW:
            await self.read_sitemap()

    def all_candidates(self, of_example: Sequence[Candidate], feed: Sequence[Candidate]) -> list[Candidate]:
        """Return the candidates of the example, with its feed as the third, then those of the home page."""
        home = self.pages.get(normalise(of_example[0].url))
        return [*of_example[:2], *feed, *of_example[2:], *(candidates(home.url, b"", home.links)[1:] if home else ())]

    async def read_sitemap(self) -> None:
        """Read the first sitemap in robots.txt, and the first two in this sitemap."""
        robots = urljoin(self.example, "/robots.txt")
        answer = await self.fetch(robots)
        declared = robots_listing(answer.body, robots).sitemaps if not isinstance(answer, str) else []
        first = declared[0].url if declared else urljoin(self.example, USUAL_PLACE)
        await self.read([Candidate(first, "sitemap")])
        children = self.pages[first].links[:MOST_CHILDREN] if first in self.pages else ()
        if any(link.url.partition("?")[0].endswith((".xml", ".gz")) for link in children):
            await self.read([Candidate(link.url, "sitemap") for link in children])

    async def read(self, chosen: Sequence[Candidate]) -> None:
        answers = await fetch_all(self.fetch, [candidate.url for candidate in chosen])
        for candidate in chosen:
            answer = answers[candidate.url]
            self.lists[candidate.url] = candidate
            if not isinstance(answer, str) and answer.url not in self.pages:
                self.add_page(answer, candidate)
                if address_of(answer.url).dates:
                    self.asked[answer.url] = candidate.url

    def add_page(self, page: StoredPage, candidate: Candidate | None = None) -> None:
        listing = read_listing(page.body, page.url, page.content_type)
        below = (PageLink(sitemap.url, "") for sitemap in listing.sitemaps)
        self.pages[page.url] = SeenPage(page.url, (*listing.links, *below))
        self.feeds += listing.feeds
        if candidate:
            self.lists[page.url] = replace(candidate, url=page.url)
            self.shells += [page.url] if listing.form == "page" and is_empty_shell(page) else []

    def has_enough(self) -> bool:
        own = {sibling.url for sibling in self.siblings()[1:]}
        lists = [page for page in self.pages.values() if page.url != self.example]
        listed = [sum(link.url in own for link in page.links) for page in lists]
        return len(own) >= ENOUGH and max(listed, default=0) >= FEW

    # -- links --------------------------------------------------------------------------------------------------------

    @property
    def evidence(self) -> SiteLinks:
        lists = frozenset({*self.lists} - {self.example})
        return SiteLinks(self.example, tuple(self.pages.values()), lists, dict(self.refused))

    def siblings(self) -> list[Address]:
        return siblings(self.evidence)

    def infer(self, members: Sequence[Address]) -> Inference:
        try:
            return infer(self.evidence, members)
        except PatternError as error:
            raise NoSection(f"{self.example}: no pattern fits its siblings: {error}") from None

    # -- scope --------------------------------------------------------------------------------------------------------

    async def widen(self, own: list[Address]) -> tuple[list[Address], str, bool]:
        """Return the members of the section, why they are members, and whether other folders are among them."""
        big, own_links = self.is_big(), len(own) - 1
        if self.scope == "section":
            return own, "as requested: the example's own folders", False
        if self.scope == "auto" and big and own_links >= PLENTY:
            return own, f"{BIG_SITE}, and {own_links} siblings in the example's own folders", False
        groups = relatives(self.evidence, own)
        joined = await self.matching_groups(own, groups)
        if not joined:
            return own, f"{own_links} siblings in the example's own folders, and none like it in other folders", False
        extra = _addresses(own, joined)
        members = [*own, *extra]
        size = "few siblings in the example's own folders" if big else "a small site"
        size = "as requested" if self.scope == "site" else size
        return members, f"{size}: links with URLs like the example's in other folders: {len(extra)}", True

    async def matching_groups(self, own: Sequence[Address], groups: Sequence[Relatives]) -> list[Relatives]:
        """Return the groups whose pages the example fits, judged by one page of each family's largest groups."""
        families: dict[tuple[object, ...], list[Relatives]] = {}
        for group in groups:
            families.setdefault(group.family, []).append(group)
        joined: list[Relatives] = []
        for members in sorted(families.values(), key=lambda family: -sum(len(group.urls) for group in family)):
            if len(own) > FEW and sum(len(group.urls) for group in members) < TWO:
                continue  # a single link, as to a tag, is no evidence that other folders have articles
            verdicts: dict[tuple[str, ...], bool] = {}
            for group in members[: SAMPLES_A_FAMILY + 1]:
                if self.tried >= MOST_SAMPLES or list(verdicts.values()).count(True) >= SAMPLES_A_FAMILY:
                    break
                fits = await self.sample_group(group)
                if fits is not None:
                    verdicts[group.folders] = fits
            good = [group for group in members if verdicts.get(group.folders, all(verdicts.values()))]
            bad = {url for group in members if group not in good for url in group.urls}
            if verdicts and good and not self.would_take(own, [*joined, *good], bad):
                joined += good
        return joined

    def would_take(self, own: Sequence[Address], groups: Sequence[Relatives], bad: set[str]) -> bool:
        """Return whether there is no pattern for all pages, or it would match pages that are not articles."""
        try:
            text = self.infer([*own, *_addresses(own, groups)]).pattern
        except NoSection:
            return True
        pattern = Pattern.parse(text)
        return any(pattern.match(url) for url in {*bad, *self.refused})

    async def sample_group(self, group: Relatives) -> bool | None:
        """Extract up to two pages of a group; return whether the example fits them, None if that is undecided."""
        for url in group.urls[:2]:
            if self.tried >= MOST_SAMPLES:
                return None
            self.tried += 1
            sample = await self.extract(url)
            if sample is None:
                continue
            languages = {each.language[:2] for each in (sample, self.samples[self.example])} - {""}
            if (not sample.characters and sample.kind == "list") or len(languages) > 1:
                return False
            if sample.by_example and sample.confidence >= CONFIDENT:
                return True
        return None

    def home(self) -> SeenPage | None:
        return next((page for page in self.pages.values() if urlsplit(page.url).path == "/"), None)

    def is_big(self) -> bool:
        home = self.home()
        host = urlsplit(self.example).netloc.removeprefix("www.")
        here = [link for link in home.links if urlsplit(link.url).netloc.removeprefix("www.") == host] if home else []
        return len(here) >= BIG_HOME

    # -- trials -------------------------------------------------------------------------------------------------------

    async def try_siblings(self, inference: Inference) -> None:
        """Extract siblings from the beginning, the middle and the end of the matched links."""
        links = [link.url for link in inference.matched if link.url not in inference.doubtful]
        waiting = [url for url in links if url not in self.samples and url not in self.missing]
        extracted = sum(url in self.samples for url in links if url != self.example)
        for _ in range(2 * TRIALS):  # dead links are replaced
            if extracted >= TRIALS or not waiting:
                return
            sample = await self.extract(waiting.pop([0, len(waiting) // 2, -1][extracted % 3]))
            extracted += sample is not None

    def are_articles(self, inference: Inference) -> bool:
        """Whether the siblings that were extracted have brief texts of their own, and the titles of links to them."""
        links = {link.url: link.text for link in inference.matched if link.url != self.example}
        found = [self.samples[url] for url in links if url in self.samples]
        texts = {sample.words for sample in (*found, self.samples[self.example])}
        titles = {
            sample.title
            for sample in found
            if sample.is_brief and sample.title in links[sample.url] and not is_short(sample.title)
        }
        return TWO <= len(titles) == len(found) == len(texts) - 1

    async def extract(self, url: str) -> SampleExtraction | None:
        """Fetch and extract a page; return None if it is unavailable."""
        page = await self.fetch(url)
        if isinstance(page, str):
            self.missing.add(url)
            return None
        sample = extract_sample(self.section, page, self.insist)
        self.samples[url] = sample
        if not sample.characters and sample.kind == "list":
            self.refused[url] = f"no article: {sample.reason}"
        return sample

    # -- the result ---------------------------------------------------------------------------------------------------

    def conclude(self, inference: Inference, why: str, wide: bool) -> Survey:
        matched = {link.url for link in inference.matched}
        counted = [
            replace(self.lists[page.url], matched=len(matched & {link.url for link in page.links}))
            for page in self.pages.values()
            if page.url in self.lists and page.url != self.example
        ]
        productive = sorted((page for page in counted if page.matched), key=lambda page: -page.matched)
        trials = [sample for url, sample in self.samples.items() if url in matched and url != self.example]
        if trials and not any(sample.characters for sample in trials):
            by_hand = (
                f"nothing was written. To write the task by hand, set example and a pattern such as {inference.pattern}"
            )
            none = f"{self.example}: the pages with similar URLs are not articles ({trials[0].reason})"
            self.refuse(NoSection(none, by_hand))
        self.warn_of_trials(trials, productive)
        site = self.scope != "section" and not why.startswith(BIG_SITE)
        found, lone = self.starts(productive, inference, wide, site)
        starts = [self.asked.get(url, url) for url in found]
        home = any(urlsplit(url).path == "/" for url in starts)
        scope: Literal["section", "site"] = "site" if wide or (home and site) else "section"
        self.warn_of_section(trials, inference, starts)
        return Survey(
            self.example,
            scope,
            why,
            inference,
            tuple(starts),
            lone,
            tuple(productive),
            tuple(trials[:TRIALS]),
            self.samples[self.example],
            tuple(self.warnings),
            self.insist,
        )

    def starts(
        self, productive: Sequence[Candidate], inference: Inference, wide: bool, site: bool
    ) -> tuple[list[str], bool]:
        """Return the start pages, and whether a run should read only them and their pagination.

        A list in the articles' own folder with pagination is enough; else the home page leads to the rest, if it links
        to articles of the section.
        """
        home = page.url if (page := self.home()) else None
        best = productive[0].url if productive else home or self.example
        section_list = next((page.url for page in productive if page.url != home), best)
        confined = is_own_section(section_list, Pattern.parse(inference.pattern))
        if not site:
            return [section_list], not confined
        if confined and not wide and section_list == best and pagination(best, self.pages[best].links):
            return [best], False
        leads = home is not None and (not productive or any(page.url == home for page in productive))
        return list(dict.fromkeys([best, *([home] if leads and home else [])])), False

    def warn_of_trials(self, trials: Sequence[SampleExtraction], productive: Sequence[Candidate]) -> None:
        fallback = [sample for sample in trials if sample.characters and not sample.by_example]
        if fallback:
            few = f"{len(fallback)} of {len(trials)} siblings"
            self.warnings.append(f"{few} are extracted without the example ({fallback[0].reason})")
        if not productive:
            self.warnings.append("no list page links to the siblings: they were found on the example's own page")

    def warn_of_section(self, trials: Sequence[SampleExtraction], inference: Inference, starts: Sequence[str]) -> None:
        """Add what a person should check."""
        pattern, example = Pattern.parse(inference.pattern), self.samples[self.example]
        own = [url for url in starts if urlsplit(url).path != "/"] or starts  # the home page also shows other sections
        notes = (
            None if self.insist else about_example(example),
            about_posts(example),
            about_titles([example, *trials]),
            about_left(self.evidence, pattern, own),
            about_year(self.example, pattern),
        )
        self.warnings += [note for note in notes if note]

    def none_found(self, members: Sequence[Address]) -> str:
        lists = ", ".join(page.url for page in self.pages.values() if page.url != self.example) or "no list page"
        by_scripts = f"{self.shells[0]} is filled by scripts. " if self.shells else ""
        return (
            f"{self.example}: no siblings found (links like it on {lists}: {len(members) - 1}); nothing was written. "
            f"{by_scripts}Write the task by hand: example, pattern (as in {fit(members[:1])}), start: the section's "
            f"list page{', and `render: true`, so that a browser opens it' if self.shells else ''}"
        )


def _addresses(own: Sequence[Address], groups: Sequence[Relatives]) -> list[Address]:
    """Return the URLs of relatives in parts, with dates where the siblings have them."""
    dates: Dates = "all" if any(MARK in sibling.stem for sibling in own) else "folders"
    return [address_of(url, dates) for group in groups for url in group.urls]


async def fetch_all(fetch: Fetch, urls: Iterable[str]) -> dict[str, StoredPage | str]:
    """Fetch pages together and return the answers by URL. Each URL is fetched once, in the order of `urls`."""
    distinct = list(dict.fromkeys(urls))
    answers = await asyncio.gather(*map(fetch, distinct))
    return dict(zip(distinct, answers, strict=True))
