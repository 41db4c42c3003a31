"""`python -m evaluation.screenshots URL… --out DIR`: screenshots of pages, as the classifier `visual` reads them.

A page is laid out on a screen of 1,366 × 1,366 pixels and drawn at a quarter of that size by the browser itself: the
classifier reads 224 × 224 pixels, and a small picture is drawn, stored and read in a tenth of the time. The part below
the screen is not drawn: it adds little information (docs/methods-visual.md), and lines of text remain distinct.

DIR gets NAME.png for each page and `screenshots.jsonl`, with one line per page: url, file, scripts (whether JavaScript
ran), reason (why there is no screenshot). Pages that DIR already has are not fetched again.
"""

import argparse
import json
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from scrapy import Request
from scrapy.exceptions import DownloadTimeoutError
from scrapy.http import Response

from crawler.fetching.answers import content_type
from crawler.fetching.scrapy_process import EXIT_FAILED, EXIT_OK, EXIT_UNAVAILABLE, run_spider
from crawler.fetching.single_pages import settings_here
from crawler.gates.context import FetchContext, GatedSpider, context_from
from crawler.gates.errors import AddressRefused, outcome_of_failure
from crawler.gates.guard_gates import AddressGate
from crawler.guarding.browser_proxy import GuardedProxy
from crawler.guarding.guard import host_and_port
from crawler.rendering.chromium import PAGE_SECONDS, find_browser, launch_options
from crawler.run.outcomes import of_answer
from crawler.run.rendering_choice import TABS
from crawler.task_list.file import TASKS_FILE
from crawler.task_list.identity import identity_of
from crawler.task_list.mistakes import TaskError
from extractors.html.urls import normalise
from extractors.visual.screenshot_type import file_name, is_blank, read_png
from workers.errors import ExemplarError

SCREEN = 1366  # CSS pixels, width and height; the source's larger input has this size
SCALE = 0.25  # pixels of the picture per CSS pixel
INDEX = "screenshots.jsonl"
SCREENSHOT_SECONDS = 15
SCRIPTS, PLAIN = "scripts", "plain"  # browser contexts: as for a reader, and without JavaScript
FORBIDDEN = 403  # the proxy's status for an address that it refused


@dataclass(frozen=True, slots=True)
class Shot:
    """A page and its screenshot. `scripts`: JavaScript ran. `reason`: why there is no screenshot, empty if there is."""

    url: str
    file: str
    scripts: bool = False
    reason: str = ""


def take(urls: Iterable[str], out: Path, *, delay: float | None = None, listed_only: bool = False) -> list[Shot]:
    """Take screenshots, in a process whose reactor has not run yet, and return one `Shot` per URL, in their order.

    `listed_only`: connect only to the hosts that the user listed. Contact, hosts and delay are those of tasks.yaml in
    the present folder, if there is one, and of the environment. Raises `BrowserMissing`.
    """
    out.mkdir(parents=True, exist_ok=True)
    distinct = list(dict.fromkeys(map(normalise, urls)))
    known = read_index(out)
    missing = [Shot(url, str(out / file_name(url))) for url in distinct if url not in known]
    if missing:
        known |= {shot.url: shot for shot in _rendered(missing, out, delay, listed_only)}
    return [known.get(url, Shot(url, "", reason="no answer")) for url in distinct]


def read_index(out: Path) -> dict[str, Shot]:
    """Return the index of the screenshots in a folder, by URL."""
    index = out / INDEX
    lines = index.read_text("utf-8").splitlines() if index.exists() else []
    return {shot.url: shot for shot in (Shot(**json.loads(line)) for line in lines)}


