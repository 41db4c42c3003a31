"""From one article's URL to a section: which pages to look at, and what they show. No network of its own.

A survey is an async function that is given another one, `fetch`: URL → page, or the reason why there is none.

    example → home page, breadcrumb, folders above, pages named as lists → siblings
            → scope: the example's own folders, or relatives in other folders that turn out to be cut by the example
            → pattern → three siblings, cut

Scope. On a small site the whole site is the section; on a big one (`BIG_HOME`) it is the example's own folders, if
enough siblings are seen there. Where the pattern can't tell sections apart, a section is its list page alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urljoin, urlsplit

from crawler.discovery.links import PageLink
from crawler.discovery.listings import read_listing, robots_listing
from crawler.discovery.pagination import pagination
from crawler.discovery.sitemaps import usual_place
from crawler.patterns.pattern import Pattern, PatternError
from crawler.scouting.address_parts import MARK, Address, Dates, address_of
from crawler.scouting.doubts import about_example, about_left, about_titles, about_year
from crawler.scouting.fetch import Fetch, fetch_all
from crawler.scouting.fitting import fit
from crawler.scouting.inference import Inference, Relatives, SeenPage, SiteLinks, infer, relatives, siblings
from crawler.scouting.sample_extractions import NAME_ONE, NoSection, SampleExtraction, cut_page, prepared, proposals
from crawler.scouting.section_pages import Candidate, candidates
from extractors.html.urls import normalise
from workers.inbox import StoredPage

Scope = Literal["auto", "section", "site"]

MOST_LISTS = 6  # list pages that are read
LISTS_AT_ONCE = 2  # after the home page
MOST_CHILDREN = 2  # sitemaps of an index that are read
MOST_SAMPLES = 6  # pages of other folders that are looked at
SAMPLES_A_FAMILY = 2
TRIALS = 3  # siblings that are cut
PLENTY = 30  # siblings that make a section of its own on a big site
ENOUGH = 12  # siblings seen after which no further list pages are read
FEW = 3  # siblings without which there is no pattern
BIG_HOME = 250  # links of its own site on the home page of a big site
BIG_SITE = "a big site"
CONFIDENT = 0.8  # of the extraction, for a relative to join


@dataclass(frozen=True, slots=True)
class CheckedPage:
    """A page that was read for links: how it was found, and how many of the section's articles it links to."""

    url: str
    why: str
    matched: int = 0


@dataclass(frozen=True, slots=True)
class Survey:
    """A section as it was found. `starts`: its list pages; `lone`: they are all, nothing below them is read."""

    example: str
    scope: Literal["section", "site"]
    why: str
    inference: Inference
    starts: tuple[str, ...]
    lone: bool
    lists: tuple[CheckedPage, ...]
    cuts: tuple[SampleExtraction, ...]
    cut_of_example: SampleExtraction
    warnings: tuple[str, ...] = ()

    @property
    def pattern(self) -> str:
        """Return the pattern of the section's articles."""
        return self.inference.pattern


async def survey(fetch: Fetch, url: str, scope: Scope = "auto", insist: bool = False) -> Survey:
    """Look at the site of an article. Raises `NoSection` where no task can be made.

    `insist`: the page is an article, and so are its siblings, whatever they look like.
    """
    return await _Survey(fetch, url, scope, insist).run()


async def several(
    fetch: Fetch, urls: Sequence[str], scope: Scope = "auto", insist: bool = False
) -> dict[str, Survey | NoSection]:
    """Make one survey after the other, and return for each URL what was found, or why nothing."""
    found: dict[str, Survey | NoSection] = {}
    for url in urls:
        try:
            found[url] = await survey(fetch, url, scope, insist)
        except NoSection as error:
            found[url] = error
    return found


