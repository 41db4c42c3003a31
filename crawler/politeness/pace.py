"""The pace of each host, one for the whole cluster: Redis grants permits and takes reports on the responses.

A permit is for one request that is sent immediately: none is reserved ahead, so a delayed process cannot use an
outdated one, and a process that dies leaves none behind. Two permits of one host are at least the interval of the first
apart, in all processes on all machines. Times are those of Redis, so the machines' clocks have no effect. A host is a
name with its port (`host_of`), or its address if the hosts of one address share one pace (`AddressBook`).

    a host's interval = max(task's delay, Crawl-delay, slow-down after 429 and 503, slow-down as responses get slower)

- 429, or 503 or 403 with a Retry-After: no permit before that time. 403 is included because hosts
  that limit requests use it in this way (without the header it has no such meaning). Without the header 429 and 503
  double the interval; good responses reduce it.
- A breaker opens after failures in a row (no connection, no response in time, 5xx) in any processes, grants one permit
  when its time is over, and closes on the first response. Each time that it opens it stays open twice as long.

The state is one hash per host (`lua/host.lua`) that expires when permits are no longer requested.
"""

import ipaddress
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from importlib.resources import files
from typing import Any, cast

import redis

from crawler.guarding.guard import host_and_port, look_up
from workers import keys
from workers.redis_access.redis_scripts import RECALL, Step

CRAWL_DELAY_MOST = 60.0  # seconds; with more, a section of some thousand articles would take weeks
RETRY_AFTER_MOST = 86400.0  # seconds of a Retry-After that count at most; then one request is sent
PATIENCE = 30.0  # seconds a request waits in its process for a closed host; after that it is postponed
LATE = 0.01  # seconds between requesting a permit and sending the request; an older permit is renewed …
RENEWALS = 3  # … this many times; then the request is sent although it is late
ADDRESS_KEPT = 60.0  # seconds for which the addresses of a host are used without looking them up again
NAMES_MOST = 10_000  # hosts whose addresses are kept

# Constants of the Lua scripts. Times in seconds.
_CONSTANTS: dict[str, float] = {
    "SLOW_LEAST": 1.0,  # the interval after the first 429 or 503
    "SLOW_MOST": 60.0,
    "SLOW_FORGOTTEN": 0.05,  # a smaller interval counts as none
    "SLOW_KEPT": 3600.0,  # how long a slow-down is kept after the last 429 or 503
    "LAG_LEAST": 0.5,  # responses are judged slow from this much above the usual time …
    "LAG_MOST": 10.0,
    "OPEN_LEAST": 60.0,  # the breaker's first pause; longer than PATIENCE: the run ends, and the next one probes
    "OPEN_MOST": 1800.0,
    "PROBE_MOST": 60.0,  # after this time the process that sent the probe may be dead, and another one sends one
    "PROBE_LOOK": 0.5,  # between two checks for the response to the probe
    "STATE_KEPT": 3600.0,  # how long the state of a host without requests is kept …
    "PROBLEM_KEPT": 86400.0,  # … and if it had a problem: hourly runs should find the breaker in its state
}
_NUMBERS: dict[str, float] = {
    "FAILURES_MOST": 8,  # failures in a row that open the breaker
    "SPEED_UP": 0.8,  # factor of the interval by each good response: from 1 s to nothing in 14 responses
    "SAMPLES_LEAST": 20,  # response times that are needed before they are judged
    "USUAL_WEIGHT": 0.005,  # weight of a response time in the slow average, which covers some hundred responses
    "UNUSUAL": 0.1,  # factor of that weight for a much slower response, so that slowness does not become usual too soon
    "RECENT_WEIGHT": 0.3,  # weight of a response time in the quick average
    "LAG_FACTOR": 3.0,  # … and from this many times the usual time
}
_LUA = files("crawler.politeness").joinpath("lua")
_PRELUDE = "".join(f"local {name} = {value * 1e6:.0f}\n" for name, value in _CONSTANTS.items()) + "".join(
    f"local {name} = {value}\n" for name, value in _NUMBERS.items()
)


@dataclass(frozen=True, slots=True)
class Permit:
    """The answer to a request for a permit. `wait`: 0 if it is granted, else seconds until the next request for it.

    `closed`: why the host is closed, "" if only its interval is not over. `at`: Redis' time in microseconds.
    `requested`: when it was requested, by this process' clock.
    """

    wait: float
    closed: str
    at: float
    requested: float


@dataclass(frozen=True, slots=True)
class HostProblem:
    """The meaning of a response, or of its absence, for further requests. `rest`: seconds of its Retry-After, 0 if
    none.

    `slow`: the host receives too many requests; `failed`: it is unavailable or has an error. Neither: it is available.
    """

    why: str
    rest: float = 0.0
    slow: bool = False
    failed: bool = False

    @property
    def kind(self) -> str:
        """The name of the problem in `report.lua`."""
        if self.slow:
            return "both" if self.failed else "slow"
        return "fail" if self.failed else "alive"


