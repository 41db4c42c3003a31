"""The one spider: a section's new pages. It speaks Scrapy; what to fetch and what came of it, `SectionRun` decides.

`exemplar crawl TASK` and `scrapy crawl section -a task=TASK` run it alike.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, TypeVar

import redis
import scrapy
from scrapy import Request, signals
from scrapy.exceptions import DontCloseSpider
from scrapy.http import Response
from twisted.internet.task import LoopingCall

from crawler.discovery.listings import ListPage
from crawler.discovery.parts import Parts
from crawler.guarding.credentials import Credentials, credentials_of, proxy_of
from crawler.guarding.resolver import use_guard
from crawler.middlewares import (
    CONTACT_MISSING,
    Ending,
    HostClosed,
    RobotsUnreachable,
    place_of,
    refused_address,
    sleep,
)
from crawler.politeness.host_files import HostFiles
from crawler.politeness.pace import host_of
from crawler.politeness.retry_after import asked_to_wait
from crawler.politeness.robots import KEPT_SHORT
from crawler.rendering.chromium import TABS
from crawler.rendering.handler import RENDER, rendering_settings
from crawler.run_report import RunOptions, RunReport
from crawler.section_articles import PAUSES
from crawler.section_run import SectionRun
from crawler.session import Session, contact_of, identity_of, open_session
from crawler.spider_process import quiet_scrapy, say_no_more
from crawler.tasks import Task
from crawler.verdicts import Verdict, of_answer, of_failure, of_list
from extractors.urls import normalise
from workers.connection import reason
from workers.errors import ExemplarError
from workers.inbox import StoredPage
from workers.ledger import Leased
from workers.usage import HEADERS, TDM, TDM_FILE

LISTS_AT_ONCE = 2
REFUSALS_UNCOUNTED = 3  # answers of a run that we ask too much of an article; what comes after counts as a try
REQUESTS_BESIDES = 16  # lists, robots.txt: what Scrapy lets through at once besides the articles
LIST_RETRIES = 2
NOT_MODIFIED = 304
CONDITIONS = frozenset({b"If-None-Match", b"If-Modified-Since"})
STATE_HEADERS = ("etag", "last-modified", "date", "link")
LIST_PAUSES = (2.0, 5.0)  # seconds

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
        self._articles = self._lists = 0  # in flight
        self._example = False  # on its way: it is kept, and says whether articles are rendered, before any is fetched
        self._refusals: Counter[str] = Counter()  # answers to an article that we ask too much
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
        for request in self._first():
            yield request

    def _first(self) -> Iterator[Request]:
        if self.asked(self.run.needs_example):
            yield self._example_request()
        else:
            yield from self._more()

    def _more(self) -> Iterator[Request]:
        """What to fetch next: a few list pages and some articles are in flight at any time."""
        while not self.is_ending() and self._lists < LISTS_AT_ONCE and (page := self.asked(self.run.next_list)):
            if page.kind == "robots" and self._has_been_asked_for(page):
                continue
            self._lists += 1
            yield self._list_request(page)
        at_once = self.run.task.concurrency
        if self.asked(self.run.rendering.renders):
            at_once = min(at_once, TABS)
        free = at_once - self._articles
        if self.is_ending() or free < max(1, at_once // 4):
            return
        articles = self.asked(self.run.articles.lease, free) or []
        self._articles += len(articles)
        for leased in articles:
            if request := self._article_request(leased):
                yield request

    def _example_request(self) -> Request:
        self._example, render = True, self.run.rendering.on
        return self._request(self.run.task.example, self._example_came, self._example_failed, render=render)

    def _article_request(self, leased: Leased) -> Request | None:
        render = self.run.rendering.on
        try:
            return self._request(leased.url, self._article_came, self._article_failed, render=render, leased=leased)
        except ValueError as error:  # a link may say anything: http://host:99999/
            self._articles -= 1
            self.asked(self.run.articles.failed, leased, f"no URL: {error}", passing=False)
            return None

    def _has_been_asked_for(self, page: ListPage) -> bool:
        """Take what a robots.txt says of sitemaps from where the gates keep it, if it has been asked for today."""
        known = self.asked(HostFiles(self.connection, "robots").get, host_of(page.url))
        if known is None:
            return False
        file, _ = known
        verdict = of_answer(file.status, "text/plain", file.body)
        if verdict.kind == "page":
            self.asked(self.run.lists.read, page, file.body, page.url, "text/plain")
        else:
            self.asked(self.run.lists.failed, page, verdict.reason, passing=False)
        return True

    def _list_request(self, page: ListPage, tries: int = 0, *, whole: bool = False, render: bool = False) -> Request:
        render = render or bool(self.asked(self.run.rendering.renders_list, page.url))
        conditions = {} if whole or render else self.run.lists.conditions(page)
        request = self._request(page.url, self._list_came, self._list_failed, render=render, page=page, tries=tries)
        request.headers.update(conditions)
        return request

    def _request(self, url: str, callback: Any, errback: Any, *, render: bool | None = False, **kwargs: Any) -> Request:
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
        if verdict.kind == "page" and not self.run.task.pattern.match(response.url):
            verdict = Verdict("fail", f"leads to {response.url}, which is not of the pattern")
        if verdict.kind == "page" and self.run.rendering.learn(_page(response)):
            yield self._example_request()
            return
        self._example = False
        if verdict.kind == "page":
            self._count_rendered(response)
            self.asked(self.run.example_came, _page(response))
        else:
            self.asked(self.run.example_failed, verdict.reason)
        yield from self._more()

    def _example_failed(self, failure: Any) -> Iterator[Request]:
        self._example = False
        if self._host_closed(failure):
            return
        if not failure.check(Ending):
            self.asked(self.run.example_failed, self._failure(failure).reason)
        yield from self._more()

    async def _list_came(self, response: Response, page: ListPage, tries: int) -> AsyncIterator[Request]:
        asked_by_state = response.request is not None and CONDITIONS & {*response.request.headers}
        if response.status == NOT_MODIFIED and asked_by_state:
            for request in self._list_unchanged(response, page, tries):
                yield request
            return
        verdict = of_list(response.status, _content_type(response), response.body)
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
            url, headers = normalise(response.url), _state_headers(response)
            self.asked(self.run.lists.read, page, response.body, url, _content_type(response), headers)
        except Exception as error:  # one page that we can't read does not end the walk
            log.exception("task %s: list page %s", self.run.task.name, page.url)
            self.asked(self.run.lists.failed, page, _unexpected(error), passing=True)
        for request in self._more():
            yield request

    def _list_unchanged(self, response: Response, page: ListPage, tries: int) -> Iterator[Request]:
        if not self.asked(self.run.lists.unchanged, page, normalise(response.url)):
            yield self._list_request(page, tries, whole=True)
            return
        self._lists -= 1
        yield from self._more()

    def _list_failed(self, failure: Any) -> AsyncIterator[Request]:
        asked = dict(failure.request.cb_kwargs)
        self._host_closed(failure)
        if failure.check(RobotsUnreachable, HostClosed):  # it was asked for again and again, or may not be
            asked["tries"] = LIST_RETRIES
        return self._list_missed(**asked, verdict=self._failure(failure))

    async def _list_missed(self, page: ListPage, tries: int, verdict: Verdict) -> AsyncIterator[Request]:
        if verdict.kind == "again" and tries < LIST_RETRIES:
            await sleep(LIST_PAUSES[tries], self.is_ending)
            if not self.is_ending():
                yield self._list_request(page, tries + 1)
            return
        self._lists -= 1
        self.asked(self.run.lists.failed, page, verdict.reason, passing=verdict.kind == "again")
        for request in self._more():
            yield request

    def _article_came(self, response: Response, leased: Leased, parts: Parts | None = None) -> Iterator[Request]:
        further = None
        try:
            further = self.asked(self._settle, leased, response, self._verdict(response), parts)
        except Exception as error:  # a page that we can't handle is neither lost nor tried for ever
            log.exception("task %s: %s", self.run.task.name, leased.url)
            self.asked(self.run.articles.failed, leased, _unexpected(error), passing=True)
        if further is not None:
            yield further
            return
        self._articles -= 1
        yield from self._more()

    def _article_failed(self, failure: Any) -> Iterator[Request]:
        if failure.check(Ending):
            self._articles -= 1
            return  # it is given back at the end
        leased: Leased = failure.request.cb_kwargs["leased"]
        verdict = self._failure(failure)
        parts: Parts | None = failure.request.cb_kwargs.get("parts")
        may_not_be_asked = failure.check(HostClosed, RobotsUnreachable) is not None
        if (
            parts is not None
            and not may_not_be_asked
            and (verdict.kind != "again" or self.run.articles.is_last_try(leased))
        ):
            parts.missed(failure.request.url)
            if (further := self.asked(self._go_on, leased, parts, 200)) is not None:
                yield further
                return
            self._articles -= 1
            yield from self._more()
            return
        self._articles -= 1
        if failure.check(HostClosed):
            self._put_off(leased, failure.request.url, verdict, failure.value.seconds)
            self._host_closed(failure)
        elif failure.check(RobotsUnreachable):
            self._put_off(leased, failure.request.url, verdict, KEPT_SHORT)
        elif verdict.kind == "reject":
            self.asked(self.run.articles.rejected, leased, verdict.reason)
        else:
            self.asked(self.run.articles.failed, leased, verdict.reason, passing=verdict.kind == "again")
        yield from self._more()

    def _put_off(self, leased: Leased, url: str, verdict: Verdict, seconds: float) -> None:
        """The host may not be asked now. Only where the article led to another host has it been looked at."""
        if host_of(url) == host_of(leased.url):
            self.asked(self.run.articles.put_off, leased, verdict.reason, seconds)
        else:
            self.asked(self.run.articles.failed, leased, verdict.reason, passing=True, rest=seconds)

    def _host_closed(self, failure: Any) -> bool:
        """End the run if it is the task's own host that may not be asked for long; says whether it is."""
        own = host_of(failure.request.url) == host_of(self.run.task.example)
        if not (own and failure.check(HostClosed)):
            return False
        where = place_of(failure.request.url)[0]
        self._stop("unreachable", f"{where} is not asked now: {failure.value}; the rest waits for the next run")
        return True

    def _refused(self, leased: Leased, reason: str, rest: float) -> None:
        """The host says that we ask too much: no fault of the article's, unless it says so of this one only."""
        self._refusals[leased.fingerprint] += 1
        if self._refusals[leased.fingerprint] <= REFUSALS_UNCOUNTED:
            self.run.articles.put_off(leased, reason, max(rest, PAUSES[0]))
        else:
            self.run.articles.failed(leased, reason, passing=True, rest=rest)

    def _settle(self, leased: Leased, response: Response, verdict: Verdict, parts: Parts | None) -> Request | None:
        """Settle what an answer settles; returns the request for the article's next page if it has one."""
        url = normalise(response.url)
        if parts is not None and (verdict.kind != "again" or self.run.articles.is_last_try(leased)):
            parts.came(_page(response)) if verdict.kind == "page" else parts.missed(url)
            return self._go_on(leased, parts, 200)
        if verdict.kind == "page" and url != leased.url and not self.run.task.pattern.match(url):
            self.run.articles.rejected(leased, f"leads to {url}, which is not of the pattern")
        elif verdict.kind == "page":
            self._count_rendered(response)
            return self._go_on(leased, Parts(_page(response)), response.status)
        elif verdict.kind == "reject":
            if not self.run.articles.not_there_yet(leased):
                self.run.articles.rejected(leased, verdict.reason)
        elif (refused := asked_to_wait(response)) is not None:
            self._refused(leased, refused.why, refused.rest)
        else:
            self.run.articles.failed(leased, verdict.reason, passing=verdict.kind == "again")
        return None

    def _go_on(self, leased: Leased, parts: Parts, status: int) -> Request | None:
        """Fetch the article's next page, or hand in what has been fetched if there is none."""
        if (url := parts.next_url()) is not None:
            render = self.run.rendering.on
            return self._request(
                url, self._article_came, self._article_failed, render=render, leased=leased, parts=parts
            )
        page = replace(parts.first, parts=tuple(parts.further), missing=tuple(parts.missing))
        self.run.articles.came(leased, page, status)
        return None

    def _is_shell(self, response: Response, page: ListPage) -> bool:
        """Whether a list page that came plainly shows its links only in a browser."""
        if _was_rendered(response):
            return False
        looked_at = page, response.body, normalise(response.url), _content_type(response)
        return bool(self.asked(self.run.lists.is_shell, *looked_at))

    def _count_rendered(self, response: Response) -> None:
        if _was_rendered(response):
            self.run.report.rendered += 1

    # -- life -------------------------------------------------------------------------------------------------------

    def _opened(self) -> None:
        self._beat = LoopingCall(self._beat_once)
        self._beat.start(1.0, now=False)

    def _beat_once(self) -> None:
        self.asked(self.run.beat)
        if not (self._articles or self._lists or self._example):
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

    def without_browser(self, trouble: str) -> None:
        """Pages are to be rendered and there is no browser: they wait, and the tries are not counted."""
        self._stop("no browser", f"pages of this task need JavaScript (render: {self.run.task.render}), but {trouble}")

    def problem(self, text: str) -> None:
        """Note in the run's report what a person should know."""
        self.run.report.problem(text)

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


def _unexpected(error: Exception) -> str:
    return f"unexpected {type(error).__name__}: {error}"[:100]


def _page(response: Response) -> StoredPage:
    url, kind = normalise(response.url), _content_type(response)
    return StoredPage(url, response.body, kind, datetime.now(UTC), _headers_on_use(response))


def _headers_on_use(response: Response) -> dict[str, list[str]]:
    """What the answer and the host's tdmrep.json say may be done with the page."""
    found = {name: [value.decode("latin-1") for value in response.headers.getlist(name)] for name in HEADERS}
    of_host = response.request.meta.get(TDM_FILE) if response.request else None
    found[TDM_FILE] = [of_host] if of_host else []
    return {name: values for name, values in found.items() if values}


def _state_headers(response: Response) -> dict[str, str]:
    """What an answer says of the list's state and of where it goes on."""
    said = {name: response.headers.get(name) for name in STATE_HEADERS}
    return {name: value.decode("latin-1") for name, value in said.items() if value}


def _was_rendered(response: Response) -> bool:
    return response.request is not None and RENDER in response.request.meta


def _content_type(response: Response) -> str:
    return (response.headers.get("Content-Type") or b"").decode("latin-1")
