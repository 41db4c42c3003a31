"""The spider of a task's run. It turns the run's fetches into Scrapy's requests; `SectionRun` decides.

    run.next() ─▶ Fetch ─▶ Request ─▶ Scrapy's engine ─▶ callback | errback ─▶ run.settle(fetch, answer) ─▶ Fetch …

`exemplar crawl TASK` and `scrapy crawl section -a task=TASK` run it alike.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import redis
from scrapy import Request, signals
from scrapy.exceptions import DontCloseSpider
from scrapy.http import Response

from crawler.fetching.answers import answer_of, no_answer_of, no_request, surprise
from crawler.fetching.scrapy_process import (
    EXIT_FAILED,
    EXIT_OK,
    EXIT_UNAVAILABLE,
    STARTED_BY_US,
    log_nothing_more,
    quiet_scrapy,
    run_spider,
)
from crawler.gates.context import RENDER, Arguments, FetchContext, GatedSpider, Result, context_from
from crawler.gates.errors import RunEnding
from crawler.gates.guard_gates import CONTACT_MISSING
from crawler.gates.settings_in_force import add_settings, check_components
from crawler.guarding.guard import host_and_port
from crawler.rendering.handler import rendering_settings
from crawler.run.fetches import Answered, ArticleFetch, Fetch, Unanswered
from crawler.run.run_report import RunOptions, RunReport
from crawler.run.section_run import SectionRun
from crawler.spiders.shared import Shared, open_redis
from crawler.task_list.identity import identity_of
from crawler.task_list.models import Settings, Task
from crawler.task_list.publication import published_task
from workers.errors import ExemplarError
from workers.log_ids import set_log_ids
from workers.redis_access.connection import reason
from workers.usage_rights import TDM

BEAT_EVERY = 1.0  # seconds
REQUESTS_BESIDES = 16  # simultaneous requests besides those for articles: lists, robots.txt

log = logging.getLogger(__name__)


class SectionSpider(GatedSpider):
    """Finds and fetches the new pages of one task."""

    name = "section"

    def __init__(self, context: FetchContext, resources: ExitStack, run: SectionRun, shared: Shared, **kwargs: Any):
        context = replace(
            context,
            guarded_call=self.guarded_call,
            is_ending=self.is_ending,
            on_browser_missing=self.end_without_browser,
        )
        super().__init__(context, **kwargs)
        self.resources, self.run, self.shared, self.task = resources, run, shared, run.task.name
        self.headers = dict(context.credentials.open) if context.credentials else {}
        self.outcome = "finished"
        self._beating: asyncio.Future[None] | None = None
        self._closing: asyncio.Future[None] | None = None
        self._is_over = self._is_closed = False

    @classmethod
    def from_crawler(cls, crawler: Any, *args: Any, **kwargs: Any) -> "SectionSpider":
        """Begin a run. Arguments: task, limit, all, since, until, backfill, tasks (the file), or `shared`.

        Without `shared` it opens Redis for itself. `on_begin` gets the spider once its run has begun.

        In the command `scrapy crawl` a mistake is logged as one line.
        """
        quiet_scrapy()
        try:
            return cls._begin(crawler, **kwargs)
        except (ExemplarError, ValueError, redis.RedisError) as error:
            if not crawler.settings.getbool(STARTED_BY_US):
                log.critical("%s", error)
                log_nothing_more()
            raise

    @classmethod
    def _begin(
        cls,
        crawler: Any,
        task: str = "",
        tasks: str = "",
        shared: Shared | None = None,
        on_begin: Callable[["SectionSpider"], None] = lambda spider: None,
        **kwargs: Any,
    ) -> "SectionSpider":
        if not task:
            raise ExemplarError("no task given; use -a task=NAME")
        resources = ExitStack()
        with resources:
            if shared is None:
                file = Path(tasks) if tasks else None
                shared = Shared.of(resources.enter_context(open_redis(file)))
            tasks_in_force = published_task(shared.connection, task)
            of_all = tasks_in_force.settings
            options = RunOptions.of(kwargs)
            run = SectionRun(shared.connection, tasks_in_force[task], options, marks=of_all.pressure.marks)
            set_log_ids(task=run.task.name, run=run.report.id)
            context = _context(of_all, run.task, shared)
            _refuse_without_contact(context, run.task)
            _apply(crawler.settings, of_all, run)
            run.begin()
            spider = super().from_crawler(crawler, context, resources.pop_all(), run, shared)
        shared.runs[run] = spider.end_without_redis
        on_begin(spider)
        crawler.signals.connect(spider._idle, signal=signals.spider_idle)
        crawler.signals.connect(spider._opened, signal=signals.spider_opened)
        return spider

    # -- fetches ----------------------------------------------------------------------------------------------------

    async def start(self) -> AsyncIterator[Request]:
        """Yield the requests of the first fetches."""
        for request in self._requests(self._next()):
            yield request

    def _next(self) -> list[Fetch]:
        with suppress(RunEnding):
            return [] if self.is_ending() else self.guarded_call(self.run.next)
        return []

    def _requests(self, fetches: Sequence[Fetch]) -> list[Request]:
        """Return the requests of fetches. A fetch with an invalid URL is settled, and those that follow are added."""
        requests: list[Request] = []
        waiting = [*fetches]
        while waiting:
            fetch = waiting.pop(0)
            try:
                requests.append(self._request(fetch))
            except ValueError as error:  # for example http://host:99999/
                waiting += self._settle(fetch, partial(no_request, error, fetch.url)) or self._next()
        return requests

    def _request(self, fetch: Fetch) -> Request:
        return Request(
            fetch.url,
            callback=self._on_response,
            errback=self._on_failure,
            headers={**self.headers, **fetch.headers},
            meta={RENDER: True} if fetch.render else None,
            cb_kwargs={"fetch": fetch},
            dont_filter=True,  # the ledger knows which URLs were fetched
        )

    def _on_response(self, response: Response, fetch: Fetch) -> "list[Request] | Awaitable[list[Request]]":
        return self._settle_and_continue(fetch, partial(self._answer_of, response))

    def _on_failure(self, failure: Any) -> "list[Request] | Awaitable[list[Request]]":
        request = failure.request  # of the hop that failed
        return self._settle_and_continue(request.cb_kwargs["fetch"], partial(no_answer_of, failure.value, request))

    def _answer_of(self, response: Response) -> Answered:
        return answer_of(response, self.guarded_call(self.run.bounds.now))

    def _settle_and_continue(
        self, fetch: Fetch, answer: Callable[[], Answered | Unanswered]
    ) -> "list[Request] | Awaitable[list[Request]]":
        """Settle a fetch; return the requests of the fetches that follow from it, or else of the next ones."""
        further = self._settle(fetch, answer)
        if wait := max((following.after for following in further), default=0.0):
            return self._requests_after(wait, further)
        return self._requests(further or self._next())

    async def _requests_after(self, wait: float, further: Sequence[Fetch]) -> list[Request]:
        await self.context.pause(wait)
        return [] if self.is_ending() else self._requests(further)

    def _settle(self, fetch: Fetch, answer: Callable[[], Answered | Unanswered]) -> list[Fetch]:
        """Settle a fetch.

        An error in the handling of a page counts as an attempt, so the page is neither lost nor tried without end.
        """
        further: list[Fetch] = []
        try:
            with self.shared.handling(self.task):
                further = self.guarded_call(self.run.settle, fetch, answer())
        except RunEnding:
            pass
        except Exception as error:
            log.exception("task %s: %s", self.task, fetch.url, extra=_ids_of(fetch))
            with suppress(RunEnding):
                self.guarded_call(self.run.settle, fetch, surprise(error, fetch.url))
        if self.run.unreachable:
            self._stop("unreachable", self.run.unreachable)
        return further

    # -- life -------------------------------------------------------------------------------------------------------

    def _opened(self) -> None:
        self._beating = asyncio.ensure_future(self._beat())

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT_EVERY)
            with suppress(RunEnding):
                self.guarded_call(self.run.beat)
            if not (self.run.in_flight or self.is_ending() or self._continues()):
                self._is_over = True
                self._close("finished")

    def _idle(self) -> None:
        """Keep the spider open while the run continues; called by Scrapy when no request is in flight."""
        if self._continues():
            raise DontCloseSpider
        self._is_over = True

    def _continues(self) -> bool:
        """Send the remaining fetches; return whether the run continues, perhaps with fetches of a later beat."""
        if self._send_next():
            return True
        with suppress(RunEnding):
            return not self.is_ending() and self.guarded_call(self.run.pause) is not None
        return False

    def _send_next(self) -> bool:
        """Send further fetches; harmless if the spider is already closed."""
        requests = self._requests(self._next())
        for request in requests:
            self.crawler.engine.crawl(request)
        return bool(requests)

    def closed(self, why: str) -> None:
        """End the run; called by Scrapy at the end, for any cause, when no request is in flight."""
        self._is_over = self._is_closed = True
        if self._beating is not None:
            self._beating.cancel()
        if self.outcome == "finished" and why != "finished":
            self.outcome = "stopped"
        self.shared.runs.pop(self.run, None)
        try:
            for fetch in [*self.run.in_flight]:  # Scrapy had not sent their requests
                self._settle(fetch, partial(no_answer_of, RunEnding(), Request(fetch.url)))
            with suppress(RunEnding):
                self.guarded_call(self.run.end, self.outcome)
        finally:
            self.run.report.outcome = self.outcome
            self.resources.close()

    def _stop(self, outcome: str, problem: str) -> None:
        """End the run and report the first cause; a loss of Redis also later, since the report is then not stored."""
        if self.outcome != "finished" and outcome != "redis":
            return
        self.outcome = outcome
        self.run.report.problem(problem)
        log.error("task %s: %s", self.task, problem)
        self._close(outcome)

    def _close(self, reason: str) -> None:
        if not self._is_closed:
            self._closing = asyncio.ensure_future(self.crawler.engine.close_spider_async(reason=reason))

    def end_without_browser(self, reason: str) -> None:
        """End the run, because pages must be rendered and there is no browser: they wait, and no attempt is counted."""
        self._stop("no browser", f"pages of this task need JavaScript (render: {self.run.task.render}), but {reason}")

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
                self.end_without_redis(error)
                self.shared.end_without_redis(error)
        raise RunEnding("Redis is unavailable")

    def end_without_redis(self, error: redis.RedisError) -> None:
        """End the run, because Redis is unavailable."""
        self._stop("redis", f"Redis is unavailable: {reason(error)}")


def _context(of_all: Settings, task: Task, shared: Shared) -> FetchContext:
    return context_from(
        of_all,
        task,
        connection=shared.connection,
        pace=shared.pace,
        interval=task.delay,
        addresses=shared.addresses if of_all.per_address else None,
        tdm=TDM in task.skip,
        browsers=shared.browsers,
        keeps_browsers=shared.work is not None,
    )


def _refuse_without_contact(context: FetchContext, task: Task) -> None:
    """Raise `ExemplarError` if the task has public hosts and there is no contact."""
    urls = [task.example, *task.start_urls(datetime.now(UTC).date())]
    if not context.contact and not all(context.guard.lists(*host_and_port(url)) for url in urls):
        raise ExemplarError(f"task {task.name}: {CONTACT_MISSING}")


def _apply(settings: Any, of_all: Settings, run: SectionRun) -> None:
    """Apply the options of all tasks and of the task as Scrapy's settings. Its command line has priority."""
    add_settings(settings, of_all.scrapy)
    check_components(settings)
    of_task = {
        **identity_of(of_all),
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


def run_section(task: str, **arguments: Any) -> RunReport:
    """Run the spider for one task in this process and return its report.

    Arguments as for `scrapy crawl section -a`: tasks (the file), limit, all, since, until, backfill. Raises
    `ExemplarError`, `TaskError` or `redis.RedisError` if the run cannot start.
    """
    given: dict[str, Any] = {name: str(value) for name, value in arguments.items() if value is not None}
    crawler = run_spider(SectionSpider, {}, task=task, **given)
    if crawler.spider is None:
        raise ExemplarError(f"task {task}: the spider ended without a report; run it with --verbose to see why")
    report: RunReport = crawler.spider.run.report
    return report


def exit_code(report: RunReport) -> int:
    """Return the exit code of a report."""
    if report.outcome == "redis":
        return EXIT_UNAVAILABLE
    return EXIT_OK if report.ok and not report.failed else EXIT_FAILED
