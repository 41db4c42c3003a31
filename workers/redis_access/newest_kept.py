"""Items kept in Redis for a while: the newest ones of each task, up to a number, a size and an age.

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
from .full_redis import is_full_error

log = logging.getLogger(__name__)

_KEEP = """
-- Keep items. KEYS: items, their times, index. ARGV: now, task, the most items, bytes and tasks that are kept, for how
-- many seconds, (name, item) … -> tasks whose items are to be removed
local now, seconds = tonumber(ARGV[1]), tonumber(ARGV[6])
for i = 7, #ARGV, 2 do
  redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
  redis.call('ZADD', KEYS[2], now, ARGV[i])
end
local kept, size = 0, 0
for _, name in ipairs(redis.call('ZREVRANGE', KEYS[2], 0, -1)) do
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
if beyond <= 0 then return {} end
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

    `index`: the key of the tasks that have items; kinds with the same index are removed `together`.
    """

    def __init__(
        self,
        connection: "redis.Redis",
        task: str,
        kind: str,
        index: str,
        limits: Limits,
        together: tuple[str, ...] = (),
    ):
        self.redis, self.task, self.kind, self.index, self.limits = connection, task, kind, index, limits
        self._together = together or (kind,)

    def keep(self, items: Mapping[str, bytes], now: float) -> bool:
        """Keep items, and remove what is beyond the limits. False if Redis is full: then it keeps none of them."""
        if not items:
            return True
        limits = self.limits
        args: list[str | bytes | int] = [repr(now), self.task, limits.items, limits.bytes, limits.tasks, limits.seconds]
        args += [part for item in items.items() for part in item]
        try:
            dropped = self.redis.register_script(_KEEP)(keys=[*self._keys(self.task, self.kind), self.index], args=args)
        except redis.ResponseError as error:
            if not is_full_error(error):
                raise
            log.warning("task %s: Redis is full; %d pages are not kept", self.task, len(items))
            return False
        if dropped:
            self.redis.unlink(
                *(key for task in dropped for kind in self._together for key in self._keys(task.decode(), kind))
            )
        return True

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

    def forget(self, names: Iterable[str]) -> None:
        """Remove items."""
        if not (gone := [*names]):
            return
        items, times = self._keys(self.task, self.kind)
        pipe = self.redis.pipeline()
        pipe.hdel(items, *gone)
        pipe.zrem(times, *gone)
        pipe.execute()

    @staticmethod
    def _keys(task: str, kind: str) -> tuple[str, str]:
        return keys.of_task(task, kind), keys.of_task(task, f"{kind}:at")
