"""Items kept in Redis for a while: those of each task, up to a number, a size and an age.

Each kind of items has two keys per task, and one for all tasks:

    KIND     hash: name -> the item
    KIND:at  zset: name -> when it was kept, Unix seconds
    index    zset: the tasks that have items -> when the newest was kept
"""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast

import redis

from .. import keys
from .full_redis import ALLOWED_WHEN_FULL, is_full_error

log = logging.getLogger(__name__)

_KEEP = """
-- Keep items, all or none. KEYS: items, their times, index. ARGV: now, member of the index, the most items, bytes
-- and members that are kept, for how many seconds, whether older items make room, (name, item) …
-- -> members whose items are to be removed; false if there is no room
local now, seconds, makes_room = tonumber(ARGV[1]), tonumber(ARGV[6]), ARGV[7] == '1'
if not makes_room then
  redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now - seconds)
  local are_kept, size = true, 0
  for i = 8, #ARGV, 2 do are_kept = are_kept and redis.call('HEXISTS', KEYS[1], ARGV[i]) == 1 end
  for _, name in ipairs(redis.call('HKEYS', KEYS[1])) do size = size + redis.call('HSTRLEN', KEYS[1], name) end
  local is_full = redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[3]) or size >= tonumber(ARGV[4])
  is_full = is_full or not redis.call('ZSCORE', KEYS[3], ARGV[2]) and redis.call('ZCARD', KEYS[3]) >= tonumber(ARGV[5])
  if is_full and not are_kept then return false end
end
for i = 8, #ARGV, 2 do
  redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
  redis.call('ZADD', KEYS[2], now, ARGV[i])
end
local kept, size = 0, 0
for _, name in ipairs(makes_room and redis.call('ZREVRANGE', KEYS[2], 0, -1) or {}) do
  kept, size = kept + 1, size + redis.call('HSTRLEN', KEYS[1], name)
  local at = tonumber(redis.call('ZSCORE', KEYS[2], name))
  if kept > tonumber(ARGV[3]) or size > tonumber(ARGV[4]) or at <= now - seconds then
    redis.call('ZREM', KEYS[2], name)
    redis.call('HDEL', KEYS[1], name)
  end
end
for place = 1, 2 do redis.call('EXPIRE', KEYS[place], seconds) end
redis.call('ZADD', KEYS[3], now, ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now - seconds)
local beyond = redis.call('ZCARD', KEYS[3]) - tonumber(ARGV[5])
if beyond <= 0 or not makes_room then return {} end
local dropped = redis.call('ZRANGE', KEYS[3], 0, beyond - 1)
redis.call('ZREM', KEYS[3], unpack(dropped))
return dropped
"""


@dataclass(frozen=True, slots=True)
class Limits:
    """The most `items` and `bytes` of a task, the most `tasks` that have items, and for how many `seconds`."""

    items: int
    bytes: int
    tasks: int
    seconds: int = 30 * 86400


class NewestKept:
    """The items of one kind that are kept of one task. Safe for any number of processes.

    `index`: the key of the tasks that have items; kinds with the same index are removed `together`. `member`: that of
    the index, by default the task. `makes_room`: older items make room for newer ones; else newer ones are only kept
    if there is room, also in a full Redis.
    """

    def __init__(
        self,
        connection: "redis.Redis",
        task: str,
        kind: str,
        index: str,
        limits: Limits,
        *,
        together: tuple[str, ...] = (),
        member: str = "",
        makes_room: bool = True,
    ):
        self.redis, self.task, self.kind, self.index, self.limits = connection, task, kind, index, limits
        self._together, self._member, self._makes_room = together or (kind,), member or task, makes_room

    def keep(self, items: Mapping[str, bytes], now: float) -> bool:
        """Keep items, and remove what is beyond the limits. False if there is no room: then it keeps none of them."""
        if not items:
            return True
        limits, text = self.limits, _KEEP if self._makes_room else ALLOWED_WHEN_FULL + _KEEP
        args: list[str | bytes | int] = [repr(now), self._member, limits.items, limits.bytes, limits.tasks]
        args += [limits.seconds, int(self._makes_room), *(part for item in items.items() for part in item)]
        try:
            dropped = self.redis.register_script(text)(keys=[*self._keys(self.task, self.kind), self.index], args=args)
        except redis.ResponseError as error:
            if not is_full_error(error):
                raise
            log.warning("task %s: Redis is full; %d pages are not kept", self.task, len(items))
            return False
        if dropped:
            self.redis.unlink(
                *(key for task in dropped for kind in self._together for key in self._keys(task.decode(), kind))
            )
        return dropped is not None

    def count(self) -> int:
        """Return how many items are kept."""
        return int(self.redis.hlen(self._keys(self.task, self.kind)[0]))

    def item(self, name: str) -> bytes | None:
        """Return an item; None if it is not kept."""
        return cast("bytes | None", self.redis.hget(self._keys(self.task, self.kind)[0], name))

    def items(self) -> dict[str, bytes]:
        """Return all items, oldest first."""
        items, times = self._keys(self.task, self.kind)
        pipe = self.redis.pipeline(transaction=False)
        pipe.hgetall(items)
        pipe.zrange(times, 0, -1)
        kept, names = cast("tuple[dict[bytes, bytes], list[bytes]]", pipe.execute())
        return {name.decode(): kept[name] for name in names if name in kept}

    def forget(self, names: Iterable[str]) -> bool:
        """Remove items; return whether one was kept. A task without any is removed from the index."""
        if not (gone := [*names]):
            return False
        items, times = self._keys(self.task, self.kind)
        pipe = self.redis.pipeline()
        pipe.hdel(items, *gone)
        pipe.zrem(times, *gone)
        pipe.exists(*(self._keys(self.task, kind)[0] for kind in self._together))
        removed, _, left = pipe.execute()
        if not left:
            self.redis.zrem(self.index, self._member)
        return bool(removed)

    @staticmethod
    def _keys(task: str, kind: str) -> tuple[str, str]:
        return keys.of_task(task, kind), keys.of_task(task, f"{kind}:at")
