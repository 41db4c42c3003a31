"""The one spider: a section's new pages. It speaks Scrapy; what to fetch and what came of it, `SectionRun` decides.

`exemplar crawl TASK` and `scrapy crawl section -a task=TASK` run it alike.
"""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import redis
import scrapy
from scrapy import Request, signals
from scrapy.exceptions import DontCloseSpider
from scrapy.http import Response
from twisted.internet.task import LoopingCall

from crawler.discovery import ListPage
from crawler.middlewares import CONTACT_MISSING, Ending, RobotsUnreachable, place_of, refused_address, sleep
from crawler.politeness import host_of
from crawler.rendering.chromium import TABS
from crawler.rendering.handler import RENDER, rendering_settings
from crawler.resolver import use_guard
from crawler.robots import KEPT_SHORT
from crawler.section_run import RunOptions, RunReport, SectionRun
from crawler.session import Session, contact_of, identity_of, open_session
from crawler.spider_process import quiet_scrapy, say_no_more
from crawler.tasks import Task, expand
from crawler.verdicts import Verdict, of_answer, of_failure
from extractors.urls import normalise
from workers.connection import reason
from workers.errors import ExemplarError
from workers.inbox import StoredPage
from workers.ledger import Leased

ARTICLES_AT_ONCE = 16  # in flight, waiting for their turn included
LISTS_AT_ONCE = 2
UNREACHABLE_AFTER = 8  # articles in a row without any answer: the site is away, the rest waits for the next run
LIST_RETRIES = 2
LIST_PAUSES = (2.0, 5.0)  # seconds

Answer = TypeVar("Answer")

log = logging.getLogger(__name__)


