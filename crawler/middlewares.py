"""The gates every request passes: may it be made (robots.txt, guard), and when (pace). What came of it is reported."""

import asyncio
import ipaddress
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, cast
from urllib.parse import urljoin, urlsplit

from scrapy import Request
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from w3lib.url import safe_url_string

from workers.usage import TDM_FILE

from . import robots, tdm
from .addresses import AddressBook
from .guard import SCHEMES, Guard
from .host_files import HostFile, HostFiles
from .politeness import CRAWL_DELAY_MOST, DEFAULT_INTERVAL, PATIENCE, Pace, Trouble, Turn, host_of
from .resolver import GUARD, refused_at
from .retry_after import trouble_of
from .verdicts import NO_ANSWER, of_failure

CONTACT_MISSING = (
    "no contact is given to the sites that are crawled: set `settings.contact` in tasks.yaml "
    "(a URL or an e-mail address), or EXEMPLAR_CONTACT"
)
MOVED = frozenset({301, 302, 303, 307, 308})
ROBOTS_PRIORITY = 1000  # before all pages
ROBOTS_PAUSES = (2.0, 5.0)  # seconds before it is asked for again
MARGIN = 0.02  # seconds on top of an interval: a request leaves some milliseconds after its turn, not all by the same
PROXY_PLACE = "proxy_place"  # in a request's meta: name and port of the proxy that it goes through
NAP = 0.25  # seconds between looks whether the run ends, for who waits


class Ending(IgnoreRequest):
    """The run ends while the request waited for its turn: it was never sent."""


class RobotsUnreachable(IgnoreRequest):
    """robots.txt can't be had now, so the request was never sent. The text says why."""


class HostClosed(IgnoreRequest):
    """The host may not be asked for longer than a request waits, so it was never sent. The text says why."""

    def __init__(self, why: str, seconds: float):
        super().__init__(why)
        self.seconds = seconds  # until it may be asked again


class UrlMiddleware:
    """Refuses first what a URL's text shows, before a robots.txt is asked for."""

    def process_request(self, request: Request) -> None:
        """Refuse by the URL's text."""
        if refusal := GUARD.get("current", Guard()).refusal(request.url):
            raise IgnoreRequest(refusal)


class GuardMiddleware:
    """Refuses what must not be fetched, before and after: by the URL, and by the address that answered."""

    def __init__(self, contact: str):
        self.contact = contact

    @classmethod
    def from_crawler(cls, crawler: Any) -> "GuardMiddleware":
        """Scrapy's way to make one."""
        return cls(crawler.settings.get("EXEMPLAR_CONTACT", ""))

    def process_request(self, request: Request) -> None:
        """Refuse by the URL's text, and public hosts as long as nobody can be reached about us."""
        guard = GUARD.get("current", Guard())
        if refusal := guard.refusal(request.url):
            raise IgnoreRequest(refusal)
        if not self.contact and not guard.lists(*place_of(request.url)):
            raise IgnoreRequest(CONTACT_MISSING)

    def process_response(self, request: Request, response: Response) -> Response:
        """Refuse by the address that was connected to, should it ever pass the resolver."""
        host, port = request.meta.get(PROXY_PLACE) or place_of(request.url)
        if response.ip_address is not None:
            address = ipaddress.ip_address(str(response.ip_address))
            if not GUARD.get("current", Guard()).allows(address, host, port):
                raise IgnoreRequest(f"address {address} is not public; list the host under allow_hosts if it is yours")
        return response


