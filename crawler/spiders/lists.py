"""Requests for a section's lists, and what is told to the run of their answers."""

import logging
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.http import Response

from crawler.discovery.listings import ListPage
from crawler.fetching.answers import content_type, state_headers, unexpected, verdict_of_failure, was_rendered
from crawler.fetching.middlewares import HostClosed, RobotsUnreachable, sleep
from crawler.politeness.host_files import HostFiles
from crawler.politeness.pace import host_of
from crawler.run.outcomes import Outcome, of_answer, of_list
from extractors.html.urls import normalise

if TYPE_CHECKING:
    from crawler.spiders.section import SectionSpider

AT_ONCE = 2
RETRIES = 2
PAUSES = (2.0, 5.0)  # seconds before each of them
NOT_MODIFIED = 304
CONDITIONS = frozenset({b"If-None-Match", b"If-Modified-Since"})

log = logging.getLogger(__name__)


class ListRequests:
    """The lists that one spider asks for, a few at a time."""

    def __init__(self, spider: "SectionSpider"):
        self.spider, self.run = spider, spider.run
        self.in_flight = 0

    def more(self) -> Iterator[Request]:
        """Requests for the next lists, as many as there is room for."""
        spider = self.spider
        while not spider.is_ending() and self.in_flight < AT_ONCE and (page := spider.asked(self.run.next_list)):
            if page.kind == "robots" and self._has_been_asked_for(page):
                continue
            self.in_flight += 1
            yield self._request(page)

    def _has_been_asked_for(self, page: ListPage) -> bool:
        """Take what a robots.txt says of sitemaps from where the gates keep it, if it has been asked for today."""
        known = self.spider.asked(HostFiles(self.spider.connection, "robots").get, host_of(page.url))
        if known is None:
            return False
        file, _ = known
        verdict = of_answer(file.status, "text/plain", file.body)
        if verdict.kind == "page":
            self.spider.asked(self.run.lists.read, page, file.body, page.url, "text/plain")
        else:
            self.spider.asked(self.run.lists.failed, page, verdict.reason, passing=False)
        return True

    def _request(self, page: ListPage, tries: int = 0, *, whole: bool = False, render: bool = False) -> Request:
        render = render or bool(self.spider.asked(self.run.rendering.renders_list, page.url))
        conditions = {} if whole or render else self.run.lists.conditions(page)
        request = self.spider.request(page.url, self.came, self.failed, render=render, page=page, tries=tries)
        request.headers.update(conditions)
        return request

    async def came(self, response: Response, page: ListPage, tries: int) -> AsyncIterator[Request]:
        """An answer came.

        Strategy, the first that fits:
            not modified, as asked             the run knows its links; if it doesn't, the list is had whole
            no list, or no answer for now      as `failed`
            a shell                            it is asked for again, through the browser
            a list                             the run reads its links
        """
        verdict = of_list(response.status, content_type(response), response.body)
        if _is_unchanged(response):
            if not self.spider.asked(self.run.lists.unchanged, page, normalise(response.url)):
                yield self._request(page, tries, whole=True)
                return
        elif verdict.kind != "page":
            async for request in self._missed(page, tries, verdict):
                yield request
            return
        elif self._is_shell(response, page):
            yield self._request(page, tries, render=True)
            return
        else:
            self.spider.count_rendered(response)
            self._read(response, page)
        self.in_flight -= 1
        for request in self.spider.more():
            yield request

    def _read(self, response: Response, page: ListPage) -> None:
        try:
            url, headers = normalise(response.url), state_headers(response)
            self.spider.asked(self.run.lists.read, page, response.body, url, content_type(response), headers)
        except Exception as error:  # one page that we can't read does not end the walk
            log.exception("task %s: list page %s", self.run.task.name, page.url)
            self.spider.asked(self.run.lists.failed, page, unexpected(error), passing=True)

    def _is_shell(self, response: Response, page: ListPage) -> bool:
        """Whether a list page that came plainly shows its links only in a browser."""
        if was_rendered(response):
            return False
        looked_at = page, response.body, normalise(response.url), content_type(response)
        return bool(self.spider.asked(self.run.lists.is_shell, *looked_at))

    def failed(self, failure: Any) -> AsyncIterator[Request]:
        """No answer came: a few tries later the run is told."""
        asked = dict(failure.request.cb_kwargs)
        self.spider.end_if_closed(failure)
        if failure.check(RobotsUnreachable, HostClosed):  # it was asked for again and again, or may not be
            asked["tries"] = RETRIES
        return self._missed(**asked, verdict=verdict_of_failure(failure))

    async def _missed(self, page: ListPage, tries: int, verdict: Outcome) -> AsyncIterator[Request]:
        spider = self.spider
        if verdict.kind == "again" and tries < RETRIES:
            await sleep(PAUSES[tries], spider.is_ending)
            if not spider.is_ending():
                yield self._request(page, tries + 1)
            return
        self.in_flight -= 1
        spider.asked(self.run.lists.failed, page, verdict.reason, passing=verdict.kind == "again")
        for request in spider.more():
            yield request


def _is_unchanged(response: Response) -> bool:
    """Whether a list is what it was, by the state that we asked by."""
    asked_by_state = response.request is not None and CONDITIONS & {*response.request.headers}
    return response.status == NOT_MODIFIED and bool(asked_by_state)
