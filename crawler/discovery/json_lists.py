"""Lists in JSON, such as the responses behind "load more": URLs and pieces of HTML in their strings."""

import json
import re
from collections.abc import Iterator

from crawler.discovery.links import MOST_LINKS, PageLink, PageLinks, absolute, links_in
from extractors.html.decoding import without_controls

ADDRESS_KEYS = re.compile(r"(?:url|href|link|uri|path)s?$", re.IGNORECASE)
NEXT_KEYS = re.compile(r"^(?:next|more)(?:[-_]?(?:page|url|link|href|uri))*$", re.IGNORECASE)
TITLE_KEYS = re.compile(r"^(?:title|name|headline|text)$", re.IGNORECASE)
LONGEST_ADDRESS = 2000  # characters
MOST_CHARACTERS = 20 * 2**20  # characters of one JSON text
_ANY = re.compile(r"[^\s<>]+$")
_RELATIVE = re.compile(r"[?.][^\s<>]*$")
_ROOTED = re.compile(r"(?:https?:)?//?[^\s<>]+$", re.IGNORECASE)


def json_links(text: str, url: str) -> PageLinks | None:
    """Return the links in a JSON text, in its order; None if it is not a JSON object or array, or is too long."""
    try:
        value = json.loads(text) if len(text) <= MOST_CHARACTERS else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict | list):
        return None
    found: dict[str, PageLink] = {}
    for link in _links(value, url):
        if len(found) >= MOST_LINKS:
            return PageLinks(list(found.values()), truncated=True)
        found.setdefault(link.url, link)
    return PageLinks(list(found.values()))


def _links(value: object, url: str) -> Iterator[PageLink]:
    waiting: list[tuple[str, object, str]] = [("", value, "")]  # key, value, title beside it
    while waiting:
        key, value, title = waiting.pop()
        if isinstance(value, dict):
            title = next((text for k, text in value.items() if TITLE_KEYS.match(k) and isinstance(text, str)), title)
            waiting += [(k, inner, title) for k, inner in reversed(value.items())]
        elif isinstance(value, list):
            waiting += [(key, inner, title) for inner in reversed(value)]
        elif isinstance(value, str) and "<a" in value.lower():
            yield from links_in(value, url).links
        elif isinstance(value, str) and len(value) <= LONGEST_ADDRESS:
            yield from _link(key, value.strip(), title, url)


def _link(key: str, text: str, title: str, url: str) -> Iterator[PageLink]:
    is_next = bool(NEXT_KEYS.match(key))
    named = ADDRESS_KEYS.search(key) and _ANY.match(text)
    if not (_ROOTED.match(text) or named or (is_next and _RELATIVE.match(text))):
        return
    if target := absolute(url, text):
        yield PageLink(target, "" if is_next else without_controls(title[:200]), "next" if is_next else "")
