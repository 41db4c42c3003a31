"""What a run asks for, and what it is told of it.

run.next() ─▶ Fetch ─▶ (the network) ─▶ Answered | Unanswered ─▶ run.settle(fetch, …) ─▶ Fetches that follow from it
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from crawler.discovery.article_pages import Parts
from crawler.discovery.listings import ListPage
from crawler.politeness.pace import HostProblem
from crawler.run.outcomes import Cause, Outcome
from workers.inbox import StoredPage
from workers.url_states import Leased


@dataclass(frozen=True, slots=True, eq=False)
class Fetch:
    """One request of a run; two are never equal. `after`: seconds to wait before it is sent."""

    url: str
    render: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)
    after: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class ExampleFetch(Fetch):
    """The task's example."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ListFetch(Fetch):
    """A list: a page, feed, sitemap or robots.txt. `tries`: requests for it that failed before."""

    page: ListPage
    tries: int = 0


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ArticleFetch(Fetch):
    """An article's first page; with `parts`, the pages that came so far, a further one."""

    leased: Leased
    parts: Parts | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer. `page.url` is where redirects led; `headers` tell of a list's state, by lower-case name.

    `refusal`: set if the host says nothing of the page, only that it is asked too much.
    """

    status: int
    page: StoredPage
    headers: Mapping[str, str] = field(default_factory=dict)
    rendered: bool = False
    refusal: HostProblem | None = None


@dataclass(frozen=True, slots=True)
class Unanswered:
    """No answer came. `url`: of the request that failed, to which redirects may have led. `rest`: seconds to wait.

    `cause` is set where the URL is not at fault: the request was never sent, or its answer could not be handled.
    """

    outcome: Outcome
    url: str
    cause: Cause = ""
    rest: float = 0.0
