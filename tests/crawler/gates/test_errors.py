"""What becomes of a URL whose request failed, by the type of the error."""

import pytest
from scrapy import Request
from scrapy.core.downloader.handlers.http11 import TunnelError
from scrapy.exceptions import (
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
    UnsupportedURLSchemeError,
)
from twisted.internet import error as twisted_error

from crawler.gates.context import PROXY
from crawler.gates.errors import (
    FetchError,
    HostClosed,
    RenderingFailed,
    RequestRefused,
    RobotsForbidden,
    RobotsUnreachable,
    RunEnding,
    host_failure,
    outcome_of_failure,
)
from crawler.run.outcomes import Outcome
from workers.ledger import REASON_BYTES

OURS = [
    (RobotsForbidden(), "reject", "robots.txt forbids it"),
    (RobotsUnreachable("http 503"), "again", "robots.txt unavailable: http 503"),
    (HostClosed("http 429; Retry-After: 600 s", 600.0), "again", "http 429; Retry-After: 600 s"),
    (RequestRefused("more than 5 redirects"), "fail", "more than 5 redirects"),
    (RunEnding(), "again", "the run ends"),
    (FetchError("proxy not found"), "again", "proxy not found"),
    (RenderingFailed("the page did not load in time"), "again", "the page did not load in time"),
]
OF_PAGE = [
    (DownloadFailedError(), "again", "the response broke off"),
    (ResponseDataLossError(), "again", "the response broke off"),
]
OF_HOST = [
    (DownloadTimeoutError(), "no answer in time"),
    (twisted_error.TCPTimedOutError(), "no connection in time"),
    (DownloadConnectionRefusedError(), "connection refused"),
    (twisted_error.ConnectError(), "no connection"),
    (twisted_error.ConnectionDone(), "connection closed early"),
]


@pytest.mark.parametrize(("error", "kind", "reason"), [*OURS, *OF_PAGE])
def test_an_error_that_is_not_about_the_host_has_its_outcome(error, kind, reason):
    assert outcome_of_failure(error) == Outcome(kind, reason)
    assert host_failure(error) == ""
    assert len(reason.encode()) <= REASON_BYTES


@pytest.mark.parametrize(("error", "reason"), OF_HOST)
def test_a_host_that_is_unavailable_is_tried_again(error, reason):
    assert outcome_of_failure(error) == Outcome("again", reason)
    assert host_failure(error) == reason


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (IgnoreRequest("max redirections reached"), Outcome("fail", "max redirections reached")),
        (IgnoreRequest(), Outcome("fail", "the request was refused")),
        (DownloadCancelledError(), Outcome("fail", "the page is larger than 32 MiB")),
        (UnsupportedURLSchemeError(), Outcome("fail", "only http and https are fetched")),
    ],
)
def test_what_would_fail_again_fails_at_once(error, outcome):
    assert outcome_of_failure(error) == outcome


class StrangeError(Exception):
    """An error of nobody's."""


def test_an_unknown_error_is_tried_again_under_its_name():
    outcome = outcome_of_failure(StrangeError("x" * 500))
    assert outcome.kind == "again"
    assert outcome.reason.startswith("StrangeError: xxx")
    assert len(outcome.reason) == 100


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        ("{'status': 407, 'reason': b'x'}", Outcome("fail", "http 407: proxy requires authentication")),
        ("{'status': 403, 'reason': b'x'}", Outcome("again", "the proxy opened no tunnel: http 403")),
        ("b'nonsense'", Outcome("again", "the proxy opened no tunnel")),
    ],
)
def test_a_proxy_that_opens_no_tunnel(status, outcome):
    assert outcome_of_failure(TunnelError(f"Could not open CONNECT tunnel with proxy h:1 [{status}]")) == outcome


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ConnectionRefusedError(), "connection refused, by proxy proxy.test:8080"),
        (RobotsUnreachable("http 503"), "robots.txt unavailable: http 503"),
    ],
)
def test_a_request_that_failed_behind_a_proxy_names_it(error, reason):
    request = Request("http://site.example/", meta={PROXY: ("proxy.test", 8080)})
    assert outcome_of_failure(error, request).reason == reason
