"""The gates for a host's own files: robots.txt is obeyed, tdmrep.json is recorded. Each is requested once a day."""

import asyncio
import math
from collections import defaultdict
from collections.abc import Awaitable, Sequence
from typing import Any, ClassVar, Generic, TypeVar
from urllib.parse import urljoin

from scrapy import Request
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http.request import NO_CALLBACK
from w3lib.url import safe_url_string

from crawler.gates.context import NAP, WITHOUT_ROBOTS, Gate
from crawler.gates.errors import RobotsForbidden, RobotsUnreachable, RunEnding, outcome_of_failure
from crawler.guarding.guard import SCHEMES
from crawler.politeness import robots
from crawler.politeness.host_files import HostFile, HostFiles, TdmRules, parse_tdm
from crawler.politeness.pace import host_of
from crawler.run.outcomes import MOVED
from workers.usage_rights import TDM_FILE

PRIORITY = 1000  # of requests for these files: before all pages
ROBOTS_PAUSES = (2.0, 5.0)  # seconds before it is requested again

Rules = TypeVar("Rules")


class HostFileGate(Gate, Generic[Rules]):
    """Requests one kind of file of each host, once a day for all spiders; the other requests to the host wait for it.

    `kind`: that of `HostFiles`; `path`: where the file is; `pauses`: seconds before each further attempt.
    """

    kind: ClassVar[str]
    path: ClassVar[str]
    pauses: ClassVar[Sequence[float]] = ()

    def __init__(self, crawler: Any):
        super().__init__(crawler)
        self._known: dict[str, tuple[float, Rules]] = {}  # by host: until when they are valid, by the context's clock
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def rules_of(self, url: str) -> Rules:
        """Return the rules of a URL's host. Raises as `_file`."""
        host = host_of(url)
        async with self._locks[host]:
            rules = self.known_rules(host)
            if rules is None:
                rules, seconds = await self._fetch_rules(url, host)
                self._known[host] = self.context.clock() + seconds, rules
        return rules

    def known_rules(self, host: str) -> Rules | None:
        """Return the valid rules of a host; None if its file has to be requested."""
        until, rules = self._known.get(host, (-math.inf, None))
        return rules if self.context.clock() < until else None

    async def _fetch_rules(self, url: str, host: str) -> tuple[Rules, float]:
        """Return the rules of a URL's host, and for how many seconds they are valid. Raises as `_file`."""
        answer, left = await self._file(urljoin(url, self.path), host)
        return self.rules_in(answer), left

    def rules_in(self, answer: HostFile | str) -> Rules:
        """Return the rules of a response, or if there is none; then `answer` says why."""
        raise NotImplementedError

    def valid_for(self, file: HostFile) -> float | None:
        """Return for how many seconds a response is valid; None if it is a failure."""
        return robots.KEPT

    async def _file(self, url: str, host: str) -> tuple[HostFile | str, float]:
        """Return the host's response, or why there is none, and for how many seconds that is valid.

        Raises `RunEnding` if the run ends meanwhile or Redis is unavailable, and the error of a gate that refuses the
        file: such a gate would refuse the page as well.
        """
        if self.context.connection is None:  # the process crawls alone
            return await self._fetch_repeatedly(url)
        call, files = self.context.guarded_call, HostFiles(self.context.connection, self.kind)
        while (known := call(files.get, host)) is None and not call(files.claim, host):
            await self._pause(NAP)
        if known is not None:
            return known
        try:
            if (stored := call(files.get, host)) is not None:  # by the spider that had the right until just now
                return stored
            answer, seconds = await self._fetch_repeatedly(url)
            if isinstance(answer, HostFile):
                call(files.put, host, answer, seconds)
            return answer, seconds
        finally:
            call(files.release, host)

    async def _fetch_repeatedly(self, url: str) -> tuple[HostFile | str, float]:
        for pause in (*self.pauses, None):
            answer = await self._fetch(url)
            reason = answer if isinstance(answer, str) else f"http {answer.status}"
            if isinstance(answer, HostFile) and (seconds := self.valid_for(answer)) is not None:
                return answer, seconds
            if pause is not None:
                await self._pause(pause)
        return reason, robots.KEPT_SHORT

    async def _pause(self, seconds: float) -> None:
        await self.context.pause(seconds)
        if self.context.is_ending():
            raise RunEnding

    async def _fetch(self, url: str) -> HostFile | str:
        """Return the response, or why there is none. Too many redirects mean the same as a missing file."""
        hop, meta = url, {"dont_redirect": True, WITHOUT_ROBOTS: True}
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
            if hop == url and isinstance(error, IgnoreRequest):
                raise
            reason = outcome_of_failure(error, request).reason
            return reason if hop == url else f"{reason} after a redirect"
        return HostFile(404, b"")


