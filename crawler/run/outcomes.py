"""What a response means for a URL; what a failed request means is in `crawler.fetching.failures`.

page     a page to extract
reject   there is no article at the URL, and another request would not change that
fail     there should be an article, and it is unavailable
again    a temporary failure
"""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["page", "reject", "fail", "again"]
Cause = Literal["", "run ending", "host closed", "robots unreachable", "surprise"]  # why no response was handled

MOVED = frozenset({301, 302, 303, 307, 308})
GONE = frozenset({404, 410})
PASSING = frozenset({403, 408, 421, 423, 425, 429})  # 403: many sites mean too many requests
PAGE_TYPES = ("text/", "application/xhtml", "application/xml", "application/octet-stream", "multipart/")
NO_LIST = ("image/", "video/", "audio/", "font/", "application/pdf", "application/zip")
BINARY = "not a page: binary data"
NOT_TEXT = ("text/css", "text/javascript", "text/csv", "text/calendar", "text/event-stream")
PROXY_AUTHENTICATION = "http 407: proxy requires authentication"
_REFUSALS = {401: "http 401: authentication required (auth)", 407: PROXY_AUTHENTICATION}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What becomes of a URL, and why in a few words."""

    kind: Kind
    reason: str = ""


def media_type(content_type: str) -> str:
    """What kind of file a Content-Type header names, without its parameters: `text/html`."""
    return content_type.split(";")[0].strip().lower()


def of_answer(status: int, content_type: str, body: bytes) -> Outcome:
    """What a response means for its URL."""
    if status in GONE:
        return Outcome("reject", f"http {status}")
    if status in PASSING or status >= 500:
        return Outcome("again", f"http {status}")
    if status in MOVED:  # one with a valid Location was followed
        return Outcome("fail", f"http {status}, redirect not followed")
    if status >= 300:
        return Outcome("fail", _REFUSALS.get(status, f"http {status}"))
    if status == 206:  # no request has a Range
        return Outcome("again", "http 206, only a part of the page")
    if status != 200 and not body:
        return Outcome("again", f"http {status} without a page")
    return _of_page(media_type(content_type), body)


def of_list(status: int, content_type: str, body: bytes) -> Outcome:
    """What the response to a request for a list means: feeds, sitemaps (also compressed) and JSON are pages here."""
    kind = media_type(content_type)
    if kind.startswith(NO_LIST):
        return Outcome("reject", f"not a list: {kind}")
    verdict = of_answer(status, "", body)
    return Outcome("page") if verdict.reason == BINARY and body.startswith(b"\x1f\x8b") else verdict


def _of_page(kind: str, body: bytes) -> Outcome:
    if not body:
        return Outcome("again", "empty answer")
    if kind.startswith(NOT_TEXT) or (kind and not kind.startswith(PAGE_TYPES)):
        return Outcome("reject", f"not a page: {kind}")
    if b"\0" in body[:512] and body[:2] not in (b"\xff\xfe", b"\xfe\xff") and body.lstrip()[:1] != b"<":
        return Outcome("reject", BINARY)
    return Outcome("page")
