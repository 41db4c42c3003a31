"""CPU time of visits that find nothing new: all processes of `exemplar run` and Redis together.

    python -m benchmarks.quiet_visits
    python -m benchmarks.quiet_visits --sections 200 --rounds 5
    python -m benchmarks.quiet_visits --sections 500 --every 30 --minutes 5

Each section is a site of its own, on a port of its own, with one list page of 20 KB and 17 articles, which a first run
has fetched. Then all sections are made due at once, `--rounds` times. The measure is the CPU time, user and system, of
all processes from the moment when they are due to the end of the last run; the time that they take without any run is
printed, too. The sites are served by a process that is not counted.

With `--every` each section is visited once in so many seconds. The measures: the share of a core, the memory of all
processes (proportional set size), and how long sections that are due wait for the start of their run.
"""

import argparse
import asyncio
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

import redis

from crawler.run.run_report import reports
from crawler.scheduling.schedule import Schedule
from workers.ledger import Ledger

ARTICLES = 17
LIST_BYTES = 20_000
LONGEST = 900.0  # seconds
LOOK_EVERY = 0.1  # seconds between two looks at what is due
QUIET_SECONDS = 5.0  # seconds in which the idle processes are measured
TICKS = os.sysconf("SC_CLK_TCK")


def serve(sections: int, ours: Connection) -> None:
    """Serve the sites, and send their ports."""
    asyncio.run(_serve(sections, ours))


async def _serve(sections: int, ours: Connection) -> None:
    servers = [await asyncio.start_server(_answer, "127.0.0.1", 0) for _ in range(sections)]
    ours.send([server.sockets[0].getsockname()[1] for server in servers])
    await asyncio.Event().wait()


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            path = head.split(b" ", 2)[1].decode()
            body = _page(path).encode()
            status = "200 OK" if body else "404 Not Found"
            writer.write(
                f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
            )
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


