"""The gate that holds each request until it has a permit, and reports its response to the pace.

`Retry-After` (RFC 9110, section 10.2.3) says how long a host accepts no requests:

    Retry-After = HTTP-date / delay-seconds

All three forms of dates of section 5.6.7 are read, and seconds with a fraction, which some servers send.
"""

import asyncio
import re
import time
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Any

from scrapy import Request
from scrapy.exceptions import NotConfigured
from scrapy.http import Response

from crawler.discovery.feed_dates import header_time
from crawler.gates.context import PERMIT, Gate
from crawler.gates.errors import HostClosed, RunEnding, host_failure
from crawler.politeness.pace import PATIENCE, RETRY_AFTER_MOST, HostProblem, Permit

MARGIN = 0.02  # seconds added to an interval, because requests are sent some milliseconds after their permits
WITH_RETRY_AFTER = frozenset({403, 429, 503})  # statuses whose Retry-After means too many or too early requests
TOO_MANY = frozenset({429, 503})  # statuses with this meaning even without the header

_SECONDS = re.compile(r"[0-9]{1,300}(?:\.[0-9]{0,300})?")


class PaceMiddleware(Gate):
    """Holds each request until it has a permit. For each host only one permit at a time is requested from the pace.

    If the host is closed for longer than `PATIENCE`, the requests fail with `HostClosed`.
    """

    def __init__(self, crawler: Any):
        super().__init__(crawler)
        if self.context.pace is None:
            raise NotConfigured
        self.pace = self.context.pace
        self.interval = self.context.interval + MARGIN if self.context.interval else 0.0
        self._queues: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def process_request(self, request: Request) -> None:
        """Wait for a permit. Raises `RunEnding` if the run ends before, `HostClosed` if it would take too long."""
        host = await self.context.limiter_of(request.url)
        async with self._queues[host]:
            waited = 0.0
            while not self.context.is_ending():
                permit = self.context.guarded_call(self.pace.request_permit, host, self.interval)
                if permit.wait == 0:
                    request.meta[PERMIT] = GrantedPermit(host, permit, self)
                    return
                if permit.closed:
                    waited += permit.wait
                    if waited > PATIENCE:
                        raise HostClosed(permit.closed, permit.wait)
                await self.context.pause(permit.wait)
        raise RunEnding

    def process_response(self, request: Request, response: Response) -> Response:
        """Report a response."""
        self._report(request, problem_of(response), request.meta.get("download_latency"))
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Report that the host failed, if it did."""
        if why := host_failure(exception):
            self._report(request, HostProblem(why, failed=True))
        request.meta.pop(PERMIT, None)

    def _report(self, request: Request, problem: HostProblem | None, seconds: float | None = None) -> None:
        granted: GrantedPermit | None = request.meta.pop(PERMIT, None)
        if granted is not None:
            host, at = granted.host, granted.permit.at
            self.context.guarded_call(self.pace.report, host, at, problem, seconds=seconds, interval=self.interval)


@dataclass(frozen=True, slots=True)
class GrantedPermit:
    """A request's permit, in its meta."""

    host: str
    permit: Permit
    gate: PaceMiddleware


async def in_time(request: Request) -> None:
    """Renew a late permit just before its request is sent, or wait for another one. Raises as `process_request`."""
    while (granted := request.meta.pop(PERMIT, None)) is not None:
        gate: PaceMiddleware = granted.gate
        permit = gate.context.guarded_call(gate.pace.in_time, granted.host, granted.permit, gate.interval)
        if permit is not None:
            request.meta[PERMIT] = granted if permit is granted.permit else replace(granted, permit=permit)
            return
        await gate.process_request(request)


# Retry-After


def retry_after(value: str, *, date: str = "", now: float | None = None) -> float | None:
    """Return the seconds of a Retry-After header's value; None if it has none of the forms.

    0 or less: the time is over. `date`: the response's own Date header, so that a server's wrong clock does no harm;
    without it the Unix time `now` is used.
    """
    value = value.strip()
    if _SECONDS.fullmatch(value):
        return float(value)
    if (until := header_time(value)) is None:
        return None
    sent = header_time(date)
    return until.timestamp() - (sent.timestamp() if sent else time.time() if now is None else now)


def problem_of(response: Any) -> HostProblem | None:
    """Return the problem that a response (Scrapy's `Response`) shows for further requests; None if it is a good one."""
    status = response.status
    if status < 400 or status in (404, 410):
        return None
    rest = _rest(response) if status in WITH_RETRY_AFTER else 0.0
    if rest > 0:
        return HostProblem(f"http {status}; Retry-After: {rest:.0f} s", rest, slow=True)
    return HostProblem(f"http {status}", slow=status in TOO_MANY, failed=status >= 500)


def too_many_requests(response: Any) -> HostProblem | None:
    """Return the problem if a response is not about the page: the host gets too many requests."""
    problem = problem_of(response)
    return problem if problem and problem.slow and not problem.failed else None


def _rest(response: Any) -> float:
    """Return the seconds of a response's Retry-After, within bounds; 0 if it has none."""
    value, date = ((response.headers.get(name) or b"").decode("latin-1") for name in ("Retry-After", "Date"))
    return min(max(retry_after(value, date=date) or 0.0, 0.0), RETRY_AFTER_MOST) if value else 0.0
