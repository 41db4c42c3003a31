"""What a survey gets for the URLs that it asks for; the spider's engine is a stand-in that answers at once."""

import asyncio
from collections.abc import Callable
from types import SimpleNamespace

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse

from crawler.fetching.pages_spider import Answer
from crawler.fetching.survey_spider import SurveySpider
from crawler.gates.context import FetchContext
from crawler.scouting.fetch import Fetch, fetch_all

ONE, TWO, GONE = (f"http://town.example/{name}" for name in ("one", "two", "gone"))


class Engine:
    """Answers each request with the page of its URL; `asked` is what was requested."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def crawl(self, request: Request) -> None:
        self.asked.append(request.url)
        status = 404 if request.url == GONE else 200
        head = {"Content-Type": "text/html"}
        response = HtmlResponse(request.url, status, head, b"<html><p>A page</p></html>", request=request)
        asyncio.get_running_loop().call_soon(lambda: request.callback(response, **request.cb_kwargs))


def run(survey: Callable[[Fetch], object], on_page: Callable[[str, Answer], None] = lambda url, answer: None):
    spider = SurveySpider(FetchContext(), survey, on_page)
    spider.crawler = SimpleNamespace(engine=Engine())

    async def started() -> None:
        assert [request async for request in spider.start()] == []

    asyncio.run(started())
    return spider


def test_a_survey_gets_pages_and_reasons():
    async def survey(fetch: Fetch) -> list[object]:
        page = await fetch(ONE)
        return [page.url, await fetch(GONE), await fetch("town.example/no-scheme")]

    spider = run(survey)
    assert spider.result[:2] == [ONE, "http 404"]
    assert isinstance(spider.result[2], str)


def test_a_page_is_requested_once_however_often_it_is_asked_for():
    async def survey(fetch: Fetch) -> int:
        found = await fetch_all(fetch, [ONE, TWO, ONE])
        again = await asyncio.gather(fetch(TWO), fetch(TWO))
        return len({*map(id, found.values()), *map(id, again)})

    told: list[str] = []
    spider = run(survey, lambda url, answer: told.append(url))
    assert spider.result == 2
    assert spider.crawler.engine.asked == told == [ONE, TWO]


def test_what_the_survey_raises_is_kept():
    async def survey(fetch: Fetch) -> None:
        await fetch(ONE)
        raise LookupError("no section")

    spider = run(survey)
    assert spider.result is None
    assert str(spider.error) == "no section"


def test_an_error_in_a_callback_ends_the_survey():
    def full(url: str, answer: Answer) -> None:
        raise OSError("no space left")

    async def survey(fetch: Fetch) -> Answer:
        return await fetch(ONE)

    spider = run(survey, full)
    assert isinstance(spider.error, OSError)


def test_an_answer_after_a_cancelled_survey_is_left_out():
    async def survey(fetch: Fetch) -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(fetch(ONE), 0)
        await asyncio.sleep(0)

    assert run(survey).error is None
