"""The schedule of tasks: atomic, in Redis, served by any number of schedulers at once.

    schedule (zset by time) ──fire──▶ due ──lease──▶ running ──done──▶ (nothing)
         ▲      │                      ▲                │
         └──────┘ the next time        └────────────────┘ the lease ran out: the crawl worker died

`fire` moves a task only if its time is still the one that the scheduler read, so only one of several schedulers fires
it. If no scheduler was running at a task's time, the task fires once later and keeps its offset within the period. A
task that is still due or running at its next time is not fired a second time.

The first starts of many tasks lie close together, since people wait for them. From the first start on, each of them
has an offset by its name, so that the starts are spread over the whole period: the second one comes after half to one
and a half periods.

A scheduler needs only the periods of the tasks, which are in Redis, so 100,000 tasks need no memory in the process. The
period of an `auto` task is derived from its history (`publishing_rate`), to which each run that read its lists adds;
its next time is computed again at the end of each run.
"""

import math
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import chain
from typing import Any, cast

import redis

from crawler.run.publishing_rate import History, interval
from crawler.run.spider_coordination import disband
from crawler.task_list.periods import Period
from workers import keys
from workers.lua import FOLLOW_CLOCK
from workers.redis_access.full_redis import ALLOWED_WHEN_FULL
from workers.redis_access.redis_clock import clock_of
from workers.redis_access.redis_scripts import Step

SPREAD_SHARE = 0.1  # share of the period over which the first starts are spread
SPREAD_MOST = 300.0  # seconds
STARTED_AT_ONCE = 10  # tasks that start at once; the starts of more tasks are spread
LEASE_SECONDS = 5.0  # seconds; if a crawl worker does not renew a lease for this time, another one gets the run
SOONEST_SHARE = 0.5  # share of a fixed period between two starts of a task that was late, at least
FIRED_AT_ONCE = 500

_FIRE = """
-- Fire due tasks. ARGV: now, (task, time seen, next time or '') … -> the tasks that this call fired
local fired = {}
for i = 2, #ARGV, 3 do
  local task = ARGV[i]
  local at = redis.call('ZSCORE', KEYS[1], task)
  if at and ARGV[i + 2] == '' then
    if redis.call('HEXISTS', KEYS[5], task) == 0 then redis.call('ZREM', KEYS[1], task) end -- not planned
  elseif at and tonumber(at) == tonumber(ARGV[i + 1]) then
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
local seen = 0
while true do -- in small steps: 100,000 tasks may be due
  local due = redis.call('ZRANGE', KEYS[2], seen, seen + 9)
  if #due == 0 then return false end
  for _, task in ipairs(due) do
    if not redis.call('ZSCORE', KEYS[3], task) then -- a running task that was requested waits for the end of its run
      redis.call('ZREM', KEYS[2], task)
      redis.call('ZADD', KEYS[3], ARGV[2], task)
      redis.call('HSET', KEYS[4], task, ARGV[3])
      return task
    end
  end
  seen = seen + #due
end
"""
_RENEW = """
-- Keep a lease. ARGV: task, token, lease's end -> 1, or 0 if another worker has it
if redis.call('HGET', KEYS[4], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('ZADD', KEYS[3], 'XX', ARGV[3], ARGV[1])
return 1
"""
_DONE = """
-- End a run. ARGV: task, token, when to run again or '', 1 if then even though it is later than planned
if redis.call('HGET', KEYS[4], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[4], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
if ARGV[3] ~= '' then
  local at = redis.call('ZSCORE', KEYS[1], ARGV[1])
  if at and (ARGV[4] == '1' or tonumber(ARGV[3]) < tonumber(at)) then redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1]) end
end
return 1
"""
_FOLLOW = "follow_clock(KEYS[1] .. ':clock', KEYS)"
_KEYS = [keys.SCHEDULE, keys.DUE, keys.RUNNING, keys.RUN_HOLDERS, keys.PLANNED]


@dataclass(frozen=True, slots=True)
class RunLease:
    """The lease of a task: the right to run it."""

    task: str
    token: str


