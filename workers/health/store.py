"""The health of all tasks in Redis: observations that wait, the state of each task, open alarms, notices for people.

A page is observed in the step that settles it (`settle.lua`), a visit at the end of its run, each once. Any process may
count what waits: it reads observations and state, decides (`task_health.py`), and writes the new state only if no other
process has counted them meanwhile. So each observation counts once, in order, and each notice is made once. Readers get
a task's open alarms and their history (`health_report`).
"""

import json
import logging
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any, cast

import redis

from .. import keys
from ..ledger import OBSERVED_KEPT
from ..redis_access.full_redis import ALLOWED_WHEN_FULL
from ..redis_access.redis_clock import clock_of
from ..stored_json import loaded
from ..unproposed import unproposed
from .alarms import Alarm, AlarmChange, AlarmKind
from .observations import from_json
from .state import HealthState
from .task_health import TaskHealth

NOTICES_KEPT = 1000  # for all tasks; older ones that could not be sent are dropped

log = logging.getLogger(__name__)

_READ = f"""
-- KEYS: health, observed, example -> pushed, counted, state, the example's version, observations that are not counted
local pushed, counted, state = unpack(redis.call('HMGET', KEYS[1], 'pushed', 'counted', 'state'))
local waiting = math.min(tonumber(pushed or 0) - tonumber(counted or 0), {OBSERVED_KEPT})
local rows = waiting > 0 and redis.call('LRANGE', KEYS[2], 0, waiting - 1) or {{}}
return {{pushed or '0', counted or '0', state or '', redis.call('HGET', KEYS[3], 'version') or '', rows}}
"""
_WRITE = (
    ALLOWED_WHEN_FULL
    + """
-- KEYS: health, observed, alarms, notices. ARGV: counted as read, counted now, state as read, state, task, open alarms
-- ('' or JSON), notices kept, notice … -> 1, or 0 if another process was first
local counted, state = unpack(redis.call('HMGET', KEYS[1], 'counted', 'state'))
if (counted or '0') ~= ARGV[1] or (state or '') ~= ARGV[3] then return 0 end
redis.call('HSET', KEYS[1], 'counted', ARGV[2], 'state', ARGV[4])
local newer = tonumber(redis.call('HGET', KEYS[1], 'pushed') or 0) - tonumber(ARGV[2])
if newer > 0 then redis.call('LTRIM', KEYS[2], 0, newer - 1) else redis.call('DEL', KEYS[2]) end
if ARGV[6] == '' then redis.call('HDEL', KEYS[3], ARGV[5]) else redis.call('HSET', KEYS[3], ARGV[5], ARGV[6]) end
for i = 8, #ARGV do redis.call('RPUSH', KEYS[4], ARGV[i]) end
if #ARGV >= 8 then redis.call('LTRIM', KEYS[4], -ARGV[7], -1) end
return 1
"""
)


def update_health(
    connection: "redis.Redis", task: str, requeue: Callable[[float], object] = lambda _: None
) -> list[AlarmChange]:
    """Count the observations of a task that wait; return the notices for people.

    If its example has changed, the baselines of pages start over. If an alarm `blocked` is over, `requeue` is called
    with the time of its first sign, before the state is written: if the process dies, another one calls it again.
    """

    def end_block(health: TaskHealth) -> None:
        if health.unblocked is not None:
            requeue(health.unblocked)

    return _change(connection, task, end_block)


def dismiss_alarms(connection: "redis.Redis", task: str, kinds: "list[AlarmKind] | None" = None) -> list[AlarmKind]:
    """End the open alarms of a task, or those of some kinds, at a person's request; return which were open.

    What such an alarm showed is usual from now on.
    """
    now, ended = clock_of(connection).now(), list[AlarmKind]()

    def dismiss(health: TaskHealth) -> None:
        ended.clear()
        ended.extend(
            alarm.kind
            for alarm in [*health.state.alarms.values()]
            if (kinds is None or alarm.kind in kinds) and health.dismiss(alarm.kind, now)
        )

    _change(connection, task, dismiss)
    return ended


