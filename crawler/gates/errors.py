"""Errors of requests that gave no page. Each has the `outcome` for its URL; `cause` and `rest` are for the run.

Errors that are also `IgnoreRequest` come from a gate: no request was sent, or its response was refused.
"""

from scrapy.exceptions import IgnoreRequest

from crawler.politeness.robots import KEPT_SHORT
from crawler.run.outcomes import Cause, Kind, Outcome

# Reasons that concern the whole site, in the words of `failures`
HOST_FAILURES = frozenset(
    {
        "no answer in time",
        "no connection in time",
        "connection refused",
        "no connection",
        "connection lost",
        "connection closed early",
        "host not found",
    }
)


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
        what = "list the host" if whose == "address" else "list it"
        super().__init__(f"{whose} {address} is not public; {what} under allow_hosts of settings if it is yours")


class RobotsForbidden(RequestRefused):
    """The host's robots.txt disallows the URL."""

    kind = "reject"
    reason = "robots.txt forbids it"


class RobotsUnreachable(FetchError, IgnoreRequest):
    """The host's robots.txt is unavailable. `why`: in a few words; those of `HOST_FAILURES` concern the whole site."""

    cause = "robots unreachable"
    rest = KEPT_SHORT

    def __init__(self, why: str):
        what = (
            "the site is unreachable" if why.partition(", by proxy")[0] in HOST_FAILURES else "robots.txt unavailable"
        )
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


class ProxyUnavailable(FetchError):
    """The task's proxy is unavailable."""


class RenderingFailed(FetchError):
    """The browser could not render the page."""


class DecompressionFailed(FetchError):
    """The body is not compressed as its Content-Encoding header declares."""

    reason = "the response cannot be decompressed"


class BodyTimeout(FetchError):
    """The response began but did not end in time."""

    reason = "the response took too long"
