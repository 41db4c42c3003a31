"""A parsed page → the numbers by which its type is classified.

Counts are log(1 + n), so that the length of a page does not decide; shares are 0 to 1. Numbers that only distinguish
collections (size of the page, number of scripts, language) are left out on purpose.

Those of the body that the rules find on the page: an article's body is one run of text; on a list the same rules find
texts that each follow a link, are among links, or are a small part of the page.
"""

from collections.abc import Iterator
from functools import cache
from math import log1p

from lxml import etree

from ..content.assembly import ParsedPage
from ..content.line_weights import Prior
from ..content.page_body import rules_body
from ..html.lines import Lines, read_lines
from ..html.paths import PathTrie
from ..html.urls import normalise, split_web
from ..metadata.declared_metadata import read_head
from .addresses import address_features, link_features
from .head_features import SIGN_NAMES, head_features, kind_signs
from .line_features import ENTRY_MAX, ENTRY_MIN, line_features

PROSE_LINE = 150  # bytes from which a line is a paragraph and not a scrap
NEAR_TITLE = 6  # lines from the title to a body that is surely the titled one
BODY_NAMES = (
    "body_entries", "body_entry_share", "body_among_links", "body_link_share", "body_linked_headings", "body_together",
    "body_lines", "body_bytes", "body_share", "body_longest", "body_prose_lines", "body_titled",
)  # fmt: skip
# See `screened_features_of`: the numbers of the two screens.
SCREENED = (*BODY_NAMES, "link_share", "declared_article", "og_article")
SCREENED_FOR_KINDS = (*SCREENED, *SIGN_NAMES)


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
        **body_features(lines, parsed.prior, kept),
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
    lines = read_lines(root, PathTrie())
    address = "http://a.example/"
    found = line_features(lines, -1) | head_features(read_head(root)) | dict.fromkeys(BODY_NAMES, 0.0)
    return tuple(found | address_features(address) | link_features(address, (), ()))


@cache
def names_for_kinds() -> tuple[str, ...]:
    """Return the names of all numbers, in their order: those of `names` and the signs of kinds."""
    return (*names(), *SIGN_NAMES)


def body_features(lines: Lines, prior: Prior, kept: list[int]) -> dict[str, float]:
    """Return the numbers by name for the body that the rules find; all 0 where they find none."""
    if not kept:
        return dict.fromkeys(BODY_NAMES, 0.0)
    body, links = set(kept), lines.link_lines
    within = slice(kept[0], kept[-1] + 1)
    links_within = [line for line in range(kept[0], kept[-1] + 1) if links[line]]
    entries = [line for line in kept if line and links[line - 1] and line - 1 not in body]  # each follows a link
    widths = [lines.widths[line] for line in kept]
    total = sum(widths)
    unlinked = float((lines.width - lines.linked).sum())
    linked_within, width_within = lines.linked[within].sum(), float(lines.width[within].sum())
    values = (
        log1p(len(entries)),
        len(entries) / len(kept),
        log1p(len([line for line in links_within if line not in body])),
        float(linked_within / max(1.0, width_within)),
        log1p(sum([lines.are_headings[line] for line in links_within])),
        len(kept) / (kept[-1] + 1 - kept[0]),
        log1p(len(kept)),
        log1p(total),
        total / max(1.0, unlinked),
        log1p(max(widths)),
        log1p(sum([width >= PROSE_LINE for width in widths])),
        float(prior.title >= 0 and 0 <= kept[0] - prior.title <= NEAR_TITLE),
    )
    return dict(zip(BODY_NAMES, values, strict=True))
