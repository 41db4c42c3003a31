"""The faults, each with its way to heal. They come one after another; which, when and for how long, a seed decides."""

import fcntl
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

import redis

from crawler.scheduling.schedule import Schedule
from crawler.task_list.publication import published_periods
from tests.chaos.cluster import Cluster, Form, Role, send, until
from tests.chaos.history import targets_of
from tests.chaos.recovery import Recovery
from tests.chaos.site import LINKS
from tests.workers.servers import Server
from workers.ledger import Ledger
from workers.writing.refused_rows import refused_rows, retry_refused
from workers.writing.row_queue import has_queues

FIND_WAIT = 15.0  # seconds until a process of the wanted kind has work in hand, else any of that kind is taken
LEASE = 60.0  # seconds: a fault that is `long` outlasts all leases and time-outs
HOUR = 3600.0


@dataclass
class World:
    """What faults act on. `redis` is None where the system has the embedded Redis."""

    cluster: Cluster
    recovery: Recovery
    client: "redis.Redis"
    redis: Server | None
    samples: "list[tuple[str, dict[str, int]]]"  # of the ledgers' counts, over time
    choose: random.Random

    def fire(self) -> None:
        """Have all tasks run now."""
        with suppress(redis.RedisError):
            Schedule(self.client).fire_now(sorted(published_periods(self.client)))

    def is_settled(self) -> bool:
        """Whether the ledger knows all articles, and none is open."""
        with suppress(redis.RedisError):
            counts = {name: Ledger(self.client, name).counts() for name in self.cluster.site.published}
            is_open = any(c.seen != self.cluster.site.published[name] or c.open for name, c in counts.items())
            return not is_open and not has_queues(self.client)
        return False

    def progress(self) -> int:
        """How many articles are known, and settled; 0 while Redis is away."""
        with suppress(redis.RedisError):
            counts = [Ledger(self.client, name).counts() for name in self.cluster.site.published]
            return sum(2 * each.seen - each.open for each in counts)
        return 0

    def begin_walk(self) -> None:
        """Let articles of several list pages appear in each section, and wait until a walk has come to older pages."""
        site = self.cluster.site
        site.publish(3 * LINKS * site.sections)
        self.fire()
        until(lambda: site.is_walked(within=0.2), within=FIND_WAIT, every=0.01)


class Act(Protocol):
    """What a fault does: it acts, lasts for `hold` seconds, and heals."""

    def __call__(self, world: World, hold: float) -> None: ...


def kill(role: Role, world: World, hold: float) -> None:
    """SIGKILL, at a moment at which the process has pages in hand if there is such a moment."""
    pid = _busy(role, world)
    if pid is None:
        return
    pages = world.recovery.in_hand(pid)
    send(pid, signal.SIGKILL)
    world.recovery.pages += pages


def stop(role: Role, world: World, hold: float) -> None:
    """SIGSTOP, and SIGCONT some seconds later."""
    pid = _busy(role, world)
    if pid is None:
        return
    send(pid, signal.SIGSTOP)
    try:
        time.sleep(hold)
    finally:
        send(pid, signal.SIGCONT)


def lost_replies(world: World, hold: float) -> None:
    """Commands are executed, and some of their replies never arrive."""
    loss = world.choose.choice([0.03, 0.1, 0.2])
    for link in world.cluster.links.values():
        link.loss = loss
    time.sleep(hold)
    for link in world.cluster.links.values():
        link.loss = 0.0


def section_grows(world: World, hold: float) -> None:
    """While a walk is on its way, so many articles appear that all list pages shift."""
    world.begin_walk()
    world.cluster.site.publish(2 * LINKS * world.cluster.site.sections)


def redis_restarted(world: World, hold: float) -> None:
    assert world.redis is not None
    world.redis.kill()
    time.sleep(hold)
    world.redis.start()


def redis_emptied(world: World, hold: float) -> None:
    world.client.flushall()


def redis_full(world: World, hold: float) -> None:
    used = int(world.client.info("memory")["used_memory"])
    world.client.config_set("maxmemory", used + 2048)
    time.sleep(hold)
    world.client.config_set("maxmemory", 0)


