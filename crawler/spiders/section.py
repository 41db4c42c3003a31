"""The one spider: a section's new pages. It speaks Scrapy; what to fetch and what came of it, `SectionRun` decides.

    example.py  lists.py  articles.py    requests, and what is told of their answers

`exemplar crawl TASK` and `scrapy crawl section -a task=TASK` run it alike.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, TypeVar

import redis
import scrapy
from scrapy import Request, signals
from scrapy.exceptions import DontCloseSpider
from scrapy.http import Response
from twisted.internet.task import LoopingCall

from crawler.fetching.answers import was_rendered
from crawler.fetching.middlewares import CONTACT_MISSING, HostClosed
from crawler.fetching.spider_process import quiet_scrapy, say_no_more
from crawler.guarding.credentials import Credentials, credentials_of, proxy_of
from crawler.guarding.guard import place_of
from crawler.guarding.resolver import use_guard
from crawler.politeness.pace import host_of
from crawler.rendering.handler import RENDER, rendering_settings
from crawler.run.run_report import RunOptions, RunReport
from crawler.run.section_run import SectionRun
from crawler.session import Session, contact_of, identity_of, open_session
from crawler.spiders.articles import ArticleRequests
from crawler.spiders.example import ExampleRequest
from crawler.spiders.lists import ListRequests
from crawler.task_list.models import Task
from workers.connection import reason
from workers.errors import ExemplarError
from workers.usage_rights import TDM

REQUESTS_BESIDES = 16  # lists, robots.txt: what Scrapy lets through at once besides the articles

Answer = TypeVar("Answer")

log = logging.getLogger(__name__)


class SectionSpider(scrapy.Spider):
    """Finds and fetches the new pages of one task."""

    name = "section"
    report: RunReport | None = None
    credentials: Credentials | None = None  # for `CredentialsMiddleware`
    proxy = ""  # for `ProxyMiddleware`

    def __init__(self, session: Session, resources: ExitStack, run: SectionRun, headers: dict[str, str], **kwargs: Any):
        super().__init__(**kwargs)
        self.session, self.resources, self.run, self.headers = session, resources, run, headers
        self.connection = session.connection
        self.outcome = "finished"
        self.trouble = ""
        self.example, self.lists, self.articles = ExampleRequest(self), ListRequests(self), ArticleRequests(self)
        self._beat: LoopingCall | None = None
        self._closing: asyncio.Future[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Any, *args: Any, **kwargs: Any) -> "SectionSpider":
        """Open the session and begin the run. Arguments: task, limit, all, since, until, backfill, tasks (the file).

        A mistake ends as one line in the log, and the process with its exit code.
        """
        quiet_scrapy()
        try:
            return cls._begin(crawler, **kwargs)
        except (ExemplarError, ValueError, redis.RedisError) as error:
            crawler.settings.set("EXEMPLAR_ERROR", error, priority="cmdline")
            log.critical("%s", error)
            say_no_more(crawler)
            raise

    @classmethod
    def _begin(cls, crawler: Any, task: str = "", tasks: str = "", **kwargs: Any) -> "SectionSpider":
        resources = ExitStack()
        with resources:
            session = resources.enter_context(open_session(Path(tasks) if tasks else None, purpose="crawl", task=task))
            if not task:
                raise ExemplarError("no task is named; say -a task=NAME")
            run = SectionRun(session.connection, session.tasks[task], _options(kwargs))
            credentials, proxy = credentials_of(run.task), proxy_of(run.task)
            _refuse_without_contact(session, run.task)
            _apply(crawler.settings, session, run)
            use_guard(session.guard)
            run.begin()
            spider = cls(session, resources.pop_all(), run, dict(credentials.open))
        spider.credentials, spider.proxy = credentials, proxy
        spider._set_crawler(crawler)
        crawler.signals.connect(spider._idle, signal=signals.spider_idle)
        crawler.signals.connect(spider._opened, signal=signals.spider_opened)
        return spider

    # -- requests ---------------------------------------------------------------------------------------------------

    async def start(self) -> AsyncIterator[Request]:
        """The example first, if it is not kept yet; then lists and articles in turn."""
        for request in [self.example.request()] if self.asked(self.run.needs_example) else self.more():
            yield request

    def more(self) -> Iterator[Request]:
        """What to fetch next: a few list pages and some articles are in flight at any time."""
        yield from self.lists.more()
        yield from self.articles.more()

    def request(self, url: str, callback: Any, errback: Any, *, render: bool | None = False, **kwargs: Any) -> Request:
        """A request as the task asks. `kwargs` are for the callback. Raises `ValueError` if it is no URL."""
        return Request(
            url,
            callback=callback,
            errback=errback,
            headers=self.headers,
            dont_filter=True,
            cb_kwargs=kwargs,
            meta={RENDER: True} if render else None,
        )

    def count_rendered(self, response: Response) -> None:
        """Note in the report if an answer came out of a browser."""
        if was_rendered(response):
            self.run.report.rendered += 1

    # -- life -------------------------------------------------------------------------------------------------------

    def _opened(self) -> None:
        self._beat = LoopingCall(self._beat_once)
        self._beat.start(1.0, now=False)

    def _beat_once(self) -> None:
        self.asked(self.run.beat)
        if not (self.articles.in_flight or self.lists.in_flight or self.example.is_in_flight):
            self._schedule()  # another spider of the task may have found more

    def _idle(self) -> None:
        """Nothing is in flight: fetch what is left, wait for what is to be tried again soon, or end."""
        if self._schedule():
            raise DontCloseSpider
        wait = None if self.is_ending() else self.asked(self.run.pause)
        if wait is not None:
            asyncio.get_event_loop().call_later(wait + 0.05, self._schedule)
            raise DontCloseSpider

    def _schedule(self) -> bool:
        """Fetch more from outside a callback; harmless when the spider is closed already."""
        requests = list(self.more())
        for request in requests:
            self.crawler.engine.crawl(request)
        return bool(requests)

    def closed(self, why: str) -> None:
        """Scrapy's word for the end, by whatever cause."""
        if self._beat is not None and self._beat.running:
            self._beat.stop()
        outcome = self.outcome if why == "finished" or self.outcome != "finished" else "stopped"
        if self.trouble:
            self.run.report.problem(self.trouble)
        self.report = self.run.report
        try:
            if outcome != "redis":
                self.run.end(outcome)
        except redis.RedisError as error:
            outcome = "redis"
            self.run.report.problem(f"Redis is away: {reason(error)}")
        finally:
            self.report.outcome = outcome
            self.resources.close()

    def _stop(self, outcome: str, trouble: str) -> None:
        if self.outcome != "finished":
            return
        self.outcome, self.trouble = outcome, trouble
        log.error("task %s: %s", self.run.task.name, trouble)
        if self.crawler.engine is not None:
            self._closing = asyncio.ensure_future(self.crawler.engine.close_spider_async(reason=outcome))

    def end_if_closed(self, failure: Any) -> bool:
        """End the run if it is the task's own host that may not be asked for long; says whether it is."""
        own = host_of(failure.request.url) == host_of(self.run.task.example)
        if not (own and failure.check(HostClosed)):
            return False
        where = place_of(failure.request.url)[0]
        self._stop("unreachable", f"{where} is not asked now: {failure.value}; the rest waits for the next run")
        return True

    def without_browser(self, trouble: str) -> None:
        """Pages are to be rendered and there is no browser: they wait, and the tries are not counted."""
        self._stop("no browser", f"pages of this task need JavaScript (render: {self.run.task.render}), but {trouble}")

    def remark(self, text: str) -> None:
        """Note in the run's report what is worth knowing, though nothing is wrong."""
        self.run.report.remarks.append(text)

    def is_ending(self) -> bool:
        """Whether nothing more is to be fetched in this run."""
        return self.outcome != "finished" or not self.crawler.engine.running

    def asked(self, step: "Callable[..., Answer]", *args: Any, **kwargs: Any) -> "Answer | None":
        """Call a step of the run; without Redis the run ends, and what is in flight is leased and comes again."""
        if self.outcome == "redis":
            return None
        try:
            return step(*args, **kwargs)
        except redis.RedisError as error:
            self._stop("redis", f"Redis is away: {reason(error)}")
            return None


