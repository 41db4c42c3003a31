"""A cache of scripts, within the limits of their headers: each is requested once, not once per page.

Chromium does not use its own cache while requests are intercepted, and the scripts of a site's pages are mostly the
same few files. This cache stores the responses that RFC 9111 allows to store: those with a maximum age or a date of
modification.
"""

import re
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

LARGEST = 4 * 2**20  # bytes of one script
ALL = 48 * 2**20  # bytes of all scripts
KEPT = 3600.0  # seconds at most, also if the headers allow more
OF_THE_CONNECTION = frozenset({"content-encoding", "content-length", "transfer-encoding", "set-cookie", "connection"})
_MAX_AGE = re.compile(r"max-age\s*=\s*\"?(\d+)")


@dataclass(frozen=True, slots=True)
class KeptScript:
    """A script in the form for the browser, and its expiry by the cache's clock."""

    headers: dict[str, str]
    body: bytes
    until: float


class ScriptCache:
    """Scripts by URL; those unused for longest are dropped. `clock`: seconds from any origin."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._kept: OrderedDict[str, KeptScript] = OrderedDict()
        self._bytes = 0

    def get(self, url: str) -> KeptScript | None:
        """Return the script if it may still be used."""
        found = self._kept.get(url)
        if found is None:
            return None
        if found.until <= self._clock():
            self._drop(url)
            return None
        self._kept.move_to_end(url)
        return found

    def put(self, url: str, headers: dict[str, str], body: bytes) -> None:
        """Keep a script that was answered with 200; `headers` in lower case."""
        seconds = seconds_of(headers)
        if not seconds or len(body) > LARGEST:
            return
        self._drop(url)
        plain = {name: value for name, value in headers.items() if name not in OF_THE_CONNECTION}
        self._kept[url] = KeptScript(plain, body, self._clock() + seconds)
        self._bytes += len(body)
        while self._bytes > ALL:
            self._drop(next(iter(self._kept)))

    def _drop(self, url: str) -> None:
        if found := self._kept.pop(url, None):
            self._bytes -= len(found.body)


def seconds_of(headers: dict[str, str]) -> float:
    """Seconds for which a response with these headers may be kept; 0 if not at all."""
    control = headers.get("cache-control", "").lower()
    if "no-store" in control or "no-cache" in control or headers.get("vary", "").strip() == "*":
        return 0.0
    if age := _MAX_AGE.search(control):
        return min(float(age[1]), KEPT)
    return KEPT if "last-modified" in headers else 0.0
