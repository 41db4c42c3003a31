"""When tasks are due: an atomic schedule in Redis, that any number of schedulers may serve at once.

    schedule (zset by time) ──fire──▶ due ──lease──▶ running ──done──▶ (nothing)
         ▲      │                      ▲                │
         └──────┘ the next time        └────────────────┘ the lease ran out: the crawl worker died

`fire` moves a task only if its time is still the one the scheduler saw, so of several schedulers one fires it. A task
whose time passed while nobody looked fires once, and its next time is counted from now. A task that is still waiting or
running when its time comes is not fired a second time.
"""

import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any, cast

import redis

from workers import keys

from .crew import disband
from .periods import Period
from .tasks import Task

SPREAD_SHARE = 0.1  # of the period, over which the first starts are spread
SPREAD_MOST = 300.0  # seconds
LEASE_SECONDS = 60.0  # a run whose crawl worker is silent for so long is given to another
FIRED_AT_ONCE = 500

_FIRE = """
-- Fire due tasks. ARGV: now, (task, time seen, next time) … -> the tasks that this call fired
local fired = {}
for i = 2, #ARGV, 3 do
  local task = ARGV[i]
  local at = redis.call('ZSCORE', KEYS[1], task)
  if at and tonumber(at) == tonumber(ARGV[i + 1]) then
    redis.call('ZADD', KEYS[1], ARGV[i + 2], task)
    if not redis.call('ZSCORE', KEYS[3], task) then
      redis.call('ZADD', KEYS[2], 'NX', ARGV[1], task)
      fired[#fired + 1] = task
    end
  end
end
return fired
"""
_LEASE = """
-- Lease the task that has been due longest. ARGV: now, lease's end, token -> task
for _, task in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', ARGV[1])) do
  redis.call('ZREM', KEYS[3], task)
  redis.call('HDEL', KEYS[4], task)
  redis.call('ZADD', KEYS[2], 'NX', ARGV[1], task)
end
for _, task in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  if not redis.call('ZSCORE', KEYS[3], task) then -- one that a person asked for while it runs waits for the run's end
    redis.call('ZREM', KEYS[2], task)
    redis.call('ZADD', KEYS[3], ARGV[2], task)
    redis.call('HSET', KEYS[4], task, ARGV[3])
    return task
  end
end
return false
"""
_RENEW = """
-- Keep a lease. ARGV: task, token, lease's end -> 1, or 0 if it is not ours any more
if redis.call('HGET', KEYS[4], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('ZADD', KEYS[3], 'XX', ARGV[3], ARGV[1])
return 1
"""
_DONE = """
-- End a run. ARGV: task, token, when to run again or ''
if redis.call('HGET', KEYS[4], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[4], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
if ARGV[3] ~= '' then
  local at = redis.call('ZSCORE', KEYS[1], ARGV[1])
  if at and tonumber(ARGV[3]) < tonumber(at) then redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1]) end
end
return 1
"""
_KEYS = [keys.SCHEDULE, keys.DUE, keys.RUNNING, keys.RUN_HOLDERS]


@dataclass(frozen=True, slots=True)
class RunLease:
    """The right to run a task now."""

    task: str
    token: str