def _rendered(shots: Sequence[Shot], out: Path, delay: float | None, listed_only: bool) -> list[Shot]:
    """Run the spider over `shots`; each result is written to the index immediately."""
    settings = settings_here(Path(TASKS_FILE))
    context = context_from(settings)
    done: list[Shot] = []
    with (
        (out / INDEX).open("a", encoding="utf-8") as index,
        GuardedProxy(context.guard, listed_only=listed_only) as proxy,
    ):

        def keep(shot: Shot) -> None:
            done.append(shot)
            index.write(json.dumps(asdict(shot), ensure_ascii=False) + "\n")
            index.flush()

        interval = settings.delay if delay is None else delay
        _crawl(shots, keep, proxy, context, identity_of(settings) | {"DOWNLOAD_DELAY": interval})
    return done


def _crawl(
    shots: Sequence[Shot],
    keep: Callable[[Shot], None],
    proxy: GuardedProxy,
    context: FetchContext,
    settings: dict[str, Any],
) -> None:
    screen = {"viewport": {"width": SCREEN, "height": SCREEN}, "device_scale_factor": SCALE}
    per_host = {"CONCURRENT_REQUESTS_PER_DOMAIN": 1 if settings["DOWNLOAD_DELAY"] else TABS, "LOG_LEVEL": "ERROR"}
    settings = rendering_settings(find_browser(), proxy.url, screen) | settings | per_host
    run_spider(ScreenshotsSpider, settings, context=context, shots=shots, on_shot=keep, proxy=proxy)


def rendering_settings(browser: str, proxy: str, context: dict[str, Any]) -> dict[str, Any]:
    """Return the Scrapy settings for screenshots: requests with `meta={"playwright": True}`.

    `proxy`: the URL of a `GuardedProxy`; `context`: Playwright's own options (viewport, …) for both contexts.
    """
    handler = "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"
    return {
        "DOWNLOAD_HANDLERS": {"http": handler, "https": handler, "data": None, "file": None, "ftp": None, "s3": None},
        "DOWNLOADER_MIDDLEWARES": {
            "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
            "crawler.gates.guard_gates.UrlGate": 50,
            "crawler.gates.host_rules.RobotsMiddleware": 100,
            "evaluation.screenshots.AddressGateBehindProxy": 960,
        },
        "PLAYWRIGHT_LAUNCH_OPTIONS": launch_options(browser, proxy),
        "PLAYWRIGHT_CONTEXTS": {
            SCRIPTS: context | {"service_workers": "block"},
            PLAIN: context | {"java_script_enabled": False, "service_workers": "block"},
        },
        "PLAYWRIGHT_DEFAULT_NAVIGATION_TIMEOUT": PAGE_SECONDS * 1000,
        "PLAYWRIGHT_MAX_PAGES_PER_CONTEXT": TABS,
        "PLAYWRIGHT_ABORT_REQUEST": "evaluation.screenshots.is_needless",
        "CONCURRENT_REQUESTS": TABS,
    }


def is_needless(request: Any) -> bool:
    """Whether a page's request is needless: videos and persistent connections do not change a screenshot."""
    return request.resource_type in ("media", "websocket", "eventsource")


class AddressGateBehindProxy(AddressGate):
    """The address gate for rendered pages, whose responses all come from the proxy, which has checked the address."""

    def process_response(self, request: Request, response: Response) -> Response:
        """Check the address of responses that do not come from the browser, such as that of robots.txt."""
        return response if request.meta.get("playwright") else super().process_response(request, response)


