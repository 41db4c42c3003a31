"""The spider of a task's run. It turns the run's fetches into Scrapy's requests; `SectionRun` decides.

    run.next() ─▶ Fetch ─▶ Request ─▶ the gates and the network ─▶ answer_of | no_answer_of ─▶ run.settle(fetch, …)

`exemplar crawl TASK` and `scrapy crawl section -a task=TASK` run it alike.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import redis
from scrapy import Request, signals
from scrapy.exceptions import DontCloseSpider
from scrapy.http import Response
from twisted.internet.task import LoopingCall

from crawler.fetching.answers import answer_of, list_answer_of, no_answer_of, no_request, surprise
from crawler.fetching.context import HOPS, RENDER, Arguments, FetchContext, GatedSpider, Result, context_from
from crawler.fetching.errors import RunEnding
from crawler.fetching.gated_downloads import GatedDownloads
from crawler.fetching.spider_process import hide_start_errors, quiet_scrapy
from crawler.guarding.gate import CONTACT_MISSING
from crawler.guarding.guard import host_and_port
from crawler.politeness.addresses import AddressBook
from crawler.politeness.pace import Pace
from crawler.rendering.handler import rendering_settings
from crawler.run.fetches import Answered, ArticleFetch, Fetch, ListFetch, Unanswered
from crawler.run.run_report import RunOptions, RunReport
from crawler.run.section_run import SectionRun
from crawler.session import Session, identity_of, open_session
from crawler.task_list.models import Task
from workers.errors import ExemplarError
from workers.log_ids import set_process_ids
from workers.redis_access.connection import reason
from workers.redis_access.full_redis import WaitingRedis
from workers.usage_rights import TDM

REQUESTS_BESIDES = 16  # simultaneous requests besides those for articles: lists, robots.txt

log = logging.getLogger(__name__)


class SectionSpider(GatedSpider):
    """Finds and fetches the new pages of one task."""

    name = "section"
    report: RunReport | None = None

    def __init__(self, context: FetchContext, resources: ExitStack, run: SectionRun, **kwargs: Any):
        context = replace(
            context,
            guarded_call=self.guarded_call,
            is_ending=self.is_ending,
            remark=self.remark,
            on_browser_missing=self.end_without_browser,
        )
        super().__init__(context, **kwargs)
        self.resources, self.run = resources, run
        self.headers = dict(context.credentials.open) if context.credentials else {}
        self.outcome = "finished"
        self._beat: LoopingCall | None = None
        self._tasks: set[asyncio.Future[None]] = set()  # one for each fetch in flight
        self._waiting: asyncio.TimerHandle | None = None
        self._closing: asyncio.Future[None] | None = None
        self._is_over = self._is_closed = False

    @classmethod
    def from_crawler(cls, crawler: Any, *args: Any, **kwargs: Any) -> "SectionSpider":
        """Open the session and begin the run. Arguments: task, limit, all, since, until, backfill, tasks (the file).

        A mistake is logged as one line, and the process ends with its exit code.
        """
        quiet_scrapy()
        try:
            return cls._begin(crawler, **kwargs)
        except (ExemplarError, ValueError, redis.RedisError) as error:
            crawler.settings.set("EXEMPLAR_ERROR", error, priority="cmdline")
            log.critical("%s", error)
            hide_start_errors(crawler)
            raise

    @classmethod
    def _begin(cls, crawler: Any, task: str = "", tasks: str = "", **kwargs: Any) -> "SectionSpider":
        resources = ExitStack()
        with resources:
            session = resources.enter_context(open_session(Path(tasks) if tasks else None, purpose="crawl", task=task))
            if not task:
                raise ExemplarError("no task given; use -a task=NAME")
            session = replace(session, connection=(connection := WaitingRedis.of(session.connection)))
            marks = session.settings.pressure.marks
            run = SectionRun(connection, session.tasks[task], _options(kwargs), marks=marks)
            connection.on_wait = run.beat_while_full
            set_process_ids(task=run.task.name, run=run.report.id)
            context = _context(session, run.task)
            _refuse_without_contact(context, run.task)
            _apply(crawler.settings, session, run)
            run.begin()
            spider = cls(context, resources.pop_all(), run)
        spider._set_crawler(crawler)
        crawler.signals.connect(spider._idle, signal=signals.spider_idle)
        crawler.signals.connect(spider._opened, signal=signals.spider_opened)
        return spider

    # -- fetches ----------------------------------------------------------------------------------------------------

    async def start(self) -> AsyncIterator[Request]:
        """Start the first fetches. Scrapy gets no requests from this method, since `_follow` sends them."""
        self._send(self._next())
        none: tuple[Request, ...] = ()
        for request in none:
            yield request

    def _next(self) -> list[Fetch]:
        with suppress(RunEnding):
            return [] if self.is_ending() else self.guarded_call(self.run.next)
        return []

    def _send(self, fetches: Iterable[Fetch]) -> None:
        for fetch in fetches:
            task = asyncio.ensure_future(self._follow(fetch))
            self._tasks.add(task)
            task.add_done_callback(self._ended)

    def _ended(self, task: "asyncio.Future[None]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("task %s: a fetch ended", self.run.task.name, exc_info=error)
        if not self._tasks:
            self._continue_or_close()

    async def _follow(self, fetch: Fetch) -> None:
        """Execute a fetch and the fetches that follow from it. When the last such task ends, the spider ends.

        Callbacks are not used: Scrapy's scheduler and scraper would take a fifth of a page's CPU time.
        """
        fetches = [fetch]
        while fetches:
            self._send(fetches[1:])
            fetches = await self._settle_and_continue(fetches[0], await self._answer_to(fetches[0]))

    async def _answer_to(self, fetch: Fetch) -> Callable[[], Answered | Unanswered]:
        """Send a fetch; return a function that gives its answer."""
        hops: list[Request] = []  # the requests of its redirects
        try:
            request = self._request(fetch, hops)
        except ValueError as error:  # for example http://host:99999/
            return partial(no_request, error, fetch.url)
        if self.is_ending():
            return partial(no_answer_of, RunEnding(), request)
        try:
            response = await self._downloads.response_to(request)
        except Exception as error:
            return partial(no_answer_of, error, hops[-1] if hops else request)
        finally:
            hops.clear()  # the requests refer to the list
        return partial(self._answer_of, fetch, response)

    @cached_property
    def _downloads(self) -> GatedDownloads:
        assert self.crawler.engine is not None, "the spider runs"
        return GatedDownloads(self.crawler.engine.downloader)

    def _request(self, fetch: Fetch, hops: list[Request]) -> Request:
        meta: dict[str, Any] = {HOPS: hops, RENDER: True} if fetch.render else {HOPS: hops}
        return Request(fetch.url, headers={**self.headers, **fetch.headers}, meta=meta)

    def _answer_of(self, fetch: Fetch, response: Response) -> Answered:
        now = self.guarded_call(self.run.settings.now)
        return list_answer_of(response, now) if isinstance(fetch, ListFetch) else answer_of(response, now)

    async def _settle_and_continue(self, fetch: Fetch, answer: Callable[[], Answered | Unanswered]) -> list[Fetch]:
        """Settle a fetch; return the fetches that follow from it, or else the next ones."""
        further = self._settle(fetch, answer)
        if wait := max((following.after for following in further), default=0.0):
            await self.context.pause(wait)
            further = [] if self.is_ending() else further
        return further or self._next()

    def _settle(self, fetch: Fetch, answer: Callable[[], Answered | Unanswered]) -> list[Fetch]:
        """Settle a fetch.

        An error in the handling of a page counts as an attempt, so the page is neither lost nor tried without end.
        """
        further: list[Fetch] = []
        try:
            further = self.guarded_call(self.run.settle, fetch, answer())
        except RunEnding:
            pass
        except Exception as error:
            log.exception("task %s: %s", self.run.task.name, fetch.url, extra=_ids_of(fetch))
            with suppress(RunEnding):
                self.guarded_call(self.run.settle, fetch, surprise(error, fetch.url))
        if self.run.unreachable:
            self._stop("unreachable", self.run.unreachable)
        return further

    # -- life -------------------------------------------------------------------------------------------------------

    def _opened(self) -> None:
        self._beat = LoopingCall(self._beat_once)
        self._beat.start(1.0, now=False)

    def _beat_once(self) -> None:
        with suppress(RunEnding):
            self.guarded_call(self.run.beat)
        if not self.run.in_flight:
            self._send_next()  # another spider of the task may have found more

    def _idle(self) -> None:
        """Keep the spider open while the run continues; called by Scrapy when it is idle."""
        if self._tasks or self._waiting is not None or self._continues():
            raise DontCloseSpider
        self._is_over = True

    def _continues(self) -> bool:
        """Continue when no fetch is in flight: fetch the remaining pages, or wait for those that are due soon.

        Returns whether the run continues.
        """
        if self._send_next():
            return True
        with suppress(RunEnding):
            if not self.is_ending() and (wait := self.guarded_call(self.run.pause)) is not None:
                self._waiting = asyncio.get_running_loop().call_later(wait + 0.05, self._continue_after_wait)
                return True
        return False

    def _continue_after_wait(self) -> None:
        self._waiting = None
        if not self._tasks:
            self._continue_or_close()

    def _continue_or_close(self) -> None:
        if not self.is_ending() and not self._continues():
            self._is_over = True
            self._close("finished")

    def _send_next(self) -> bool:
        """Start further fetches; harmless if the spider is already closed."""
        fetches = self._next()
        self._send(fetches)
        return bool(fetches)

    async def closed(self, why: str) -> None:
        """End the run when the fetches in flight are settled; called by Scrapy at the end, for any cause."""
        self._is_over = self._is_closed = True
        while self._tasks:
            await asyncio.wait(self._tasks)
        if self._beat is not None and self._beat.running:
            self._beat.stop()
        if self.outcome == "finished" and why != "finished":
            self.outcome = "stopped"
        self.report = self.run.report
        try:
            with suppress(RunEnding):
                self.guarded_call(self.run.end, self.outcome)
        finally:
            self.report.outcome = self.outcome
            self.resources.close()

    def _stop(self, outcome: str, problem: str) -> None:
        """End the run and report the first cause; a loss of Redis also later, since the report is then not stored."""
        if self.outcome != "finished" and outcome != "redis":
            return
        self.outcome = outcome
        self.run.report.problem(problem)
        log.error("task %s: %s", self.run.task.name, problem)
        self._close(outcome)

    def _close(self, reason: str) -> None:
        if not self._is_closed:
            self._closing = asyncio.ensure_future(self.crawler.engine.close_spider_async(reason=reason))

    def end_without_browser(self, reason: str) -> None:
        """End the run, because pages must be rendered and there is no browser: they wait, and no attempt is counted."""
        self._stop("no browser", f"pages of this task need JavaScript (render: {self.run.task.render}), but {reason}")

    def remark(self, text: str) -> None:
        """Add a remark to the run's report: a note that is not a problem."""
        self.run.report.remarks.append(text)

    def is_ending(self) -> bool:
        """Whether nothing more is to be fetched in this run."""
        return self._is_over or self.outcome != "finished" or not self.crawler.engine.running

    def guarded_call(
        self, step: Callable[Arguments, Result], /, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Result:
        """Call a function that needs Redis, for the run or a gate. Raises `RunEnding` if Redis is unavailable.

        Then the run ends; pages in flight are leased and will be fetched again. Afterwards no function is called.
        """
        if self.outcome != "redis":
            try:
                return step(*args, **kwargs)
            except redis.RedisError as error:
                self._stop("redis", f"Redis is unavailable: {reason(error)}")
        raise RunEnding("Redis is unavailable")


def _context(session: Session, task: Task) -> FetchContext:
    return context_from(
        session.settings,
        task,
        connection=session.connection,
        pace=Pace(session.connection),
        interval=task.delay,
        addresses=AddressBook() if session.settings.per_address else None,
        tdm=TDM in task.skip,
    )


def _refuse_without_contact(context: FetchContext, task: Task) -> None:
    """Raise `ExemplarError` if the task has public hosts and there is no contact."""
    urls = [task.example, *task.start_urls(datetime.now(UTC).date())]
    if not context.contact and not all(context.guard.lists(*host_and_port(url)) for url in urls):
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
    """Apply the task's options as Scrapy's settings. Those of Scrapy's command line have priority."""
    of_task = {
        **identity_of(session.settings),
        "ROBOTSTXT_OBEY": run.task.robots,
        "DOWNLOAD_TIMEOUT": run.task.timeout,
        "CONCURRENT_REQUESTS": REQUESTS_BESIDES + run.task.concurrency,
        "CONCURRENT_REQUESTS_PER_DOMAIN": REQUESTS_BESIDES + run.task.concurrency,
    }
    if run.task.render and run.rendering.on is not False:
        of_task |= rendering_settings(settings)
    for name, value in of_task.items():
        settings.set(name, value, priority="spider")


def _ids_of(fetch: Fetch) -> dict[str, str]:
    return {"page": fetch.leased.fingerprint} if isinstance(fetch, ArticleFetch) else {}
