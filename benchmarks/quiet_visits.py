"""CPU time of visits that find nothing new: all processes of `exemplar run` and Redis together.

    python -m benchmarks.quiet_visits
    python -m benchmarks.quiet_visits --sections 200 --rounds 5
    python -m benchmarks.quiet_visits --sections 250 --every 15 --minutes 3
    python -m benchmarks.quiet_visits --sections 100 --runs 100 --page-bytes 80000 --rounds 0

Each section is a site of its own, on a port of its own, with one list page of 20 KB and 17 articles, which a first run
has fetched. Then all sections are made due at once, `--rounds` times. The measure is the CPU time, user and system, of
all processes from the moment when they are due to the end of the last run; the time that they take without any run is
printed, too. The sites are served by a process that is not counted. Before and after, a plain Scrapy crawler with one
request for each list is measured in a process of its own: machines differ, the ratio of both says more.

The first runs are measured, too: how many there were at once, and the most memory (resident set size) that the crawl
process had; with `--rounds 0` nothing else. `--page-bytes`: the size of an article's page.

With `--every` each section is visited once in so many seconds. The measures: the share of a core, the memory of all
processes (proportional set size), and how long sections that are due wait for the start of their run.
"""

import argparse
import asyncio
import logging
import multiprocessing
import re
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import mean, median
from typing import Any, cast

import redis
import scrapy
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import Response

from benchmarks.processes import cpu_seconds, percentile, running, tree, wait_until
from console.options import RUNS
from crawler.run.run_report import reports
from crawler.scheduling.schedule import Schedule
from workers.ledger import Ledger

ARTICLES = 17
LIST_BYTES = 20_000
PAGE_BYTES = 5000
MENU_ITEM = '<li class="entry"><a href="/topics/">A topic of the site</a></li>'
LOOK_EVERY = 0.1  # seconds between two looks at what is due
QUIET_SECONDS = 5.0  # seconds in which the idle processes are measured


def serve(sections: int, page_bytes: int, ours: Connection) -> None:
    """Serve the sites, and send their ports."""
    asyncio.run(_serve(sections, page_bytes, ours))


async def _serve(sections: int, page_bytes: int, ours: Connection) -> None:
    answer = partial(_answer, page_bytes)
    servers = [await asyncio.start_server(answer, "127.0.0.1", 0) for _ in range(sections)]
    ours.send([server.sockets[0].getsockname()[1] for server in servers])
    await asyncio.Event().wait()


