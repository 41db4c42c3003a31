"""The inference of a pattern: from one article's URL and the links seen on its site. No network.

    links of the pages read → sightings → siblings (same folders) and relatives (same build, other folders)
                            → `fitting.fit` → a pattern, narrowed so that it matches few links that are not articles

Siblings differ from the example only in what varies from article to article. Relatives, such as other sections of the
site, are added only if some of their pages were extracted (`survey` does that).
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile

from crawler.discovery.links import ASSET, PageLink, is_short
from crawler.discovery.pagination import pagination
from crawler.patterns import syntax
from crawler.patterns.pattern import Pattern
from crawler.scouting.address_parts import MARK, WORD, Address, Dates, address_of, leading_letters, year_in_title
from crawler.scouting.fitting import fit

NAVIGATION_PAGES = 3  # pages read, from which a link with a short text on all of them is navigation
ENOUGH = 3  # siblings that are needed to determine a form
SAME_SUFFIXES = ({".html", ".htm", ".shtml"}, {"", "/index.html"})  # suffixes that articles of one site may have
ABOUT_SITE, NAVIGATION = "named as a page about the site", "navigation"
TELLING_WORDS = 2  # words of a last segment; with more, a number is part of a title
MOST_READINGS = 0.6  # siblings that a reading with more dates needs, as a share of those of the best reading
SLIPS = 0.03  # share of the siblings below which a form is a mistake
SAME_PAGE = 0.6  # share of the siblings with the example's small number, from which the others are further pages
_LIST_NAME = re.compile(
    r"index|default|home|main|lists?|pages?|tags?|category|categories|cat|archives?|search|more|all|news|blog|posts|"
    r"articles?|authors?|topics?|rss|feed|atom|sitemap|map",
    re.IGNORECASE,
)
_FOLDER_OF_LISTS = re.compile(r"tags?|labels?|category|categories|cat|authors?|topics?|archives?", re.IGNORECASE)
_ABOUT_SITE = re.compile(
    r"about|about-us|aboutus|contact|contact-us|contactus|login|register|signup|links|privacy|terms|help|faq",
    re.IGNORECASE,
)
_NUMBERED_LIST = re.compile(
    r"(?:index|default|lists?|pages?|tags?|category|cat|archives?|node)(?:[_-]?\d+)+", re.IGNORECASE
)
_PAGE_TEXT = re.compile(
    r"\W*(?:\d{1,4}|next( page)?|prev(ious)?|older.*|newer.*|first|last|上一?页|下一?页|首页|尾页|末页|前页|后页)?\W*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class SeenPage:
    """A page that was read: its URL, and its links in the page's order."""

    url: str
    links: tuple[PageLink, ...]


@dataclass(frozen=True, slots=True)
class Sighting:
    """A link on the pages read: its longest text, on how many pages it is, and whether it is pagination."""

    url: str
    text: str
    pages: int
    paginates: bool


@dataclass(frozen=True, slots=True)
class Relatives:
    """Possible articles: links with URLs like the example's, but in other folders. `folders`: those before a date."""

    folders: tuple[str, ...]
    urls: tuple[str, ...]
    family: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Inference:
    """A pattern and its evidence: `matched` links, `rejected` ones with the reason."""

    pattern: str
    matched: tuple[Sighting, ...]
    rejected: tuple[tuple[Sighting, str], ...]
    doubtful: tuple[str, ...] = ()  # matched links that are probably not articles


