"""`python -m benchmarks.rendering`: 1,000 rendered pages; memory and CPU of the browser, pages a second.

The pages come from a local server in another process: a shell, one script for all pages, data that the script fetches
and shows as 30 paragraphs; also a style sheet, six pictures of 30 KB, a font and a frame. They are loaded in the same
way as a task's pages: Scrapy, the handler of `crawler.rendering`, the guarded proxy, Chromium.

`--everything` loads all files, as a browser would; the difference is the effect of blocking.
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
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import scrapy

from crawler.gates.context import FetchContext, GatedSpider
from crawler.guarding.guard import Guard

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
STYLE = b"@font-face { font-family: f; src: url(/f.woff2) } p { font-family: f }"


class _Site(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    counts: ClassVar["Counter[str]"] = Counter()

    def do_GET(self) -> None:
        kind, body = self._answer()
        self.counts[self.path.strip("/").rstrip("0123456789.html") or "page"] += 1
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if self.path.endswith((".js", ".css", ".png", ".woff2")):
            self.send_header("Cache-Control", "max-age=3600")
        self.end_headers()
        self.wfile.write(body)

    def _answer(self) -> tuple[str, bytes]:
        if self.path.startswith("/data"):
            texts = [WORD * 40 + self.path] * 30
            return "application/json", json.dumps({"title": self.path, "texts": texts}).encode()
        if self.path == "/counts":
            return "application/json", json.dumps(self.counts).encode()
        kinds = {
            "js": ("text/javascript", SCRIPT),
            "css": ("text/css", STYLE),
            "png": ("image/png", b"\x89PNG" * 7_500),
        }
        kinds |= {"woff2": ("font/woff2", b"x" * 20_000), "txt": ("text/plain", b"")}
        return kinds.get(self.path.rpartition(".")[2], ("text/html; charset=utf-8", SHELL))

    def log_message(self, *args: Any) -> None:
        """Print nothing."""


class _QuietServer(ThreadingHTTPServer):
    def handle_error(self, *args: Any) -> None:
        """Ignore connections that the browser closes."""


def serve(port: Any) -> None:
    """Run the site in this process."""
    server = _QuietServer(("127.0.0.1", 0), _Site)
    port.value = server.server_port
    server.serve_forever()


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
        from crawler.rendering.memory import below, resident

        self.done += 1
        self.failed[trouble] += bool(trouble)
        if self.done % EVERY == 0:
            now, processes = time.monotonic(), [pid for pid in below(os.getpid()) if pid not in self.others]
            own, size, speed = resource.getrusage(resource.RUSAGE_SELF), resident(processes), EVERY / (now - self.last)
            used = own.ru_utime + own.ru_stime, sum(map(_seconds_of, processes))
            print(
                f"{self.done:5} pages  browser {size / 2**20:6.0f} MiB  spider {own.ru_maxrss / 1024:5.0f} MiB  "
                f"{speed:5.1f}/s  CPU so far: spider {used[0]:6.1f} s, this browser {used[1]:6.1f} s",
                flush=True,
            )
            self.last = now
        if self.left > 0:
            yield self._next()


def _seconds_of(pid: int) -> float:
    """Return the CPU seconds of a process and of its descendants that have ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Render the pages and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--tabs", type=int, default=4)
    parser.add_argument("--everything", action="store_true", help="block nothing, keep no scripts")
    parser.add_argument("--never-renew", action="store_true", help="one context and one browser for all pages")
    said = parser.parse_args()
    port = multiprocessing.Value("i", 0)
    server = multiprocessing.Process(target=serve, args=(port,), daemon=True)
    server.start()
    while not port.value:
        time.sleep(0.01)
    try:
        _measure(f"http://127.0.0.1:{port.value}", said)
    finally:
        server.kill()


def _measure(site: str, said: argparse.Namespace) -> None:
    from urllib.request import urlopen

    from scrapy.crawler import CrawlerProcess
    from scrapy.settings import Settings

    from crawler.rendering.handler import browsers_of, rendering_settings
    from crawler.rendering.memory import below

    settings = Settings()
    settings.setmodule("crawler.settings", priority="project")
    settings.setdict({"ROBOTSTXT_OBEY": False}, priority="cmdline")
    settings.setdict(rendering_settings(settings), priority="spider")
    _change(said)
    process = CrawlerProcess(settings)
    logging.getLogger("scrapy").setLevel(logging.ERROR)
    crawler = process.create_crawler(RenderingSpider)
    process.crawl(crawler, site=site, pages=said.pages, tabs=said.tabs, others=set(below(os.getpid())))
    process.start()
    spider: Any = crawler.spider
    seconds = time.monotonic() - spider.began
    with urlopen(f"{site}/counts") as answer:
        counts = json.load(answer)
    print(f"{spider.done} pages in {seconds:.1f} s, {spider.done / seconds:.1f}/s; failed {dict(+spider.failed)}")
    print(f"browsers started {browsers_of(crawler).started}; requests to the site: {counts}")


def _change(said: argparse.Namespace) -> None:
    from crawler.rendering import browsers, visit

    if said.never_renew:
        browsers.PAGES_A_CONTEXT = browsers.PAGES_A_BROWSER = said.pages + 1
        browsers.MEMORY = browsers.MEMORY_MOST
    if said.everything:

        async def let_through(self: Any, page: Any, route: Any) -> None:
            await route.continue_()

        visit.Visit._route = let_through  # type: ignore[method-assign]
        visit.ScriptCache.put = lambda *args: None  # type: ignore[method-assign]
        browsers.FLAGS = ()  # type: ignore[assignment]


if __name__ == "__main__":
    main()
