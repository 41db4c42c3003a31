"""The spiders that work on one task at the same time: all of them fetch, one of them walks the lists.

A spider joins, gives a sign of life every second, and leaves. Whoever finds nobody walking, walks; so when the walker
dies, another one of the crew begins the walk anew. A walk that came to its end is told to those who had joined before,
and they go when nothing is left to fetch. Times are Redis' own.
"""

import os
import socket
import uuid
from typing import Any, cast

import redis

from workers import keys

SILENT_SECONDS = 15.0  # a spider without a sign of life for so long is taken for dead

HERE = socket.gethostname()
CREW, WALK, BACKFILL = "crew", "walk:by", "backfill:by"  # what their keys are called

_LIVE = """
-- A sign of life. KEYS: crew, walker. ARGV: token, seconds, joined at ('' to join)
-- -> others, walks (0 or 1), joined at (microseconds), a walk ended since (0 or 1), were there all the time (0 or 1)
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local stamp = function(us) return string.format('%.0f', us) end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', stamp(now))
local kept = redis.call('ZADD', KEYS[1], stamp(now + ARGV[2] * 1000000), ARGV[1]) == 0 or ARGV[3] == ''
redis.call('PEXPIRE', KEYS[1], ARGV[2] * 2000)
local joined = tonumber(ARGV[3]) or now
local done = tonumber(redis.call('GET', KEYS[2] .. ':ended') or 0) > joined
local walker = redis.call('GET', KEYS[2])
if walker and walker ~= ARGV[1] and not redis.call('ZSCORE', KEYS[1], walker) then walker = false end
if walker == ARGV[1] or (not walker and not done) then
  redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2] * 1000)
  walker = ARGV[1]
end
return {redis.call('ZCARD', KEYS[1]) - 1, walker == ARGV[1] and 1 or 0, stamp(joined), done and 1 or 0, kept and 1 or 0}
"""
_LEAVE = """
-- KEYS: crew, walker. ARGV: token, walk ended (0 or 1)
redis.call('ZREM', KEYS[1], ARGV[1])
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[2])
if ARGV[2] == '1' then
  local time = redis.call('TIME')
  redis.call('SET', KEYS[2] .. ':ended', string.format('%.0f', time[1] * 1000000 + time[2]), 'EX', 86400)
end
return 1
"""


class Crew:
    """One spider's place in the crew of its task. `walk` names the walk: a back-fill has one of its own."""

    def __init__(self, connection: "redis.Redis", task: str, walk: str = WALK):
        self.redis = connection
        self.walks = False  # whether this spider walks the lists
        self.others = 0  # that were alive at the last sign of life
        self.walk_ended = False  # since we joined
        self._token = f"{HERE}:{os.getpid()}:{uuid.uuid4().hex}"
        self._keys = [keys.of_task(task, CREW), keys.of_task(task, walk)]
        self._live = connection.register_script(_LIVE)
        self._leave = connection.register_script(_LEAVE)
        self._joined = b""

    def join(self) -> None:
        """Join. Spiders of this machine whose process is gone are out of it at once, others when they are silent."""
        members = [raw.decode() for raw in cast(list[bytes], self.redis.zrange(self._keys[0], 0, -1))]
        if dead := [token for token in members if _is_dead(token)]:
            self.redis.zrem(self._keys[0], *dead)
        self.live()

    def live(self) -> bool:
        """Give a sign of life, after which `walks` and `others` are true. False if we had been taken for dead."""
        others, walks, self._joined, ended, kept = cast(
            list[Any], self._live(keys=self._keys, args=[self._token, SILENT_SECONDS, self._joined])
        )
        self.others, self.walks, self.walk_ended = int(others), bool(walks), bool(ended)
        return bool(kept)

    def leave(self, *, walk_ended: bool) -> None:
        """Go. `walk_ended`: our walk came to its end, so that nobody has to begin it again."""
        self._leave(keys=self._keys, args=[self._token, int(walk_ended)])


def disband(connection: "redis.Redis", task: str) -> None:
    """Forget who works on a task: for one who knows that nobody does."""
    connection.delete(*(keys.of_task(task, what) for what in (CREW, WALK, BACKFILL)))


def _is_dead(token: str) -> bool:
    machine, pid, _ = token.rsplit(":", 2)
    if machine != HERE:
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass
    return False