class ScreenshotsSpider(GatedSpider):
    """Writes a PNG for each of `shots` and passes the result to `on_shot`; `proxy`: that of the browser.

    Strategy: with JavaScript; if that is blank or fails, once more without; if that is blank or fails, too, no
    screenshot, but the reason. A page that does not exist (404, no HTML, refused) is requested once.
    """

    name = "screenshots"

    def __init__(
        self,
        context: FetchContext,
        shots: Sequence[Shot],
        on_shot: Callable[[Shot], None],
        proxy: GuardedProxy,
        **kwargs: Any,
    ):
        super().__init__(context, **kwargs)
        self.shots, self.on_shot, self.proxy = shots, on_shot, proxy

    async def start(self) -> AsyncIterator[Request]:
        """Yield one request per page."""
        for shot in self.shots:
            yield self._request(shot, SCRIPTS)

    def _request(self, shot: Shot, context: str) -> Request:
        from scrapy_playwright.page import PageMethod

        method = PageMethod("screenshot", animations="disabled", timeout=SCREENSHOT_SECONDS * 1000)
        return Request(
            shot.url,
            callback=self._on_response,
            errback=self._on_failure,
            dont_filter=True,
            meta={"playwright": True, "playwright_context": context, "playwright_page_methods": [method]},
            cb_kwargs={"shot": shot, "context": context},
        )

    async def _on_response(self, response: Response, shot: Shot, context: str) -> Request | None:
        refused = await self._refused(response.url) if response.status == FORBIDDEN else ""
        outcome = of_answer(response.status, content_type(response), response.body)
        if refused:
            outcome = AddressRefused(refused).outcome
        if outcome.kind != "page":
            return self._without(shot, outcome.reason)
        png: bytes = response.meta["playwright_page_methods"][0].result
        if is_blank(read_png(png)):
            return self._again(shot, context, "the page is blank")
        Path(shot.file).write_bytes(png)
        self.on_shot(replace(shot, scripts=context == SCRIPTS))
        return None

    async def _on_failure(self, failure: Any) -> Request | None:
        from playwright.async_api import TimeoutError as PlaywrightTimeout

        shot, context = (failure.request.cb_kwargs[name] for name in ("shot", "context"))
        error = DownloadTimeoutError() if isinstance(failure.value, PlaywrightTimeout) else failure.value
        if refused := await self._refused(failure.request.url):
            error = AddressRefused(refused)
        outcome = outcome_of_failure(error)
        reason = outcome.reason.splitlines()[0]
        return self._again(shot, context, reason) if outcome.kind == "again" else self._without(shot, reason)

    async def _refused(self, url: str) -> str:
        return await self.proxy.refused_address(*host_and_port(url))

    def _again(self, shot: Shot, context: str, reason: str) -> Request | None:
        return self._request(shot, PLAIN) if context == SCRIPTS else self._without(shot, reason)

    def _without(self, shot: Shot, reason: str) -> Request | None:
        """Record that a page gets no screenshot: an image of an error page would be worse."""
        self.on_shot(replace(shot, reason=reason))
        return None


def main(words: Sequence[str] | None = None) -> int:
    """Take the screenshots and print one line per page. Exit code 1 if some have none, 3 without a browser."""
    arguments = _parser().parse_args(words)
    try:
        urls = _urls(arguments.urls)
        shots = take(urls, arguments.out, delay=arguments.delay, listed_only=arguments.listed_only)
    except (ExemplarError, TaskError, OSError) as error:
        print(error, file=sys.stderr)
        return EXIT_UNAVAILABLE
    for shot in shots:
        print(f"{shot.url}\t{shot.reason or Path(shot.file).name}")
    return EXIT_FAILED if any(shot.reason for shot in shots) else EXIT_OK


def _urls(given: Sequence[str]) -> list[str]:
    """Return the given URLs, and those in the given text files (one per line). Raises `OSError`."""
    urls: list[str] = []
    for name in given:
        lines = [name] if "://" in name else Path(name).read_text("utf-8").splitlines()
        urls += [line.strip() for line in lines if line.strip()]
    return urls


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m evaluation.screenshots", description=__doc__)
    parser.add_argument("urls", nargs="+", metavar="URL|FILE", help="pages, or text files with one URL per line")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="output folder of the screenshots")
    parser.add_argument("--delay", type=float, metavar="S", help="seconds between two pages of a host")
    parser.add_argument("--listed-only", action="store_true", help="connect only to the hosts in allow_hosts")
    return parser


if __name__ == "__main__":
    sys.exit(main())
