"""Converts a response, or the failure of a request, into the result that a run gets."""

from datetime import UTC, datetime

from scrapy import Request
from scrapy.http import Response

from crawler.gates.context import RENDER
from crawler.gates.errors import FetchError, outcome_of_failure
from crawler.gates.pace_gate import too_many_requests
from crawler.run.fetches import Answered, Unanswered
from crawler.run.outcomes import Outcome
from extractors.html.urls import normalise
from workers.inbox import StoredPage
from workers.usage_rights import HEADERS, TDM_FILE

STATE_HEADERS = ("etag", "last-modified", "date", "link")


def content_type(response: Response) -> str:
    """Return the Content-Type header; empty if there is none."""
    return (response.headers.get("Content-Type") or b"").decode("latin-1")


def page_of(response: Response, now: datetime | None = None) -> StoredPage:
    """Return the page in its stored form, with its usage rights. `now`: by default by this machine's clock."""
    fetched_at = now or datetime.now(UTC)
    return StoredPage(
        normalise(response.url), response.body, content_type(response), fetched_at, headers_on_use(response)
    )


def headers_on_use(response: Response) -> dict[str, list[str]]:
    """Return the usage rights that the response's headers and the host's tdmrep.json declare."""
    rights = {name: [value.decode("latin-1") for value in response.headers.getlist(name)] for name in HEADERS}
    reserved = response.request.meta.get(TDM_FILE) if response.request else None
    rights[TDM_FILE] = [reserved] if reserved else []
    return {name: values for name, values in rights.items() if values}


def state_headers(response: Response) -> dict[str, str]:
    """Return the headers with validators and links, which lists need, by lower-case name."""
    headers = {name: response.headers.get(name) for name in STATE_HEADERS}
    return {name: value.decode("latin-1") for name, value in headers.items() if value}


def answer_of(response: Response, now: datetime | None = None) -> Answered:
    """Return the result that a run gets for a response. `now`: its time, by default by this machine's clock."""
    is_rendered = response.request is not None and RENDER in response.request.meta
    page, refusal = page_of(response, now), too_many_requests(response)
    return Answered(response.status, page, state_headers(response), is_rendered, refusal)


def no_answer_of(error: Exception, request: Request) -> Unanswered:
    """Return the result that a run gets for a failed request, perhaps after redirects."""
    outcome, url = outcome_of_failure(error, request), request.url
    if isinstance(error, FetchError):
        return Unanswered(outcome, url, error.cause, error.rest)
    return Unanswered(outcome, url)


def no_request(error: ValueError, url: str) -> Unanswered:
    """Return the result that a run gets for an invalid URL."""
    return Unanswered(Outcome("fail", f"invalid URL: {error}"), url)


def surprise(error: Exception, url: str) -> Unanswered:
    """Return the result that a run gets for a response that could not be handled."""
    return Unanswered(Outcome("again", f"unexpected {type(error).__name__}: {error}"[:100]), url, "surprise")