class Pace:
    """Requests permits and reports responses. One per process. `clock`: seconds from any origin."""

    def __init__(self, connection: "redis.Redis", clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._permit = Step(connection, _lua("permit"), declares=RECALL)
        self._renew = connection.register_script(_lua("renew"))
        self._report = Step(connection, _lua("report"))
        self._crawl_delay = connection.register_script(_lua("crawl_delay"))

    def request_permit(self, host: str, interval: float) -> Permit:
        """Request a permit. `interval`: seconds that the requests of this task keep."""
        now = self._clock()
        wait, closed, at = self._permit([state_key(host)], [int(interval * 1e6)])
        return Permit(wait / 1e6, closed.decode(), at, now)

    def in_time(self, host: str, permit: Permit, interval: float) -> Permit | None:
        """Check a permit just before its request is sent, because a late request would be too close to the next one.

        A late permit is renewed. Returns the permit that is valid now, None if another one was granted since.
        """
        for _ in range(RENEWALS):
            now = self._clock()
            if interval <= 0 or now - permit.requested <= LATE:
                break
            at = cast(int, self._renew(keys=[state_key(host)], args=[f"{permit.at:.0f}", int(interval * 1e6)]))
            if not at:
                return None
            permit = Permit(0.0, "", at, now)
        return permit

    def report(
        self,
        host: str,
        at: float,
        problem: HostProblem | None = None,
        *,
        seconds: float | None = None,
        interval: float = 0.0,
    ) -> None:
        """Report what came of the request with the permit of `at`: a problem, or else a good response.

        `seconds`: until the response began, if known; `interval`: that of the task.
        """
        args: list[str | float] = [
            host,
            int(interval * 1e6),
            f"{at:.0f}",
            -1 if seconds is None else int(seconds * 1e6),
        ]
        args += (
            [problem.kind, int(min(problem.rest, RETRY_AFTER_MOST) * 1e6), problem.why] if problem else ["good", 0, ""]
        )
        self._report([state_key(host), keys.TROUBLED_HOSTS], args)

    def crawl_delay(self, host: str, seconds: float, kept: float) -> None:
        """Apply the Crawl-delay of a host's robots.txt to all processes, for `kept` seconds."""
        args = [int(min(seconds, CRAWL_DELAY_MOST) * 1e6), int(kept * 1e6)]
        self._crawl_delay(keys=[state_key(host)], args=args)


def _lua(name: str) -> str:
    """Return the script of one step, after the constants and the code that all steps share."""
    return _PRELUDE + "".join(_LUA.joinpath(f"{each}.lua").read_text("utf-8") for each in ("host", name))


@lru_cache(maxsize=1024)  # several calls for each request
def host_of(url: str) -> str:
    """Name and port of a URL, the unit of politeness."""
    name, port = host_and_port(url)
    return f"{name}:{port}"


def state_key(host: str) -> str:
    """Return the key of a host's state in Redis."""
    return keys.of_host(host, "pace")


# One pace for the hosts of one address


class AddressBook:
    """The addresses of hosts, kept for a minute. `look_up`: as `guard.look_up`; `clock`: seconds from any origin."""

    def __init__(
        self, look_up: Callable[[str, int], Awaitable[list[str]]] = look_up, clock: Callable[[], float] = time.monotonic
    ):
        self.look_up, self.clock = look_up, clock
        self._known: dict[tuple[str, int], tuple[float, list[str]]] = {}  # by host and port: until when, addresses

    async def addresses_of(self, name: str, port: int) -> list[str]:
        """Return the addresses of a host, unchecked; none if it is not found."""
        until, addresses = self._known.get((name, port), (0.0, []))
        if self.clock() >= until and (addresses := await self.look_up(name, port)):
            if len(self._known) >= NAMES_MOST:
                self._known.clear()
            self._known[name, port] = self.clock() + ADDRESS_KEPT, addresses
        return addresses

    async def limiter_of(self, url: str) -> str:
        """Return the address to which a URL's requests are sent; its host if that is unknown."""
        addresses = map(ipaddress.ip_address, await self.addresses_of(*host_and_port(url)))
        # The smallest, which is the same in all processes, in any order of the results.
        least = min(addresses, key=lambda address: (address.version, address), default=None)
        return str(least) if least else host_of(url)


# The states of hosts, for status and problems


@dataclass(frozen=True, slots=True)
class HostState:
    """The state of a host. `interval`: seconds that all requests keep; `until`: Unix seconds, None if not closed.

    `failures`: in a row. `why`: the reason for which it was closed, also after it opens again; "" if it was not closed.
    """

    host: str
    interval: float
    until: float | None
    failures: int
    why: str

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON-ready form, times in ISO 8601."""
        return {
            "host": self.host,
            "state": self.state,
            "interval": self.interval,
            "until": datetime.fromtimestamp(self.until, UTC).isoformat(timespec="seconds") if self.until else None,
            "failures": self.failures,
            "why": self.why if self.until else "",
        }

    @property
    def state(self) -> str:
        """ "closed", "slowed" or "open"."""
        if self.until is not None:
            return "closed"
        return "slowed" if self.interval else "open"


def host_state(connection: "redis.Redis", host: str) -> HostState:
    """Return the present state of a host (name with port, as `host_of` returns it)."""
    return _read(connection.register_script(_lua("state")), host)


def hosts(connection: "redis.Redis") -> list[HostState]:
    """Return the hosts that are slowed down or closed now, by name."""
    seconds, micros = connection.time()
    connection.zremrangebyscore(keys.TROUBLED_HOSTS, "-inf", seconds * 1_000_000 + micros)  # no request for a day
    names = sorted(name.decode() for name in cast(list[bytes], connection.zrange(keys.TROUBLED_HOSTS, 0, -1)))
    script = connection.register_script(_lua("state"))
    return [state for name in names if (state := _read(script, name)).state != "open"]


def in_words(state: dict[str, Any]) -> str:
    """Return one line about a host, from the result of `to_dict`."""
    if state["state"] == "closed":
        until = datetime.fromisoformat(state["until"]).astimezone()
        return f"host {state['host']}: closed until {until:%m-%d %H:%M:%S} ({state['why']})"
    return f"host {state['host']}: slowed down, {state['interval']:.1f} s between two requests"


def _read(script: Callable[..., Any], host: str) -> HostState:
    interval, closed, failures, why, _ = script(keys=[state_key(host)])
    return HostState(host, interval / 1e6, closed / 1e6 or None, failures, why.decode())
