"""Renaming a task: its ledger, its place in the schedule and its kept pages get another name.

Rows that were written keep the name under which they were written (`ExtractionConfig.names`). Each step may be
repeated: a rename that was interrupted is completed by the next one.
"""

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import cast

import redis

from .. import keys
from ..errors import ExemplarError
from ..extraction_config import config_of
from ..ledger import Ledger, glob_escaped, ledgers
from ..pages.kept_pages import kept_pages_of
from ..redis_access.redis_clock import clock_of
from ..reporting.presence import alive
from ..writing.row_queue import member_of, rows_waiting

STARTERS = ("schedule", "crawl")  # roles of processes that may start a run of the task meanwhile
_MAPS = (keys.PLANNED, keys.HISTORIES, keys.ALARMS, keys.PROPOSALS, keys.UNPROPOSED, keys.EXAMPLES)
_SETS = (keys.LEDGERS, keys.FETCHED)
_SORTED = (keys.SCHEDULE, keys.QUARANTINES, keys.OFF_TEMPLATE)
_QUEUES = (keys.ROW_QUEUES, keys.REFUSING)  # sets whose members are JSON lists of task and output


def check_rename(connection: "redis.Redis", old: str, new: str) -> None:
    """Raise `ExemplarError` if a task cannot be renamed now: it is running, or the new name has a ledger."""
    if new in ledgers(connection) and Ledger(connection, new).counts().seen:
        seen = Ledger(connection, new).counts().seen
        raise ExemplarError(
            f"{new} has a ledger of its own with {seen} URLs; to replace it with that of {old}, first run: exemplar "
            f"forget {new}"
        )
    starters = [process for process in alive(connection) if process["role"] in STARTERS]
    if starters:
        raise ExemplarError("tasks are being run; stop `exemplar run`, or the scheduler and the crawl workers, first")
    states = Ledger(connection, old).counts().states
    open_ = states["leased"] + states["fetched"]
    if open_ or rows_waiting(connection, old):
        raise ExemplarError(
            f"{old} has pages or rows that are being worked on; complete them first: exemplar run {old} --once"
        )


def rename_task(connection: "redis.Redis", old: str, new: str) -> None:
    """Give the ledger of a task another name, in one step. Call `check_rename` before."""
    prefix = keys.of_task(old, "")
    names = [raw.decode() for raw in connection.scan_iter(match=glob_escaped(prefix) + "*", count=1000)]
    moved = {name: keys.of_task(new, name.removeprefix(prefix)) for name in names}
    maps = {name: cast("bytes | None", connection.hget(name, old)) for name in _MAPS}
    scores = {name: connection.zscore(name, old) for name in _SORTED}
    pairs = ((old, new), (keys.pictures_of(old), keys.pictures_of(new)))
    sets = [(name, *pair) for name in _SETS for pair in pairs if connection.sismember(name, pair[0])]
    queues = {name: _members(connection, name, old) for name in _QUEUES}
    pipe = connection.pipeline(transaction=True)
    for stale in connection.scan_iter(match=glob_escaped(keys.of_task(new, "")) + "*", count=1000):
        pipe.unlink(stale)  # keys of a ledger without URLs
    for name, target in moved.items():
        pipe.rename(name, target)
    for name, value in maps.items():
        if value is not None:
            pipe.hset(name, new, value.decode())
            pipe.hdel(name, old)
    for name, score in scores.items():
        if score is not None:
            pipe.zadd(name, {new: score})
            pipe.zrem(name, old)
    for name, before, after in sets:
        pipe.sadd(name, after)
        pipe.srem(name, before)
    for name, members in queues.items():
        for raw, at in members:
            pipe.zrem(name, raw)
            pipe.zadd(name, {member_of(new, json.loads(raw)[1]): at})
    pipe.hdel(keys.CONFIGS, old)  # the config of the new name is written when the task list is published
    pipe.zrem(keys.DUE, old)
    pipe.execute()


def _members(connection: "redis.Redis", name: str, task: str) -> list[tuple[bytes, float]]:
    rows = cast(list[tuple[bytes, float]], connection.zrange(name, 0, -1, withscores=True))
    return [(raw, at) for raw, at in rows if json.loads(raw)[0] == task]


def rename_kept_pages(connection: "redis.Redis", old: str, new: str) -> Path | None:
    """Rename the file of a task's kept pages, before `rename_task`; return its new path, None if there is none.

    Raises `ExemplarError` if the new name has a file already.
    """
    config = config_of(connection, old)
    if config is None:
        return None
    clock = clock_of(connection).now
    source, target = (kept_pages_of(replace(config, task=name), clock=clock).path for name in (old, new))
    if not source.exists():
        return None
    if target.exists():
        raise ExemplarError(f"{target} already exists; move it aside, then rename {old} again")
    target.parent.mkdir(parents=True, exist_ok=True)
    journal = source.with_name(f"{source.name}-journal")
    with suppress(FileNotFoundError):  # before its database, so that an interrupted rename can be repeated
        journal.rename(target.with_name(f"{target.name}-journal"))
    source.rename(target)
    return target