class RobotsMiddleware:
    """Asks each host for its robots.txt, once a day, and obeys it. While one request asks, the host's others wait."""

    def __init__(self, crawler: Any):
        if not crawler.settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured
        self.product: str = crawler.settings["ROBOTSTXT_USER_AGENT"] or crawler.settings["USER_AGENT"].split("/")[0]
        self.files = FileAsker(crawler, "robots")
        self.pace = PaceMiddleware.of(crawler)
        self.problem: Callable[[str], None] = getattr(crawler.spider, "problem", lambda text: None)
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
                self.problem(
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
                there = isinstance(answer, HostFile) and 200 <= answer.status < 300
                rules = tdm.parse(answer.body) if there else tdm.TdmRules()  # type: ignore[union-attr]
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

        `counts` says for how long one does, None if it is none and is to be asked for again. Raises `Ending` if the run
        ends meanwhile, and the guard's error where it holds the file back: it holds the page back as well.
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
            raise Ending("the run ends")

    async def _ask(self, url: str) -> HostFile | str:
        """The answer, or why there is none. Redirects without end say the same as a file that is not there."""
        hop = url
        try:
            for _ in range(robots.REDIRECTS + 1):
                meta = {"dont_redirect": True, **self.meta}
                request = Request(hop, priority=ROBOTS_PRIORITY, meta=meta, callback=NO_CALLBACK)
                response = await self.crawler.engine.download_async(request)
                if response.status not in MOVED or b"Location" not in response.headers:
                    return HostFile(response.status, response.body)
                hop = urljoin(hop, safe_url_string(response.headers[b"Location"]))
        except Ending:
            raise
        except Exception as error:
            refused = refused_address(error, hop)
            if hop == url and (refused or isinstance(error, IgnoreRequest)):
                raise
            return of_failure(error, refused=refused).reason
        return HostFile(404, b"")


def refused_address(error: BaseException, url: str) -> str | None:
    """The address that the guard held back, if that is why a URL's host was not found."""
    if type(error).__name__ not in ("DNSLookupError", "CannotResolveHostError"):
        return None
    return refused_at(*place_of(url))


class PaceMiddleware:
    """Holds each request until its host's turn comes, and reports what came of it.

    Requests of one host stand in line, and the first of them asks. Where the host is closed for longer than `PATIENCE`
    they are given back as `HostClosed`.
    """

    def __init__(
        self,
        pace: Pace,
        interval: float,
        ending: Callable[[], bool],
        asked: Callable[..., Any] = lambda step, *args: step(*args),
        addresses: AddressBook | None = None,
    ):
        self.pace, self.ending, self.asked, self.addresses = pace, ending, asked, addresses
        self.interval = interval + MARGIN if interval else 0.0
        self._lines: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    @classmethod
    def of(cls, crawler: Any) -> "PaceMiddleware | None":
        """The crawler's one; None if its spider has no connection, and keeps the pace by itself."""
        spider = crawler.spider
        if not hasattr(spider, "connection"):
            return None
        if not hasattr(spider, "pace"):
            settings = crawler.settings
            interval = settings.getfloat("EXEMPLAR_DELAY", DEFAULT_INTERVAL)
            addresses = AddressBook(_resolver()) if settings.getbool("EXEMPLAR_PER_ADDRESS") else None
            spider.pace = cls(Pace(spider.connection), interval, spider.is_ending, spider.asked, addresses)
        return cast(PaceMiddleware, spider.pace)

    @classmethod
    def from_crawler(cls, crawler: Any) -> "PaceMiddleware":
        """Scrapy's way to make one; the spider brings the connection, and ends its run when Redis is away."""
        found = cls.of(crawler)
        if found is None:
            raise NotConfigured
        return found

    async def process_request(self, request: Request) -> None:
        """Wait for the turn. Raises `Ending` if the run ends before it comes, `HostClosed` if it is too far off."""
        host = host_of(request.url) if self.addresses is None else await self.addresses.limiter_of(request.url)
        async with self._lines[host]:
            waited = 0.0
            while not self.ending():
                turn: Turn | None = self.asked(self.pace.ask, host, self.interval)
                if turn is None:  # Redis is away: the run ends
                    continue
                if turn.wait == 0:
                    request.meta["turn"] = host, turn.at
                    return
                if turn.closed:
                    waited += turn.wait
                    if waited > PATIENCE:
                        raise HostClosed(turn.closed, turn.wait)
                await sleep(turn.wait, self.ending)
        raise Ending("the run ends")

    def process_response(self, request: Request, response: Response) -> Response:
        """Report an answer."""
        host, turn = request.meta.pop("turn", (None, 0.0))
        if host is not None:
            if trouble := trouble_of(response):
                self.asked(self.pace.trouble, host, turn, trouble)
            else:
                self.asked(self.pace.came, host, turn, request.meta.get("download_latency"))
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Report that there was no answer."""
        host, turn = request.meta.pop("turn", (None, 0.0))
        if host is None or refused_address(exception, request.url):
            return
        name = type(exception).__name__
        if name in NO_ANSWER:
            self.asked(self.pace.trouble, host, turn, Trouble(of_failure(exception).reason, failed=True))

    async def crawl_delay(self, url: str, seconds: float, kept: float) -> None:
        """Let the Crawl-delay of a URL's host count for everyone, for `kept` seconds."""
        host = host_of(url) if self.addresses is None else await self.addresses.limiter_of(url)
        self.asked(self.pace.crawl_delay, host, seconds, kept)


def _resolver() -> Any:
    from twisted.internet import reactor

    return reactor.nameResolver


async def sleep(seconds: float, ending: Callable[[], bool]) -> None:
    """Sleep, but not on when the run ends."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0 and not ending():
        await asyncio.sleep(min(left, NAP))


def place_of(url: str) -> tuple[str, int]:
    """Host and port of a URL."""
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or SCHEMES.get(parts.scheme, 80)
