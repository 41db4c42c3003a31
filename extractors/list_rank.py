"""Method `list-rank`: the list of a section page, found by ranking elements of equal depth and name.

Source: 003 (Qin Long et al., I-AWCE), its algorithm 2, for pages that are lists: "ranking of like-named elements of
equal depth". Every element counts for the id (depth, class name); by ids

    O = number of elements          L = length of their text
    R(O, L) ranks them              TL = L / O, the mean length
    of the n = 15 best by R the one with the largest TL is the list; its text is the text of its elements

The formulas of R and TL are lost in the scan. TL is read as the mean. For R no choice makes the algorithm work as it
stands (`docs/methods.md`): among 15 ids there is always a container that holds much more than an entry. Its own figure
is above 95% right and complete.

Where we depart, to find the entries of a list (method `list-rank-verbatim`, in `list_rank_verbatim`, doesn't):

- An id is (parent, tag, class name): elements of one list are siblings. With depth alone the items of menus, sidebars
  and lists are mixed where none has a class.
- O counts different links instead of elements, and an id counts only if nearly each of at least `LEAST` elements has a
  link of its own: an entry leads somewhere, a container leads to many places.
- L counts text that belongs to the entry: what leads elsewhere is taken off twice, so menus have none.
- R = O · L, that is O² · TL.
- Candidates within <nav>, <header>, <footer> and <aside> are noise, as in the source's table of noise.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from lxml import etree

from .article import Article, NoArticle
from .assembly import Cut
from .ctext import BLOCK_TAGS
from .dates import find_date
from .dom import inner_text, parse
from .fragments import assemble_verbatim
from .page import Page
from .web import web_url

METHOD = "list-rank"
CANDIDATES = 15  # ids: the source's n
LEAST = 3  # elements of a list
DISTINCT = 0.8  # share of the elements that have a link of their own
NOISE = frozenset({"nav", "header", "footer", "aside", "script", "style", "noscript", "head", "select", "svg"})
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
TITLE_MAX = 80  # characters; a longer link is a summary
DATE_MAX = 40  # characters of a text that may be an entry's date
CONFIDENCE = 0.95  # the development sites have no wrong list; the source claims this much of others


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a list. `url`: absolute if the page has an address, else as written. `published`: if it is shown."""

    title: str
    url: str
    published: date | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """An element as an entry: where its main link leads, the link's words, and the length of its own text."""

    element: etree._Element
    url: str
    title: str
    length: int


class ListRank:
    """Cuts the list out of each page by itself. Keeps nothing between pages."""

    def extract(self, page: Page) -> Article | NoArticle:
        """Return the list's text, or say that there is none. Raises `UnusablePage` if nothing parses."""
        items = find_list(parse(page.html), page)
        if not items:
            return NoArticle(f"no list: no {LEAST} like elements that each lead elsewhere", page.url)
        source = "\n".join(_source(item.element) for item in items)
        reason = f"{len(items)} <{items[0].element.tag}> that each lead elsewhere"
        return assemble_verbatim(page, [], source, Cut([], 0, METHOD, CONFIDENCE, reason))


def read_entries(page: Page) -> list[Entry]:
    """Return the entries of a section page's list, each address once; none for a page without a list.

    Raises `UnusablePage` if nothing parses.
    """
    entries: dict[str, Entry] = {}
    for item in find_list(parse(page.html), page):
        entries.setdefault(item.url, Entry(item.title, item.url, _date(item, page)))
    return list(entries.values())


def find_list(root: etree._Element, page: Page) -> list[Item]:
    """Return the items of the list, in document order; none if nothing ranks."""
    return with_longest(candidates(root, page))


def candidates(root: etree._Element, page: Page) -> list[list[Item]]:
    """Return the items of the n best ids by R, the best first."""
    base = web_url(page.url or "", _base(root)) or page.url or ""
    lists = [items for like in like_elements(root) if (items := as_items(like, base))]
    return sorted(lists, key=rank, reverse=True)[:CANDIDATES]