async def _answer(page_bytes: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            path = head.split(b" ", 2)[1].decode()
            body = _page(path, page_bytes).encode()
            status = "200 OK" if body else "404 Not Found"
            writer.write(
                f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
            )
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


def _page(path: str, page_bytes: int) -> str:
    if path == "/":
        links = "".join(f'<li><a href="/a/{n}.html">Article number {n}</a></li>' for n in range(ARTICLES))
        filling = '<p class="teaser">Some words that stand around it.</p>' * (LIST_BYTES // 54)
        return f"<html><body><ul>{links}</ul>{filling}</body></html>"
    if path.startswith("/a/"):
        text = "".join(f"<p>Article {path}, sentence {n} of a text that is long enough.</p>" for n in range(30))
        menu = MENU_ITEM * ((page_bytes - len(text)) // len(MENU_ITEM))
        return f"<html><head><title>{path}</title></head><body><ul>{menu}</ul><h1>{path}</h1>{text}</body></html>"
    return ""


class PlainSpider(scrapy.Spider):
    """Requests one page. `url`: its address."""

    name = "plain"
    url: str

    async def start(self) -> AsyncIterator[scrapy.Request]:
        """Request the page."""
        yield scrapy.Request(self.url)

    def parse(self, response: Response) -> None:
        """Do nothing with it."""


def plain_crawlers(ports: list[int]) -> float:
    """Return the CPU milliseconds of a plain Scrapy crawler with one request, one after another in one process."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_crawl_plainly, args=(ports, theirs))
    process.start()
    cost = float(ours.recv())
    process.join()
    return cost


def _crawl_plainly(ports: list[int], theirs: Connection) -> None:
    crawls = AsyncCrawlerProcess({"LOG_INSTALL_ROOT_HANDLER": False, "TELNETCONSOLE_ENABLED": False})
    logging.disable()
    from twisted.internet import reactor  # Scrapy has installed it now

    async def all_of_them() -> None:
        before = 0.0
        for number, port in enumerate([ports[0], *ports]):
            if number == 1:  # the first one imports modules
                before = time.process_time()
            await crawls.crawl(PlainSpider, url=f"http://127.0.0.1:{port}/")
        theirs.send(1000 * (time.process_time() - before) / len(ports))
        cast("Any", reactor).stop()

    asyncio.get_event_loop().call_soon(lambda: asyncio.ensure_future(all_of_them()))
    crawls.start(install_signal_handlers=False, stop_after_crawl=False)


def crawl_process(root: int) -> int | None:
    """Return the id of the crawl process below a process; None if there is none."""
    for pid in tree(root):
        with suppress(OSError):
            if b"crawl_process" in Path(f"/proc/{pid}/cmdline").read_bytes():
                return pid
    return None


def megabytes(root: int) -> float:
    """Return the memory of a process and all below it; pages that they share count once."""
    total = 0
    for pid in tree(root):
        with suppress(OSError):
            total += int(re.findall(r"^Pss: +(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)[0])
    return total / 1000


def peak_megabytes(pid: int | None) -> float:
    """Return the largest resident set size that a process has had."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.findall(r"^VmHWM:\s+(\d+)", status, re.MULTILINE)[0]) / 1000


def task_list(ports: list[int], every: str) -> str:
    """Return the task list of the sites."""
    head = "settings: {contact: https://example.org/us, allow_hosts: [127.0.0.1], delay: 0}\ntasks:\n"
    return head + "".join(
        f"  s{port}: {{example: 'http://127.0.0.1:{port}/a/1.html', pattern: '/a/{{id}}.html', start: '/', "
        f"every: {every}, output: out.jsonl, near_duplicates: keep}}\n"
        for port in ports
    )


def measure(folder: Path, ports: list[int], asked: argparse.Namespace) -> None:
    """Start `exemplar run`, and measure visits."""
    (folder / "tasks.yaml").write_text(task_list(ports, f"{asked.every}s" if asked.every else "1d"), "utf-8")
    with (
        (folder / "run.log").open("wb") as said,
        running(folder, "", "run", "--now", "--json", "--runs", str(asked.runs), stdout=said, stderr=said) as node,
    ):
        _measure(folder, ports, asked, node)


def _measure(folder: Path, ports: list[int], asked: argparse.Namespace, pid: int) -> None:
    socket = folder / ".exemplar/redis/redis.sock"
    wait_until(socket.exists, "Redis")
    names = [f"s{port}" for port in ports]
    with redis.Redis(unix_socket_path=str(socket)) as connection:
        schedule = Schedule(connection)
        most = 0

        def is_whole() -> bool:
            nonlocal most
            most = max(most, len(schedule.running()))
            return all(Ledger(connection, name).counts().states["written"] >= ARTICLES for name in names)

        wait_until(is_whole, "articles")
        print(f"first runs: {most} at once, {peak_megabytes(crawl_process(pid)):.0f} MB at most", flush=True)
        if asked.every:
            _watch(schedule, pid, 60 * asked.minutes)
            return
        wait_until(lambda: not schedule.running(), "the end of the first runs")
        if not asked.rounds:
            return
        plain, costs = [plain_crawlers(ports)], []
        before, begun = cpu_seconds(tree(pid)), time.monotonic()
        time.sleep(QUIET_SECONDS)
        idle = (cpu_seconds(tree(pid)) - before) / (time.monotonic() - begun)
        print(f"idle: {idle * 100:.1f} % of a core", flush=True)
        for number in range(asked.rounds):
            known = {name: len(reports(connection, name, 50)) for name in names}
            before, begun = cpu_seconds(tree(pid)), time.monotonic()
            schedule.fire_now(names)
            wait_until(partial(_have_run, connection, known), "visits")
            wait_until(lambda: not schedule.running(), "the end of the runs")
            seconds, spent = time.monotonic() - begun, cpu_seconds(tree(pid)) - before
            last = [reports(connection, name)[0] for name in names]
            quiet = sum(report["outcome"] == "finished" and not report["new"] for report in last)
            each, without = (1000 * cpu / len(names) for cpu in (spent, spent - idle * seconds))
            print(
                f"round {number + 1}: {quiet} of {len(names)} visits found nothing new; {each:.1f} ms of CPU a visit "
                f"in {seconds:.1f} s, {without:.1f} ms without idling",
                flush=True,
            )
            costs.append(each)
        plain.append(plain_crawlers(ports))
        print(
            f"a plain Scrapy crawler with one request: {plain[0]:.1f} ms before, {plain[1]:.1f} ms after; a visit "
            f"costs {median(costs) / mean(plain):.2f} times as much"
        )


def _have_run(connection: "redis.Redis", known: Mapping[str, int]) -> bool:
    """Whether each task has more reports than are known."""
    return all(len(reports(connection, name, 50)) > number for name, number in known.items())


def _watch(schedule: Schedule, pid: int, seconds: float) -> None:
    """Measure sections that are visited by their periods."""
    wait_until(lambda: not schedule.due(), "the end of the backlog")
    since: dict[str, float] = {}
    delays: list[float] = []
    before, begun = cpu_seconds(tree(pid)), time.monotonic()
    while (now := time.monotonic()) < begun + seconds:
        due = {*schedule.due()}
        for name in since.keys() - due:
            delays.append(now - since.pop(name))
        for name in due - since.keys():
            since[name] = now
        time.sleep(LOOK_EVERY)
    share = (cpu_seconds(tree(pid)) - before) / (time.monotonic() - begun)
    memory = megabytes(pid)
    p50, p99 = (percentile(delays, part) for part in (0.5, 0.99))
    print(
        f"{len(delays)} starts seen waiting: p50 {p50:.1f} s, p99 {p99:.1f} s; {100 * share:.1f} % of a core; "
        f"{memory:.0f} MB"
    )


def main() -> None:
    """Serve the sites and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sections", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--runs", type=int, default=RUNS, help="number of runs at once")
    parser.add_argument("--page-bytes", type=int, default=PAGE_BYTES, help="size of an article's page")
    parser.add_argument("--every", type=int, help="seconds between two visits of a section")
    parser.add_argument("--minutes", type=float, default=5.0, help="with --every: how long to measure")
    asked = parser.parse_args()
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(asked.sections, asked.page_bytes, theirs), daemon=True)
    server.start()
    with tempfile.TemporaryDirectory(prefix="quiet-") as name:
        measure(Path(name), ours.recv(), asked)
    server.terminate()


if __name__ == "__main__":
    main()
