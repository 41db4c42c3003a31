"""A process that is watched: its exit code, its signals, and its end if it hangs."""

import ast
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.chaos.cluster import is_running
from tests.redis_servers import eventually
from workers.processes import STOP_SIGNALS, stop_by_signal

ROOT = Path(__file__).parents[2]
ROOMS = ("console", "crawler", "workers")
STARTS = ("subprocess.Popen", "subprocess.run")

CODE = """
import os, sys, time
from workers.processes import go_on_watched
go_on_watched(float(sys.argv[2]), "it was killed")
print(os.getpid(), flush=True)
def wait():
    for _ in range(300):
        time.sleep(0.1)
def end():
    sys.exit(7)
def crash():
    os.abort()
def hang():  # in C, where no Python code can run
    sum(range(10**12))
{"wait": wait, "end": end, "crash": crash, "hang": hang}[sys.argv[1]]()
"""


def start(what, seconds=1.0):
    return subprocess.Popen(
        [sys.executable, "-c", CODE, what, str(seconds)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize(("what", "code"), [("end", 7), ("crash", 128 + signal.SIGABRT)])
def test_the_exit_code_is_that_of_the_child(what, code):
    process = start(what)
    process.communicate(timeout=60)
    assert process.returncode == code


def test_a_stop_signal_reaches_the_child():
    process = start("wait", 20.0)
    int(process.stdout.readline())
    time.sleep(0.3)  # until it sleeps
    process.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in process.communicate(timeout=60)[1]


def test_a_child_that_hangs_in_c_is_killed_after_a_stop_signal():
    process = start("hang")
    child = int(process.stdout.readline())
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[1] == "it was killed\n"
    assert process.returncode == 128 + signal.SIGKILL
    assert not is_running(child)


def test_the_child_ends_with_its_watcher():
    process = start("wait")
    child = int(process.stdout.readline())
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    eventually(lambda: not is_running(child))


LATE = """
import os, time
from workers.processes import ending_with_parent
end, parent = ending_with_parent(), os.getpid()
if child := os.fork():
    print(child, flush=True)
    os._exit(0)
while os.getppid() == parent:
    time.sleep(0.01)
end()
time.sleep(600)
"""


def test_a_child_ends_whose_parent_died_before_the_death_signal_was_set():
    done = subprocess.run([sys.executable, "-c", LATE], cwd=ROOT, stdout=subprocess.PIPE, text=True, timeout=60)
    child = int(done.stdout)
    try:
        eventually(lambda: not is_running(child))
    finally:
        if is_running(child):
            os.kill(child, signal.SIGKILL)


def test_each_program_that_is_started_ends_with_its_parent():
    files = [path for room in ROOMS for path in (ROOT / room).rglob("*.py") if b"subprocess." in path.read_bytes()]
    nodes = [(path, node) for path in files for node in ast.walk(ast.parse(path.read_text("utf-8")))]
    calls = [(path, node) for path, node in nodes if isinstance(node, ast.Call)]
    starts = [(path, call) for path, call in calls if ast.unparse(call.func) in STARTS]
    assert {path.name for path, _ in starts} >= {"runner.py", "crawl_worker.py", "embedded.py"}
    for path, call in starts:
        prepared = [ast.unparse(word.value) for word in call.keywords if word.arg == "preexec_fn"]
        is_short = "--version" in ast.unparse(call)  # it ends by itself
        assert is_short or any(text.startswith("ending_with_parent(") for text in prepared), f"{path}:{call.lineno}"


@pytest.mark.parametrize(("hard", "limit"), [(2 << 30, 2 << 30), (4 << 30, 3 << 30)])
def test_a_memory_limit_is_at_most_the_hard_limit(hard, limit):
    code = (
        "import resource; from workers.processes import limit_memory; "
        f"resource.setrlimit(resource.RLIMIT_AS, ({hard}, {hard})); limit_memory(3 << 30); "
        "print(resource.getrlimit(resource.RLIMIT_AS))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str((limit, limit))


@pytest.mark.parametrize("before", [signal.SIG_IGN, signal.SIG_DFL])
def test_a_closed_terminal_stops_a_process_unless_it_was_started_by_nohup(before):
    stops = []
    former = {number: signal.getsignal(number) for number in (*STOP_SIGNALS, signal.SIGHUP)}
    signal.signal(signal.SIGHUP, before)
    try:
        stop_by_signal(lambda *_: stops.append(1))
        signal.raise_signal(signal.SIGHUP)
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
    assert len(stops) == (before is signal.SIG_DFL)
