"""The fetches of a run, and their results.

run.next() ─▶ Fetch ─▶ (the network) ─▶ Answered | Unanswered ─▶ run.settle(fetch, …) ─▶ Fetches that follow from it
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from crawler.discovery.article_pages import ArticlePages
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
    """A fetch of the task's example."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ListFetch(Fetch):
    """A fetch of a list: a page, feed, sitemap or robots.txt.

    `walk`: the number of the run's walk that asks for it. `tries`: requests for it that failed before.
    """

    page: ListPage
    walk: int = 0
    tries: int = 0


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ArticleFetch(Fetch):
    """A fetch of a page of an article: the first one, or with `pages` (those fetched so far) a further one."""

    leased: Leased
    pages: ArticlePages | None = None


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PictureFetch(ArticleFetch):
    """A fetch of a picture that the task keeps."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A response. `page.url`: after redirects; `headers`: those that lists need, by lower-case name.

    `refusal`: set if the response concerns the host, not the page: too many requests were sent.
    """

    status: int
    page: StoredPage
    headers: Mapping[str, str] = field(default_factory=dict)
    rendered: bool = False
    refusal: HostProblem | None = None


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A request without a response. `url`: of the request that failed, perhaps after redirects.

    `rest`: seconds to wait.

    `cause`: set if the URL is not at fault: the request was never sent, or its response could not be handled.
    """

    outcome: Outcome
    url: str
    cause: Cause = ""
    rest: float = 0.0
