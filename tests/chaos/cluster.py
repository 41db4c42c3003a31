"""The system under test as real processes: a cluster of nodes on one Redis, or one `exemplar run` with its own.

A keeper starts what has died again after half a second, as systemd does. Everything is ended by its process id.
"""

import ctypes
import os
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from crawler.fetching.scrapy_process import EXIT_UNAVAILABLE
from tests.chaos.site import Site
from tests.proxy import Proxy
from workers.processes import below, children_of, ending_with_parent
from workers.worker_processes.supervised_processes import PROCESS_NAME

Form = Literal["cluster", "single"]
Role = Literal["run", "scheduler", "crawl-worker", "crawl-process", "supervisor", "worker", "delivery", "redis"]

REPOSITORY = Path(__file__).parents[2]
SHIM = Path(__file__).parent / "shim"
EXEMPLAR = [sys.executable, "-m", "console"]
NODES: dict[Form, dict[str, list[str]]] = {
    "single": {"run": ["run", "tasks.yaml", "--workers", "2", "--runs", "2", "--json"]},
    "cluster": {
        "schedule": ["schedule", "tasks.yaml"],
        "crawl": ["work", "crawl", "-n", "2"],
        "extract-1": ["work", "extract", "-n", "3"],
        "extract-2": ["work", "extract", "-n", "3"],
    },
}
_ROLES_OF_NODES: dict[str, Role] = {  # a word of its command: what it is
    "extract": "supervisor",
    "crawl": "crawl-worker",
    "schedule": "scheduler",
    "run": "run",
}
RETRIES = 30  # of an article: a crawl process that is killed has begun an attempt of each that it has leased
RESTART_AFTER = 0.5  # seconds
KEEP_EVERY = 0.2  # seconds between looks at the nodes
HAS_BEGUN: dict[Form, bytes] = {  # what a node prints when it has reached Redis: without it, it ends with code 3
    "single": b'"event": "start"',
    "cluster": b"press Ctrl-C to stop",
}
STOP_WAIT = 45.0  # seconds that a node gets to stop: longer than it gives its own parts
PR_SET_CHILD_SUBREAPER = 36
STATE, PARENT, SESSION = 0, 1, 3  # fields of /proc/PID/stat


@dataclass
class Node:
    """A machine of the cluster: one command, started again whenever it ends."""

    name: str
    command: list[str]
    environment: dict[str, str]
    process: "subprocess.Popen[bytes] | None" = None
    log_start: int = 0  # place in its log at which its last start begins
    exits: list[int] = field(default_factory=list)  # without those of starts while Redis was away


class Cluster:
    """The nodes of one form in a folder of their own.

    `links`: by node, what stands between it and Redis, of which `redis` is the socket; none with the embedded one.
    """

    def __init__(
        self, folder: Path, site: Site, form: Form, redis: Path | None, *, every: str, seed: int, delay: float
    ):  # fmt: skip
        self.folder, self.site, self.form = folder, site, form
        self.links = {name: Proxy(redis, seed) for name in NODES[form]} if redis else {}
        self.out = folder / "disk" / "out"
        self.embedded_url = f"unix://{folder / '.exemplar/redis/redis.sock'}"
        self._keeping = threading.Event()
        (folder / "tasks.yaml").write_text(task_list(site, every, delay), "utf-8")
        self.out.mkdir(parents=True)
        self.nodes = {name: self._node(name, words) for name, words in NODES[form].items()}

    def __enter__(self) -> "Cluster":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)  # what outlives its parent is ours to end
        for node in self.nodes.values():
            self._start(node)
        self._keeping.set()
        self._keeper = threading.Thread(target=self._keep, name="keeper", daemon=True)
        self._keeper.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._keeping.clear()
        self._keeper.join()
        running = [node.process for node in self.nodes.values() if node.process and node.process.poll() is None]
        for pid in {pid for process in running for pid in [process.pid, *below(process.pid)]}:
            send(pid, signal.SIGCONT)
        for process in running:
            process.terminate()
        limit = time.monotonic() + STOP_WAIT
        for process in running:
            with suppress(subprocess.TimeoutExpired):
                process.wait(max(0.1, limit - time.monotonic()))
        for node in self.nodes.values():
            if node.process is not None:
                end_tree(node.process)

    def pids(self, role: Role) -> list[int]:
        """The running processes of a kind."""
        roots = [each.process.pid for each in self.nodes.values() if each.process and each.process.poll() is None]
        found = [(pid, role_of(pid, root, self.form)) for root in roots for pid in [root, *below(root)]]
        return [pid for pid, kind in found if kind == role]

    def set_clock(self, node: str, seconds: float) -> None:
        """Set the wall clock of a node off by so much, at once for all of its processes."""
        self._clock(node).write_bytes(struct.pack("d", seconds))

    def _clock(self, node: str) -> Path:
        return self.folder / f"clock-{node}"

    def _node(self, name: str, words: list[str]) -> Node:
        kept = {key: text for key, text in os.environ.items() if not key.startswith(("EXEMPLAR_", "REDIS_", "SCRAPY_"))}
        own = {
            "PYTHONPATH": f"{SHIM}:{REPOSITORY}",
            "CHAOS_CLOCK": str(self._clock(name)),
            "CHAOS_TARGETS": "1",
            "EXEMPLAR_STATE": str(self.folder / (f"state-{name}" if self.links else ".exemplar")),
        }
        self.set_clock(name, 0.0)
        address = {"REDIS_URL": f"redis://127.0.0.1:{self.links[name].port}/0"} if self.links else {}
        return Node(name, [*EXEMPLAR, *words], {**kept, **own, **address})

    def _start(self, node: Node) -> None:
        with (self.folder / f"{node.name}.log").open("ab") as log:
            node.log_start = log.tell()
            node.process = subprocess.Popen(
                node.command,
                cwd=self.folder,
                env=node.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=ending_with_parent(),
            )

    def _keep(self) -> None:
        while self._keeping.is_set():
            for node in self.nodes.values():
                if node.process is not None and node.process.poll() is not None:
                    if (code := node.process.returncode) != EXIT_UNAVAILABLE or self._has_begun(node):
                        node.exits.append(code)
                    time.sleep(RESTART_AFTER)
                    if self._keeping.is_set():
                        self._start(node)
            self._reap_orphans()
            time.sleep(KEEP_EVERY)

    def _has_begun(self, node: Node) -> bool:
        return HAS_BEGUN[self.form] in (self.folder / f"{node.name}.log").read_bytes()[node.log_start :]

    def _reap_orphans(self) -> None:
        """Take leave of the dead whose parents died before: a zombie still has a process id, and looks alive."""
        own = {node.process.pid for node in self.nodes.values() if node.process}
        for pid in children_of(os.getpid()):
            if pid not in own and not is_running(pid) and _stat(pid, SESSION) != str(os.getsid(0)):
                with suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)