def with_longest(lists: list[list[Item]]) -> list[Item]:
    """Return the list with the largest TL; none of none."""
    return max(lists, key=mean_length, default=[])


def like_elements(root: etree._Element) -> Iterator[list[etree._Element]]:
    """Yield the elements of each id that has `LEAST` of them."""
    waiting = [root]
    while waiting:
        parent = waiting.pop()
        by_id: dict[tuple[str, str], list[etree._Element]] = {}
        for child in parent:
            if child.tag not in NOISE:
                by_id.setdefault((str(child.tag), child.get("class") or ""), []).append(child)
                waiting.append(child)
        yield from (like for like in by_id.values() if len(like) >= LEAST)


def as_items(like: list[etree._Element], base: str) -> list[Item]:
    """Return the elements that are entries; none if too few have a link of their own."""
    items = [item for element in like if (item := _item(element, base))]
    links = len({item.url for item in items})
    enough = links >= max(LEAST, DISTINCT * len(like))
    return items if enough and any(item.length for item in items) else []


def rank(items: list[Item]) -> int:
    """Return R(O, L)."""
    return len({item.url for item in items}) * sum(item.length for item in items)


def mean_length(items: list[Item]) -> float:
    """Return TL."""
    return sum(item.length for item in items) / len({item.url for item in items})


def _item(element: etree._Element, base: str) -> Item | None:
    links = [(link, url) for link in element.iter("a") if (url := _url(link, base))]
    titled = [(link, url, text) for link, url in links if (text := _title(link))]
    if not titled:
        return None
    headings = [found for found in titled if _is_heading(found[0], element)]
    _, main, title = max(headings or titled, key=lambda found: len(found[2]) if len(found[2]) <= TITLE_MAX else 1)
    elsewhere = sum(_length(text) for _, url, text in titled if url != main)
    return Item(element, main, title, max(0, _length(_text(element)) - 2 * elsewhere))


def _is_heading(link: etree._Element, element: etree._Element) -> bool:
    """Whether a link stands in a heading of the element, or holds one."""
    above: etree._Element | None = link
    while above is not None and above is not element:
        if above.tag in HEADINGS:
            return True
        above = above.getparent()
    return next(link.iter(*HEADINGS), None) is not None


def _url(link: etree._Element, base: str) -> str | None:
    href = (link.get("href") or "").strip().partition("#")[0]
    if not href or href.lower().startswith(("javascript:", "mailto:", "tel:")):
        return None
    return web_url(base, href) if base else href


def _date(item: Item, page: Page) -> date | None:
    """Return the date that an entry shows: of its <time>, else of a short text beside its title."""
    times = [time.get("datetime") or inner_text(time) for time in item.element.iter("time")]
    texts = [text for text in map(_fold, item.element.itertext()) if text and text != item.title]
    for text in [*times, *texts]:
        found = find_date(text, page.fetched_at, relative=True) if len(text) <= DATE_MAX else None
        if found:
            return found
    return None


def _base(root: etree._Element) -> str:
    return next((href for base in root.iter("base") if (href := base.get("href"))), "")


def _source(element: etree._Element) -> str:
    source = etree.tostring(element, encoding="unicode", method="html", with_tail=False)
    return source if str(element.tag) in BLOCK_TAGS else f"<div>{source}</div>"


def _title(link: etree._Element) -> str:
    """Return a link's words without the date that some lists put into it."""
    dates = [inner_text(time) for time in link.iter("time")]
    title = inner_text(link)
    for text in dates:
        title = title.replace(text, " ")
    return _fold(title)


def _text(element: etree._Element) -> str:
    return _fold(inner_text(element))


def _fold(text: object) -> str:
    return " ".join(str(text).split())


def _length(text: str) -> int:
    return len(text.replace(" ", ""))


def create(example: Page | None) -> ListRank:
    """Return the extractor; an example is of no use to it."""
    return ListRank()
