"""The links of a list page, each with the reason why it leads to an article of the task or not, for the user."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from crawler.discovery.links import ASSET, PageLink
from crawler.discovery.pagination import pagination
from crawler.patterns.pattern import Pattern

TAKEN = "matches the pattern"  # why a link is an article


@dataclass(frozen=True, slots=True)
class JudgedLink:
    """A link of a list page, with the reason of the judgement. `taken`: it leads to an article of the task."""

    link: PageLink
    taken: bool
    reason: str


def judged(links: Sequence[PageLink], pattern: Pattern, follow: Sequence[Pattern], page_url: str) -> list[JudgedLink]:
    """Return for each link of the list page at `page_url` whether it leads to an article, and a short reason."""
    pages = set(pagination(page_url, [link for link in links if not pattern.match(link.url)]))
    reasons = (_reason(link.url, pattern, follow, page_url, pages) for link in links)
    return [JudgedLink(link, reason == TAKEN, reason) for link, reason in zip(links, reasons, strict=True)]


def _reason(url: str, pattern: Pattern, follow: Sequence[Pattern], page_url: str, pages: Container[str]) -> str:
    if pattern.match(url):
        return TAKEN
    if url == page_url:
        return "the list page itself"
    if any(list_pattern.match(url) for list_pattern in follow):
        return "a list page to follow"
    if url in pages:
        return "a further page of the list"
    if urlsplit(url).netloc != urlsplit(page_url).netloc:
        return f"on another host: {urlsplit(url).netloc}"
    if ASSET.search(urlsplit(url).path):
        return "a file, not a page"
    return pattern.difference(url) or "does not match the pattern"