@dataclass(frozen=True)
class SiteLinks:
    """The links seen on a site.

    `lists`: pages known to be lists; `refused`: links known not to be articles, with the reasons.
    """

    example: str
    pages: tuple[SeenPage, ...]
    lists: frozenset[str] = frozenset()
    refused: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def seen(self) -> dict[str, Sighting]:
        """Return all links of the pages read, in the order in which they were first seen."""
        texts: dict[str, str] = {}
        counts: Counter[str] = Counter()
        for page in self.pages:
            counts.update({link.url for link in page.links})
            for link in page.links:
                if len(link.text) >= len(texts.setdefault(link.url, "")):
                    texts[link.url] = link.text
        further = {url for page in self.pages if page.url != self.example for url in pagination(page.url, page.links)}
        return {url: Sighting(url, text, counts[url], url in further) for url, text in texts.items()}

    def why_no_article(self, link: Sighting) -> str | None:
        """Return why a link is certainly not an article; None if it may be one."""
        address, here = address_of(link.url, "none"), address_of(self.example, "none")
        if link.url in self.refused:
            return self.refused[link.url]
        if ASSET.search(link.url.partition("?")[0]):
            return "a file, not a page"
        if link.url in self.lists:
            return "a list page"
        if not address.stem and not address.folders and not address.query:
            return "the home page"
        if link.paginates and (_PAGE_TEXT.fullmatch(link.text) or not _named_alike(here, address)):
            return "pagination"
        if _is_named_list(address) and not _is_named_list(here):
            return "named as a list"
        if any(map(_FOLDER_OF_LISTS.fullmatch, {*address.folders} - {*here.folders})):
            return "in a folder of lists"
        if _ABOUT_SITE.fullmatch(address.stem):
            return ABOUT_SITE
        count = len(self.pages)
        if count >= NAVIGATION_PAGES and link.pages == count and is_short(link.text):
            return f"navigation: on all {count} pages read"
        return None


def _is_named_list(address: Address) -> bool:
    named = _LIST_NAME.fullmatch(address.stem) or _NUMBERED_LIST.fullmatch(address.stem)
    return bool(named) and not address.query


def _named_alike(a: Address, b: Address) -> bool:
    """Return whether two URLs differ in numbers only."""
    same = a.keys == b.keys and len(a.folders) == len(b.folders) and a.suffix == b.suffix
    return same and _signature(a.stem) == _signature(b.stem)


# Siblings and relatives


def siblings(evidence: SiteLinks) -> list[Address]:
    """Return the example and the links in its own folders with URLs like it, the example first.

    A date in the last segment may be part of a title by accident: the reading with more siblings counts.
    """
    links = [link.url for link in evidence.seen.values() if not evidence.why_no_article(link)]
    readings: tuple[Dates, ...] = ("all", "folders", "none")
    read = [_siblings(evidence.example, links, dates) for dates in readings]
    most = max(len(reading) for reading in read)
    return next(reading for reading in read if len(reading) >= max(1, MOST_READINGS * most))


def _siblings(example: str, links: Iterable[str], dates: Dates) -> list[Address]:
    own = address_of(example, dates)
    others = [other for url in links if (other := address_of(url, dates)).url != own.url and _same_build(own, other)]
    exact = [other for other in others if other.folders == own.folders]
    if len(exact) < ENOUGH:
        exact = [other for other in others if _same_folders(own, other)]
    alike = _like_query(own, exact)
    return [own, *_usual(own, _like_stems(own, alike, _names_a_year(own, alike)))]


def _usual(own: Address, others: Sequence[Address]) -> list[Address]:
    """Leave out addresses whose host, suffix or final slash is rare among them: they are probably mistyped links."""
    forms = Counter((other.host, other.suffix, other.slash) for other in others)
    forms[own.host, own.suffix, own.slash] = len(others)
    return [other for other in others if forms[other.host, other.suffix, other.slash] >= SLIPS * len(others)]


def relatives(evidence: SiteLinks, own: Sequence[Address]) -> list[Relatives]:
    """Return links with URLs like the siblings', grouped by their folders, the largest group first.

    Names without date or number have no form in common: their groups are those of their first folders.
    """
    here, known = own[0], {address.url for address in own}
    dates: Dates = "all" if MARK in here.stem else "folders"
    is_year = _names_a_year(here, own[1:])
    groups: dict[tuple[str, ...], list[Address]] = {}
    for link in evidence.seen.values():
        if link.url in known or evidence.why_no_article(link):
            continue
        address = address_of(link.url, dates)
        if not _same_build(here, address) or not _like_stems(here, [address], is_year):
            continue
        if here.dates and not here.stem.isdigit() and address.dates != here.dates:
            continue
        groups.setdefault(address.folders, []).append(address)
    weak = not here.dates and (is_year or not re.search(r"\d", here.stem))
    all_relatives = [_relatives(folders, members, weak) for folders, members in groups.items()]
    return sorted(all_relatives, key=lambda group: -len(group.urls))


