"""One pace per host for the whole cluster: every request asks Redis for its turn.

A turn is now or not at all: nothing is reserved ahead, so a process that was held up can't use a turn whose time has
passed, and one that dies leaves none behind. Two turns of one host are at least the first one's interval apart,
whoever asks, on whatever machine. Times are Redis' own, so the machines' clocks don't matter. A host is a name with its
port.
"""

from typing import cast
from urllib.parse import urlsplit

import redis

from workers import keys

DEFAULT_INTERVAL = 1.0  # seconds between two requests to one host, unless told otherwise

_ASK = """
-- Take the turn if it is free. KEYS: when the host's next turn is. ARGV: interval -> microseconds to wait, 0 if taken
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local free = tonumber(redis.call('GET', KEYS[1]) or 0)
if free > now then return free - now end
redis.call('SET', KEYS[1], string.format('%.0f', now + ARGV[1] * 1000000), 'PX', math.ceil(ARGV[1] * 1000) + 1000)
return 0
"""


class Pace:
    """Hands out turns."""

    def __init__(self, connection: "redis.Redis"):
        self._ask = connection.register_script(_ASK)

    def ask(self, url: str, interval: float) -> float:
        """Take a turn at the URL's host: 0 if it is ours, else the seconds after which to ask again."""
        if interval <= 0:
            return 0.0
        return cast(int, self._ask(keys=[keys.of_host(host_of(url), "next")], args=[interval])) / 1e6


def host_of(url: str) -> str:
    """Name and port of a URL, the unit of politeness."""
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return f"{(parts.hostname or '').lower()}:{port}"
