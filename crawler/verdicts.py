"""What an answer, or no answer, means for a URL.

page     a page to hand on
reject   there is no article behind the URL, and looking again won't change that
fail     there should be one, and it can't be had
again    a failure that may pass: try later
"""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["page", "reject", "fail", "again"]

GONE = frozenset({404, 410})
PASSING = frozenset({403, 408, 421, 423, 425, 429})  # 403: many sites mean "too fast"; it fails after its retries
PAGE_TYPES = ("text/", "application/xhtml", "application/xml", "application/octet-stream", "multipart/")
NOT_TEXT = ("text/css", "text/javascript", "text/csv", "text/calendar", "text/event-stream")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of a URL, and why in a few words."""

    kind: Kind
    reason: str = ""


def of_answer(status: int, content_type: str, body: bytes) -> Verdict:
    """The verdict on an answer."""
    if status in GONE:
        return Verdict("reject", f"http {status}")
    if status in PASSING or status >= 500:
        return Verdict("again", f"http {status}")
    if status >= 300:
        return Verdict("fail", f"http {status}")
    if status != 200 and not body:
        return Verdict("again", f"http {status} without a page")
    return _of_page(content_type.split(";")[0].strip().lower(), body)


def of_failure(error: BaseException, *, refused: str | None = None) -> Verdict:
    """The verdict on a request that got no answer. `refused`: the address that the guard held back, if it did."""
    name, text = type(error).__name__, str(error)
    if refused:
        return Verdict("fail", f"address {refused} is not public; list the host under allow_hosts if it is yours")
    if name == "RobotsUnreachable":
        return Verdict("again", f"robots.txt can't be had: {text}")
    if name == "IgnoreRequest":
        if "robots.txt" in text:
            return Verdict("reject", "robots.txt forbids it")
        return Verdict("fail", text or "the request was refused")
    if name == "RenderingFailed":
        return Verdict("again", text)
    if name in ("DownloadCancelledError", "CancelledError"):
        return Verdict("fail", "the page is larger than 32 MiB")
    if name in _PASSING_ERRORS:
        return Verdict("again", _PASSING_ERRORS[name])
    if name in ("UnsupportedURLSchemeError", "NotSupported"):
        return Verdict("fail", "only http and https are fetched")
    return Verdict("again", f"{name}: {text}"[:100] if text else name)


_PASSING_ERRORS = {
    "TimeoutError": "no answer in time",
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


def _of_page(kind: str, body: bytes) -> Verdict:
    if not body:
        return Verdict("again", "empty answer")
    if kind.startswith(NOT_TEXT) or (kind and not kind.startswith(PAGE_TYPES)):
        return Verdict("reject", f"not a page: {kind}")
    if b"\0" in body[:512] and body[:2] not in (b"\xff\xfe", b"\xfe\xff") and body.lstrip()[:1] != b"<":
        return Verdict("reject", "not a page: binary data")
    return Verdict("page")
