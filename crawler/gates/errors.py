"""Errors of requests that gave no page, and the outcome of each for its URL: of this program, Scrapy or Twisted.

This program's own have the `outcome`; `cause` and `rest` are for the run.

Errors that are also `IgnoreRequest` come from a gate: no request was sent, or its response was refused.
"""

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

from crawler.gates.connections import TOO_LARGE, ResponseTooCostly
from crawler.gates.context import PROXY
from crawler.politeness.robots import KEPT_SHORT
from crawler.run.outcomes import PROXY_AUTHENTICATION, Cause, Kind, Outcome

# Subclasses before their base classes. Errors that mean that the host is unavailable or out of order:
_OF_HOST: tuple[tuple[type[BaseException], str], ...] = (
    (TimeoutError, "no answer in time"),
    (DownloadTimeoutError, "no answer in time"),
    (twisted_error.TCPTimedOutError, "no connection in time"),
    (ConnectionRefusedError, "connection refused"),
    (DownloadConnectionRefusedError, "connection refused"),
    (twisted_error.ConnectError, "no connection"),
    (twisted_error.ConnectionLost, "connection lost"),
    (twisted_error.ConnectionDone, "connection closed early"),
    (CannotResolveHostError, "host not found"),
)
HOST_FAILURES = frozenset(reason for _, reason in _OF_HOST)  # reasons that concern the whole site
_OF_PAGE = (DownloadFailedError, ResponseDataLossError)  # errors that concern one page, not the host


class FetchError(Exception):
    """A request that gave no page. `kind`: the outcome for the URL; `reason`: why, in a few words.

    `cause`: set if the URL is not at fault. `rest`: seconds until the next request makes sense, 0 if unknown.
    """

    kind: Kind = "again"
    cause: Cause = ""
    reason = ""
    rest = 0.0

    def __init__(self, reason: str = ""):
        self.reason = reason or self.reason
        super().__init__(self.reason)

    @property
    def outcome(self) -> Outcome:
        """The outcome for the URL, and its reason."""
        return Outcome(self.kind, self.reason)


class RequestRefused(FetchError, IgnoreRequest):
    """A gate refused the request or its response, and would do so again."""

    kind: Kind = "fail"


class AddressRefused(RequestRefused):
    """The guard refused an IP address. `whose`: "proxy", or "" for the host of the URL."""

    def __init__(self, address: object, whose: str = "address"):
        super().__init__(
            f"{whose} {address} is not public; if it is yours, list its host under `settings.allow_hosts` in "
            "tasks.yaml or in EXEMPLAR_ALLOW_HOSTS"
        )


class RobotsForbidden(RequestRefused):
    """The host's robots.txt disallows the URL."""

    kind = "reject"
    reason = "robots.txt forbids it"


class RobotsUnreachable(FetchError, IgnoreRequest):
    """The host's robots.txt is unavailable. `why`: in a few words; those of `HOST_FAILURES` concern the whole site."""

    cause = "robots unreachable"
    rest = KEPT_SHORT

    def __init__(self, why: str):
        is_away = why.partition(", by proxy")[0] in HOST_FAILURES
        what = "the site is unreachable" if is_away else "robots.txt unavailable"
        super().__init__(f"{what}: {why}")


class HostClosed(FetchError, IgnoreRequest):
    """The host is closed for longer than a request waits in its process: for `rest` seconds."""

    cause = "host closed"

    def __init__(self, why: str, rest: float):
        super().__init__(why)
        self.rest = rest


class RunEnding(FetchError, IgnoreRequest):
    """The run ended before the request was sent, or Redis is unavailable."""

    cause = "run ending"
    reason = "the run ends"


class RenderingFailed(FetchError):
    """The browser could not render the page."""


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
            return Outcome("fail", TOO_LARGE)
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


def _of_proxy(text: str) -> Outcome:
    """Return the outcome if a proxy did not open a tunnel, by Scrapy's message."""
    status = re.search(r"'status': (\d+)", text)
    if status and status[1] == "407":
        return Outcome("fail", PROXY_AUTHENTICATION)
    return Outcome("again", "the proxy opened no tunnel" + (f": http {status[1]}" if status else ""))
