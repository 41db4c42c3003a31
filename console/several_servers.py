"""One node for several Redis servers: each server has its own scheduler, crawl workers or extraction supervisor here.

An unavailable server does not delay the others.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import redis

from console.status import overview
from workers.inbox import Inbox
from workers.processes import ended_by, ending_with_parent
from workers.redis_access.connection import reason
from workers.redis_access.servers import RedisServer, RedisServers

TRY_AGAIN_AFTER = 1.0  # seconds until a part whose server is unavailable is run again
SHARE_EVERY = 1.0  # seconds between two checks of the waiting pages of each server
MOVE_AFTER = 10.0  # seconds that a worker stays with a server, unless another one with pages has no worker at all
STOP_WAIT = 40.0  # seconds for a supervisor to end
CHECK_EVERY = 0.2  # seconds between two checks for a request to stop


@dataclass(frozen=True, slots=True)
class ServerPart:
    """The part of a node for one server.

    `run` returns after `stop`, and raises `redis.RedisError` while the server is unavailable.
    """

    server: str
    run: Callable[[], object]
    stop: Callable[[], object]


def serve(parts: Sequence[ServerPart], say: Callable[[str], None]) -> None:
    """Run the parts until SIGTERM or SIGINT: a single part in this thread, several parts each in its own."""
    if len(parts) == 1:
        stop_by_signal(parts[0].stop)
        parts[0].run()
    else:
        serve_all(parts, say, stopped_by_signal())


def stop_by_signal(stop: Callable[..., object]) -> None:
    """Call `stop` at SIGTERM and SIGINT."""
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)


def stopped_by_signal() -> threading.Event:
    """Return an event that SIGTERM and SIGINT set."""
    stopping = threading.Event()
    stop_by_signal(lambda *_: stopping.set())
    return stopping


def notices_of(server: RedisServer, servers: RedisServers, say: Callable[[str], None]) -> Callable[[str], None]:
    """Return a function that prints the notices of a server's part.

    With several servers, it puts the server's name first.
    """
    return say if len(servers) == 1 else lambda text: say(f"{server.name}: {text}")


def serve_all(parts: Sequence[ServerPart], say: Callable[[str], None], stopping: threading.Event) -> None:
    """Run the parts, each in a thread, until `stopping` is set; a part whose server is unavailable is run again.

    Raises the first error of a part that is not of Redis, after all parts have ended.
    """
    errors: list[BaseException] = []

    def run(part: ServerPart) -> None:
        while not stopping.is_set():
            try:
                part.run()
            except redis.RedisError as error:
                say(f"Redis {part.server} is unavailable: {reason(error)}; trying again")
                stopping.wait(TRY_AGAIN_AFTER)
            except BaseException as error:
                errors.append(error)
                stopping.set()

    threads = [threading.Thread(target=run, args=(part,), name=part.server) for part in parts]
    for thread in threads:
        thread.start()
    while not stopping.wait(CHECK_EVERY):
        pass
    for part in parts:
        part.stop()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


# Extraction


def shares(count: int, waiting: Sequence[int], present: Sequence[int], turn: int) -> list[int]:
    """Return how many of `count` workers each server gets, by the number of pages that wait on each.

    A server with pages gets at least one, in turns if there are fewer workers than such servers; the others are
    distributed by pages. If no pages wait, the shares do not change. `present`: the present shares; `turn`: counts the
    moves.
    """
    busy = [number for number, pages in enumerate(waiting) if pages]
    if not busy:
        if sum(present) == count:
            return list(present)
        busy = list(range(len(waiting)))
        waiting = [1] * len(waiting)
    result = [0] * len(waiting)
    if len(busy) > count:
        for step in range(count):
            result[busy[(turn * count + step) % len(busy)]] = 1
        return result
    rest, total = count - len(busy), sum(waiting[number] for number in busy)
    exact = {number: rest * waiting[number] / total for number in busy}
    for number in busy:
        result[number] = 1 + int(exact[number])
    by_fraction = sorted(busy, key=lambda number: int(exact[number]) - exact[number])
    for number in by_fraction[: count - sum(result)]:
        result[number] += 1
    return result


class ExtractionNode:
    """The `count` extraction workers of a node for several servers; each has a supervisor, and workers move."""

    def __init__(self, servers: RedisServers, count: int, say: Callable[[str], None]):
        self.servers, self.count, self.say = servers, count, say
        self.inboxes = [Inbox(server.connection) for server in servers]
        self.present = shares(count, [0] * len(servers), [], 0)
        self._processes: list[subprocess.Popen[str] | None] = [None] * len(servers)
        self._moved = time.monotonic()
        self._turn = 0

    def run(self, stopping: threading.Event) -> None:
        """Extract until `stopping` is set."""
        try:
            while not stopping.is_set():
                self._start_missing()
                self._share()
                stopping.wait(SHARE_EVERY)
        finally:
            self._end()

    def _start_missing(self) -> None:
        for number, server in enumerate(self.servers):
            process = self._processes[number]
            if process is not None and process.poll() is None:
                continue
            if process is not None:
                self.say(f"extraction for Redis {server.name}: {ended_by(process.returncode)}; it is restarted")
            self._processes[number] = subprocess.Popen(
                [sys.executable, "-m", "console.extraction_process", str(self.present[number]), "--resize"],
                env={**os.environ, "REDIS_URL": server.url},
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                text=True,
                start_new_session=True,
                preexec_fn=ending_with_parent(signal.SIGTERM),
            )

    def _share(self) -> None:
        waiting = [_pages(inbox) for inbox in self.inboxes]
        wanted = shares(self.count, waiting, self.present, self._turn)
        starving = any(pages and not share for pages, share in zip(waiting, self.present, strict=True))
        idle = any(share and not pages for pages, share in zip(waiting, self.present, strict=True))
        if wanted == self.present or (not (starving and idle) and time.monotonic() - self._moved < MOVE_AFTER):
            return
        self._moved, self._turn = time.monotonic(), self._turn + 1
        for number, share in enumerate(wanted):
            if share != self.present[number]:
                self._resize(number, share)
        self.present = wanted

    def _resize(self, number: int, share: int) -> None:
        process = self._processes[number]
        if process is None or process.stdin is None:
            return
        try:
            process.stdin.write(f"{share}\n")
            process.stdin.flush()
        except OSError:
            pass  # the process died, and is started again with this share

    def _end(self) -> None:
        for process in self._processes:
            if process is not None:
                process.terminate()
        for process in self._processes:
            if process is None:
                continue
            try:
                process.wait(STOP_WAIT)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _pages(inbox: Inbox) -> int:
    try:
        return inbox.pages_waiting()
    except redis.RedisError:
        return 0


# Status


def overview_of(servers: Sequence[RedisServer]) -> dict[str, Any]:
    """Return the overview of all servers as one.

    With several, `server` is the name of each row's server, `servers` has program and memory of each, and `redis` and
    `memory` are of the server that is closest to its limit.
    """
    if len(servers) == 1:
        return overview(servers[0].connection)
    parts: list[dict[str, Any]] = [overview(server.connection) for server in servers]
    whole = parts[max(range(len(parts)), key=lambda number: _share_used(parts[number]))].copy()
    whole["tasks_from"] = next((part["tasks_from"] for part in parts if part["tasks_from"]), None)
    pairs = list(zip(servers, parts, strict=True))
    for name in ("tasks", "outputs", "processes", "died", "problems", "hosts", "alarms"):
        whole[name] = [{**row, "server": server.name} for server, part in pairs for row in part[name]]
    whole["tasks"].sort(key=lambda row: str(row["task"]))
    ages = [part["queue"]["oldest_page"] for part in parts if part["queue"]["oldest_page"] is not None]
    whole["queue"] = {
        "jobs": sum(part["queue"]["jobs"] for part in parts),
        "oldest_page": max(ages, default=None),
        "due": [task for part in parts for task in part["queue"]["due"]],
        "running": [task for part in parts for task in part["queue"]["running"]],
    }
    whole["stored"] = {name: sum(part["stored"][name] for part in parts) for name in whole["stored"]}
    whole["servers"] = [
        {"server": server.name, "redis": part["redis"], "memory": part["memory"]} for server, part in pairs
    ]
    return whole


def _share_used(part: dict[str, Any]) -> float:
    memory = part["memory"]
    return float(memory["used"] / memory["limit"]) if memory["limit"] else 0.0
