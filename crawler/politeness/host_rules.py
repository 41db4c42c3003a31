"""What a host says of its pages in files of its own: robots.txt is obeyed, tdmrep.json noted. Each is asked for daily.

robots.txt itself is read by `robots`, tdmrep.json by `tdm`.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, cast
from urllib.parse import urljoin, urlsplit

from scrapy import Request
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http.request import NO_CALLBACK
from w3lib.url import safe_url_string

from crawler.fetching.middlewares import (
    NAP,
    PaceMiddleware,
    RobotsUnreachable,
    RunEnding,
    refused_address,
    sleep,
    why_none,
)
from crawler.guarding.guard import SCHEMES
from crawler.politeness import robots, tdm
from crawler.politeness.host_files import HostFile, HostFiles
from crawler.politeness.pace import CRAWL_DELAY_MOST, host_of
from crawler.run.outcomes import MOVED
from workers.usage_rights import TDM_FILE

PRIORITY = 1000  # before all pages
ROBOTS_PAUSES = (2.0, 5.0)  # seconds before it is asked for again


class RobotsMiddleware:
    """Asks each host for its robots.txt, once a day, and obeys it. While one request asks, the host's others wait."""

    def __init__(self, crawler: Any):
        if not crawler.settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured
        self.product: str = crawler.settings["ROBOTSTXT_USER_AGENT"] or crawler.settings["USER_AGENT"].split("/")[0]
        self.files = FileAsker(crawler, "robots")
        self.pace = PaceMiddleware.of(crawler)
        self.remark: Callable[[str], None] = getattr(crawler.spider, "remark", lambda text: None)
        self.cache = robots.RobotsCache()
        self._lines: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    @classmethod
    def from_crawler(cls, crawler: Any) -> "RobotsMiddleware":
        """Scrapy's way to make one."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Refuse what robots.txt forbids, and everything as long as it can't be had."""
        if request.meta.get("dont_obey_robotstxt") or urlsplit(request.url).scheme not in SCHEMES:
            return
        said = await self._said_of(request.url)
        if isinstance(said, robots.Unreachable):
            raise RobotsUnreachable(said.reason)
        if not said.allows(request.url):
            raise IgnoreRequest("Forbidden by robots.txt")

    async def _said_of(self, url: str) -> robots.Robots | robots.Unreachable:
        host = host_of(url)
        if (known := self.cache.get(host)) is not None:
            return known
        async with self._lines[host]:
            known = self.cache.get(host)
            if known is None:
                known, seconds = await self._learn(url, host)
                self.cache.put(host, known, seconds)
            return known

    async def _learn(self, url: str, host: str) -> tuple[robots.Robots | robots.Unreachable, float]:
        """What robots.txt says, and for how many seconds that counts; its Crawl-delay counts for everyone."""
        answer, left = await self.files.get(robots.url_of(url), host, _kept)
        if isinstance(answer, str):
            return robots.unreachable(answer)
        said, _ = robots.of_answer(answer.status, answer.body, self.product)
        if isinstance(said, robots.Robots) and said.crawl_delay and self.pace is not None:
            await self.pace.crawl_delay(url, said.crawl_delay, left)
            if said.crawl_delay > CRAWL_DELAY_MOST:
                self.remark(
                    f"{host} asks for a Crawl-delay of {said.crawl_delay:g} s; {CRAWL_DELAY_MOST:g} s are kept "
                    "(set the task's `delay` for more)"
                )
        return said, left


