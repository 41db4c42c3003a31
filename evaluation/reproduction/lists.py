"""The lists of the development sites, with the entries that a person sees in them.

None of the sets says what the content of a list page is. Here it is given as sources of truth for articles are: by a
selector for each site, written after a look at its template. Pages where it finds fewer than three entries have no
single list (front pages, contacts), and aren't judged.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urljoin

from lxml import etree

from extractors.decoding import decode
from extractors.dom import inner_text, parse

from ..data import DataSet, Row

LEAST = 3  # entries of a list
ENTRIES = {
    "flink_blog_en": "//article[contains(@class, 'book-post')]",
    "hexo_0err0r_zh": "//a[contains(@class, 'list-group-item')] | //div[contains(@class, 'index-card')]",
    "kancai_news_gbk": "//div[contains(@class, 'listl')]//li",
    "meiwen_desktop_zh": "//ul[@class='left-item']/li",
    "meiwen_mobile_zh": "//ul[@id='list']/li",
}


@dataclass(frozen=True, slots=True)
class ListPage:
    """A list page and its truth. `addresses`: for each entry, where its links lead."""

    row: Row
    url: str
    html: bytes
    text: str
    addresses: tuple[frozenset[str], ...]


def list_pages(sets: Sequence[DataSet]) -> Iterator[tuple[str, list[ListPage]]]:
    """Yield the list pages of each set whose entries are known."""
    for one in sets:
        if one.name in ENTRIES:
            pages = [page for row in one.lists() if (page := _read(row, one.name)) is not None]
            yield one.name, pages


def _read(row: Row, name: str) -> ListPage | None:
    html = row.html()
    url = row.url or f"http://{name.replace('_', '-')}.example/"
    selected = parse(decode(html)[0]).xpath(ENTRIES[name])
    found = [entry for entry in selected if isinstance(entry, etree._Element)] if isinstance(selected, list) else []
    texts = [" ".join(inner_text(entry).split()) for entry in found]
    addresses = [frozenset(urljoin(url, str(link.get("href", ""))) for link in entry.iter("a")) for entry in found]
    return ListPage(row, url, html, "\n".join(texts), tuple(addresses)) if len(found) >= LEAST else None
