"""What is read out of an answer, or out of its failure."""

from datetime import UTC, datetime
from typing import Any

from scrapy.http import Response

from crawler.fetching.middlewares import HostClosed, RobotsUnreachable, RunEnding, why_none
from crawler.politeness.retry_after import asked_to_wait
from crawler.politeness.robots import KEPT_SHORT
from crawler.rendering.handler import RENDER
from crawler.run.fetches import Answered, Unanswered
from crawler.run.outcomes import Outcome
from extractors.html.urls import normalise
from workers.inbox import StoredPage
from workers.usage_rights import HEADERS, TDM_FILE

STATE_HEADERS = ("etag", "last-modified", "date", "link")


def content_type(response: Response) -> str:
    """The Content-Type header; empty if there is none."""
    return (response.headers.get("Content-Type") or b"").decode("latin-1")


def verdict_of_failure(failure: Any) -> Outcome:
    """What no answer means for a URL. `failure`: Twisted's, with its request."""
    return why_none(failure.value, failure.request)


def page_of(response: Response) -> StoredPage:
    """The page, as it is kept, with what may be done with it."""
    return StoredPage(
        normalise(response.url), response.body, content_type(response), datetime.now(UTC), headers_on_use(response)
    )


def headers_on_use(response: Response) -> dict[str, list[str]]:
    """What the answer and the host's tdmrep.json say may be done with the page."""
    found = {name: [value.decode("latin-1") for value in response.headers.getlist(name)] for name in HEADERS}
    of_host = response.request.meta.get(TDM_FILE) if response.request else None
    found[TDM_FILE] = [of_host] if of_host else []
    return {name: values for name, values in found.items() if values}


def state_headers(response: Response) -> dict[str, str]:
    """What an answer says of a list's state and of where it goes on, by lower-case name."""
    said = {name: response.headers.get(name) for name in STATE_HEADERS}
    return {name: value.decode("latin-1") for name, value in said.items() if value}


def was_rendered(response: Response) -> bool:
    """Whether the answer came out of a browser."""
    return response.request is not None and RENDER in response.request.meta


def answer_of(response: Response) -> Answered:
    """What a run is told of an answer."""
    rendered, refusal = was_rendered(response), asked_to_wait(response)
    return Answered(response.status, page_of(response), state_headers(response), rendered, refusal)


def no_answer_of(failure: Any) -> Unanswered:
    """What a run is told where no answer came. `failure`: Twisted's, with its request."""
    outcome, url = verdict_of_failure(failure), failure.request.url
    match failure.value:
        case RunEnding():
            return Unanswered(outcome, url, "run ending")
        case HostClosed(seconds=seconds):
            return Unanswered(outcome, url, "host closed", seconds)
        case RobotsUnreachable():
            return Unanswered(outcome, url, "robots unreachable", KEPT_SHORT)
    return Unanswered(outcome, url)


def no_request(error: ValueError, url: str) -> Unanswered:
    """What a run is told of a URL that no request can be made of."""
    return Unanswered(Outcome("fail", f"invalid URL: {error}"), url)


def surprise(error: Exception, url: str) -> Unanswered:
    """What a run is told of an answer that could not be handled."""
    return Unanswered(Outcome("again", f"unexpected {type(error).__name__}: {error}"[:100]), url, "surprise")
