"""One limiter per host for the whole cluster: every request asks Redis for its turn and says what came of it.

A turn is now or not at all: nothing is reserved ahead, so a process that was held up can't use a turn whose time has
passed, and one that dies leaves none behind. Two turns of one host are at least the first one's interval apart,
whoever asks, on whatever machine. Times are Redis' own, so the machines' clocks don't matter. A host is a name with its
port (`host_of`), or an address (`crawler.politeness.addresses`).

    a host's interval = max(task's delay, Crawl-delay, slow-down after 429 and 503, slow-down as answers get slower)

- 429, or 503 or 403 with a Retry-After: nobody asks before. 403, because hosts that count requests say it so (it means
  nothing without the header). Without the header 429 and 503 double the interval; good answers bring it down again.
- A breaker opens after failures in a row (no connection, no answer in time, 5xx), whoever had them, lets one request
  look when its time is over, and closes on the first answer. Each time it opens anew it stays open twice as long.

The state is one hash per host (`lua/host.lua`) that lapses when nobody asks any more.
"""

import time
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, cast

import redis

from crawler.guarding.guard import place_of
from crawler.politeness import lua
from workers import keys

DEFAULT_INTERVAL = 1.0  # seconds between two requests to one host, unless told otherwise
CRAWL_DELAY_MOST = 60.0  # seconds; more would keep a section of some thousand articles for weeks
RETRY_AFTER_MOST = 86400.0  # seconds that a host may close itself for; then one request looks again
PATIENCE = 30.0  # seconds a request waits in its process for a closed host; what takes longer is put off
CLEAR_SECONDS = 0.2  # a host without interval and trouble is not asked about again for so long
LATE = 0.01  # seconds between asking for a turn and sending the request; a turn that is older begins anew …
RENEWALS = 3  # … so many times: where nothing is ever in time something has to be sent all the same
REPORT_EVERY = 1.0  # seconds between reports of good answers, as long as the host is in no trouble

# Decisions of the Lua scripts. Times in seconds.
_CONSTANTS: dict[str, float] = {
    "SLOW_LEAST": 1.0,  # the interval that the first 429 or 503 brings
    "SLOW_MOST": 60.0,
    "SLOW_FORGOTTEN": 0.05,  # less is none
    "SLOW_KEPT": 3600.0,  # after the last 429 or 503
    "LAG_LEAST": 0.5,  # answers may be slower than usual by this …
    "LAG_MOST": 10.0,
    "OPEN_LEAST": 60.0,  # the breaker's first time; longer than PATIENCE, so that the run ends and the next one looks
    "OPEN_MOST": 1800.0,
    "PROBE_MOST": 60.0,  # whoever looks whether the host is back may be dead by then: another one looks
    "OTHERS_KEPT": 10.0,  # since the last turn of one who keeps an interval: who keeps none still asks each time
    "PROBE_LOOK": 0.5,  # between looks at whether it is
    "STATE_KEPT": 3600.0,  # of a host that nobody asks
    "TROUBLE_KEPT": 86400.0,  # … if it was in trouble: hourly runs should find the breaker as they left it
}
_NUMBERS: dict[str, float] = {
    "FAILURES_MOST": 8,  # in a row
    "SPEED_UP": 0.8,  # by each good answer: from 1 s to nothing in 14 of them
    "SAMPLES_LEAST": 20,  # response times before they are judged
    "USUAL_WEIGHT": 0.005,  # of a response time in the slow average: a memory of some hundred answers
    "UNUSUAL": 0.1,  # of that weight, for one that is much slower: slowness must not become usual too soon
    "RECENT_WEIGHT": 0.3,  # … in the quick one
    "LAG_FACTOR": 3.0,  # … or this many times as slow
}
_PRELUDE = "".join(f"local {name} = {value * 1e6:.0f}\n" for name, value in _CONSTANTS.items()) + "".join(
    f"local {name} = {value}\n" for name, value in _NUMBERS.items()
)


@dataclass(frozen=True, slots=True)
class Turn:
    """The answer to who asks for a turn. `wait`: 0 if it is ours, else the seconds after which to ask again.

    `closed`: why nobody may ask the host now, "" if it is only not our turn. `at`: Redis' time in microseconds.
    `asked`: when we asked, by this process' own clock.
    """

    wait: float
    closed: str
    at: float
    asked: float


@dataclass(frozen=True, slots=True)
class Trouble:
    """What an answer, or none, says against asking on. `rest`: seconds that the host asks for, 0 if it names none.

    `slow`: it answers that we ask too much; `failed`: it is not in order, or not there. Neither: it answered at least.
    """

    why: str
    rest: float = 0.0
    slow: bool = False
    failed: bool = False

    @property
    def word(self) -> str:
        """How the report's script calls it."""
        return {(True, True): "both", (True, False): "slow", (False, True): "fail"}.get(
            (self.slow, self.failed), "alive"
        )


