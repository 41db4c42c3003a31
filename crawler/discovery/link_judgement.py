"""Each link of a list page with what becomes of it, for a person to read."""

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from crawler.discovery.links import ASSET, PageLink
from crawler.discovery.pagination import pagination
from crawler.patterns.pattern import Pattern

TAKEN = "of the pattern"  # why a link is an article


@dataclass(frozen=True, slots=True)
class JudgedLink:
    """A link of a list page with what becomes of it. `taken`: it is an article of the task, and not known yet."""

    link: PageLink
    taken: bool
    reason: str


def judged(
    links: Iterable[PageLink],
    pattern: Pattern,
    follow: Sequence[Pattern] = (),
    page_url: str = "",
    known: Container[str] = frozenset(),
) -> list[JudgedLink]:
    """Return for each link of a list page (at `page_url`) whether it is taken as an article, and why, in a few words.

    `known`: the URLs that were entered before.
    """
    links = list(links)
    pages = set(pagination(page_url, [link for link in links if not pattern.match(link.url)]))
    reasons = (_reason(link.url, pattern, follow, page_url, known, pages) for link in links)
    return [JudgedLink(link, reason == TAKEN, reason) for link, reason in zip(links, reasons, strict=True)]


def _reason(
    url: str, pattern: Pattern, follow: Sequence[Pattern], page_url: str, known: Container[str], pages: Container[str]
) -> str:
    if pattern.match(url):
        return "known already" if url in known else TAKEN
    if url == page_url:
        return "the list page itself"
    if any(list_pattern.match(url) for list_pattern in follow):
        return "a list page to follow"
    if url in pages:
        return "a further page of the list"
    if page_url and urlsplit(url).netloc != urlsplit(page_url).netloc:
        return f"on another host: {urlsplit(url).netloc}"
    if ASSET.search(urlsplit(url).path):
        return "a file, not a page"
    return pattern.difference(url) or "not of the pattern"
