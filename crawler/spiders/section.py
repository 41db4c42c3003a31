"""The spider of a task's run. It makes Scrapy's requests of the run's fetches; `SectionRun` decides.

    run.next() ─▶ Fetch ─▶ Request ─▶ answer_of | no_answer_of ─▶ run.settle(fetch, …)

`exemplar crawl TASK` and `scrapy crawl section -a task=TASK` run it alike.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import Any

import redis
from scrapy import Request, signals
from scrapy.exceptions import DontCloseSpider
from scrapy.http import Response
from twisted.internet.task import LoopingCall

from crawler.fetching.answers import answer_of, no_answer_of, no_request, surprise
from crawler.fetching.context import RENDER, Arguments, FetchContext, GatedSpider, Result, context_from
from crawler.fetching.errors import RunEnding
from crawler.fetching.spider_process import hide_start_errors, quiet_scrapy
from crawler.guarding.gate import CONTACT_MISSING
from crawler.guarding.guard import host_and_port
from crawler.politeness.addresses import AddressBook
from crawler.politeness.pace import Pace
from crawler.rendering.handler import rendering_settings
from crawler.run.fetches import Answered, Fetch, Unanswered
from crawler.run.run_report import RunOptions, RunReport
from crawler.run.section_run import SectionRun
from crawler.session import Session, identity_of, open_session
from crawler.task_list.models import Task
from workers.connection import reason
from workers.errors import ExemplarError
from workers.usage_rights import TDM

REQUESTS_BESIDES = 16  # at once besides the articles: lists, robots.txt

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
            hide_start_errors(crawler)
            raise

    @classmethod
    def _begin(cls, crawler: Any, task: str = "", tasks: str = "", **kwargs: Any) -> "SectionSpider":
        resources = ExitStack()
        with resources:
            session = resources.enter_context(open_session(Path(tasks) if tasks else None, purpose="crawl", task=task))
            if not task:
                raise ExemplarError("no task is named; use -a task=NAME")
            run = SectionRun(session.connection, session.tasks[task], _options(kwargs))
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
        """What to fetch first."""
        for request in self._requests(self._next()):
            yield request

    def _next(self) -> list[Fetch]:
        with suppress(RunEnding):
            return [] if self.is_ending() else self.guarded_call(self.run.next)
        return []

    def _requests(self, fetches: Iterable[Fetch]) -> Iterator[Request]:
        """Scrapy's requests for fetches. An invalid URL is settled at once."""
        for fetch in fetches:
            try:
                request = self._request(fetch)
            except ValueError as error:  # for example http://host:99999/
                yield from self._requests(self._settle(fetch, partial(no_request, error, fetch.url)))
            else:
                yield request

    def _request(self, fetch: Fetch) -> Request:
        return Request(
            fetch.url,
            callback=self._on_response,
            errback=self._on_failure,
            headers={**self.headers, **fetch.headers},
            dont_filter=True,
            cb_kwargs={"fetch": fetch},
            meta={RENDER: True} if fetch.render else None,
        )

    def _on_response(self, response: Response, fetch: Fetch) -> AsyncIterator[Request]:
        return self._settle_and_continue(fetch, partial(answer_of, response))

    def _on_failure(self, failure: Any) -> AsyncIterator[Request]:
        return self._settle_and_continue(failure.request.cb_kwargs["fetch"], partial(no_answer_of, failure))

    async def _settle_and_continue(
        self, fetch: Fetch, answer: Callable[[], Answered | Unanswered]
    ) -> AsyncIterator[Request]:
        """Settle a fetch, and fetch what follows from it, or else what is next."""
        further = self._settle(fetch, answer)
        if wait := max((following.after for following in further), default=0.0):
            await self.context.pause(wait)
            further = [] if self.is_ending() else further
        for request in self._requests(further or self._next()):
            yield request

    def _settle(self, fetch: Fetch, answer: Callable[[], Answered | Unanswered]) -> list[Fetch]:
        """Settle a fetch. A page whose handling raises an error counts an attempt: it is neither lost nor endless."""
        further: list[Fetch] = []
        try:
            further = self.guarded_call(self.run.settle, fetch, answer())
        except RunEnding:
            pass
        except Exception as error:
            log.exception("task %s: %s", self.run.task.name, fetch.url)
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
            self._schedule()  # another spider of the task may have found more

    def _idle(self) -> None:
        """Nothing is in flight: fetch what is left, wait for what is due soon, or end."""
        if self._schedule():
            raise DontCloseSpider
        with suppress(RunEnding):
            if not self.is_ending() and (wait := self.guarded_call(self.run.pause)) is not None:
                asyncio.get_event_loop().call_later(wait + 0.05, self._schedule)
                raise DontCloseSpider

    def _schedule(self) -> bool:
        """Fetch more from outside a callback; harmless when the spider is closed already."""
        requests = list(self._requests(self._next()))
        for request in requests:
            self.crawler.engine.crawl(request)
        return bool(requests)

    def closed(self, why: str) -> None:
        """Called by Scrapy at the end, whatever the cause."""
        self._is_closed = True
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
        """End the run and report the first cause; a loss of Redis also later, as the report is not stored then."""
        if self.outcome != "finished" and outcome != "redis":
            return
        self.outcome = outcome
        self.run.report.problem(problem)
        log.error("task %s: %s", self.run.task.name, problem)
        if not self._is_closed:
            self._closing = asyncio.ensure_future(self.crawler.engine.close_spider_async(reason=outcome))

    def end_without_browser(self, reason: str) -> None:
        """End the run, because pages must be rendered and there is no browser: they wait, and no attempt is counted."""
        self._stop("no browser", f"pages of this task need JavaScript (render: {self.run.task.render}), but {reason}")

    def remark(self, text: str) -> None:
        """Add a remark to the run's report: worth knowing, but not a problem."""
        self.run.report.remarks.append(text)

    def is_ending(self) -> bool:
        """Whether nothing more is to be fetched in this run."""
        return self.outcome != "finished" or not self.crawler.engine.running

    def guarded_call(
        self, step: Callable[Arguments, Result], /, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> Result:
        """Call a function that needs Redis, for the run or a gate. Raises `RunEnding` if Redis is unavailable.

        Then the run ends; what is in flight is leased and is fetched again. Nothing is called after that.
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
    """Apply the task's options as Scrapy's settings. Those of Scrapy's command line stay."""
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