@dataclass(slots=True)
class _Seen:
    """What this process knows of a host, and has not reported yet. `oldest`: the oldest turn among the good answers."""

    clear_until: float = 0.0  # monotonic
    troubled: bool = False
    interval: float = 0.0
    good: int = 0
    seconds: float = 0.0
    samples: int = 0
    oldest: float = 0.0
    reported: float = field(default_factory=time.monotonic)


class Pace:
    """Hands out turns and takes reports. One per process."""

    def __init__(self, connection: "redis.Redis"):
        self._turn = connection.register_script(_PRELUDE + lua.script("turn"))
        self._renew = connection.register_script(_PRELUDE + lua.script("renew"))
        self._report = connection.register_script(_PRELUDE + lua.script("report"))
        self._crawl_delay = connection.register_script(_PRELUDE + lua.script("crawl_delay"))
        self._hosts: dict[str, _Seen] = {}
        self._offset = 0.0  # from the monotonic clock to Redis' one, microseconds

    def ask(self, host: str, interval: float) -> Turn:
        """Take a turn at a host. `interval`: seconds that the asker wants between two of them."""
        seen = self._hosts.setdefault(host, _Seen())
        now = time.monotonic()
        seen.interval = interval
        if interval <= 0 and now < seen.clear_until:
            return Turn(0.0, "", now * 1e6 + self._offset, now)
        wait, closed, troubled, clear, at = cast(
            list[Any], self._turn(keys=[state_key(host)], args=[int(interval * 1e6)])
        )
        self._offset = at - time.monotonic() * 1e6
        seen.troubled = bool(troubled)
        seen.clear_until = now + CLEAR_SECONDS if clear else 0.0
        return Turn(wait / 1e6, closed.decode(), at, now)

    def in_time(self, host: str, turn: Turn, interval: float) -> Turn | None:
        """Call just before a request is sent: one that is late for its turn would come too close to the next one's.

        Such a turn begins anew. Returns the turn as it is now, None if somebody else has had one since.
        """
        for _ in range(RENEWALS):
            asked = time.monotonic()
            if interval <= 0 or asked - turn.asked <= LATE:
                break
            at = cast(int, self._renew(keys=[state_key(host)], args=[f"{turn.at:.0f}", int(interval * 1e6)]))
            if not at:
                return None
            turn = Turn(0.0, "", at, asked)
        return turn

    def came(self, host: str, turn: float, seconds: float | None) -> None:
        """Report a good answer to the request that took its turn at `turn`. `seconds`: until it began, if known.

        Good answers of a host in no trouble are reported together.
        """
        seen = self._hosts.setdefault(host, _Seen())
        seen.oldest = min(seen.oldest, turn) if seen.good else turn
        seen.good += 1
        if seconds is not None:
            seen.seconds += seconds
            seen.samples += 1
        if seen.troubled or time.monotonic() - seen.reported >= REPORT_EVERY:
            self._tell(host, seen, seen.oldest, "", 0.0, "")

    def trouble(self, host: str, turn: float, trouble: Trouble) -> None:
        """Report what an answer, or none, says against asking on."""
        seen = self._hosts.setdefault(host, _Seen())
        if seen.good:  # they came before
            self._tell(host, seen, seen.oldest, "", 0.0, "")
        self._tell(host, seen, turn, trouble.word, min(trouble.rest, RETRY_AFTER_MOST), trouble.why)

    def crawl_delay(self, host: str, seconds: float, kept: float) -> None:
        """Let the Crawl-delay of a host's robots.txt count for everyone, for `kept` seconds."""
        args = [int(min(seconds, CRAWL_DELAY_MOST) * 1e6), int(kept * 1e6)]
        self._crawl_delay(keys=[state_key(host)], args=args)
        self._hosts.setdefault(host, _Seen()).clear_until = 0.0

    def _tell(self, host: str, seen: _Seen, turn: float, word: str, rest: float, why: str) -> None:
        args: list[str | float] = [host, int(seen.interval * 1e6), seen.good, int(seen.seconds * 1e6), seen.samples]
        args += [f"{turn:.0f}", word, int(rest * 1e6), why]
        seen.good = seen.samples = 0
        seen.seconds, seen.reported = 0.0, time.monotonic()
        seen.troubled = bool(self._report(keys=[state_key(host), keys.TROUBLED_HOSTS], args=args))
        if seen.troubled:
            seen.clear_until = 0.0


@lru_cache(maxsize=1024)  # several ask for each request
def host_of(url: str) -> str:
    """Name and port of a URL, the unit of politeness."""
    name, port = place_of(url)
    return f"{name}:{port}"


def state_script(connection: "redis.Redis") -> Any:
    """The script that reads a host's state: see `crawler.politeness.host_states`."""
    return connection.register_script(_PRELUDE + lua.script("state"))


def state_key(host: str) -> str:
    """Where a host's state is in Redis."""
    return keys.of_host(host, "pace")
