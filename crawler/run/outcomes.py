"""The outcome of a response for its URL; for failed requests see `crawler.gates.errors`.

page     a page to extract
reject   there is no article at the URL, and another request would not change that
fail     there should be an article, and it is unavailable
again    a temporary failure
"""

from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote, urlsplit

import re2

from extractors.html.decoding import is_binary

Kind = Literal["page", "reject", "fail", "again"]
Cause = Literal["", "run ending", "host closed", "robots unreachable", "surprise"]  # why no response was handled

MOVED = frozenset({301, 302, 303, 307, 308})
GONE = frozenset({404, 410})
PASSING = frozenset({304, 403, 408, 421, 423, 425, 429})  # 304: unasked; 403: many sites mean too many requests
PAGE_TYPES = ("text/", "application/xhtml", "application/xml", "application/octet-stream", "multipart/")
NO_LIST = ("image/", "video/", "audio/", "font/", "application/pdf", "application/zip")
BINARY = "not a page: binary data"
_PICTURES = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF87a", b"GIF89a")
_AVIF = (b"ftypavif", b"ftypavis")
NOT_TEXT = ("text/css", "text/javascript", "text/csv", "text/calendar", "text/event-stream")
PROXY_AUTHENTICATION = "http 407: proxy requires authentication"
_REFUSALS = {401: "http 401: authentication required (auth)", 407: PROXY_AUTHENTICATION}


_LOGIN = re2.compile(
    r"(?i)(?:^|[^a-z])(?:(?:log|sign)-?[io]n|passport|sso|captcha|verify|verification|challenge|denglu)(?:$|[^a-z])"
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome for a URL, and the reason in a few words."""

    kind: Kind
    reason: str = ""


def is_login(target: str, asked: str = "") -> bool:
    """Whether a redirect leads to a login or a check: by its words, or since it names the URL `asked`."""
    address, _, query = target.partition("?")
    path = urlsplit(asked).path
    return bool(_LOGIN.search(address)) or (len(path) > 1 and path in unquote(query))


def media_type(content_type: str) -> str:
    """Return the media type in a Content-Type header, without its parameters: `text/html`."""
    return content_type.split(";")[0].strip().lower()


def of_answer(status: int, content_type: str, body: bytes) -> Outcome:
    """Return the outcome of a response for its URL."""
    if status in GONE:
        return Outcome("reject", f"http {status}")
    if status in PASSING or status >= 500:
        return Outcome("again", f"http {status}")
    if status in MOVED:  # a redirect with a valid Location was followed
        return Outcome("fail", f"http {status}, redirect not followed")
    if status >= 300:
        return Outcome("fail", _REFUSALS.get(status, f"http {status}"))
    if status == 206:  # unexpected: no request has a Range
        return Outcome("again", "http 206, only a part of the page")
    if status != 200 and not body:
        return Outcome("again", f"http {status} without a page")
    return _of_page(media_type(content_type), body)


def of_list(status: int, content_type: str, body: bytes) -> Outcome:
    """Return the outcome of a response for a list: feeds, sitemaps (also compressed) and JSON count as pages."""
    kind = media_type(content_type)
    if kind.startswith(NO_LIST):
        return Outcome("reject", f"not a list: {kind}")
    verdict = of_answer(status, "", body)
    return Outcome("page") if verdict.reason == BINARY and body.startswith(b"\x1f\x8b") else verdict


def of_picture(status: int, content_type: str, body: bytes) -> Outcome:
    """Return the outcome of a response for a picture. Its first bytes decide: servers name other types."""
    verdict = of_answer(status, "", body)
    if verdict.kind != "page" and verdict.reason != BINARY:
        return verdict
    is_webp = body.startswith(b"RIFF") and body[8:12] == b"WEBP"
    if is_webp or body.startswith(_PICTURES) or body[4:12] in _AVIF:  # the other bytes are sizes
        return Outcome("page")
    return Outcome("reject", f"not a picture: {media_type(content_type) or 'no type'}")


def _of_page(kind: str, body: bytes) -> Outcome:
    if not body:
        return Outcome("again", "empty answer")
    if kind.startswith(NOT_TEXT) or (kind and not kind.startswith(PAGE_TYPES)):
        return Outcome("reject", f"not a page: {kind}")
    return Outcome("reject", BINARY) if is_binary(body) else Outcome("page")