class Schedule:
    """The schedule of all tasks. Times are Unix seconds; `now` is given by tests only."""

    def __init__(self, connection: "redis.Redis"):
        self.redis = connection
        self._fire = connection.register_script(_FIRE)
        self._lease = connection.register_script(_LEASE)
        self._renew = connection.register_script(_RENEW)
        self._done = connection.register_script(_DONE)

    def plan(self, tasks: Mapping[str, Task], *, now: float | None = None) -> None:
        """Bring the schedule in line with the task list.

        A new task starts at once, give or take its share of the spread. A task whose period changed is due a new period
        from now, or earlier if it was. Paused and removed tasks leave; a run that has begun goes on.
        """
        now = time.time() if now is None else now
        periods_key = keys.SCHEDULE + ":periods"
        planned = cast(dict[bytes, bytes], self.redis.hgetall(periods_key))
        times = dict(cast(list[tuple[bytes, float]], self.redis.zrange(keys.SCHEDULE, 0, -1, withscores=True)))
        active = {name: task for name, task in tasks.items() if not task.paused}
        pipe = self.redis.pipeline(transaction=True)
        for raw in {*planned, *times}:
            if raw.decode() not in active:
                pipe.zrem(keys.SCHEDULE, raw)
                pipe.zrem(keys.DUE, raw)
                pipe.hdel(periods_key, raw.decode())
        for name, task in active.items():
            known, at = planned.get(name.encode()), times.get(name.encode())
            if known is None or at is None:
                # NX: of two schedulers that plan at once the first one's time stands
                pipe.zadd(keys.SCHEDULE, {name: first_time(name, task.every, now)}, nx=True)
            elif known.decode() != str(task.every):
                pipe.zadd(keys.SCHEDULE, {name: min(at, next_time(task.every, now))})
            else:
                continue
            pipe.hset(periods_key, name, str(task.every))
        pipe.execute()

    def fire(self, tasks: Mapping[str, Task], *, now: float | None = None) -> list[str]:
        """Make the tasks whose time has come due, each once whoever calls; says which this call fired."""
        now = time.time() if now is None else now
        fired: list[str] = []
        while True:
            rows = cast(
                list[tuple[bytes, float]],
                self.redis.zrangebyscore(keys.SCHEDULE, "-inf", now, start=0, num=FIRED_AT_ONCE, withscores=True),
            )
            args: list[Any] = [repr(now)]
            for raw, at in rows:
                task = tasks.get(raw.decode())
                if task is not None:  # else a newer edition has it: whoever knows that edition fires it
                    args += [raw, repr(at), repr(next_time(task.every, now))]
            if len(args) == 1:
                return fired
            fired += [name.decode() for name in cast(list[bytes], self._fire(keys=_KEYS, args=args))]

    def fire_now(self, names: list[str]) -> None:
        """Make tasks due at once, whatever their time: a person asked for them."""
        if names:
            self.redis.zadd(keys.DUE, dict.fromkeys(names, time.time()), nx=True)

    def clear(self) -> None:
        """Take back what is due or running: for one who knows that no other crawl worker is alive."""
        for raw in cast(list[bytes], self.redis.zrange(keys.RUNNING, 0, -1)):
            disband(self.redis, raw.decode())
        self.redis.delete(keys.DUE, keys.RUNNING, keys.RUN_HOLDERS)

    def lease(self, *, seconds: float = LEASE_SECONDS) -> RunLease | None:
        """Take the task that has been due longest; None if none is. Leases that ran out are due again first."""
        token, now = uuid.uuid4().hex, time.time()
        raw = cast("bytes | None", self._lease(keys=_KEYS, args=[repr(now), repr(now + seconds), token]))
        return RunLease(raw.decode(), token) if raw else None

    def renew(self, lease: RunLease, *, seconds: float = LEASE_SECONDS) -> bool:
        """Keep a lease; False if it was lost to another worker."""
        return bool(self._renew(keys=_KEYS, args=[lease.task, lease.token, repr(time.time() + seconds)]))

    def done(self, lease: RunLease, *, again_at: float | None = None) -> None:
        """End a run; with `again_at` the next one comes no later than that."""
        self._done(keys=_KEYS, args=[lease.task, lease.token, "" if again_at is None else repr(again_at)])

    def next_times(self) -> dict[str, float]:
        """When each task is due next."""
        rows = cast(list[tuple[bytes, float]], self.redis.zrange(keys.SCHEDULE, 0, -1, withscores=True))
        return {raw.decode(): at for raw, at in rows}

    def due(self) -> list[str]:
        """The tasks that wait for a crawl worker, longest first."""
        return [raw.decode() for raw in cast(list[bytes], self.redis.zrange(keys.DUE, 0, -1))]

    def running(self) -> list[str]:
        """The tasks that crawl workers have in hand."""
        return sorted(raw.decode() for raw in cast(list[bytes], self.redis.zrange(keys.RUNNING, 0, -1)))


def next_time(every: Period, now: float) -> float:
    """The first time after now; a time that was missed is not made up for."""
    return every.next_after(datetime.fromtimestamp(now, UTC)).timestamp()


def first_time(name: str, every: Period, now: float) -> float:
    """When a new task starts: a fixed period soon, spread by the task's name; a cron line at its own time."""
    if every.seconds is None:
        return next_time(every, now)
    share = int.from_bytes(blake2b(name.encode(), digest_size=4).digest()) / 2**32
    return now + share * min(SPREAD_MOST, SPREAD_SHARE * every.seconds)