class TdmMiddleware:
    """Asks each host once a day for its tdmrep.json, where a task skips pages by it, and notes what it says of each."""

    def __init__(self, crawler: Any):
        if not crawler.settings.getbool("EXEMPLAR_TDM"):
            raise NotConfigured
        self.files = FileAsker(crawler, TDM_FILE, pauses=())
        self._rules: dict[str, tuple[float, tdm.TdmRules]] = {}
        self._lines: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    @classmethod
    def from_crawler(cls, crawler: Any) -> "TdmMiddleware":
        """Scrapy's way to make one."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Note what the host says of the page, as `1` or `0`."""
        request.meta.pop(TDM_FILE, None)  # of the page that led here
        if request.meta.get("dont_obey_robotstxt") or urlsplit(request.url).scheme not in SCHEMES:
            return
        reserved = (await self._rules_of(request.url)).reserves(request.url)
        if reserved is not None:
            request.meta[TDM_FILE] = str(int(reserved))

    async def _rules_of(self, url: str) -> tdm.TdmRules:
        host = host_of(url)
        async with self._lines[host]:
            until, rules = self._rules.get(host, (0.0, tdm.TdmRules()))
            if time.monotonic() >= until:
                answer, left = await self.files.get(tdm.url_of(url), host, lambda file: robots.KEPT)
                rules = tdm.TdmRules()
                if isinstance(answer, HostFile) and 200 <= answer.status < 300:
                    rules = tdm.parse(answer.body)
                self._rules[host] = time.monotonic() + left, rules
            return rules


def _kept(file: HostFile) -> float | None:
    """For how many seconds an answer to robots.txt counts; None if it is no answer."""
    said, seconds = robots.of_answer(file.status, b"", "")
    return None if isinstance(said, robots.Unreachable) else seconds


class FileAsker:
    """Asks hosts for a file of theirs, and keeps the answers for all spiders."""

    def __init__(self, crawler: Any, kind: str, pauses: Sequence[float] = ROBOTS_PAUSES, **meta: Any):
        self.crawler, self.pauses, self.meta = crawler, pauses, {"dont_obey_robotstxt": True, **meta}
        self.ending: Callable[[], bool] = getattr(crawler.spider, "is_ending", lambda: False)
        self.asked: Callable[..., Any] = getattr(crawler.spider, "asked", lambda step, *args: step(*args))
        self.kept = HostFiles(getattr(crawler.spider, "connection", None), kind)

    async def get(
        self, url: str, host: str, counts: Callable[[HostFile], float | None]
    ) -> tuple[HostFile | str, float]:
        """Return the host's answer, or why there is none, and for how many seconds it counts.

        `counts` says for how long one does, None if it is none and is to be asked for again. Raises `RunEnding` if the
        run ends meanwhile, and the guard's error where it holds the file back: it holds the page back as well.
        """
        while (known := self.asked(self.kept.get, host)) is None and self.asked(self.kept.claim, host) is False:
            await self._pause(NAP)
        if known is not None:
            return cast("tuple[HostFile, float]", known)
        try:
            answer, seconds = await self._ask_patiently(url, counts)
            if isinstance(answer, HostFile):
                self.asked(self.kept.put, host, answer, seconds)
            return answer, seconds
        finally:
            self.asked(self.kept.release, host)

    async def _ask_patiently(
        self, url: str, counts: Callable[[HostFile], float | None]
    ) -> tuple[HostFile | str, float]:
        for pause in (*self.pauses, None):
            answer = await self._ask(url)
            reason = answer if isinstance(answer, str) else f"http {answer.status}"
            if isinstance(answer, HostFile) and (seconds := counts(answer)) is not None:
                return answer, seconds
            if pause is not None:
                await self._pause(pause)
        return reason, robots.KEPT_SHORT

    async def _pause(self, seconds: float) -> None:
        await sleep(seconds, self.ending)
        if self.ending():
            raise RunEnding("the run ends")

    async def _ask(self, url: str) -> HostFile | str:
        """The answer, or why there is none. Redirects without end say the same as a file that is not there."""
        hop, meta = url, {"dont_redirect": True, **self.meta}
        request = Request(hop, priority=PRIORITY, meta=meta, callback=NO_CALLBACK)
        try:
            for _ in range(robots.REDIRECTS + 1):
                request = Request(hop, priority=PRIORITY, meta=meta, callback=NO_CALLBACK)
                response = await self.crawler.engine.download_async(request)
                if response.status not in MOVED or b"Location" not in response.headers:
                    return HostFile(response.status, response.body)
                hop = urljoin(hop, safe_url_string(response.headers[b"Location"]))
        except RunEnding:
            raise
        except Exception as error:
            refused = refused_address(error, hop)
            if hop == url and (refused or isinstance(error, IgnoreRequest)):
                raise
            return why_none(error, request).reason
        return HostFile(404, b"")
