"""Requests for a section's articles, and what is told to the run of their answers."""

import logging
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.http import Response

from crawler.discovery.article_pages import Parts
from crawler.fetching.answers import page_of, unexpected, verdict_of, verdict_of_failure
from crawler.fetching.middlewares import HostClosed, RobotsUnreachable, RunEnding
from crawler.politeness.pace import host_of
from crawler.politeness.retry_after import asked_to_wait
from crawler.politeness.robots import KEPT_SHORT
from crawler.rendering.chromium import TABS
from crawler.run.outcomes import Outcome
from crawler.run.section_articles import PAUSES
from extractors.html.urls import normalise
from workers.url_states import Leased

if TYPE_CHECKING:
    from crawler.spiders.section import SectionSpider

REFUSALS_UNCOUNTED = 3  # answers of a run that we ask too much of an article; what comes after counts as a try

log = logging.getLogger(__name__)


class ArticleRequests:
    """The articles that one spider asks for, `concurrency` at a time. An article has one request at a time."""

    def __init__(self, spider: "SectionSpider"):
        self.spider, self.run = spider, spider.run
        self.in_flight = 0
        self._refusals: Counter[str] = Counter()  # answers to an article that we ask too much

    def more(self) -> Iterator[Request]:
        """Requests for the next articles, several together when there is room."""
        at_once = self.run.task.concurrency
        if self.spider.asked(self.run.rendering.renders):
            at_once = min(at_once, TABS)
        free = at_once - self.in_flight
        if self.spider.is_ending() or free < max(1, at_once // 4):
            return
        articles = self.spider.asked(self.run.articles.lease, free) or []
        self.in_flight += len(articles)
        for leased in articles:
            if request := self._first_request(leased):
                yield request

    def _first_request(self, leased: Leased) -> Request | None:
        try:
            return self._request(leased.url, leased=leased)
        except ValueError as error:  # a link may say anything: http://host:99999/
            self.in_flight -= 1
            self.spider.asked(self.run.articles.failed, leased, f"no URL: {error}", passing=False)
            return None

    def _request(self, url: str, **kwargs: Any) -> Request:
        return self.spider.request(url, self.came, self.failed, render=self.run.rendering.on, **kwargs)

    def _after(self, further: Request | None) -> Iterator[Request]:
        """What is asked for now: the article's further page, or, if it is through, what comes next."""
        if further is not None:
            yield further
            return
        self.in_flight -= 1
        yield from self.spider.more()

    # -- an answer --------------------------------------------------------------------------------------------------

    def came(self, response: Response, leased: Leased, parts: Parts | None = None) -> Iterator[Request]:
        """An answer came; see `_settle`."""
        further = None
        try:
            further = self.spider.asked(self._settle, leased, response, verdict_of(response), parts)
        except Exception as error:  # a page that we can't handle is neither lost nor tried for ever
            log.exception("task %s: %s", self.run.task.name, leased.url)
            self.spider.asked(self.run.articles.failed, leased, unexpected(error), passing=True)
        yield from self._after(further)

    def _settle(self, leased: Leased, response: Response, verdict: Outcome, parts: Parts | None) -> Request | None:
        """Settle what an answer settles; returns the request for the article's next page if it has one.

        Strategy, the first that fits:
            a further page, and this is final  it came or is missed, and the article goes on
            a page of another address          rejected, unless that is of the pattern
            a page                             the article goes on
            there is no article                rejected, unless the pattern wrote the URL and it may still appear
            we ask too much                    put off; from the fourth time on it counts as a try
            otherwise                          failed; tried again if it may pass
        """
        articles, url = self.run.articles, normalise(response.url)
        if parts is not None and self._is_final(leased, verdict):
            parts.came(page_of(response)) if verdict.kind == "page" else parts.missed(url)
            return self._go_on(leased, parts, 200)
        if verdict.kind == "page" and url != leased.url and not self.run.task.pattern.match(url):
            articles.rejected(leased, f"leads to {url}, which is not of the pattern")
        elif verdict.kind == "page":
            self.spider.count_rendered(response)
            return self._go_on(leased, Parts(page_of(response)), response.status)
        elif verdict.kind == "reject":
            if not articles.not_there_yet(leased):
                articles.rejected(leased, verdict.reason)
        elif (refused := asked_to_wait(response)) is not None:
            self._refused(leased, refused.why, refused.rest)
        else:
            articles.failed(leased, verdict.reason, passing=verdict.kind == "again")
        return None

    def _is_final(self, leased: Leased, verdict: Outcome) -> bool:
        """Whether a further page of an article has come, or won't."""
        return verdict.kind != "again" or self.run.articles.is_last_try(leased)

    def _go_on(self, leased: Leased, parts: Parts, status: int) -> Request | None:
        """Fetch the article's next page, or hand in what has been fetched if there is none."""
        if (url := parts.next_url()) is not None:
            return self._request(url, leased=leased, parts=parts)
        page = replace(parts.first, parts=tuple(parts.further), missing=tuple(parts.missing))
        self.run.articles.came(leased, page, status)
        return None

    def _refused(self, leased: Leased, reason: str, rest: float) -> None:
        """The host says that we ask too much: no fault of the article's, unless it says so of this one only."""
        self._refusals[leased.fingerprint] += 1
        if self._refusals[leased.fingerprint] <= REFUSALS_UNCOUNTED:
            self.run.articles.put_off(leased, reason, max(rest, PAUSES[0]))
        else:
            self.run.articles.failed(leased, reason, passing=True, rest=rest)

    # -- no answer --------------------------------------------------------------------------------------------------

    def failed(self, failure: Any) -> Iterator[Request]:
        """No answer came.

        Strategy, the first that fits:
            the run ends                       nothing: what is leased is given back at the end
            the host is closed                 put off until it opens; if it is the task's own, the run ends
            its robots.txt can't be had        put off
            a further page, and this is final  it is missed, and the article goes on
            refused by robots.txt              rejected
            otherwise                          failed; tried again if it may pass
        """
        if failure.check(RunEnding):
            self.in_flight -= 1
            return
        leased: Leased = failure.request.cb_kwargs["leased"]
        parts: Parts | None = failure.request.cb_kwargs.get("parts")
        verdict, further = verdict_of_failure(failure), None
        if failure.check(HostClosed):
            self._put_off(leased, failure, verdict.reason, failure.value.seconds)
            self.spider.end_if_closed(failure)
        elif failure.check(RobotsUnreachable):
            self._put_off(leased, failure, verdict.reason, KEPT_SHORT)
        elif parts is not None and self._is_final(leased, verdict):
            parts.missed(failure.request.url)
            further = self.spider.asked(self._go_on, leased, parts, 200)
        elif verdict.kind == "reject":
            self.spider.asked(self.run.articles.rejected, leased, verdict.reason)
        else:
            self.spider.asked(self.run.articles.failed, leased, verdict.reason, passing=verdict.kind == "again")
        yield from self._after(further)

    def _put_off(self, leased: Leased, failure: Any, reason: str, seconds: float) -> None:
        """The host may not be asked now. Only where the article led to another host has it been looked at."""
        if host_of(failure.request.url) == host_of(leased.url):
            self.spider.asked(self.run.articles.put_off, leased, reason, seconds)
        else:
            self.spider.asked(self.run.articles.failed, leased, reason, passing=True, rest=seconds)
