"""Near-duplicates within a task: the same news under a second address, with a line or two changed.

The fingerprints (`extractors.content.simhash`) of a task's last `KEPT` articles lie in Redis in one string, `ENTRY`
each, and their URLs in a list beside it. An article is compared with all of them at once; one that is like none joins
them.
"""

from typing import cast

import numpy as np
import redis

from extractors.content.simhash import simhash

from . import keys

NEAR = 7  # bits of 64: 3 sentences in 100 changed give a median of 3–4 and 95% below 9; the closest of 440 unrelated
# essays, 169 and 235 news differ in 14, 16 and 8 (two release notes of one form)
SHORTEST = 200  # characters: what is shorter is too often the same by chance
LENGTHS_APART = 1.25  # the longer text may be so many times as long as the shorter
KEPT = 8192  # articles of a task that are remembered; up to twice as many between two trims
ENTRY = np.dtype([("hash", "<u8"), ("length", "<u4")])

_JOIN = """
-- Join the articles remembered. KEYS: entries, urls. ARGV: entries seen (bytes), entry, url, kept, bytes of an entry
-- -> 1, or 0 if others have joined since
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
    """The articles of one task that later ones are compared with. Any number of workers may hold one."""

    def __init__(self, connection: "redis.Redis", task: str):
        self.redis = connection
        self._keys = [keys.of_task(task, "near"), keys.of_task(task, "near:urls")]
        self._join = connection.register_script(_JOIN)

    def first_like(self, text: str, url: str) -> str | None:
        """The URL of the first article that says almost the same; None if there is none: then this one is remembered.

        Asked again for the same URL it answers the same.
        """
        if len(text) < SHORTEST:
            return None
        entry = entry_of(text)
        while True:
            raw = cast("bytes | None", self.redis.get(self._keys[0])) or b""
            entries = np.frombuffer(raw[: len(raw) // ENTRY.itemsize * ENTRY.itemsize], dtype=ENTRY)
            for place in alike(entries, entry):
                found = cast("bytes | None", self.redis.lindex(self._keys[1], int(place)))
                if found is not None:
                    return None if found.decode() == url else found.decode()
            args: list[int | bytes] = [len(raw), entry.tobytes(), url.encode("utf-8", "replace"), KEPT, ENTRY.itemsize]
            if self._join(keys=self._keys, args=args):
                return None


def entry_of(text: str) -> "np.ndarray":
    """Return the entry of a text: one of dtype `ENTRY`."""
    return np.array([(simhash(text), len(text))], dtype=ENTRY)


def alike(entries: "np.ndarray", entry: "np.ndarray") -> "np.ndarray":
    """Return the places of the entries that are near, in order."""
    differing = np.bitwise_count(entries["hash"] ^ entry["hash"])
    lengths = entries["length"].astype(np.float64), float(entry["length"][0])
    apart = np.maximum(lengths[0] / lengths[1], lengths[1] / np.maximum(lengths[0], 1))
    return np.flatnonzero((differing <= NEAR) & (apart <= LENGTHS_APART))
