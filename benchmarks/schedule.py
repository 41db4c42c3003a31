"""The accuracy and the cost of the schedule: many hourly tasks, three schedulers, one of which is killed each minute.

    python -m benchmarks.schedule --tasks 100000 --minutes 7

Redis and the scheduler processes are real; the crawl workers are simulated: they lease each due task and end its run
immediately. Every task is new, so all of them start within the spread of the first start.

The figures: starts compared with due times, duplicate starts, the delay of each start, and the CPU time of the
schedulers (including killed ones and the starts of their successors) as a share of one core.
"""

import argparse
import random
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import redis

from benchmarks.processes import cpu_seconds, start
from crawler.scheduling.schedule import SPREAD_MOST, Schedule
from crawler.task_list.file import load
from crawler.task_list.periods import Period
from crawler.task_list.publication import publish
from workers import keys
from workers.redis_access.embedded import Embedded

SCHEDULERS = 3
KILL_EVERY = 60.0  # seconds between two kills
ALLOWED = 2.0  # seconds that a start may be late
POLL = 0.05  # seconds between two leases of the simulated worker


@dataclass
class Starts:
    """The starts. `late`: seconds, one for each start; `times`: how often each task was started for each due time."""

    late: list[float] = field(default_factory=list)
    times: Counter[tuple[bytes, float]] = field(default_factory=Counter)

    @property
    def twice(self) -> int:
        """The number of starts beyond one for each due time of a task."""
        return sum(self.times.values()) - len(self.times)


class Servers:
    """The scheduler processes, and their CPU time together."""

    def __init__(self, url: str, file: Path, count: int):
        self.url, self.file = url, file
        self.spent = 0.0  # CPU seconds of killed processes
        self.running = [start(file.parent, url, "schedule", file.name) for _ in range(count)]

    def kill_one(self) -> None:
        """Kill one scheduler (SIGKILL) and start another."""
        victim = self.running.pop(random.randrange(len(self.running)))
        self.spent += cpu_seconds([victim.pid])
        victim.kill()
        victim.wait()
        self.running.append(start(self.file.parent, self.url, "schedule", self.file.name))

    def cpu(self) -> float:
        """Return the CPU seconds of all schedulers until now."""
        return self.spent + cpu_seconds(server.pid for server in self.running)

    def end(self) -> None:
        """Stop all schedulers."""
        for server in self.running:
            server.kill()
            server.wait()


def tasks_yaml(count: int, every: str) -> str:
    """Return a task list of `count` tasks on a hundredth as many hosts."""
    head = (
        f"settings: {{allow_hosts: [127.0.0.1]}}\ndefaults: {{every: {every}, output: 'out/{{task}}.jsonl'}}\ntasks:\n"
    )
    return head + "".join(
        f"  section-{number:06}:\n"
        f"    example: http://host{number // 100}.example/{number}/2026/0312/345.html\n"
        f"    pattern: /{number}/{{date:%Y/%m%d}}/{{id}}.html\n"
        for number in range(count)
    )


def work(
    connection: "redis.Redis", schedule: Schedule, period: float, starts: Starts, firsts: dict[str, float]
) -> None:
    """Lease and end all due tasks, and record their delays. `firsts`: times of first starts, which are taken out."""
    due = dict(cast(list[tuple[bytes, float]], connection.zrange(keys.DUE, 0, -1, withscores=True)))
    if not due:
        return
    names = cast(list[str], list(due))
    following = dict(zip(due, cast(list[float], connection.zmscore(keys.SCHEDULE, names)), strict=True))
    for _ in range(len(due)):
        lease = schedule.lease()
        if lease is None:
            return
        schedule.done(lease)
        task = lease.task.encode()
        at = due.get(task, time.time())  # the task may have become due after the call above
        planned = firsts.pop(lease.task, 0.0)
        if not planned:
            after = following.get(task) or cast(float, connection.zscore(keys.SCHEDULE, task))
            planned = round(after - period, 3)  # a started task keeps its offset within the period
        starts.late.append(at - planned)
        starts.times[task, planned] += 1


def main() -> None:
    """Publish, serve, kill, count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=100_000)
    parser.add_argument("--every", default="1h", help="the tasks' period")
    parser.add_argument("--minutes", type=float, default=7.0, help="how long is served; the first starts take five")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="schedule-") as folder:
        file = Path(folder) / "tasks.yaml"
        file.write_text(tasks_yaml(asked.tasks, asked.every), "utf-8")
        with Embedded(Path(folder)) as url, redis.Redis.from_url(url) as connection:
            begun = time.process_time()
            loaded = load(file)
            print(f"reading {asked.tasks:,} tasks: {time.process_time() - begun:.1f} s of CPU", flush=True)
            begun = time.process_time()
            publish(connection, loaded, file)
            print(f"publishing them: {time.process_time() - begun:.1f} s of CPU", flush=True)
            del loaded
            period = Period.parse(asked.every).length.total_seconds()
            _serve(connection, url, file, period, asked.minutes * 60)


def _serve(connection: "redis.Redis", url: str, file: Path, period: float, seconds: float) -> None:
    schedule, starts, kills = Schedule(connection), Starts(), 0
    redis_pid = int(connection.info("server")["process_id"])
    servers = Servers(url, file, SCHEDULERS)
    try:
        while schedule.edition() is None and all(one.poll() is None for one in servers.running):
            time.sleep(POLL)
        begun = killed = time.time()
        firsts = {name: at for name, at in schedule.next_times().items() if at < begun + SPREAD_MOST}
        start_up, redis_before = servers.cpu(), cpu_seconds([redis_pid])
        while time.time() - begun < seconds:
            work(connection, schedule, period, starts, firsts)
            if time.time() - killed > KILL_EVERY:
                killed, kills = time.time(), kills + 1
                servers.kill_one()
            time.sleep(POLL)
        elapsed = time.time() - begun
        cpu, redis_cpu = servers.cpu() - start_up, cpu_seconds([redis_pid]) - redis_before
        missed = sum(at < time.time() - ALLOWED for at in schedule.next_times().values())
    finally:
        servers.end()
    late = sorted(starts.late) or [0.0]
    print(f"{elapsed:.0f} s with {SCHEDULERS} schedulers, {kills} of them killed")
    print(f"started: {len(late):,}; twice: {starts.twice}; missed: {missed}")
    print(f"late: median {late[len(late) // 2]:.2f} s, p99 {late[int(len(late) * 0.99)]:.2f} s, most {late[-1]:.2f} s")
    print(f"start-up of the schedulers: {start_up:.1f} s of CPU")
    print(f"schedulers: {cpu / elapsed:.1%} of one core, the start of replacements included")
    print(f"Redis: {redis_cpu / elapsed:.1%} of one core, requests of the simulated workers included")


if __name__ == "__main__":
    main()
