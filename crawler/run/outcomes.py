"""What an answer, or no answer, means for a URL.

page     a page to hand on
reject   there is no article behind the URL, and looking again won't change that
fail     there should be one, and it can't be had
again    a failure that may pass: try later
"""

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["page", "reject", "fail", "again"]

MOVED = frozenset({301, 302, 303, 307, 308})
GONE = frozenset({404, 410})
PASSING = frozenset({403, 408, 421, 423, 425, 429})  # 403: many sites mean "too fast"; it fails after its retries
PAGE_TYPES = ("text/", "application/xhtml", "application/xml", "application/octet-stream", "multipart/")
NO_LIST = ("image/", "video/", "audio/", "font/", "application/pdf", "application/zip")
BINARY = "not a page: binary data"
NOT_TEXT = ("text/css", "text/javascript", "text/csv", "text/calendar", "text/event-stream")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What becomes of a URL, and why in a few words."""

    kind: Kind
    reason: str = ""


def media_type(content_type: str) -> str:
    """What kind of file a Content-Type header names, without its parameters: `text/html`."""
    return content_type.split(";")[0].strip().lower()


def of_answer(status: int, content_type: str, body: bytes) -> Outcome:
    """The verdict on an answer."""
    if status in GONE:
        return Outcome("reject", f"http {status}")
    if status in PASSING or status >= 500:
        return Outcome("again", f"http {status}")
    if status in MOVED:  # what leads somewhere was followed
        return Outcome("fail", f"http {status}, redirect not followed")
    if status >= 300:
        return Outcome("fail", _REFUSALS.get(status, f"http {status}"))
    if status == 206:  # nobody asked for a part
        return Outcome("again", "http 206, only a part of the page")
    if status != 200 and not body:
        return Outcome("again", f"http {status} without a page")
    return _of_page(media_type(content_type), body)


def of_list(status: int, content_type: str, body: bytes) -> Outcome:
    """The verdict on an answer to a request for a list: feeds, sitemaps (packed ones, too) and JSON are pages here."""
    kind = media_type(content_type)
    if kind.startswith(NO_LIST):
        return Outcome("reject", f"not a list: {kind}")
    verdict = of_answer(status, "", body)
    return Outcome("page") if verdict.reason == BINARY and body.startswith(b"\x1f\x8b") else verdict


def of_failure(error: BaseException, *, refused: str | None = None) -> Outcome:
    """The verdict on a request that got no answer. `refused`: the address that the guard held back, if it did."""
    name, text = type(error).__name__, str(error)
    if refused:
        return Outcome("fail", f"address {refused} is not public; list the host under allow_hosts if it is yours")
    if name == "HostClosed":
        return Outcome("again", text)
    if name == "RobotsUnreachable":
        return Outcome("again", f"robots.txt can't be had: {text}")
    if name == "IgnoreRequest":
        if "robots.txt" in text:
            return Outcome("reject", "robots.txt forbids it")
        return Outcome("fail", text or "the request was refused")
    if name == "RenderingFailed":
        return Outcome("again", text)
    if name in ("DownloadCancelledError", "CancelledError"):
        return Outcome("fail", "the page is larger than 32 MiB" + _size_in(text))
    if name == "TunnelError":
        return _of_proxy(text)
    if name == "ProxyTrouble":
        return Outcome("again", text)
    if name in _PASSING_ERRORS:
        return Outcome("again", _PASSING_ERRORS[name])
    if name in ("UnsupportedURLSchemeError", "NotSupported"):
        return Outcome("fail", "only http and https are fetched")
    return Outcome("again", f"{name}: {text}"[:100] if text else name)


_REFUSALS = {
    401: "http 401: it wants a password (auth)",
    407: "http 407: the proxy wants a password",
}
_PASSING_ERRORS = {
    "TimeoutError": "no answer in time",
    "NotWholeInTime": "the answer took too long",
    "BrokenPacking": "the answer can't be unpacked",
    "TCPTimedOutError": "no connection in time",
    "DownloadTimeoutError": "no answer in time",
    "ConnectionRefusedError": "connection refused",
    "DownloadConnectionRefusedError": "connection refused",
    "ConnectError": "no connection",
    "ConnectionLost": "connection lost",
    "ConnectionDone": "connection closed early",
    "DNSLookupError": "host not found",
    "CannotResolveHostError": "host not found",
    "ResponseNeverReceived": "connection lost",
    "ResponseFailed": "the answer broke off",
    "DownloadFailedError": "the answer broke off",
    "ResponseDataLoss": "the answer broke off",
    "ResponseDataLossError": "the answer broke off",
}

# The host itself is not there or not in order; an answer that broke off or does not fit tells of one page only.
NO_ANSWER = frozenset(_PASSING_ERRORS) - {
    "ResponseFailed", "DownloadFailedError", "ResponseDataLoss", "ResponseDataLossError", "NotWholeInTime",
    "BrokenPacking",
}  # fmt: skip


def _of_page(kind: str, body: bytes) -> Outcome:
    if not body:
        return Outcome("again", "empty answer")
    if kind.startswith(NOT_TEXT) or (kind and not kind.startswith(PAGE_TYPES)):
        return Outcome("reject", f"not a page: {kind}")
    if b"\0" in body[:512] and body[:2] not in (b"\xff\xfe", b"\xfe\xff") and body.lstrip()[:1] != b"<":
        return Outcome("reject", BINARY)
    return Outcome("page")


def _size_in(text: str) -> str:
    """`: 40 MiB`, if Scrapy's message names the size that was announced."""
    found = re.match(r"Expected to receive (\d+) bytes", text)
    if not found:
        return ""
    size = int(found[1]) / 2**20
    return f": {size:.0f} MiB" if size < 1024 else f": {size / 1024:.0f} GiB"[:12]


def _of_proxy(text: str) -> Outcome:
    """What it means that a proxy opened no tunnel, by Scrapy's message."""
    found = re.search(r"'status': (\d+)", text)
    if found and found[1] == "407":
        return Outcome("fail", _REFUSALS[407])
    return Outcome("again", f"no way through the proxy: http {found[1]}" if found else "no way through the proxy")
