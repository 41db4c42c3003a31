"""List pages with their visible entries: the truth of `list-rank`.

No set has the content of list pages. It is given by selectors, as truth for articles often is, written after a look at
the page and before the method was tried on it. A file of such truth is a JSON list of objects:

    set      name of the set or site
    page     id of one page; without it the object applies to all list pages of the set
    entries  XPath of the entries' elements
    link     XPath from an entry to the link or links to its subject; default: all links in it
    text     whether the entries' elements contain all parts of an entry, so that the list's text can be judged;
             default: yes
    tuned    whether the method was developed with this page or site in sight; default: no

Pages of a set with fewer than `LEAST` found entries have no single list (front pages, contacts) and are not judged; a
page that is named by its id must have this many.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag, urljoin

from lxml import etree

from extractors.html.decoding import decode
from extractors.html.dom import parse
from extractors.html.tagless_text import BLOCK_TAGS

from ..data import DataError, DataSet, Row

LEAST = 3  # entries of a list
NO_TEXT = ("script", "style", "noscript", "template")
BREAKS = BLOCK_TAGS | {"br"}
KEYS = frozenset({"set", "page", "entries", "link", "text", "tuned"})
TRUTH = Path(__file__).with_name("list_truth.json")


@dataclass(frozen=True, slots=True)
class Selectors:
    """The truth of a page, or of a set's list pages."""

    set: str
    entries: etree.XPath
    link: etree.XPath
    page: str | None = None
    text: bool = True
    tuned: bool = False


@dataclass(frozen=True, slots=True)
class KnownList:
    """A list page and its truth. `addresses`: for each entry the targets of its links, without fragments. `text`: that
    of the entries, None if it is unknown.
    """

    row: Row
    url: str
    html: bytes
    text: str | None
    addresses: tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True)
class KnownLists:
    """The judged pages of a set that were used to tune the method, or those that were not."""

    set: str
    tuned: bool
    pages: tuple[KnownList, ...]


def read_selectors(path: Path) -> list[Selectors]:
    """Read a file of truth. Raises `DataError` for an invalid one, with the reason."""
    try:
        stored = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: {error}") from None
    if not isinstance(stored, list):
        raise DataError(f"{path}: not a JSON list of objects with set, entries and perhaps page, link, text, tuned")
    return [_selectors(path, number, one) for number, one in enumerate(stored, 1)]


def known_lists(sets: Sequence[DataSet], truth: Sequence[Selectors]) -> Iterator[KnownLists]:
    """Yield the judged list pages of each set whose entries are known. Raises `DataError` for selectors that fail."""
    for one in sets:
        for tuned in (True, False):
            found = [
                page for each in truth if (each.set, each.tuned) == (one.name, tuned) for page in _pages(one, each)
            ]
            if found:
                yield KnownLists(one.name, tuned, tuple(found))


def _pages(one: DataSet, truth: Selectors) -> Iterator[KnownList]:
    rows = one.lists() if truth.page is None else [row for row in one.rows if row.id == truth.page]
    for row in rows:
        page = _read(row, truth)
        if len(page.addresses) >= LEAST:
            yield page
        elif truth.page is not None:
            raise DataError(
                f"page {row.id} of {one.name}: {len(page.addresses)} entries by {truth.entries.path!r} and "
                f"{truth.link.path!r}, a list has {LEAST}; correct the selectors"
            )


def _read(row: Row, truth: Selectors) -> KnownList:
    html = row.html()
    url = row.url or f"http://{truth.set.replace('_', '-')}.example/"
    root = parse(decode(html)[0])
    etree.strip_elements(root, *NO_TEXT, with_tail=False)
    found = [(entry, _elements(truth.link, entry)) for entry in _elements(truth.entries, root)]
    addresses = [(entry, frozenset(_address(url, link) for link in links)) for entry, links in found]
    entries = [(entry, urls) for entry, urls in addresses if urls]
    text = "\n".join(_text(entry) for entry, _ in entries)
    return KnownList(row, url, html, text if truth.text else None, tuple(urls for _, urls in entries))


def _text(entry: etree._Element) -> str:
    """Return an entry's text, with spaces between the words of different blocks."""
    parts: list[str] = []
    for event, element in etree.iterwalk(entry, events=("start", "end")):
        parts.append("\n" if element.tag in BREAKS else "")
        parts.append((element.text if event == "start" else None if element is entry else element.tail) or "")
    return " ".join("".join(parts).split())


def _address(url: str, link: etree._Element) -> str:
    return urldefrag(urljoin(url, (link.get("href") or "").strip())).url


def _elements(selector: etree.XPath, context: etree._Element) -> list[etree._Element]:
    found = selector(context)
    return [each for each in found if isinstance(each, etree._Element)] if isinstance(found, list) else []


def _selectors(path: Path, number: int, stored: Any) -> Selectors:
    where = f"{path}, object {number}"
    if not isinstance(stored, dict) or not all(isinstance(stored.get(key), str) for key in ("set", "entries")):
        raise DataError(f"{where}: set and entries must be given, as text")
    if unknown := stored.keys() - KEYS:
        raise DataError(f"{where}: unknown key {min(unknown)!r}")
    try:
        entries, link = etree.XPath(stored["entries"]), etree.XPath(stored.get("link", "descendant-or-self::a[@href]"))
    except (etree.XPathSyntaxError, TypeError) as error:
        raise DataError(f"{where}: invalid XPath: {error}") from None
    text, tuned = (stored.get(key, default) is True for key, default in (("text", True), ("tuned", False)))
    return Selectors(stored["set"], entries, link, stored.get("page"), text, tuned)