class SectionSpider(scrapy.Spider):
    """Finds and fetches the new pages of one task."""

    name = "section"
    report: RunReport | None = None

    def __init__(self, session: Session, resources: ExitStack, run: SectionRun, headers: dict[str, str], **kwargs: Any):
        super().__init__(**kwargs)
        self.session, self.resources, self.run, self.headers = session, resources, run, headers
        self.connection = session.connection
        self.outcome = "finished"
        self.trouble = ""
        self._articles = self._lists = 0  # in flight
        self._silent = 0  # articles in a row that got no answer
        self._beat: LoopingCall | None = None
        self._closing: asyncio.Future[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Any, *args: Any, **kwargs: Any) -> "SectionSpider":
        """Open the session and begin the run. Arguments: task, limit, all, since, tasks (the file).

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
            session = resources.enter_context(open_session(Path(tasks) if tasks else None, purpose="crawl"))
            if not task:
                raise ExemplarError("no task is named; say -a task=NAME")
            run = SectionRun(session.connection, session.tasks[task], _options(kwargs))
            headers = {name: expand(value, os.environ) for name, value in run.task.headers.items()}
            _refuse_without_contact(session, run.task)
            _apply(crawler.settings, session, run)
            use_guard(session.guard)
            run.begin()
            spider = cls(session, resources.pop_all(), run, headers)
        spider._set_crawler(crawler)
        crawler.signals.connect(spider._idle, signal=signals.spider_idle)
        crawler.signals.connect(spider._opened, signal=signals.spider_opened)
        return spider

    # -- requests ---------------------------------------------------------------------------------------------------

    async def start(self) -> AsyncIterator[Request]:
        """The example first, if it is not kept yet; then lists and articles in turn."""
        for request in self._first():
            yield request

    def _first(self) -> Iterator[Request]:
        if self.asked(self.run.needs_example):
            yield self._example_request()
        else:
            yield from self._more()

    def _more(self) -> Iterator[Request]:
        """What to fetch next: a few list pages and some articles are in flight at any time."""
        while not self.is_ending() and self._lists < LISTS_AT_ONCE and (page := self.run.next_list()):
            self._lists += 1
            yield self._list_request(page)
        most = TABS if self.run.rendering.on else ARTICLES_AT_ONCE
        free = most - self._articles
        if self.is_ending() or free < most // 4:
            return
        articles = self.asked(self.run.next_articles, free) or []
        self._articles += len(articles)
        for leased in articles:
            render = bool(self.run.rendering.on)
            yield self._request(leased.url, self._article_came, self._article_failed, render=render, leased=leased)

    def _example_request(self) -> Request:
        render = bool(self.run.rendering.on)
        return self._request(self.run.task.example, self._example_came, self._example_failed, render=render)

    def _list_request(self, page: ListPage, tries: int = 0, *, render: bool = False) -> Request:
        render = render or bool(self.asked(self.run.rendering.renders_list, page.url))
        return self._request(page.url, self._list_came, self._list_failed, render=render, page=page, tries=tries)

    def _request(self, url: str, callback: Any, errback: Any, *, render: bool = False, **kwargs: Any) -> Request:
        return Request(
            url,
            callback=callback,
            errback=errback,
            headers=self.headers,
            dont_filter=True,
            cb_kwargs=kwargs,
            meta={RENDER: True} if render else None,
        )

    # -- what came --------------------------------------------------------------------------------------------------

    def _example_came(self, response: Response) -> Iterator[Request]:
        verdict = self._verdict(response)
        if verdict.kind == "page" and not self.run.pattern.match(response.url):
            verdict = Verdict("fail", f"leads to {response.url}, which is not of the pattern")
        if verdict.kind == "page" and self.run.rendering.learn(_page(response)):
            yield self._example_request()
            return
        if verdict.kind == "page":
            self._count_rendered(response)
            self.asked(self.run.example_came, _page(response))
        else:
            self.asked(self.run.example_failed, verdict.reason)
        yield from self._more()

    def _example_failed(self, failure: Any) -> Iterator[Request]:
        if not failure.check(Ending):
            self.asked(self.run.example_failed, self._failure(failure).reason)
        yield from self._more()

    async def _list_came(self, response: Response, page: ListPage, tries: int) -> AsyncIterator[Request]:
        verdict = self._verdict(response)
        if verdict.kind != "page":
            async for request in self._list_missed(page, tries, verdict):
                yield request
            return
        if self._is_shell(response, page):
            yield self._list_request(page, tries, render=True)
            return
        self._lists -= 1
        self._count_rendered(response)
        try:
            self.asked(self.run.list_read, page, response.body, normalise(response.url), _content_type(response))
        except Exception as error:  # one page that we can't read does not end the walk
            log.exception("task %s: list page %s", self.run.task.name, page.url)
            self.asked(self.run.list_failed, page, _unexpected(error), passing=True)
        for request in self._more():
            yield request

    def _list_failed(self, failure: Any) -> AsyncIterator[Request]:
        asked = dict(failure.request.cb_kwargs)
        if failure.check(RobotsUnreachable):  # it was asked for again and again already
            asked["tries"] = LIST_RETRIES
        return self._list_missed(**asked, verdict=self._failure(failure))

    async def _list_missed(self, page: ListPage, tries: int, verdict: Verdict) -> AsyncIterator[Request]:
        if verdict.kind == "again" and tries < LIST_RETRIES:
            await sleep(LIST_PAUSES[tries], self.is_ending)
            if not self.is_ending():
                yield self._list_request(page, tries + 1)
            return
        self._lists -= 1
        self.asked(self.run.list_failed, page, verdict.reason, passing=verdict.kind == "again")
        for request in self._more():
            yield request

    def _article_came(self, response: Response, leased: Leased) -> Iterator[Request]:
        self._articles -= 1
        self._silent = 0
        try:
            self.asked(self._settle, leased, response, self._verdict(response))
        except Exception as error:  # a page that we can't handle is neither lost nor tried for ever
            log.exception("task %s: %s", self.run.task.name, leased.url)
            self.asked(self.run.article_failed, leased, _unexpected(error), passing=True)
        yield from self._more()

    def _article_failed(self, failure: Any) -> Iterator[Request]:
        self._articles -= 1
        if failure.check(Ending):
            return  # it is given back at the end
        leased: Leased = failure.request.cb_kwargs["leased"]
        verdict = self._failure(failure)
        self._silent = self._silent + 1 if verdict.kind == "again" else 0
        if failure.check(RobotsUnreachable):
            self._put_off(leased, failure.request.url, verdict)
        elif verdict.kind == "reject":
            self.asked(self.run.article_rejected, leased, verdict.reason)
        else:
            self.asked(self.run.article_failed, leased, verdict.reason, passing=verdict.kind == "again")
        if self._silent >= UNREACHABLE_AFTER:
            host = urlsplit(leased.url).netloc
            self._stop("unreachable", f"{host} does not answer ({verdict.reason}); the rest waits for the next run")
        yield from self._more()

    def _put_off(self, leased: Leased, url: str, verdict: Verdict) -> None:
        """There is no robots.txt to ask now. Only where the article led to another host has it been looked at."""
        if host_of(url) == host_of(leased.url):
            self.asked(self.run.article_put_off, leased, verdict.reason, KEPT_SHORT)
        else:
            self.asked(self.run.article_failed, leased, verdict.reason, passing=True, rest=KEPT_SHORT)

    def _settle(self, leased: Leased, response: Response, verdict: Verdict) -> None:
        url = normalise(response.url)
        if verdict.kind == "page" and url != leased.url and not self.run.pattern.match(url):
            self.run.article_rejected(leased, f"leads to {url}, which is not of the pattern")
        elif verdict.kind == "page":
            self._count_rendered(response)
            self.run.article_came(leased, _page(response), response.status)
        elif verdict.kind == "reject":
            if not self.run.not_there_yet(leased):
                self.run.article_rejected(leased, verdict.reason)
        else:
            self.run.article_failed(leased, verdict.reason, passing=verdict.kind == "again")

    def _is_shell(self, response: Response, page: ListPage) -> bool:
        """Whether a list page that came plainly shows its links only in a browser."""
        if RENDER in response.meta:
            return False
        looked_at = page, response.body, normalise(response.url), _content_type(response)
        return bool(self.asked(self.run.list_is_shell, *looked_at))

    def _count_rendered(self, response: Response) -> None:
        self.run.report.rendered += RENDER in response.meta

    # -- life -------------------------------------------------------------------------------------------------------

    def _opened(self) -> None:
        self._beat = LoopingCall(self._beat_once)
        self._beat.start(1.0, now=False)

    def _beat_once(self) -> None:
        if self.asked(self.run.beat) is False:
            self._stop("stopped", "another run took the task over while this one was held up")

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
        requests = list(self._more())
        for request in requests:
            self.crawler.engine.crawl(request)
        return bool(requests)

    def closed(self, why: str) -> None:
        """Scrapy's word for the end, by whatever cause."""
        if self._beat is not None and self._beat.running:
            self._beat.stop()
        outcome = self.outcome if why == "finished" or self.outcome != "finished" else "stopped"
        if self.trouble:
            self.run.problem(self.trouble)
        self.report = self.run.report
        try:
            if outcome != "redis":
                self.run.end(outcome)
        except redis.RedisError as error:
            outcome = "redis"
            self.run.problem(f"Redis is away: {reason(error)}")
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

    def without_browser(self, trouble: str) -> None:
        """Pages are to be rendered and there is no browser: they wait, and the tries are not counted."""
        self._stop("no browser", f"pages of this task need JavaScript (render: {self.run.task.render}), but {trouble}")

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

    def _verdict(self, response: Response) -> Verdict:
        return of_answer(response.status, _content_type(response), response.body)

    def _failure(self, failure: Any) -> Verdict:
        return of_failure(failure.value, refused=refused_address(failure.value, failure.request.url))


