"""The states of hosts that are slowed down or closed now, for status and problems."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

import redis

from crawler.politeness.pace import state_key, state_script
from workers import keys


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
    """Return the present state of a host (name with port, as `pace.host_of` returns it)."""
    return _read(state_script(connection), host)


def hosts(connection: "redis.Redis") -> list[HostState]:
    """Return the hosts that are slowed down or closed now, by name."""
    seconds, micros = connection.time()
    connection.zremrangebyscore(keys.TROUBLED_HOSTS, "-inf", seconds * 1_000_000 + micros)  # no request for a day
    names = sorted(name.decode() for name in cast(list[bytes], connection.zrange(keys.TROUBLED_HOSTS, 0, -1)))
    script = state_script(connection)
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
