"""`python -m benchmarks.rendering`: 1,000 rendered pages; memory and CPU of the browser, pages a second.

The pages come from a local server in another process: a shell, one script for all pages, data that the script fetches
and shows as 30 paragraphs, with pictures, styles and a frame, which are not requested. They are loaded in the same way
as a task's pages: Scrapy, the handler of `crawler.rendering`, the guarded proxy, Chromium.
"""

import argparse
import json
import logging
import multiprocessing
import os
import resource
import time
from collections import Counter
from collections.abc import AsyncIterator
from multiprocessing.connection import Connection
from typing import Any

import scrapy

from benchmarks.processes import cpu_seconds
from crawler.gates.context import FetchContext, GatedSpider
from crawler.guarding.guard import Guard
from tests.http_site import HttpSite, Response

EVERY = 100  # pages between two lines of output
WORD = "harbour "

SHELL = b"""<!doctype html><html><head><title>x</title><link rel=stylesheet href=/style.css></head><body><div id=app>
</div><iframe src=/frame.html></iframe><script src=/app.js></script></body></html>"""
SCRIPT = (
    b"""fetch('/data' + location.pathname).then(answer => answer.json()).then(page => {
  document.title = page.title; const app = document.getElementById('app');
  for (const text of page.texts) { const p = document.createElement('p'); p.textContent = text; app.append(p); }
  for (let n = 0; n < 6; n++) { const img = new Image(); img.src = '/picture' + n + '.png'; app.append(img); }
});//"""
    + b"x" * 200_000
)


def serve(theirs: Connection) -> None:
    """Run the site in this process, and send its address."""
    site = HttpSite(_respond)
    theirs.send(site.url)
    site.serve_forever()


def _respond(path: str) -> Response:
    if path.startswith("/data"):
        page = {"title": path, "texts": [WORD * 40 + path] * 30}
        return 200, {"Content-Type": "application/json"}, json.dumps(page).encode()
    if path.endswith(".js"):
        return 200, {"Content-Type": "text/javascript", "Cache-Control": "max-age=3600"}, SCRIPT
    return 200, {}, SHELL


class RenderingSpider(GatedSpider):
    """Renders pages, `tabs` at a time."""

    name = "pages"

    def __init__(self, site: str, pages: int, tabs: int, others: set[int], **kwargs: Any):
        context = FetchContext(
            guard=Guard(["127.0.0.1"]), contact="a@example.org", on_browser_missing=self.end_without_browser
        )
        super().__init__(context, **kwargs)
        self.site, self.left, self.tabs, self.others = site, pages, tabs, others
        self.total, self.done, self.failed = pages, 0, Counter[str]()
        self.began = self.last = time.monotonic()

    def end_without_browser(self, reason: str) -> None:
        """Raise an error, since there is no browser to measure."""
        self.failed[reason] += 1
        self.left = 0

    async def start(self) -> AsyncIterator[scrapy.Request]:
        """Request a page for each tab; each result is followed by the next request."""
        for _ in range(self.tabs):
            yield self._next()

    def _next(self) -> scrapy.Request:
        self.left -= 1
        url = f"{self.site}/article{self.left}.html"
        return scrapy.Request(url, self._came, errback=self._failed, dont_filter=True, meta={"render": True})

    def _came(self, response: Any) -> Any:
        whole = response.text.count("<p>") == 30
        return self._count("" if whole else "not all of its text")

    def _failed(self, failure: Any) -> Any:
        return self._count(f"{failure.type.__name__}: {failure.value}")

    def _count(self, trouble: str) -> Any:
        from workers.processes import below, resident

        self.done += 1
        self.failed[trouble] += bool(trouble)
        if self.done % EVERY == 0:
            now, processes = time.monotonic(), [pid for pid in below(os.getpid()) if pid not in self.others]
            own, size, speed = resource.getrusage(resource.RUSAGE_SELF), resident(processes), EVERY / (now - self.last)
            used = own.ru_utime + own.ru_stime, cpu_seconds(processes)
            print(
                f"{self.done:5} pages  browser {size / 2**20:6.0f} MiB  spider {own.ru_maxrss / 1024:5.0f} MiB  "
                f"{speed:5.1f}/s  CPU so far: spider {used[0]:6.1f} s, this browser {used[1]:6.1f} s",
                flush=True,
            )
            self.last = now
        if self.left > 0:
            yield self._next()


def main() -> None:
    """Render the pages and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--tabs", type=int, default=4)
    said = parser.parse_args()
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(theirs,), daemon=True)
    server.start()
    try:
        _measure(ours.recv(), said)
    finally:
        server.kill()


def _measure(site: str, said: argparse.Namespace) -> None:
    from scrapy.crawler import CrawlerProcess
    from scrapy.settings import Settings

    from crawler.rendering.handler import browsers_of, rendering_settings
    from workers.processes import below

    settings = Settings()
    settings.setmodule("crawler.settings", priority="project")
    process = CrawlerProcess(settings)
    logging.getLogger("scrapy").setLevel(logging.ERROR)
    crawler = process.create_crawler(RenderingSpider)
    crawler.settings.setdict({"ROBOTSTXT_OBEY": False} | rendering_settings(crawler.settings), priority="spider")
    process.crawl(crawler, site=site, pages=said.pages, tabs=said.tabs, others=set(below(os.getpid())))
    process.start()
    spider: Any = crawler.spider
    seconds = time.monotonic() - spider.began
    print(f"{spider.done} pages in {seconds:.1f} s, {spider.done / seconds:.1f}/s; failed {dict(+spider.failed)}")
    print(f"browsers started: {browsers_of(crawler).started}")


if __name__ == "__main__":
    main()
