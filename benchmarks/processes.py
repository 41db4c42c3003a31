"""Processes that a benchmark starts, the CPU time that they take, and patience."""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import redis

from workers.processes import below

ROOT = Path(__file__).parents[1]
TICKS = os.sysconf("SC_CLK_TCK")
LOOK_EVERY = 0.05  # seconds between two looks at what is waited for
LONGEST = 900.0  # seconds that anything may take
STOP_WAIT = 60.0  # seconds that a command has for its end


def environment(url: str = "") -> dict[str, str]:
    """Return the environment of a command of this source tree: with the Redis at `url`, "" for its own."""
    found_in = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    kept = {name: text for name, text in os.environ.items() if name != "EXEMPLAR_STATE"}
    return kept | {"REDIS_URL": url, "PYTHONPATH": found_in}


def start(folder: Path, url: str, *words: str, **options: Any) -> "subprocess.Popen[bytes]":
    """Start `exemplar WORDS` in a folder. `options`: of `subprocess.Popen`."""
    return subprocess.Popen([sys.executable, "-m", "console", *words], cwd=folder, env=environment(url), **options)


@contextmanager
def running(folder: Path, url: str, *words: str, **options: Any) -> Iterator[int]:
    """Run `exemplar WORDS` during the block, and yield its process id."""
    process = start(folder, url, *words, **options)
    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait(STOP_WAIT)


def tree(pid: int) -> list[int]:
    """Return the ids of a process and of all below it."""
    return [pid, *below(pid)]


def cpu_seconds(pids: Iterable[int]) -> float:
    """Return the CPU seconds of processes, with those of children that have ended."""
    ticks = 0
    for pid in pids:
        with suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))
    return ticks / TICKS


def cpu_of_redis(connection: "redis.Redis") -> float:
    """Return the CPU seconds that the server has used."""
    info = connection.info("cpu")
    return float(info["used_cpu_user"]) + float(info["used_cpu_sys"])


def run(command: Sequence[str], **options: Any) -> "tuple[float, subprocess.CompletedProcess[str]]":
    """Run a command to its end; return its CPU seconds, and what came of it. `options`: of `subprocess.run`."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, text=True, **options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done


def wait_until(condition: Callable[[], object], what: str, longest: float = LONGEST) -> None:
    """Wait until a condition holds. Raises `SystemExit` after `longest` seconds."""
    limit = time.monotonic() + longest
    while not condition():
        if time.monotonic() > limit:
            raise SystemExit(f"waited {longest:.0f} s in vain for {what}")
        time.sleep(LOOK_EVERY)


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least this share of the values does not exceed; 0 without any."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else 0.0