@dataclass
class _Survey:
    """What a survey has seen so far."""

    fetch: Fetch
    asked: str
    scope: Scope
    insist: bool
    pages: dict[str, SeenPage] = field(default_factory=dict)  # read for links, by their own address
    lists: dict[str, CheckedPage] = field(default_factory=dict)
    cuts: dict[str, SampleExtraction] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)  # links that turned out to be no articles
    warnings: list[str] = field(default_factory=list)
    feeds: list[str] = field(default_factory=list)
    missing: set[str] = field(default_factory=set)  # links that could not be fetched
    samples: int = 0

    async def run(self) -> Survey:
        page = await self.fetch(self.asked)
        if isinstance(page, str):
            raise NoSection(f"{self.asked}: {page}")
        self.example = page.url
        if urlsplit(page.url).path == "/" and not urlsplit(page.url).query:
            self.doubt(NoSection(f"{page.url} is the site's home page, not an article", NAME_ONE, proposals(page)))
        self.section, self.cuts[page.url], doubt = prepared(page, self.insist)
        self.warnings += [doubt] if doubt else []
        if page.url != normalise(self.asked):
            self.warnings.append(f"the URL leads to {page.url}, which is the example now")
        await self.read_lists(page)
        own = self.siblings()
        members, why, wide = await self.widened(own)
        if len(members) < FEW:
            raise NoSection(self.none_found(members))
        inference = self.inferred(members)
        await self.try_siblings(inference)
        if any(url in self.refused for url in (each.url for each in inference.matched)):
            inference = self.inferred([each for each in members if each.url not in self.refused])
        return self.result(inference, why, wide)

    def doubt(self, error: NoSection) -> None:
        """Raise the error, or note it as a warning if a person insists on the article."""
        if not self.insist:
            raise error
        self.warnings.append(error.overruled)

    # -- list pages ---------------------------------------------------------------------------------------------------

    async def read_lists(self, page: StoredPage) -> None:
        """Read the home page and the breadcrumb; then, while siblings are few, what else may list them."""
        self.note(page, "the example")
        of_example = candidates(page.url, page.body, self.pages[page.url].links, page.content_type)
        feed = [Candidate(each, "feed") for each in self.feeds][:1]
        await self.read([of_example[0], *(each for each in of_example[1:] if each.why == "breadcrumb")][:LISTS_AT_ONCE])
        while len(self.lists) < MOST_LISTS and not self.has_enough():
            waiting = [each for each in self.more(of_example, feed) if each.url not in self.lists]
            if not waiting:
                break
            await self.read(waiting[: min(LISTS_AT_ONCE, MOST_LISTS - len(self.lists))])
        if len(self.siblings()) <= FEW:
            await self.read_sitemap()

    def more(self, of_example: Sequence[Candidate], feed: Sequence[Candidate]) -> list[Candidate]:
        """Return the candidates of the example, with its feed as the third, then those of the home page."""
        home = self.pages.get(normalise(of_example[0].url))
        return [*of_example[:2], *feed, *of_example[2:], *(candidates(home.url, b"", home.links)[1:] if home else ())]

    async def read_sitemap(self) -> None:
        """Read the first sitemap that robots.txt names, and the first two that this sitemap names."""
        robots = urljoin(self.example, "/robots.txt")
        answer = await self.fetch(robots)
        named = robots_listing(answer.body, robots).sitemaps if not isinstance(answer, str) else []
        first = named[0].url if named else usual_place(self.example)
        await self.read([Candidate(first, "sitemap")])
        children = self.pages[first].links[:MOST_CHILDREN] if first in self.pages else ()
        if any(each.url.partition("?")[0].endswith((".xml", ".gz")) for each in children):
            await self.read([Candidate(each.url, "sitemap") for each in children])

    async def read(self, wanted: Sequence[Candidate]) -> None:
        if not wanted:
            return
        answers = await fetch_all(self.fetch, [each.url for each in wanted])
        for each in wanted:
            answer = answers[each.url]
            self.lists[each.url] = CheckedPage(each.url, each.why)
            if not isinstance(answer, str) and answer.url not in self.pages:
                self.note(answer, each.why)

    def note(self, page: StoredPage, why: str) -> None:
        listing = read_listing(page.body, page.url, page.content_type)
        below = (PageLink(each.url, "") for each in listing.sitemaps)
        self.pages[page.url] = SeenPage(page.url, (*listing.links, *below))
        self.feeds += listing.feeds
        if why != "the example":
            self.lists[page.url] = CheckedPage(page.url, why)

    def has_enough(self) -> bool:
        own = {each.url for each in self.siblings()[1:]}
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

    def inferred(self, members: Sequence[Address]) -> Inference:
        try:
            return infer(self.evidence, members)
        except PatternError as error:
            raise NoSection(f"{self.example}: no pattern can be written for its siblings: {error}") from None

    # -- scope --------------------------------------------------------------------------------------------------------

    async def widened(self, own: list[Address]) -> tuple[list[Address], str, bool]:
        """Return the members of the section, why they are members, and whether other folders are among them."""
        big, own_links = self.is_big(), len(own) - 1
        if self.scope == "section":
            return own, "as asked: the example's own folders", False
        if self.scope == "auto" and big and own_links >= PLENTY:
            return own, f"{BIG_SITE}, and {own_links} siblings in the example's own folders", False
        groups = relatives(self.evidence, own)
        joined = await self.joining(own, groups)
        if not joined:
            return own, f"{own_links} siblings in the example's own folders, none like it in others", False
        extra = _addresses(own, joined)
        members = [*own, *extra]
        size = "few siblings in the example's own folders" if big else "a small site"
        size = "as asked" if self.scope == "site" else size
        return members, f"{size}: {len(extra)} links in {len(joined)} other folders look like the example", True

    async def joining(self, own: Sequence[Address], groups: Sequence[Relatives]) -> list[Relatives]:
        """Return the groups whose pages the example cuts, as one page of each family's largest groups shows."""
        families: dict[tuple[object, ...], list[Relatives]] = {}
        for group in groups:
            families.setdefault(group.family, []).append(group)
        joined: list[Relatives] = []
        for members in sorted(families.values(), key=lambda each: -sum(len(group.urls) for group in each)):
            verdicts: dict[str, bool] = {}
            for group in members[: SAMPLES_A_FAMILY + 1]:
                if self.samples >= MOST_SAMPLES or list(verdicts.values()).count(True) >= SAMPLES_A_FAMILY:
                    break
                fits = await self.looks_like_example(group)
                if fits is not None:
                    verdicts[group.folder] = fits
            good = [group for group in members if verdicts.get(group.folder, all(verdicts.values()))]
            bad = {url for group in members if group not in good for url in group.urls}
            if verdicts and good and not self.would_take(own, [*joined, *good], bad):
                joined += good
        return joined

    def would_take(self, own: Sequence[Address], groups: Sequence[Relatives], bad: set[str]) -> bool:
        """Return whether the pattern of all would take pages that are no articles, or can't be written."""
        try:
            text = self.inferred([*own, *_addresses(own, groups)]).pattern
        except NoSection:
            return True
        pattern = Pattern.parse(text)
        return any(pattern.match(url) for url in {*bad, *self.refused})

    async def looks_like_example(self, group: Relatives) -> bool | None:
        """Return whether a group's pages are built like the example; None if its first two don't show it."""
        for url in group.urls[:2]:
            if self.samples >= MOST_SAMPLES:
                return None
            self.samples += 1
            cut = await self.cut(url)
            if cut is None:
                continue
            languages = {cut.language, self.cuts[self.example].language} - {""}
            if (not cut.characters and cut.kind == "list") or len(languages) > 1:
                return False
            if cut.by_example and cut.confidence >= CONFIDENT:
                return True
        return None

    def is_big(self) -> bool:
        home = next((page for page in self.pages.values() if urlsplit(page.url).path == "/"), None)
        host = urlsplit(self.example).netloc.removeprefix("www.")
        here = [link for link in home.links if urlsplit(link.url).netloc.removeprefix("www.") == host] if home else []
        return len(here) >= BIG_HOME

    # -- trials -------------------------------------------------------------------------------------------------------

    async def try_siblings(self, inference: Inference) -> None:
        """Cut siblings from the beginning, the middle and the end of the matched links."""
        links = [each.url for each in inference.matched if each.url not in inference.doubtful]
        waiting = [url for url in links if url not in self.cuts and url not in self.missing]
        extracted = sum(url in self.cuts for url in links if url != self.example)
        for _ in range(2 * TRIALS):  # dead links are replaced
            if extracted >= TRIALS or not waiting:
                return
            cut = await self.cut(waiting.pop([0, len(waiting) // 2, -1][extracted % 3]))
            extracted += cut is not None

    async def cut(self, url: str) -> SampleExtraction | None:
        """Fetch a page and cut it; return None if it can't be fetched."""
        page = await self.fetch(url)
        if isinstance(page, str):
            self.missing.add(url)
            return None
        found = cut_page(self.section, page, self.insist)
        self.cuts[url] = found
        if not found.characters and found.kind == "list":
            self.refused[url] = f"no article: {found.reason}"
        return found

    # -- the result ---------------------------------------------------------------------------------------------------

    def result(self, inference: Inference, why: str, wide: bool) -> Survey:
        matched = {each.url for each in inference.matched}
        counted = [
            CheckedPage(page.url, self.lists[page.url].why, len(matched & {link.url for link in page.links}))
            for page in self.pages.values()
            if page.url in self.lists and page.url != self.example
        ]
        productive = sorted((each for each in counted if each.matched), key=lambda each: -each.matched)
        trials = [cut for url, cut in self.cuts.items() if url in matched and url != self.example]
        if trials and not any(cut.characters for cut in trials):
            by_hand = f"nothing was written. By hand: example, and pattern such as {inference.pattern}"
            none = f"{self.example}: the pages that look like its siblings are no articles ({trials[0].reason})"
            self.doubt(NoSection(none, by_hand))
        self.judge(trials, productive)
        site = self.scope != "section" and not why.startswith(BIG_SITE)
        starts, lone = self.starts(productive, inference, wide, site)
        home = any(urlsplit(url).path == "/" for url in starts)
        scope: Literal["section", "site"] = "site" if wide or (home and site) else "section"
        self.look_again(trials, inference, starts)
        return Survey(
            self.example,
            scope,
            why,
            inference,
            tuple(starts),
            lone,
            tuple(productive),
            tuple(trials[:TRIALS]),
            self.cuts[self.example],
            tuple(self.warnings),
        )

    def starts(
        self, productive: Sequence[CheckedPage], inference: Inference, wide: bool, site: bool
    ) -> tuple[list[str], bool]:
        """Return the start pages, and whether a run should read nothing but them and their pagination.

        A list in the articles' own folder that goes on over pages is enough; else the home page leads to the rest, if
        it has to do with the section.
        """
        home = next((page.url for page in self.pages.values() if urlsplit(page.url).path == "/"), None)
        best = productive[0].url if productive else home or self.example
        section_list = next((each.url for each in productive if each.url != home), best)
        confined = self.is_confined(section_list, inference)
        if not site:
            return [section_list], not confined
        if confined and not wide and section_list == best and pagination(best, self.pages[best].links):
            return [best], False
        leads = home is not None and (not productive or any(each.url == home for each in productive))
        return list(dict.fromkeys([best, *([home] if leads and home else [])])), False

    def is_confined(self, start: str, inference: Inference) -> bool:
        """Return whether all articles lie below a list page's folder."""
        prefixes = Pattern.parse(inference.pattern).prefixes()
        folder = urlsplit(start).path.rpartition("/")[0] + "/"
        return folder != "/" and bool(prefixes) and urlsplit(prefixes[0]).path.startswith(folder)

    def judge(self, trials: Sequence[SampleExtraction], productive: Sequence[CheckedPage]) -> None:
        fallback = [cut for cut in trials if cut.characters and not cut.by_example]
        if fallback:
            few = f"{len(fallback)} of {len(trials)} siblings"
            self.warnings.append(f"{few} are cut without the example ({fallback[0].reason})")
        if not productive:
            self.warnings.append("no list page links to the siblings: they were found on the example's own page")

    def look_again(self, trials: Sequence[SampleExtraction], inference: Inference, starts: Sequence[str]) -> None:
        """Note what a person should look at."""
        pattern, example = Pattern.parse(inference.pattern), self.cuts[self.example]
        own = [url for url in starts if urlsplit(url).path != "/"] or starts  # a home page shows other sections, too
        notes = (
            None if self.insist else about_example(example),
            about_titles([example, *trials]),
            about_left(self.evidence, pattern, own),
            about_year(self.example, pattern, [each.url for each in inference.matched]),
        )
        self.warnings += [note for note in notes if note]

    def none_found(self, members: Sequence[Address]) -> str:
        lists = ", ".join(page.url for page in self.pages.values() if page.url != self.example) or "no list page"
        return (
            f"{self.example}: no siblings found ({len(members) - 1} links like it on {lists}); nothing was written. "
            f"Write the task by hand: example, pattern (as in {fit(members[:1])}), and start: the section's list page"
        )


def _addresses(own: Sequence[Address], groups: Sequence[Relatives]) -> list[Address]:
    """Return the URLs of relatives, taken apart as the siblings are."""
    dates: Dates = "all" if any(MARK in each.stem for each in own) else "folders"
    return [address_of(url, dates) for each in groups for url in each.urls]
