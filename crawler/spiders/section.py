"""The one spider: a section's new pages. It makes Scrapy's requests of the run's fetches; `SectionRun` decides.

    run.next() ─▶ Fetch ─▶ Request ─▶ answer_of | no_answer_of ─▶ run.settle(fetch, …)

`exemplar crawl TASK` and `scrapy crawl section -a task=TASK` run it alike.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import redis
import scrapy
from scrapy import Request, signals
from scrapy.exceptions import DontCloseSpider
from scrapy.http import Response
from twisted.internet.task import LoopingCall

from crawler.fetching.answers import answer_of, no_answer_of, no_request, surprise
from crawler.fetching.middlewares import CONTACT_MISSING, RunEnding, sleep
from crawler.fetching.spider_process import quiet_scrapy, say_no_more
from crawler.guarding.credentials import Credentials, credentials_of, proxy_of
from crawler.guarding.guard import place_of
from crawler.guarding.resolver import use_guard
from crawler.rendering.handler import RENDER, rendering_settings
from crawler.run.fetches import Answered, Fetch, Unanswered
from crawler.run.run_report import RunOptions, RunReport
from crawler.run.section_run import SectionRun
from crawler.session import Session, contact_of, identity_of, open_session
from crawler.task_list.models import Task
from workers.connection import reason
from workers.errors import ExemplarError
from workers.usage_rights import TDM

REQUESTS_BESIDES = 16  # lists, robots.txt: what Scrapy lets through at once besides the articles

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

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
        self._beat: LoopingCall | None = None
        self._closing: asyncio.Future[None] | None = None
        self._is_closed = False

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

    # -- fetches ----------------------------------------------------------------------------------------------------

    async def start(self) -> AsyncIterator[Request]:
        """What to fetch first."""
        for request in self._requests(self._next()):
            yield request

    def _next(self) -> list[Fetch]:
        with suppress(RunEnding):
            return [] if self.is_ending() else self.asked(self.run.next)
        return []

    def _requests(self, fetches: Iterable[Fetch]) -> Iterator[Request]:
        """Scrapy's requests for fetches. An invalid URL is settled at once."""
        for fetch in fetches:
            try:
                request = self._request(fetch)
            except ValueError as error:  # a link may say anything: http://host:99999/
                yield from self._requests(self._settled(fetch, partial(no_request, error, fetch.url)))
            else:
                yield request

    def _request(self, fetch: Fetch) -> Request:
        return Request(
            fetch.url,
            callback=self._came,
            errback=self._failed,
            headers={**self.headers, **fetch.headers},
            dont_filter=True,
            cb_kwargs={"fetch": fetch},
            meta={RENDER: True} if fetch.render else None,
        )

    def _came(self, response: Response, fetch: Fetch) -> AsyncIterator[Request]:
        return self._go_on(fetch, partial(answer_of, response))

    def _failed(self, failure: Any) -> AsyncIterator[Request]:
        return self._go_on(failure.request.cb_kwargs["fetch"], partial(no_answer_of, failure))

    async def _go_on(self, fetch: Fetch, answer: Callable[[], Answered | Unanswered]) -> AsyncIterator[Request]:
        """Settle a fetch, and fetch what follows from it, or else what comes next."""
        further = self._settled(fetch, answer)
        if wait := max((each.after for each in further), default=0.0):
            await sleep(wait, self.is_ending)
            further = [] if self.is_ending() else further
        for request in self._requests(further or self._next()):
            yield request

    def _settled(self, fetch: Fetch, answer: Callable[[], Answered | Unanswered]) -> list[Fetch]:
        """Tell the run what came. A page that we can't handle is neither lost nor tried for ever."""
        further: list[Fetch] = []
        try:
            further = self.asked(self.run.settle, fetch, answer())
        except RunEnding:
            pass
        except Exception as error:
            log.exception("task %s: %s", self.run.task.name, fetch.url)
            with suppress(RunEnding):
                self.asked(self.run.settle, fetch, surprise(error, fetch.url))
        if self.run.unreachable:
            self._stop("unreachable", self.run.unreachable)
        return further

    # -- life -------------------------------------------------------------------------------------------------------

    def _opened(self) -> None:
        self._beat = LoopingCall(self._beat_once)
        self._beat.start(1.0, now=False)

    def _beat_once(self) -> None:
        with suppress(RunEnding):
            self.asked(self.run.beat)
        if not self.run.in_flight:
            self._schedule()  # another spider of the task may have found more

    def _idle(self) -> None:
        """Nothing is in flight: fetch what is left, wait for what is to be tried again soon, or end."""
        if self._schedule():
            raise DontCloseSpider
        with suppress(RunEnding):
            if not self.is_ending() and (wait := self.asked(self.run.pause)) is not None:
                asyncio.get_event_loop().call_later(wait + 0.05, self._schedule)
                raise DontCloseSpider

    def _schedule(self) -> bool:
        """Fetch more from outside a callback; harmless when the spider is closed already."""
        requests = list(self._requests(self._next()))
        for request in requests:
            self.crawler.engine.crawl(request)
        return bool(requests)

    def closed(self, why: str) -> None:
        """Scrapy's word for the end, by whatever cause."""
        self._is_closed = True
        if self._beat is not None and self._beat.running:
            self._beat.stop()
        if self.outcome == "finished" and why != "finished":
            self.outcome = "stopped"
        self.report = self.run.report
        try:
            with suppress(RunEnding):
                self.asked(self.run.end, self.outcome)
        finally:
            self.report.outcome = self.outcome
            self.resources.close()

    def _stop(self, outcome: str, trouble: str) -> None:
        """End the run. The first cause is told, and Redis' absence, which keeps the report from being stored."""
        if self.outcome != "finished" and outcome != "redis":
            return
        self.outcome = outcome
        self.run.report.problem(trouble)
        log.error("task %s: %s", self.run.task.name, trouble)
        if not self._is_closed:
            self._closing = asyncio.ensure_future(self.crawler.engine.close_spider_async(reason=outcome))

    def without_browser(self, trouble: str) -> None:
        """Pages are to be rendered and there is no browser: they wait, and the tries are not counted."""
        self._stop("no browser", f"pages of this task need JavaScript (render: {self.run.task.render}), but {trouble}")

    def remark(self, text: str) -> None:
        """Note in the run's report what is worth knowing, though nothing is wrong."""
        self.run.report.remarks.append(text)

    def is_ending(self) -> bool:
        """Whether nothing more is to be fetched in this run."""
        return self.outcome != "finished" or not self.crawler.engine.running

    def asked(self, step: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        """Take a step that needs Redis, for the run or for a gate. Raises `RunEnding` if Redis is away.

        Then the run ends; what is in flight is leased and comes again. No step is taken after that.
        """
        if self.outcome != "redis":
            try:
                return step(*args, **kwargs)
            except redis.RedisError as error:
                self._stop("redis", f"Redis is away: {reason(error)}")
        raise RunEnding("Redis is away")


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
