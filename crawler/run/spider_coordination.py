"""The spiders that work on one task at the same time, its crew: all of them fetch, one of them walks the lists.

A spider joins, renews its place every second, and leaves. It walks if no other one does; so when the walker dies,
another spider restarts the walk. The spiders that had joined before a walk ended are notified of its end, and end when
nothing is left to fetch. All times are those of Redis.
"""

import os
import socket
import uuid
from typing import Any, cast

import redis

from workers import keys

SILENT_SECONDS = 8.0  # seconds for which a place is valid without being renewed

HERE = socket.gethostname()
CREW, WALK, BACKFILL = "crew", "walk:by", "backfill:by"  # names of keys of the task

_RENEW = """
-- Join or renew. KEYS: crew, walker. ARGV: token, seconds, joined at ('' to join)
-- -> others, walks (0 or 1), joined at (microseconds), a walk ended since (0 or 1), the place was valid (0 or 1)
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local stamp = function(us) return string.format('%.0f', us) end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', stamp(now))
local valid_until = stamp(now + ARGV[2] * 1000000)
for _, late in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. valid_until, '+inf')) do
  redis.call('ZADD', KEYS[1], valid_until, late) -- Redis' clock was set back
end
local kept = redis.call('ZADD', KEYS[1], valid_until, ARGV[1]) == 0 or ARGV[3] == ''
redis.call('PEXPIRE', KEYS[1], ARGV[2] * 2000)
local joined = tonumber(ARGV[3]) or now
local ended = tonumber(redis.call('GET', KEYS[2] .. ':ended') or 0)
local done = ended > joined and ended <= now
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
    """One spider's place in the crew of its task.

    `walk`: the key of its walk; a back-fill has another one. `silent`: seconds for which the place is valid without
    being renewed. `process`: the spider's machine and process, `HOST:PID`; by default this one.
    """

    def __init__(
        self, connection: "redis.Redis", task: str, walk: str = WALK, silent: float = SILENT_SECONDS, process: str = ""
    ):
        self.redis, self.silent = connection, silent
        self.walks = False  # whether this spider walks the lists
        self.others = 0  # number of others with a valid place when this one was last renewed
        self.walk_ended = False  # whether a walk has ended since this spider joined
        self._token = f"{process or f'{HERE}:{os.getpid()}'}:{uuid.uuid4().hex}"
        self._keys = [keys.of_task(task, CREW), keys.of_task(task, walk)]
        self._renew = connection.register_script(_RENEW)
        self._leave = connection.register_script(_LEAVE)
        self._joined = b""

    def join(self) -> None:
        """Join the crew. Spiders of this machine whose process has ended are removed; others' places expire."""
        self.renew()
        if not self.others:
            return
        members = [raw.decode() for raw in cast(list[bytes], self.redis.zrange(self._keys[0], 0, -1))]
        if dead := [token for token in members if _is_dead(token)]:
            self.redis.zrem(self._keys[0], *dead)
            self.renew()

    def renew(self) -> bool:
        """Renew the place, and update `walks`, `others` and `walk_ended`. Returns False if the place had expired."""
        others, walks, self._joined, ended, kept = cast(
            list[Any], self._renew(keys=self._keys, args=[self._token, self.silent, self._joined])
        )
        self.others, self.walks, self.walk_ended = int(others), bool(walks), bool(ended)
        return bool(kept)

    def leave(self, *, walk_ended: bool) -> None:
        """Leave the crew. `walk_ended`: this spider's walk has ended, so that no other spider restarts it."""
        self._leave(keys=self._keys, args=[self._token, int(walk_ended)])


def disband(connection: "redis.Redis", task: str) -> None:
    """Remove all spiders from a task. Call it only if none works on it."""
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