def with_reasons(connection: "redis.Redis", alarms: Iterable[Alarm]) -> list[Alarm]:
    """Return alarms; those of a changed template for which no example is proposed with the reason, if it is known."""
    given = list(alarms)
    reasons = unproposed(connection, [alarm.task for alarm in given if alarm.kind == "template changed"])
    return [
        replace(alarm, unproposed=reasons.get(alarm.task, "")) if alarm.kind == "template changed" else alarm
        for alarm in given
    ]


def _change(connection: "redis.Redis", task: str, change: Callable[[TaskHealth], None]) -> list[AlarmChange]:
    """Count the waiting observations, apply a change, and write the state; repeat if another process was faster."""
    health_key, observed, example = (keys.of_task(task, name) for name in ("health", "observed", "example"))
    read, write = connection.register_script(_READ), connection.register_script(_WRITE)
    while True:
        pushed, counted, raw, version, rows = cast(list[Any], read(keys=[health_key, observed, example]))
        health = TaskHealth(task, _state(raw, task))
        health.use_example(version.decode())
        for row in reversed(rows):
            health.observe(from_json(row))
        change(health)
        state = health.state.to_json().encode()
        if state == raw and not rows:
            return []
        alarms = [alarm.to_dict() for alarm in health.state.alarms.values()]
        told = with_reasons(connection, [changed.alarm for changed in health.changes])
        notices = [
            notice_json(AlarmChange(changed.news, alarm)) for changed, alarm in zip(health.changes, told, strict=True)
        ]
        open_alarms = json.dumps(alarms, ensure_ascii=False) if alarms else ""
        args = [counted, pushed, raw, state, task, open_alarms, NOTICES_KEPT, *notices]
        if write(keys=[health_key, observed, keys.ALARMS, keys.NOTICES], args=args):
            return health.changes


def notice_json(change: AlarmChange) -> str:
    """Return a notice in the form in which it waits to be sent."""
    return json.dumps({"news": change.news, "alarm": change.alarm.to_dict()}, ensure_ascii=False)


def _state(raw: bytes, task: str) -> HealthState:
    try:
        return HealthState.from_json(raw or None, task)
    except (ValueError, TypeError, KeyError, AttributeError):
        log.warning("task %s: the state of its health cannot be read; its baselines start over", task)
        return HealthState()


@dataclass(frozen=True, slots=True)
class HealthReport:
    """The health of a task. `alarms`: open ones, the oldest first; `history`: those that are over, the newest first.

    `pages`, `visits`: how many were counted.
    """

    task: str
    pages: int
    visits: int
    alarms: tuple[Alarm, ...]
    history: tuple[Alarm, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON-ready form."""
        alarms, history = ([alarm.to_dict() for alarm in some] for some in (self.alarms, self.history))
        return asdict(self) | {"alarms": alarms, "history": history}


def health_report(connection: "redis.Redis", task: str) -> HealthReport:
    """Return the health of a task as it was counted last; an empty report if nothing was observed."""
    state = _state(cast("bytes | None", connection.hget(keys.of_task(task, "health"), "state")) or b"", task)
    return HealthReport(
        task,
        state.pages,
        state.visits,
        tuple(sorted(with_reasons(connection, state.alarms.values()), key=lambda alarm: alarm.opened)),
        tuple(state.history),
    )


def present_alarms(connection: "redis.Redis", tasks: Iterable[str] | None = None) -> list[Alarm]:
    """Return the open alarms of all tasks, or of some, by task; two commands for any number of tasks."""
    alarms = with_reasons(connection, open_alarms(connection, tasks))
    return sorted(alarms, key=lambda alarm: (alarm.task, alarm.opened))


def open_alarms(connection: "redis.Redis", tasks: Iterable[str] | None = None) -> list[Alarm]:
    """Return the open alarms of all tasks, or of some, without the reasons why no example is proposed; one command."""
    stored: dict[str, bytes | None]
    if tasks is None:
        stored = {name.decode(): rows for name, rows in cast(Any, connection.hgetall(keys.ALARMS)).items()}
    else:
        names = list(dict.fromkeys(tasks))
        stored = dict(zip(names, cast(Any, connection.hmget(keys.ALARMS, names)) if names else (), strict=True))
    return [
        loaded(Alarm, {**row, "task": name})  # the stored name may be an earlier one
        for name, rows in stored.items()
        for row in json.loads(rows or "[]")
    ]