class Schedule:
    """The schedule of all tasks. Times are Unix seconds, as `clock` returns them: by default that of Redis."""

    def __init__(self, connection: "redis.Redis", clock: Callable[[], float] | None = None):
        self.redis, self.clock = connection, clock or clock_of(connection).now
        self._follow = connection.register_script(FOLLOW_CLOCK + _FOLLOW)
        self._fire = Step(connection, ALLOWED_WHEN_FULL + _FIRE)
        self._lease = Step(connection, ALLOWED_WHEN_FULL + _LEASE)
        self._renew = connection.register_script(ALLOWED_WHEN_FULL + _RENEW)
        self._done = connection.register_script(ALLOWED_WHEN_FULL + _DONE)

    def plan(self, periods: Mapping[str, str], *, edition: str = "") -> None:
        """Update the schedule to a task list. `periods`: the text of each active task's period.

        A few new tasks start at once; many start soon, spread over time. A task whose period changed is
        due one new period from now, or at its old time if that is earlier. Paused and removed tasks are removed; their
        present runs continue.
        `edition`, the list's fingerprint, is stored.
        """
        planned = {
            name.decode(): text.decode()
            for name, text in cast(dict[bytes, bytes], self.redis.hgetall(keys.PLANNED)).items()
        }
        known, now = self.next_times(), self.clock()
        new = {name for name in periods if name not in known or name not in planned}
        changed = [name for name, text in periods.items() if name not in new and planned[name] != text]
        histories = self._histories([name for name in changed if Period.parse(periods[name]).bounds])
        pipe = self.redis.pipeline(transaction=True)
        for name in {*planned, *known} - periods.keys():
            pipe.zrem(keys.SCHEDULE, name)
            pipe.zrem(keys.DUE, name)
            pipe.hdel(keys.PLANNED, name)
        # NX: if two schedulers plan at once, the first time is kept. LT: so is a time set by `fire` since then.
        for name in new:
            first = first_time(name, Period.parse(periods[name]), now, is_spread=len(new) > STARTED_AT_ONCE)
            pipe.zadd(keys.SCHEDULE, {name: first}, nx=True)
        for name in changed:
            later = next_time(Period.parse(periods[name]), now, now, histories.get(name))
            pipe.zadd(keys.SCHEDULE, {name: later}, xx=True, lt=True)
        for name in (*new, *changed):
            pipe.hset(keys.PLANNED, name, periods[name])
        pipe.set(keys.PLANNED_EDITION, edition)
        pipe.execute()

    def edition(self) -> str | None:
        """Return the fingerprint of the task list that was planned last.

        None before the first, and if the plan has not as many tasks: Redis was emptied while it was made.
        """
        raw = cast("bytes | None", self.redis.get(keys.PLANNED_EDITION))
        is_whole = self.redis.hlen(keys.PLANNED) == self.redis.hlen(keys.PERIODS)
        return raw.decode() if raw and is_whole else None

    def fire(self, only: Collection[str] | None = None) -> list[str]:
        """Mark the tasks whose time has come as due, each by one caller only. Return those that this call marked.

        `only`: the tasks that this caller serves; the times of others do not change.
        """
        now = self.clock()
        self._follow(keys=[keys.SCHEDULE, keys.RUNNING])
        if only is not None:
            times = self.next_times(only)
            due = [(name.encode(), at) for name, at in times.items() if at <= now]
            return self._fire_rows(due, now) if due else []
        fired: list[str] = []
        while True:
            rows = cast(
                list[tuple[bytes, float]],
                self.redis.zrangebyscore(keys.SCHEDULE, "-inf", now, start=0, num=FIRED_AT_ONCE, withscores=True),
            )
            if rows:
                fired += self._fire_rows(rows, now)
            if len(rows) < FIRED_AT_ONCE:
                return fired

    def _fire_rows(self, rows: Sequence[tuple[bytes, float]], now: float) -> list[str]:
        args: list[Any] = [repr(now), *chain.from_iterable(self._next_of(rows, now))]
        return [name.decode() for name in cast(list[bytes], self._fire(_KEYS, args))]

    def _next_of(self, rows: Sequence[tuple[bytes, float]], now: float) -> Iterator[tuple[bytes, str, str]]:
        """Yield task, time read and next time; '' for a task without a period, which was just removed."""
        is_spread = self.redis.hlen(keys.PLANNED) > STARTED_AT_ONCE
        periods = self._periods([raw.decode() for raw, _ in rows])
        histories = self._histories([name for name, period in periods.items() if period.bounds])
        for raw, at in rows:
            name = raw.decode()
            if (period := periods.get(name)) is None:
                yield raw, repr(at), ""
                continue
            regular = _share(name) * period.seconds if is_spread and period.seconds is not None else at
            yield raw, repr(at), repr(next_time(period, regular, now, histories.get(name)))

    def fire_now(self, names: list[str]) -> None:
        """Mark tasks as due now, before their time, at a person's request."""
        if names:
            self.redis.zadd(keys.DUE, dict.fromkeys(names, self.clock()), nx=True)

    def clear(self) -> None:
        """Remove all due and running tasks. Call it only if no crawl worker is alive."""
        for raw in cast(list[bytes], self.redis.zrange(keys.RUNNING, 0, -1)):
            disband(self.redis, raw.decode())
        self.redis.delete(keys.DUE, keys.RUNNING, keys.RUN_HOLDERS)

    def lease(self, *, seconds: float = LEASE_SECONDS) -> RunLease | None:
        """Lease the task that has been due longest; None if no task is due. Expired leases are due again first."""
        token, now = uuid.uuid4().hex, self.clock()
        raw = cast("bytes | None", self._lease(_KEYS, [repr(now), repr(now + seconds), token]))
        return RunLease(raw.decode(), token) if raw else None

    def renew(self, lease: RunLease, *, seconds: float = LEASE_SECONDS) -> bool:
        """Extend a lease; return False if it expired and another worker has the task."""
        return bool(self._renew(keys=_KEYS, args=[lease.task, lease.token, repr(self.clock() + seconds)]))

    def done(self, lease: RunLease, *, again_at: float | None = None) -> None:
        """End a run; with `again_at` the next run is due no later than that.

        The next time of an `auto` task is computed from now and from its history, which includes this run.
        """
        exactly = False
        if again_at is None and (seconds := self.periods_in_force([lease.task])):
            again_at, exactly = self.clock() + seconds[lease.task], True
        at = "" if again_at is None else repr(again_at)
        self._done(keys=_KEYS, args=[lease.task, lease.token, at, int(exactly)])

    def periods_in_force(self, names: Sequence[str]) -> dict[str, float]:
        """Return the present period of each of these tasks that is scheduled as `auto`, in seconds."""
        bounds = {name: period.bounds for name, period in self._periods(names).items() if period.bounds}
        histories = self._histories(list(bounds))
        return {name: interval(histories[name], *bounds[name]) for name in bounds}

    def _periods(self, names: Sequence[str]) -> dict[str, Period]:
        return {name: Period.parse(text.decode()) for name, text in self._texts(keys.PLANNED, names).items() if text}

    def _histories(self, names: Sequence[str]) -> dict[str, History]:
        return {name: History.from_json(text) for name, text in self._texts(keys.HISTORIES, names).items()}

    def _texts(self, key: str, names: Sequence[str]) -> dict[str, bytes | None]:
        texts = cast(list["bytes | None"], self.redis.hmget(key, list(names)) if names else [])
        return dict(zip(names, texts, strict=True))

    def next_times(self, names: Collection[str] | None = None) -> dict[str, float]:
        """Return the time at which each task is due next; `names`: of these tasks only."""
        if names is not None:
            some = list(names)
            times = cast(list["float | None"], self.redis.zmscore(keys.SCHEDULE, some) if some else [])
            return {name: at for name, at in zip(some, times, strict=True) if at is not None}
        rows = cast(list[tuple[bytes, float]], self.redis.zrange(keys.SCHEDULE, 0, -1, withscores=True))
        return {raw.decode(): at for raw, at in rows}

    def due(self) -> list[str]:
        """Return the tasks that wait for a crawl worker; the one that waits longest is first."""
        return [raw.decode() for raw in cast(list[bytes], self.redis.zrange(keys.DUE, 0, -1))]

    def running(self) -> list[str]:
        """Return the tasks that crawl workers have leased."""
        return sorted(raw.decode() for raw in cast(list[bytes], self.redis.zrange(keys.RUNNING, 0, -1)))


def next_time(every: Period, at: float, now: float, history: History | None = None) -> float:
    """Return the first time after `now` of a task one of whose regular times is `at`. Missed times are skipped.

    A fixed period continues from `at`, with at least half a period between now and the next time.
    """
    if every.seconds is not None:
        return at + every.seconds * max(1, math.ceil((now - at) / every.seconds + SOONEST_SHARE))
    if every.bounds is not None:
        return now + interval(history or History(), *every.bounds)
    return every.next_after(datetime.fromtimestamp(now, UTC)).timestamp()


def first_time(name: str, every: Period, now: float, *, is_spread: bool = True) -> float:
    """Return the first time of a new task: now, or soon, with an offset by its name; with a cron line its next time."""
    if every.cron is not None:
        return next_time(every, now, now)
    if not is_spread:
        return now
    shortest = every.bounds[0] if every.bounds else every.seconds or 0
    return now + _share(name) * min(SPREAD_MOST, SPREAD_SHARE * shortest)


def _share(name: str) -> float:
    """Return the share of its period at which a task starts: a number from 0 to 1 by its name."""
    return int.from_bytes(blake2b(name.encode(), digest_size=4).digest()) / 2**32
