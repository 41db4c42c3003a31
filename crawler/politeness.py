"""One pace per host for the whole cluster: every request asks Redis for its turn.

A turn is a moment; two turns of one host are at least the host's interval apart, whoever asks, on whatever machine.
Times are Redis' own, so the machines' clocks don't matter. A host is a name with its port.
"""

from typing import cast
from urllib.parse import urlsplit

import redis

from workers import keys

DEFAULT_INTERVAL = 1.0  # seconds between two requests to one host, unless told otherwise

_RESERVE = """
-- The next free turn. KEYS: when the host's next turn is. ARGV: interval -> microseconds to wait
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local turn = math.max(now, tonumber(redis.call('GET', KEYS[1]) or 0))
local after = turn + ARGV[1] * 1000000
redis.call('SET', KEYS[1], string.format('%.0f', after), 'PX', math.ceil((after - now) / 1000) + 1000)
return string.format('%.0f', turn - now)
"""


class Pace:
    """Hands out turns."""

    def __init__(self, connection: "redis.Redis"):
        self._reserve = connection.register_script(_RESERVE)

    def reserve(self, url: str, interval: float) -> float:
        """Take the next turn of the URL's host; the seconds to wait for it. No interval, no waiting."""
        if interval <= 0:
            return 0.0
        wait = cast(bytes, self._reserve(keys=[keys.of_host(host_of(url), "next")], args=[interval]))
        return max(0.0, float(wait) / 1e6)


def host_of(url: str) -> str:
    """Name and port of a URL, the unit of politeness."""
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return f"{(parts.hostname or '').lower()}:{port}"