def _page(path: str) -> str:
    if path == "/":
        links = "".join(f'<li><a href="/a/{n}.html">Article number {n}</a></li>' for n in range(ARTICLES))
        filling = '<p class="teaser">Some words that stand around it.</p>' * (LIST_BYTES // 54)
        return f"<html><body><ul>{links}</ul>{filling}</body></html>"
    if path.startswith("/a/"):
        text = "".join(f"<p>Article {path}, sentence {n} of a text that is long enough.</p>" for n in range(30))
        return f"<html><head><title>{path}</title></head><body><h1>{path}</h1>{text}</body></html>"
    return ""


def process_tree(root: int) -> list[int]:
    """Return the ids of a process and of all below it."""
    pids = [root]
    for pid in pids:
        with suppress(OSError):
            for thread in Path(f"/proc/{pid}/task").iterdir():
                pids += map(int, (thread / "children").read_text().split())
    return pids


def cpu_seconds(root: int) -> float:
    """Return the CPU seconds of a process and all below it, with those of children that have ended."""
    total = 0
    for pid in process_tree(root):
        with suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            total += sum(map(int, fields[11:15]))
    return total / TICKS


def megabytes(root: int) -> float:
    """Return the memory of a process and all below it; pages that they share count once."""
    total = 0
    for pid in process_tree(root):
        with suppress(OSError):
            total += int(re.findall(r"^Pss: +(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)[0])
    return total / 1000


def task_list(ports: list[int], every: str) -> str:
    """Return the task list of the sites."""
    head = "settings: {contact: https://example.org/us, allow_hosts: [127.0.0.1], delay: 0}\ntasks:\n"
    return head + "".join(
        f"  s{port}: {{example: 'http://127.0.0.1:{port}/a/1.html', pattern: '/a/{{id}}.html', start: '/', "
        f"every: {every}, output: out.jsonl, near_duplicates: keep}}\n"
        for port in ports
    )


def wait(condition: object, what: str) -> None:
    """Wait until a condition holds. Raises `SystemExit` after `LONGEST`."""
    limit = time.monotonic() + LONGEST
    while not condition():  # type: ignore[operator]
        if time.monotonic() > limit:
            raise SystemExit(f"waited {LONGEST:.0f} s in vain for {what}")
        time.sleep(0.05)


def measure(folder: Path, ports: list[int], asked: argparse.Namespace) -> None:
    """Start `exemplar run`, and measure visits."""
    (folder / "tasks.yaml").write_text(task_list(ports, f"{asked.every}s" if asked.every else "1d"), "utf-8")
    environment = {name: text for name, text in os.environ.items() if not name.startswith(("EXEMPLAR_", "REDIS_"))}
    environment["PYTHONPATH"] = str(Path(__file__).parents[1])
    command = [sys.executable, "-m", "console", "run", "--now", "--json"]
    with (
        (folder / "run.log").open("wb") as said,
        subprocess.Popen(command, cwd=folder, env=environment, stdout=said, stderr=said) as node,
    ):
        try:
            _measure(folder, ports, asked, node.pid)
        finally:
            node.terminate()
            node.wait()


def _measure(folder: Path, ports: list[int], asked: argparse.Namespace, pid: int) -> None:
    socket = folder / ".exemplar/redis/redis.sock"
    wait(socket.exists, "Redis")
    names = [f"s{port}" for port in ports]
    with redis.Redis(unix_socket_path=str(socket)) as connection:
        schedule = Schedule(connection)
        wait(lambda: all(Ledger(connection, name).counts().states["written"] >= ARTICLES for name in names), "articles")
        if asked.every:
            _watch(schedule, pid, 60 * asked.minutes)
            return
        wait(lambda: not schedule.running(), "the end of the first runs")
        before, begun = cpu_seconds(pid), time.monotonic()
        time.sleep(QUIET_SECONDS)
        idle = (cpu_seconds(pid) - before) / (time.monotonic() - begun)
        print(f"idle: {idle * 100:.1f} % of a core", flush=True)
        for number in range(asked.rounds):
            known = {name: len(reports(connection, name, 50)) for name in names}
            before, begun = cpu_seconds(pid), time.monotonic()
            schedule.fire_now(names)
            wait(lambda known=known: all(len(reports(connection, n, 50)) > known[n] for n in names), "visits")
            wait(lambda: not schedule.running(), "the end of the runs")
            seconds, spent = time.monotonic() - begun, cpu_seconds(pid) - before
            last = [reports(connection, name)[0] for name in names]
            quiet = sum(report["outcome"] == "finished" and not report["new"] for report in last)
            each, without = (1000 * cpu / len(names) for cpu in (spent, spent - idle * seconds))
            print(
                f"round {number + 1}: {quiet} of {len(names)} visits found nothing new; {each:.1f} ms of CPU a visit "
                f"in {seconds:.1f} s, {without:.1f} ms without idling",
                flush=True,
            )


def _watch(schedule: Schedule, pid: int, seconds: float) -> None:
    """Measure sections that are visited by their periods."""
    wait(lambda: not schedule.due(), "the end of the backlog")
    since: dict[str, float] = {}
    delays: list[float] = []
    before, begun = cpu_seconds(pid), time.monotonic()
    while (now := time.monotonic()) < begun + seconds:
        due = {*schedule.due()}
        for name in since.keys() - due:
            delays.append(now - since.pop(name))
        for name in due - since.keys():
            since[name] = now
        time.sleep(LOOK_EVERY)
    share = (cpu_seconds(pid) - before) / (time.monotonic() - begun)
    memory = megabytes(pid)
    p50, p99 = (sorted(delays)[int(len(delays) * part)] for part in (0.5, 0.99))
    print(
        f"{len(delays)} starts seen waiting: p50 {p50:.1f} s, p99 {p99:.1f} s; {100 * share:.1f} % of a core; "
        f"{memory:.0f} MB"
    )


def main() -> None:
    """Serve the sites and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sections", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--every", type=int, help="seconds between two visits of a section")
    parser.add_argument("--minutes", type=float, default=5.0, help="with --every: how long to measure")
    asked = parser.parse_args()
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(asked.sections, theirs), daemon=True)
    server.start()
    with tempfile.TemporaryDirectory(prefix="quiet-") as name:
        measure(Path(name), ours.recv(), asked)
    server.terminate()


if __name__ == "__main__":
    main()