def _refuse_without_contact(session: Session, task: Task) -> None:
    """Raise `ExemplarError` if the task has public hosts and nobody there could reach us."""
    urls = [task.example, *task.start_urls(datetime.now(UTC).date())]
    if not contact_of(session.settings) and not all(session.guard.lists(*place_of(url)) for url in urls):
        raise ExemplarError(f"task {task.name}: {CONTACT_MISSING}")


def _options(arguments: dict[str, str]) -> RunOptions:
    limit, since, until = (arguments.get(name) for name in ("limit", "since", "until"))
    return RunOptions(
        limit=int(limit) if limit else None,
        all=str(arguments.get("all", "")).lower() in ("1", "true", "yes"),
        since=date.fromisoformat(since) if since else None,
        until=date.fromisoformat(until) if until else None,
        backfill=bool(arguments.get("backfill")),
    )


def _apply(settings: Any, session: Session, run: SectionRun) -> None:
    """What the task says, as Scrapy's settings. What was given on Scrapy's command line stays."""
    said = {
        **identity_of(session.settings),
        "ROBOTSTXT_OBEY": run.task.robots,
        "DOWNLOAD_TIMEOUT": run.task.timeout,
        "EXEMPLAR_DELAY": run.task.delay,
        "EXEMPLAR_PER_ADDRESS": session.settings.per_address,
        "EXEMPLAR_TDM": TDM in run.task.skip,
        "CONCURRENT_REQUESTS": REQUESTS_BESIDES + run.task.concurrency,
        "CONCURRENT_REQUESTS_PER_DOMAIN": REQUESTS_BESIDES + run.task.concurrency,
    }
    if run.task.render and run.rendering.on is not False:
        said |= rendering_settings(settings)
    for name, value in said.items():
        settings.set(name, value, priority="spider")
