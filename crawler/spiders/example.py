"""The request for a task's example, and what is told to the run of its answer."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.http import Response

from crawler.fetching.answers import page_of, verdict_of, verdict_of_failure
from crawler.fetching.middlewares import RunEnding
from crawler.run.outcomes import Outcome

if TYPE_CHECKING:
    from crawler.spiders.section import SectionSpider


class ExampleRequest:
    """The example is kept, and says whether articles are rendered, before any of them is fetched."""

    def __init__(self, spider: "SectionSpider"):
        self.spider, self.run = spider, spider.run
        self.is_in_flight = False

    def request(self) -> Request:
        """The request for it, the way articles come."""
        self.is_in_flight = True
        return self.spider.request(self.run.task.example, self.came, self.failed, render=self.run.rendering.on)

    def came(self, response: Response) -> Iterator[Request]:
        """An answer came. One that is an empty shell is asked for again, through the browser."""
        verdict = verdict_of(response)
        if verdict.kind == "page" and not self.run.task.pattern.match(response.url):
            verdict = Outcome("fail", f"leads to {response.url}, which is not of the pattern")
        if verdict.kind == "page" and self.run.rendering.learn(page_of(response)):
            yield self.request()
            return
        self.is_in_flight = False
        if verdict.kind == "page":
            self.spider.count_rendered(response)
            self.spider.asked(self.run.example_came, page_of(response))
        else:
            self.spider.asked(self.run.example_failed, verdict.reason)
        yield from self.spider.more()

    def failed(self, failure: Any) -> Iterator[Request]:
        """No answer came: the run goes on without an example, unless it is the task's own host that is closed."""
        self.is_in_flight = False
        if self.spider.end_if_closed(failure):
            return
        if not failure.check(RunEnding):
            self.spider.asked(self.run.example_failed, verdict_of_failure(failure).reason)
        yield from self.spider.more()