def output_away(world: World, hold: float) -> None:
    """The folder of the outputs is gone, and nobody can make it anew."""
    out = world.cluster.out
    out.rename(out.with_name("out-away"))
    out.touch()
    time.sleep(hold)
    out.unlink()
    out.with_name("out-away").rename(out)


def output_rotated(world: World, hold: float) -> None:
    """The JSONL file is moved aside, as logrotate does it."""
    path = _chosen_output(world, "jsonl")
    with suppress(FileNotFoundError):
        path.rename(path.with_name(f"{path.name}.{time.time_ns()}"))


def output_held(world: World, hold: float) -> None:
    """Another process holds the lock of a JSONL file."""
    with _chosen_output(world, "jsonl").open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        time.sleep(hold)


def output_locked(world: World, hold: float) -> None:
    """Another process has a transaction open on a database."""
    script = "import sqlite3, sys, time; c = sqlite3.connect(sys.argv[1], timeout=60, isolation_level=None); "
    script += "c.execute('BEGIN EXCLUSIVE'); print('locked', flush=True); time.sleep(1e6)"
    command = [sys.executable, "-c", script, str(_chosen_output(world, "db"))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        try:
            assert holder.stdout is not None
            holder.stdout.readline()
            time.sleep(hold)
        finally:
            holder.kill()


def output_refuses(world: World, hold: float) -> None:
    """A database refuses each row for what it contains; a person has them delivered again."""
    with refusing_database(_chosen_output(world, "db"), world.client):
        time.sleep(hold)


def target_away(world: World, hold: float) -> None:
    """A target of batches is unavailable."""
    with _marked_target(world, "away", ""):
        time.sleep(hold)


def target_slow(world: World, hold: float) -> None:
    """A target of batches takes seconds for each."""
    with _marked_target(world, "slow", "3"):
        time.sleep(hold)


def target_kills(world: World, hold: float) -> None:
    """The delivery process is killed before, within or after the writing of a batch, some times."""
    for _ in range(3):
        with _marked_target(world, "kill", world.choose.choice(["before", "half", "after"])) as mark:
            world.begin_walk()
            until(lambda mark=mark: not mark.exists(), within=FIND_WAIT)


def disk_full(world: World, hold: float) -> None:
    """Files of the outputs that may not grow any more."""
    _limit_files(world, max((path.stat().st_size for path in world.cluster.out.iterdir()), default=0) + 500)
    time.sleep(hold)
    _limit_files(world, resource.RLIM_INFINITY)


def clock_off(world: World, hold: float) -> None:
    """The clock of one machine is an hour off."""
    node = world.choose.choice(sorted(world.cluster.nodes))
    world.cluster.set_clock(node, world.choose.choice([-HOUR, HOUR]))
    time.sleep(hold)
    world.cluster.set_clock(node, 0.0)


def network_cut(world: World, hold: float) -> None:
    """One machine is cut off from Redis: nothing is refused, nothing answers."""
    link = world.cluster.links[world.choose.choice(sorted(world.cluster.nodes))]
    link.is_silent = True
    time.sleep(hold)
    link.is_silent = False


@dataclass(frozen=True)
class Kind:
    """A kind of fault: how it acts, on which form of the system, and for how many seconds it lasts."""

    act: Act
    forms: tuple[Form, ...]
    hold: tuple[float, float] = (0.0, 0.0)


BOTH: tuple[Form, ...] = ("cluster", "single")
_CLUSTER: tuple[Form, ...] = ("cluster",)
_ROLES: Mapping[Role, tuple[Form, ...]] = {
    "run": ("single",),
    "scheduler": _CLUSTER,
    "crawl-worker": _CLUSTER,
    "crawl-process": BOTH,
    "supervisor": BOTH,
    "worker": BOTH,
    "delivery": BOTH,
    "redis": ("single",),
}
FAULTS: Mapping[str, Kind] = {
    **{f"kill-{role}": Kind(partial(kill, role), forms) for role, forms in _ROLES.items()},
    **{f"stop-{role}": Kind(partial(stop, role), forms, (1.0, 8.0)) for role, forms in _ROLES.items()},
    "stop-worker-long": Kind(partial(stop, "worker"), BOTH, (LEASE + 10, LEASE + 30)),
    "section-grows": Kind(section_grows, BOTH),
    "lost-replies": Kind(lost_replies, _CLUSTER, (2.0, 6.0)),
    "redis-restarted": Kind(redis_restarted, _CLUSTER, (0.0, 3.0)),
    "redis-away-long": Kind(redis_restarted, _CLUSTER, (20.0, 40.0)),
    "redis-emptied": Kind(redis_emptied, _CLUSTER),
    "redis-full": Kind(redis_full, _CLUSTER, (5.0, 10.0)),
    "output-away": Kind(output_away, BOTH, (2.0, 6.0)),
    "output-rotated": Kind(output_rotated, BOTH),
    "output-held": Kind(output_held, BOTH, (2.0, 6.0)),
    "output-held-long": Kind(output_held, BOTH, (LEASE + 10, LEASE + 30)),
    "output-locked": Kind(output_locked, BOTH, (2.0, 6.0)),
    "output-locked-long": Kind(output_locked, BOTH, (5 * LEASE, 6 * LEASE)),
    "output-refuses": Kind(output_refuses, BOTH, (2.0, 6.0)),
    "target-away": Kind(target_away, BOTH, (2.0, 20.0)),
    "target-slow": Kind(target_slow, BOTH, (2.0, 20.0)),
    "target-kills": Kind(target_kills, BOTH),
    "disk-full": Kind(disk_full, BOTH, (3.0, 6.0)),
    "clock-off": Kind(clock_off, _CLUSTER, (5.0, 10.0)),
    "network-cut": Kind(network_cut, _CLUSTER, (3.0, 15.0)),
}


def _busy(role: Role, world: World) -> int | None:
    """A process of a kind: one with pages in hand, or with rows to be delivered, if such a one turns up in time."""
    chosen: list[int] = []

    def found() -> bool:
        if role == "delivery":
            with suppress(redis.RedisError):
                return has_queues(world.client)
        if not world.recovery.is_anything_open():  # a cheap look, many times a second
            return False
        pids = world.cluster.pids(role)
        chosen[:] = [pid for pid in pids if world.recovery.in_hand(pid)] or chosen
        return bool(chosen)

    if role not in ("scheduler", "redis"):
        until(found, within=FIND_WAIT)
    pids = chosen or world.cluster.pids(role)
    return world.choose.choice(sorted(pids)) if pids else None


def _chosen_output(world: World, suffix: str) -> Path:
    task = world.choose.choice(sorted(world.cluster.site.published))
    return world.cluster.out / f"{task}.{suffix}"


def _has_table(path: Path) -> bool:
    """Whether a database has its table; a worker creates the file a moment before."""
    if not path.exists():
        return False
    with closing(sqlite3.connect(path, timeout=FIND_WAIT)) as connection:
        return bool(connection.execute("SELECT name FROM sqlite_master WHERE name = 'articles'").fetchall())


@contextmanager
def refusing_database(path: Path, client: "redis.Redis") -> Iterator[str]:
    """Let the database of a task refuse rows, until a person has them delivered again; yields the task."""
    until(lambda: _has_table(path), within=FIND_WAIT)
    with closing(sqlite3.connect(path, timeout=FIND_WAIT, isolation_level=None)) as connection:
        connection.execute("CREATE TRIGGER refuse BEFORE INSERT ON articles BEGIN SELECT RAISE(ABORT, 'refused'); END")
        try:
            yield path.stem
        finally:
            connection.execute("DROP TRIGGER refuse")
            with suppress(redis.RedisError):
                deliver_refused(client, path.stem)


def deliver_refused(client: "redis.Redis", task: str) -> int:
    """Have a task's refused rows delivered again, as a person does; returns their number."""
    rows = list(refused_rows(client, task))
    for row in rows:
        retry_refused(client, row)
    return len(rows)


@contextmanager
def _marked_target(world: World, name: str, text: str) -> Iterator[Path]:
    """Give the target of a task a fault (`tests.workers.batch_folder`); yields its mark."""
    task = world.choose.choice(sorted(world.cluster.site.published))
    mark = targets_of(world.cluster.out) / task / name
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.write_text(text)
    try:
        yield mark
    finally:
        mark.unlink(missing_ok=True)


def _limit_files(world: World, size: int) -> None:
    for role in ("supervisor", "worker", "delivery"):  # whatever was forked meanwhile has the limit, too
        for pid in world.cluster.pids(role):
            with suppress(ProcessLookupError):
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