class RobotsMiddleware(HostFileGate[robots.Robots | robots.Unreachable]):
    """Obeys each host's robots.txt."""

    kind, path, pauses = "robots", "/robots.txt", ROBOTS_PAUSES

    def __init__(self, crawler: Any):
        super().__init__(crawler)
        if not crawler.settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured
        self.product: str = crawler.settings["ROBOTSTXT_USER_AGENT"] or crawler.settings["USER_AGENT"].split("/")[0]

    def process_request(self, request: Request) -> Awaitable[None] | None:
        """Raises `RobotsForbidden` for a URL that robots.txt disallows, `RobotsUnreachable` while it is unavailable.

        Returns an awaitable, which raises the same, if robots.txt must be requested first.
        """
        if not _has_rules(request):
            return None
        rules = self.known_rules(host_of(request.url))
        if rules is None:
            return self._fetch_and_obey(request.url)
        _obey(rules, request.url)
        return None

    async def _fetch_and_obey(self, url: str) -> None:
        _obey(await self.rules_of(url), url)

    async def _fetch_rules(self, url: str, host: str) -> tuple[robots.Robots | robots.Unreachable, float]:
        """As in `HostFileGate`; the host's Crawl-delay applies to all processes."""
        rules, left = await super()._fetch_rules(url, host)
        pace = self.context.pace
        if isinstance(rules, robots.Robots) and rules.crawl_delay and pace is not None:
            limiter = await self.context.limiter_of(url)
            self.context.guarded_call(pace.crawl_delay, limiter, rules.crawl_delay, left)
        return rules, left

    def rules_in(self, answer: HostFile | str) -> robots.Robots | robots.Unreachable:
        """As in `HostFileGate`."""
        if isinstance(answer, str):
            return robots.Unreachable(answer)
        return robots.of_answer(answer.status, answer.body, self.product)[0]

    def valid_for(self, file: HostFile) -> float | None:
        """As in `HostFileGate`."""
        rules, seconds = robots.of_answer(file.status, b"", "")
        return None if isinstance(rules, robots.Unreachable) else seconds


class TdmMiddleware(HostFileGate[TdmRules]):
    """Records what each host's tdmrep.json declares for a page, if a task skips pages by it."""

    kind, path = TDM_FILE, "/.well-known/tdmrep.json"

    def __init__(self, crawler: Any):
        super().__init__(crawler)
        if not self.context.tdm:
            raise NotConfigured

    async def process_request(self, request: Request) -> None:
        """Note whether the page is reserved, as `1` or `0`."""
        request.meta.pop(TDM_FILE, None)  # that of the page that redirected here
        if not _has_rules(request):
            return
        reserved = (await self.rules_of(request.url)).reserves(request.url)
        if reserved is not None:
            request.meta[TDM_FILE] = str(int(reserved))

    def rules_in(self, answer: HostFile | str) -> TdmRules:
        """As in `HostFileGate`."""
        if isinstance(answer, str) or not 200 <= answer.status < 300:
            return TdmRules()
        return parse_tdm(answer.body)


def _has_rules(request: Request) -> bool:
    return not request.meta.get(WITHOUT_ROBOTS) and request.url.partition(":")[0] in SCHEMES


def _obey(rules: robots.Robots | robots.Unreachable, url: str) -> None:
    if isinstance(rules, robots.Unreachable):
        raise RobotsUnreachable(rules.reason)
    if not rules.allows(url):
        raise RobotsForbidden
