"""Method `list-rank`: the list of a section page, found by ranking like-named elements of equal depth.

Source: 003 (Qin Long et al., I-AWCE), its algorithm 2, for pages that are lists: "ranking of like-named elements of
equal depth". Every element belongs to the id (depth, class name); for each id

    O = number of elements          L = length of their text
    R(O, L) ranks them              TL = L / O, the mean length
    of the n = 15 best by R the one with the largest TL is the list; its text is the text of its elements

The formulas of R and TL are lost in the scan. TL is assumed to be the mean. The algorithm does not work unchanged for
any choice of R (`docs/methods.md`): among 15 ids there is always a container with much more text than an entry. The
source reports more than 95% right and complete.

Where we depart, to find the entries of a list (method `list-rank-verbatim`, in `verbatim`, does not):

- An id is the path down through similar elements (`like_elements`). With depth and class alone the items of menus,
  sidebars and lists have one id if none has a class, and entries have several ids if each has a class of its own.
- O counts different links instead of elements, and an id counts only if nearly each element with a link has one of its
  own (`like_elements`): an entry has one target, a container has many.
- L counts text that belongs to the entry: texts of other links are subtracted, so menus have none, and at most 200
  bytes count, so one long text is not ranked as a list. TL is the geometric mean, so a few long texts are not, either.
- R = TL · O^.6, and the best by R is the list: R includes TL already. Exponents from .5 to .8 give nearly the same
  lists.
- R is reduced if entries are in running text, link to other hosts or are missing in some of the similar elements, and
  if an element has several links in the place of its own, as containers of entries have. It is increased for headings.
- <nav>, <header>, <footer>, <aside> and the like are noise, as in the source's table. Names of classes did not help.

The constants were chosen on the development sites and half of the sites of `evaluation/reproduction/list_truth.json`;
`docs/methods.md` has the figures of the other half.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import chain, islice, takewhile
from math import exp, log
from operator import itemgetter

from lxml import etree

from ...article import Entry, Listing, NoArticle, listing_of
from ...content.assembly import BodyLines
from ...content.body_fragment import assemble_verbatim, no_body
from ...html.dom import inner_text, short_text, to_html
from ...html.tagless_text import BLOCK_TAGS
from ...metadata.dates import find_date, find_url_date
from ...page import Page
from .like_elements import (
    COST,
    IN_HEADING,
    LEAST,
    LENGTH_MAX,
    Items,
    Like,
    as_items,
    grown,
    host_factor,
    ids,
    titles_of,
)
from .linked_tree import LinkedTree, fold, in_heading

METHOD = "list-rank"
OFTEN = 0.6  # exponent of O in R

MISSING = 0.5  # exponent of the share of like elements that are entries; 0 to 1 give the same
IN_PROSE = 0.1  # factor of links in running text
DATE_MAX = 80  # characters of a text that may contain an entry's date
GROUP_LEVELS = 3  # an entry and the elements around it that are searched for the date above a group
MAIN_CELL = 0.6  # share of the entries that one cell of a layout has, from which others beside it are a sidebar's
_MONTH_AND_DAY = re.compile(r"\W*(?:(\d\d)[-/]|(\d\d?)月)(\d\d?)日?\W*$", re.ASCII)
_YEAR_IN_ADDRESS = re.compile(r"[/_=-]((?:19|20)\d\d)(?=[/_-]|\d{4}(?!\d))", re.ASCII)
CONFIDENCE = 0.86  # share of the lists of left-out sites with precision and recall of entries at least .95


@dataclass(frozen=True, slots=True)
class FoundEntry:
    """An entry and its elements: one element, or several siblings such as <dt> and <dd>."""

    title: str
    url: str
    elements: tuple[etree._Element, ...]


def extract(page: Page) -> Listing | NoArticle:
    """Return the list, or the reason why there is none. Raises `UnusablePage` if the page cannot be parsed."""
    found = find_list(LinkedTree(page))
    if not found:
        return no_body(page, f"no list: no {LEAST} similar linked elements")
    source = "\n".join(_source(element) for entry in found for element in entry.elements)
    reason = f"{len(found)} <{found[0].elements[0].tag}> with links of their own"
    text = assemble_verbatim(page, [], source, BodyLines([], 0, METHOD, CONFIDENCE, reason))
    return listing_of(text, entries_of(found, page))


def read_entries(page: Page) -> list[Entry]:
    """Return the entries of a section page's list, each address once; an empty list if the page has none.

    Raises `UnusablePage` if the page cannot be parsed.
    """
    return entries_of(find_list(LinkedTree(page)), page)


def entries_of(found: Sequence[FoundEntry], page: Page) -> list[Entry]:
    """Return the found entries as `Entry` objects, each address once."""
    entries: dict[str, Entry] = {}
    for each in found:
        entries.setdefault(each.url, Entry(each.title, each.url, _date(each, page)))
    return list(entries.values())


def find_list(tree: LinkedTree) -> list[FoundEntry]:
    """Return the entries of the list, in document order; none if no id has a rank."""
    best, most = None, 0.0
    for bound, like in sorted(((most_rank(tree, like), like) for like in ids(tree)), key=itemgetter(0), reverse=True):
        if bound <= most:
            break
        items = as_items(tree, like)
        ranked = rank(items) if items else 0.0
        if ranked > most:
            best, most = items, ranked
    return _entries(tree, best) if best else []


def most_rank(tree: LinkedTree, like: Like) -> float:
    """Return an upper bound of R for an id, computed without its links."""
    linked = [element for element in like.elements if tree.has_link(element)]
    if len(linked) < LEAST:
        return 0.0
    logs = [log(max(1, min(LENGTH_MAX, tree.most_words(element) - COST))) for element in linked]
    return float(len(logs) ** OFTEN * exp(sum(logs) / len(logs)) * IN_HEADING)


def rank(items: Items) -> float:
    """Return R of an id."""
    links, count = items.links, len(items.each)
    often = len({link.url for link in links})
    headings = sum(in_heading(item.link.element, item.element) for item in items.each) / count
    prose = sum(link.in_prose for link in links) / count
    addresses = sum(item.addresses for item in items.each) / count
    factor = (1 + (IN_HEADING - 1) * headings) * (1 - (1 - IN_PROSE) * prose) * host_factor(links) / addresses
    return float(often**OFTEN * mean_length(items) * factor * items.cover**MISSING)


def mean_length(items: Items) -> float:
    """Return TL, the geometric mean of the lengths."""
    return exp(sum(log(item.length) for item in items.each) / len(items.each))


def _entries(tree: LinkedTree, items: Items) -> list[FoundEntry]:
    items = _without_other_cells(tree, items)
    parts = _with_siblings(grown(items))
    found = zip(titles_of(tree, items), items.links, parts, strict=True)
    return [FoundEntry(title, link.url, elements) for title, link, elements in found]


def _with_siblings(elements: Sequence[etree._Element]) -> list[tuple[etree._Element, ...]]:
    """Return for each entry its element and the siblings up to the next entry: <dd> after <dt>, a second row.

    If siblings of another kind precede the first entry, they precede each.
    """
    kinds = {(element.tag, element.get("class")) for element in elements}
    first = elements[0].getprevious()
    before = first is not None and first.tag in ("dt", "tr")
    found = []
    for element in elements:
        near = element.itersiblings(preceding=before) if element.tag in ("dt", "dd", "tr") else iter(())
        parts = list(takewhile(lambda each: (each.tag, each.get("class")) not in kinds, near))
        found.append((*reversed(parts), element) if before else (element, *parts))
    return found


def _without_other_cells(tree: LinkedTree, items: Items) -> Items:
    """Return the entries without those in a further cell of the same row that has few of them, a sidebar's."""
    cells = [next(item.element.iterancestors("td"), None) for item in items.each]
    [(cell, count)] = Counter(cells).most_common(1)
    if cell is None or count < max(LEAST, MAIN_CELL * len(cells)):
        return items
    beside = {*cell.itersiblings(), *cell.itersiblings(preceding=True)}
    return replace(items, each=tuple(item for item, of in zip(items.each, cells, strict=True) if of not in beside))