def _refuse_without_contact(session: Session, task: Task) -> None:
    """Raise `ExemplarError` if the task has public hosts and nobody there could reach us."""
    urls = [task.example, *task.start_urls(datetime.now(UTC).date())]
    if not contact_of(session.settings) and not all(session.guard.lists(*place_of(url)) for url in urls):
        raise ExemplarError(f"task {task.name}: {CONTACT_MISSING}")


def _options(arguments: dict[str, str]) -> RunOptions:
    limit, since = arguments.get("limit"), arguments.get("since")
    return RunOptions(
        limit=int(limit) if limit else None,
        all=str(arguments.get("all", "")).lower() in ("1", "true", "yes"),
        since=date.fromisoformat(since) if since else None,
    )


def _apply(settings: Any, session: Session, run: SectionRun) -> None:
    """What the task says, as Scrapy's settings. What was given on Scrapy's command line stays."""
    said = {
        **identity_of(session.settings),
        "ROBOTSTXT_OBEY": run.task.robots,
        "DOWNLOAD_TIMEOUT": run.task.timeout,
        "EXEMPLAR_DELAY": run.task.delay,
    }
    if run.task.render and run.rendering.on is not False:
        said |= rendering_settings(settings)
    for name, value in said.items():
        settings.set(name, value, priority="spider")


def _unexpected(error: Exception) -> str:
    return f"unexpected {type(error).__name__}: {error}"[:100]


def _page(response: Response) -> StoredPage:
    return StoredPage(normalise(response.url), response.body, _content_type(response), datetime.now(UTC))


def _content_type(response: Response) -> str:
    return (response.headers.get("Content-Type") or b"").decode("latin-1")