def _relatives(folders: tuple[str, ...], members: Sequence[Address], weak: bool) -> Relatives:
    places = tuple(place for place, folder in enumerate(folders) if MARK in folder)
    family = (len(folders), places, *(folders[:1] if weak else ()))
    undated = tuple(takewhile(lambda folder: MARK not in folder, folders))
    return Relatives(undated, tuple(address.url for address in members), family)


def is_built_like(own: str, other: str) -> bool:
    """Return whether two URLs of a site differ in folders and last segment only."""
    return _same_build(address_of(own, "folders"), address_of(other, "folders"))


def _same_build(own: Address, other: Address) -> bool:
    """Return whether two URLs differ in folders and last segment only: same site, suffix and parameters."""
    if own.bare_host != other.bare_host or own.keys != other.keys or bool(own.stem) != bool(other.stem):
        return False
    suffixes = {own.suffix, other.suffix}
    return len(suffixes) == 1 or any(suffixes <= alike for alike in SAME_SUFFIXES)


def _same_folders(own: Address, other: Address) -> bool:
    """Return whether two URLs' folders differ in numbers and codes only, which may be an article's own."""
    if len(own.folders) != len(other.folders):
        return False
    pairs = [(a, b) for a, b in zip(own.folders, other.folders, strict=True) if a != b]
    return all(MARK not in a + b and re.search(r"\d", a) and re.search(r"\d", b) for a, b in pairs)


def _like_query(own: Address, others: Sequence[Address]) -> list[Address]:
    """Keep addresses with the example's parameters, except the one that varies most: it names the article."""
    if not own.query:
        return list(others)
    columns = range(len(own.query))
    variety = {n: len({other.query[n][1] for other in others if other.query[n][1] != own.query[n][1]}) for n in columns}
    free = max((n for n in columns if any(map(str.isdigit, own.query[n][1]))), key=lambda n: variety[n], default=None)
    return [other for other in others if all(n == free or other.query[n] == own.query[n] for n in columns)]


def _like_stems(own: Address, others: Sequence[Address], is_year: bool) -> list[Address]:
    """Keep addresses whose last segment has the form of the example's: the strictest form that enough of them share.

    `is_year`: the number in the example's segment is a year in a title.
    """
    if own.stem.isdigit():
        numbers = [other for other in others if other.stem.isdigit()]
        codes = [other for other in others if len(other.stem) == len(own.stem) >= 6 and not other.stem.isdigit()]
        return [*numbers, *codes] if len(codes) > len(numbers) else numbers
    close = [other for other in others if _signature(other.stem) == _signature(own.stem)]
    words = [word for word in WORD.findall(own.stem) if not word.isdigit()]
    telling = "#" in _signature(own.stem) and len(words) <= TELLING_WORDS
    if telling and not is_year and (len(close) >= ENOUGH or len(others) <= 1):
        return _first_pages(own, close)
    named = [other for other in others if not other.stem.isdigit() or len(other.stem) == len(own.stem)]
    named = [other for other in named if other.stem.count(MARK) == own.stem.count(MARK)]
    ended = [other for other in named if _ends(other.stem) == _ends(own.stem)]
    return ended if not is_year and any(_ends(own.stem)) and len(ended) >= ENOUGH else named


def _names_a_year(own: Address, others: Sequence[Address]) -> bool:
    """Return whether the example's number is the year of a title, `review-2022`, and not the number of an article.

    It is not a year if a URL that differs only in numbers has another kind of number there, if such URLs are the
    majority, or if most other titles have a number that is not a year.
    """
    if not year_in_title(own.stem):
        return False
    same = [other.stem for other in others if _signature(other.stem) == _signature(own.stem)]
    titles = [other.stem for other in others if other.stem not in same and not other.stem.isdigit()]
    plain = [stem for stem in titles if year_in_title(stem) or not any(_ends(stem))]
    return all(map(year_in_title, same)) and 2 * len(plain) >= max(len(same), len(titles))