def _date(entry: FoundEntry, page: Page) -> date | None:
    """Return the date of an entry: of its <time>, else of a short text in it, else of its address or group."""
    times = [time.get("datetime") or inner_text(time) for element in entry.elements for time in element.iter("time")]
    language = entry.elements[0].getroottree().getroot().get("lang") or ""
    texts = [text for text in [*times, *_texts(entry)] if len(text) <= DATE_MAX]
    dates = (find_date(text, page.fetched_at, language=language) for text in texts)
    found = next(filter(None, dates), None) or _without_year(texts, entry, page)
    if found or (found := find_url_date(entry.url, page.fetched_at)):
        return found
    above = (find_date(text, page.fetched_at, language=language) for text in _group_texts(entry))
    return next(filter(None, above), None)


def _without_year(texts: Sequence[str], entry: FoundEntry, page: Page) -> date | None:
    """Return the day of a text that is only month and day: of the year in the entry's address, else the last one."""
    day = next(filter(None, map(_MONTH_AND_DAY.match, texts)), None)
    year = _YEAR_IN_ADDRESS.search(entry.url)
    last = page.fetched_at.date() if page.fetched_at else None
    years = [int(year[1])] if year else [last.year, last.year - 1] if last else []
    for each in years if day else ():
        try:
            found = date(each, int(day[1] or day[2]), int(day[3])) if day else None
        except ValueError:  # 13-40, or 02-29
            continue
        if found and (not last or found <= last):
            return found
    return None


def _group_texts(entry: FoundEntry) -> Iterator[str]:
    """Yield the nearest short text without links before an entry, or before one of the elements around it."""
    for element in islice(chain(entry.elements[:1], entry.elements[0].iterancestors()), GROUP_LEVELS):
        for sibling in element.itersiblings(etree.Element, preceding=True):
            if next(sibling.iter("a"), None) is None and (text := fold(short_text(sibling, DATE_MAX + 1))):
                if len(text) <= DATE_MAX:
                    yield text
                break


def _texts(entry: FoundEntry) -> Iterator[str]:
    for element in entry.elements:
        for each in element.itertext():
            if (text := fold(each)) and text != entry.title:
                yield text


def _source(element: etree._Element) -> str:
    source = to_html(element)
    return source if str(element.tag) in BLOCK_TAGS else f"<div>{source}</div>"
