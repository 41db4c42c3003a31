"""The context of a crawl's gates: one `FetchContext`, created by the starter of the spider and passed to it.

Scrapy builds middlewares and handlers by `from_crawler`; they get the context by `context_of`, in this module only.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, ParamSpec, Protocol, Self, TypeVar

import redis
import scrapy
from scrapy.settings import BaseSettings

from crawler.gates.settings_in_force import ProcessSettings, put_in_force
from crawler.guarding.credentials import Credentials, credentials_of, proxy_of
from crawler.guarding.guard import Guard, guard_from
from crawler.politeness.pace import AddressBook, Pace, host_of
from crawler.task_list.identity import contact_of
from crawler.task_list.models import Settings, Task

# Keys of a request's meta
PERMIT = "permit"  # a `crawler.gates.pace_gate.GrantedPermit`
PROXY = "proxy_at"  # host and port of the proxy that the request goes through
RENDER = "render"  # whether the page is loaded in a browser
WITHOUT_ROBOTS = "dont_obey_robotstxt"  # the request is for a host's own file

NAP = 0.25  # seconds between two checks for the end of the run, during a pause

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class GuardedCall(Protocol):
    """Calls a function that needs Redis. Raises `RunEnding` if Redis is unavailable."""

    def __call__(
        self, step: Callable[Arguments, Result], /, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Result:
        """Return what `step` returns."""


def unguarded_call(step: Callable[Arguments, Result], /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
    """Call the function directly, for a crawl without Redis."""
    return step(*args, **kwargs)


@dataclass(frozen=True, kw_only=True)
class FetchContext:
    """The values that the gates of one crawl need.

    `contact`: that of the operator, for site owners; "" for none. `proxy`: URL, variables expanded, "" for none.
    `connection` and `pace`: None if the process crawls alone; then Scrapy keeps the interval. `interval`: seconds
    between two requests to a host. `addresses`: set if hosts on one IP address share one pace. `tdm`: tdmrep.json is
    read. `on_browser_missing` is called with a message. `clock`: seconds from any origin; `sleep`:
    seconds. `browsers`: the browsers of the process, by what distinguishes them; `keeps_browsers`: other runs follow.
    """

    guard: Guard = field(default_factory=Guard)
    contact: str = ""
    credentials: Credentials | None = None
    proxy: str = field(default="", repr=False)
    connection: "redis.Redis | None" = field(default=None, repr=False)
    pace: Pace | None = None
    interval: float = 0.0
    addresses: AddressBook | None = None
    tdm: bool = False
    guarded_call: GuardedCall = unguarded_call
    is_ending: Callable[[], bool] = lambda: False
    on_browser_missing: Callable[[str], None] = lambda reason: None
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    browsers: dict[Any, Any] = field(default_factory=dict, repr=False)
    keeps_browsers: bool = False

    async def pause(self, seconds: float) -> None:
        """Wait; return early if the run ends."""
        end = self.clock() + seconds
        while (left := end - self.clock()) > 0 and not self.is_ending():
            await self.sleep(min(left, NAP))

    async def limiter_of(self, url: str) -> str:
        """The name under which the pace of a URL's host is kept: the host, or its IP address with `per_address`."""
        return host_of(url) if self.addresses is None else await self.addresses.limiter_of(url)


class GatedSpider(scrapy.Spider):
    """A spider whose requests pass the gates."""

    def __init__(self, context: FetchContext, **kwargs: Any):
        super().__init__(**kwargs)
        self.context = context

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Complete a person's settings; called by Scrapy. Raises `ExemplarError` for one that is refused."""
        if not isinstance(settings, ProcessSettings):
            put_in_force(settings)
        super().update_settings(settings)


def context_from(settings: Settings, task: Task | None = None, **more: Any) -> FetchContext:
    """Return the context for the settings of a task list and a task; `more`: further fields.

    Raises `AllowListError`, and `TaskError` for variables of the task that are not set.
    """
    if task is not None:
        more |= {"credentials": credentials_of(task), "proxy": proxy_of(task)}
    return FetchContext(guard=guard_from(settings.allow_hosts), contact=contact_of(settings), **more)


def context_of(crawler: Any) -> FetchContext:
    """Return the context of a crawl; for a spider without one, such as that of `scrapy shell`, by the environment."""
    if isinstance(crawler.spider, GatedSpider):
        return crawler.spider.context
    return context_from(Settings())


class Gate:
    """A downloader middleware that needs the context; `NotConfigured` if it has nothing to do."""

    def __init__(self, crawler: Any):
        self.crawler, self.context = crawler, context_of(crawler)

    @classmethod
    def from_crawler(cls, crawler: Any) -> Self:
        """Scrapy's constructor."""
        return cls(crawler)


def contexts_of_process(process: Any) -> list[FetchContext]:
    """Return the contexts of all crawls in a process; if there is none, that of the environment."""
    contexts = [context_of(crawler) for crawler in process.crawlers if crawler.spider is not None]
    return contexts or [context_from(Settings())]