def end_tree(process: "subprocess.Popen[bytes]") -> None:
    """Kill a process and all below it; stop them first, so that none starts another meanwhile."""
    pids = [process.pid, *below(process.pid)] if process.poll() is None else []
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid in pids:
            send(pid, number)
    process.wait()
    until(lambda: not any(is_running(pid) for pid in pids), within=10)


def end_orphans() -> None:
    """Kill what nodes have left below this process, and take leave of the dead. What is of our own session stays."""
    for pid in below(os.getpid()):
        if _stat(pid, SESSION) != str(os.getsid(0)):
            send(pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)


def send(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def is_running(pid: int) -> bool:
    return _stat(pid, STATE) not in ("", "Z")


def until(condition: Callable[[], object], within: float, every: float = 0.05) -> bool:
    """Wait until it holds; False if it does not in time."""
    limit = time.monotonic() + within
    while time.monotonic() < limit:
        if condition():
            return True
        time.sleep(every)
    return False


def until_still(condition: Callable[[], object], progress: Callable[[], int], still: float, every: float) -> bool:
    """Wait until it holds; False if there was no further progress for `still` seconds, however slow the machine is."""
    most, limit = progress(), time.monotonic() + still
    while not condition():
        if (now := progress()) > most:
            most, limit = now, time.monotonic() + still
        if time.monotonic() > limit:
            return False
        time.sleep(every)
    return True


def _words(pid: int) -> list[str]:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text().split("\0")[:-1]
    return []


def role_of(pid: int, root: int, form: Form) -> Role | None:
    """What a process below the process of a node is; None if it has just ended, or has not begun its program yet."""
    words = _words(pid)
    line = " ".join(words)
    if pid == root:
        return next((role for word, role in _ROLES_OF_NODES.items() if word in words), None)
    if "redis-server" in line or "valkey-server" in line:
        return "redis"
    if "crawler.scheduling.crawl_process" in line:
        return "crawl-process"
    if "console.extraction_process" in line:  # the supervisor of a run, and its workers
        return "supervisor" if _stat(pid, PARENT) == str(root) else _forked(pid)
    return _forked(pid) if "extract" in words else None


def _forked(pid: int) -> Role:
    """The role of a process that a supervisor has forked."""
    with suppress(OSError):
        if Path(f"/proc/{pid}/comm").read_text().strip() == PROCESS_NAME:
            return "delivery"
    return "worker"


def _stat(pid: int, field_: int) -> str:
    """A field of a process' state, counted from the one after its name; empty if there is no such process."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[field_]
    return ""


def task_list(site: Site, every: str, delay: float = 0.0) -> str:
    """The task list of a trial: a task for each section of the site."""
    lines = [f"settings: {{contact: https://example.org/us, allow_hosts: [{site.host}], delay: {delay}}}", "tasks:"]
    for name in site.published:
        lines += [
            f"  {name}:",
            f"    example: {site.article(name, 1)}",
            f"    pattern: /{name}/a/{{id}}.html",
            f"    start: {site.url}/{name}/",
            f"    every: {every}",
            f"    output: [disk/out/{name}.jsonl, disk/out/{name}.db, folder:targets/{name}]",
            "    limit: null",
            "    depth: 20",
            "    near_duplicates: drop",
            "    concurrency: 4",
            f"    retries: {RETRIES}",
        ]
    return "\n".join(lines) + "\n"
