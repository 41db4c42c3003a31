"""The gate that holds each request until it has a permit, and reports its response to the pace."""

import asyncio
from collections import defaultdict
from dataclasses import dataclass, replace

from scrapy import Request
from scrapy.exceptions import NotConfigured
from scrapy.http import Response

from crawler.gates.context import PERMIT, FetchContext, Gate
from crawler.gates.errors import HostClosed, RunEnding
from crawler.gates.failures import host_failure
from crawler.politeness.pace import PATIENCE, HostProblem, Permit
from crawler.politeness.retry_after import problem_of

MARGIN = 0.02  # seconds added to an interval, because requests are sent some milliseconds after their permits


class PaceMiddleware(Gate):
    """Holds each request until it has a permit. For each host only one permit at a time is requested from the pace.

    If the host is closed for longer than `PATIENCE`, the requests fail with `HostClosed`.
    """

    def __init__(self, context: FetchContext):
        super().__init__(context)
        if context.pace is None:
            raise NotConfigured
        self.pace = context.pace
        self.interval = context.interval + MARGIN if context.interval else 0.0
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
        granted: GrantedPermit | None = request.meta.pop(PERMIT, None)
        if granted is None:
            return response
        host, at = granted.host, granted.permit.at
        if problem := problem_of(response):
            self.context.guarded_call(self.pace.on_problem, host, at, problem)
        else:
            self.context.guarded_call(self.pace.on_response, host, at, request.meta.get("download_latency"))
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Report that the host failed, if it did."""
        granted: GrantedPermit | None = request.meta.pop(PERMIT, None)
        if granted is not None and (why := host_failure(exception)):
            problem = HostProblem(why, failed=True)
            self.context.guarded_call(self.pace.on_problem, granted.host, granted.permit.at, problem)


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
