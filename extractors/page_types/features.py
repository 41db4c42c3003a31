"""A parsed page → the numbers by which its type is classified.

Counts are log(1 + n), so that the length of a page does not decide; shares are 0 to 1. Numbers that only distinguish
collections (size of the page, number of scripts, language) are left out on purpose.
"""

from collections.abc import Iterator
from functools import cache

from lxml import etree

from ..content.assembly import ParsedPage
from ..content.page_body import rules_body
from ..html.lines import Lines
from ..html.paths import PathTrie
from ..html.urls import normalise, split_web
from ..metadata.declared_metadata import read_head
from .addresses import address_features, link_features
from .body_features import NAMES as BODY_NAMES
from .body_features import body_features
from .head_features import head_features
from .kind_signs import NAMES as SIGN_NAMES
from .kind_signs import kind_signs
from .line_features import ENTRY_MAX, ENTRY_MIN, line_features


def features_of(parsed: ParsedPage, kept: list[int] | None = None) -> dict[str, float]:
    """Return the numbers by name; those about the URL only if the page has one.

    `kept`: the lines of the body that the rules find, if it is known.
    """
    found = line_features(parsed.lines, parsed.prior.title) | head_features(parsed.head)
    kept = rules_body(parsed.lines, parsed.prior).kept if kept is None and len(parsed.lines) else kept
    found |= body_features(parsed.lines, parsed.prior, kept or [])
    address = address_of(parsed)
    found |= kind_signs(parsed.head, address)
    if address:
        found |= address_features(address)
        found |= link_features(address, filter(None, parsed.lines.hrefs), _titles(parsed.lines))
    return found


def screened_features_of(parsed: ParsedPage, kept: list[int]) -> dict[str, float]:
    """Return the numbers that are cheap to compute: `SCREENED`."""
    lines, head = parsed.lines, parsed.head
    return {
        **body_features(lines, parsed.prior, kept, as_trained=False),
        "link_share": sum(lines.linked_bytes) / max(1.0, sum(lines.widths)),
        "declared_article": float(bool(head.article)),
        "og_article": float("article" in head.first(("og:type",)).lower()),
        **kind_signs(head, address_of(parsed)),
    }


def address_of(parsed: ParsedPage) -> str | None:
    """Return the page's URL: the one from which it was fetched, else the one that it declares."""
    declared = (parsed.page.url, parsed.head.canonical, parsed.head.first(("og:url",)))
    return next((normalise(url) for url in declared if url and split_web(url)), None)


def _titles(lines: Lines) -> Iterator[str]:
    """Yield the targets of links whose line could be a linked title."""
    width = lines.width
    may_be_title = ((width >= ENTRY_MIN) & (width <= ENTRY_MAX) & (2 * lines.linked > width)).tolist()
    for line, href in zip(lines.links, lines.hrefs, strict=True):
        if href and line < len(lines) and may_be_title[line]:
            yield href


@cache
def names() -> tuple[str, ...]:
    """Return the names of the numbers that distinguish articles from lists, in their order."""
    root = etree.fromstring("<html><body/></html>")
    lines = Lines(PathTrie(), [], [], [], [], [])
    address = "http://a.example/"
    found = line_features(lines, -1) | head_features(read_head(root)) | dict.fromkeys(BODY_NAMES, 0.0)
    return tuple(found | address_features(address) | link_features(address, (), ()))


@cache
def names_for_kinds() -> tuple[str, ...]:
    """Return the names of all numbers, in their order: those of `names` and the signs of kinds."""
    return (*names(), *SIGN_NAMES)


# See `screened_features_of`: the numbers of the two screens.
SCREENED = (*BODY_NAMES, "link_share", "declared_article", "og_article")
SCREENED_FOR_KINDS = (*SCREENED, *SIGN_NAMES)