def _ends(stem: str) -> tuple[bool, bool, bool]:
    """Return whether a title is preceded by a number, or followed by a number or a code."""
    before, after = re.match(r"\d{3,}[_-]\D", stem), re.search(r"\D[_-]\d{4,}$", stem)
    code = re.search(r"[_-](?=[0-9a-z]*\d)[0-9a-z]{8,}$", stem)
    return bool(before), bool(after), bool(code)


def _first_pages(own: Address, others: Sequence[Address]) -> list[Address]:
    """Keep addresses with the example's small numbers if nearly all have them: the others are further pages."""
    rows = [re.findall(r"\d+", other.stem) for other in others]
    mine = re.findall(r"\d+", own.stem)
    kept = list(zip(others, rows, strict=True))
    for place, number in enumerate(mine):
        same = [pair for pair in kept if pair[1][place : place + 1] == [number]]
        if len(number) <= 2 and len(same) >= max(ENOUGH, SAME_PAGE * len(kept)):
            kept = same
    return [address for address, _ in kept]


def _signature(stem: str) -> str:
    """Replace numbers and codes, which vary: `article_123` → `article_#`, `doc-iabc12` → `doc-@`."""
    return WORD.sub(lambda word: "#" if word[0].isdigit() else _mixed(word[0]), stem)


def _mixed(word: str) -> str:
    if not re.search(r"\d", word):
        return word
    letters = leading_letters(word)
    return letters + "#" if letters and word[len(letters) :].isdigit() and len(letters) <= 2 else "#@"


# The pattern


def infer(evidence: SiteLinks, members: Sequence[Address]) -> Inference:
    """Return the pattern of `members` (the example first), and which of all links seen it matches.

    Raises `PatternError`.
    """
    seen, own = evidence.seen, members[0]
    reasons = {url: why for url, link in seen.items() if url != own.url and (why := evidence.why_no_article(link))}
    text = fit(members)
    wanted = [address.url for address in members]
    # The pattern is narrowed for a list that it matches, but not for pages about the site: it might then miss articles.
    lists = {url: why for url, why in reasons.items() if not why.startswith((ABOUT_SITE, NAVIGATION))}
    taken = _takes(text, lists)
    options = [option for option in tighter(text) if taken and all(map(Pattern.parse(option).match, wanted))]
    best = min([text, *options], key=lambda option: len(_takes(option, lists)))
    pattern = Pattern.parse(best)
    matched = tuple(link for url, link in seen.items() if pattern.match(url))
    left = [link for url, link in seen.items() if not pattern.match(url)]
    rejected = tuple((link, _why_not(link, reasons, pattern, own.bare_host)) for link in left)
    return Inference(best, matched, rejected, tuple(_takes(best, reasons)))


def _takes(text: str, reasons: Mapping[str, str]) -> list[str]:
    pattern = Pattern.parse(text)
    return [url for url in reasons if pattern.match(url)]


def _why_not(link: Sighting, reasons: Mapping[str, str], pattern: Pattern, host: str) -> str:
    there = address_of(link.url, "none").host
    if there.removeprefix("www.") != host:
        return f"on another site: {there}"
    return reasons.get(link.url) or pattern.difference(link.url) or ""


def tighter(text: str) -> list[str]:
    """Return narrower forms of the pattern's last {slug} or {id}, as regular expressions that may match fewer lists."""
    regex = Pattern.parse(text).regex
    slugs = [f"({slug})" for slug in (syntax.SLUG_WITH_DOTS, syntax.SLUG) if regex.count(f"({slug})") == 1]
    options: list[str] = []
    if slugs:
        forms = ("[0-9a-f]+", "[0-9A-Za-z]+", "(?:[0-9A-Za-z-]|%[0-9A-F]{2})+", "[0-9A-Za-z]+(?:-[0-9A-Za-z.]+)+")
        lengths = tuple(f"[^/?]{{{least},}}" for least in (8, 12, 16))
        options += [regex.replace(slugs[0], f"(?P<slug>{form})") for form in (*forms, *lengths)]
    elif regex.count("([0-9]+)") == 1:
        options += [regex.replace("([0-9]+)", f"(?P<id>[0-9]{{{least},}})") for least in range(2, 9)]
    return ["re:" + option for option in options]
