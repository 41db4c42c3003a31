"""Near-duplicates within a task: the same news under a second URL, with a line or two changed.

The SimHashes (`extractors.content.simhash`) of a task's last `KEPT` articles are in one string in Redis, one `ENTRY`
each, and their URLs in a parallel list. An article is compared with all of them at once, and added if none is near.
"""

from typing import cast

import numpy as np
import redis

from extractors.content.simhash import simhash

from .. import keys
from ..redis_access.full_redis import ALLOWED_WHEN_FULL

NEAR = 7  # bits of 64: 3 sentences in 100 changed give a median of 3–4 and 95% below 9; the closest of 440 unrelated
# essays, 169 and 235 news differ in 14, 16 and 8 (two release notes of one form)
SHORTEST = 200  # characters; shorter texts are too often similar by chance
LENGTHS_APART = 1.25  # the longer text is at most this many times as long as the shorter one
KEPT = 8192  # articles of a task that are kept; up to twice as many between two trims
ENTRY = np.dtype([("hash", "<u8"), ("length", "<u4")])

_ADD = """
-- Add an article to those that are kept. KEYS: entries, urls. ARGV: bytes of the entries that were read, entry, url,
-- kept, bytes of an entry -> 1, or 0 if another article was added since
if redis.call('STRLEN', KEYS[1]) ~= tonumber(ARGV[1]) then return 0 end
redis.call('APPEND', KEYS[1], ARGV[2])
redis.call('RPUSH', KEYS[2], ARGV[3])
local kept, size = tonumber(ARGV[4]), tonumber(ARGV[5])
if redis.call('LLEN', KEYS[2]) >= 2 * kept then
  redis.call('SET', KEYS[1], redis.call('GETRANGE', KEYS[1], -kept * size, -1))
  redis.call('LTRIM', KEYS[2], -kept, -1)
end
return 1
"""


class NearDuplicates:
    """The earlier articles of one task, with which later ones are compared. Safe for any number of workers."""

    def __init__(self, connection: "redis.Redis", task: str):
        self.redis = connection
        self._keys = [keys.of_task(task, "near"), keys.of_task(task, "near:urls")]
        self._add = connection.register_script(ALLOWED_WHEN_FULL + _ADD)

    def first_like(self, text: str, url: str) -> str | None:
        """Return the URL of the first article with almost the same text; if there is none, add this one, return None.

        A second call for the same URL gives the same answer.
        """
        if len(text) < SHORTEST:
            return None
        entry = entry_of(text)
        while True:
            raw = cast("bytes | None", self.redis.get(self._keys[0])) or b""
            entries = np.frombuffer(raw[: len(raw) // ENTRY.itemsize * ENTRY.itemsize], dtype=ENTRY)
            for place in alike(entries, entry):
                earlier = cast("bytes | None", self.redis.lindex(self._keys[1], int(place)))
                if earlier is not None:
                    return None if earlier.decode() == url else earlier.decode()
            article = [entry.tobytes(), url.encode("utf-8", "replace")]
            if self._add(keys=self._keys, args=[len(raw), *article, KEPT, ENTRY.itemsize]):
                return None


def entry_of(text: str) -> "np.ndarray":
    """Return the entry of a text: one of dtype `ENTRY`."""
    return np.array([(simhash(text), len(text))], dtype=ENTRY)


def alike(entries: "np.ndarray", entry: "np.ndarray") -> "np.ndarray":
    """Return the indices of the entries within the distance, in order."""
    differing = np.bitwise_count(entries["hash"] ^ entry["hash"])
    lengths = entries["length"].astype(np.float64), float(entry["length"][0])
    apart = np.maximum(lengths[0] / lengths[1], lengths[1] / np.maximum(lengths[0], 1))
    return np.flatnonzero((differing <= NEAR) & (apart <= LENGTHS_APART))
