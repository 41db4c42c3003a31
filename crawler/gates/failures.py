"""The outcome for a URL whose request failed, by the type of the error: of this project, Scrapy or Twisted."""

import re

from scrapy import Request
from scrapy.core.downloader.handlers.http11 import TunnelError
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    NotSupported,
    ResponseDataLossError,
    UnsupportedURLSchemeError,
)
from twisted.internet import defer
from twisted.internet import error as twisted_error
from twisted.web.client import ResponseFailed, ResponseNeverReceived

from crawler.gates.context import PROXY
from crawler.gates.errors import FetchError
from crawler.guarding.connections import TOO_LARGE, ResponseTooCostly
from crawler.run.outcomes import PROXY_AUTHENTICATION, Outcome

# Subclasses before their base classes. Errors that mean that the host is unavailable or out of order:
_OF_HOST: tuple[tuple[type[BaseException], str], ...] = (
    (twisted_error.TimeoutError, "no answer in time"),
    (TimeoutError, "no answer in time"),
    (DownloadTimeoutError, "no answer in time"),
    (twisted_error.TCPTimedOutError, "no connection in time"),
    (twisted_error.ConnectionRefusedError, "connection refused"),
    (ConnectionRefusedError, "connection refused"),
    (DownloadConnectionRefusedError, "connection refused"),
    (twisted_error.ConnectError, "no connection"),
    (twisted_error.ConnectionLost, "connection lost"),
    (twisted_error.ConnectionDone, "connection closed early"),
    (twisted_error.DNSLookupError, "host not found"),
    (CannotResolveHostError, "host not found"),
    (ResponseNeverReceived, "connection lost"),
)
_OF_PAGE = (ResponseFailed, DownloadFailedError, ResponseDataLossError)  # errors that concern one page, not the host


def outcome_of_failure(error: BaseException, request: Request | None = None) -> Outcome:
    """The outcome for the URL of a request that failed; if it went through a proxy, the reason names the proxy."""
    outcome = _outcome(error)
    proxy = request.meta.get(PROXY) if request is not None else None
    if proxy and outcome.kind == "again" and not isinstance(error, IgnoreRequest):
        return Outcome("again", f"{outcome.reason}, by proxy {proxy[0]}:{proxy[1]}")
    return outcome


def host_failure(error: BaseException) -> str:
    """Return why the host counts as failing; "" if the error is not about the host."""
    if isinstance(error, FetchError):
        return ""
    return next((reason for kind, reason in _OF_HOST if isinstance(error, kind)), "")


def _outcome(error: BaseException) -> Outcome:
    text = str(error)
    match error:
        case FetchError():
            return error.outcome
        case IgnoreRequest():
            return Outcome("fail", text or "the request was refused")
        case DownloadCancelledError() | defer.CancelledError():
            return Outcome("fail", TOO_LARGE + _size_in(text))
        case TunnelError():
            return _of_proxy(text)
        case _ if reason := _too_costly(error):
            return Outcome("fail", reason)
        case UnsupportedURLSchemeError() | NotSupported():
            return Outcome("fail", "only http and https are fetched")
    if reason := host_failure(error):
        return Outcome("again", reason)
    if isinstance(error, _OF_PAGE):
        return Outcome("again", "the response broke off")
    name = type(error).__name__
    return Outcome("again", f"{name}: {text}"[:100] if text else name)


def _too_costly(error: BaseException) -> str:
    """Return the text of a `ResponseTooCostly`, or "". Twisted wraps it, and Scrapy wraps Twisted's error."""
    reasons = getattr(error.__cause__ or error, "reasons", ())
    return next((str(each.value) for each in reasons if isinstance(each.value, ResponseTooCostly)), "")


def _size_in(text: str) -> str:
    """Return the text `: 40 MiB`, if Scrapy's message names the announced size; else empty."""
    announced = re.match(r"Expected to receive (\d+) bytes", text)
    if not announced:
        return ""
    size = int(announced[1]) / 2**20
    return f": {size:.0f} MiB" if size < 1024 else f": {size / 1024:.0f} GiB"[:12]


def _of_proxy(text: str) -> Outcome:
    """Return the outcome if a proxy did not open a tunnel, by Scrapy's message."""
    status = re.search(r"'status': (\d+)", text)
    if status and status[1] == "407":
        return Outcome("fail", PROXY_AUTHENTICATION)
    return Outcome("again", "the proxy opened no tunnel" + (f": http {status[1]}" if status else ""))
