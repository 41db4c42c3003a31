"""A process that is watched: its exit code, its signals, and its end if it hangs."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .helpers import eventually, gone

ROOT = Path(__file__).parents[2]

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
    process.communicate(timeout=20)
    assert process.returncode == code


def test_a_stop_signal_reaches_the_child():
    process = start("wait", 20.0)
    int(process.stdout.readline())
    time.sleep(0.3)  # until it sleeps
    process.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in process.communicate(timeout=15)[1]


def test_a_child_that_hangs_in_c_is_killed_after_a_stop_signal():
    process = start("hang")
    child = int(process.stdout.readline())
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=15)[1] == "it was killed\n"
    assert process.returncode == 128 + signal.SIGKILL
    assert gone(child)


def test_the_child_ends_with_its_watcher():
    process = start("wait")
    child = int(process.stdout.readline())
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=15)
    eventually(lambda: gone(child), "the child's end")


@pytest.mark.parametrize(("hard", "limit"), [(2 << 30, 2 << 30), (4 << 30, 3 << 30)])
def test_a_memory_limit_is_at_most_the_hard_limit(hard, limit):
    code = (
        "import resource; from workers.processes import limit_memory; "
        f"resource.setrlimit(resource.RLIMIT_AS, ({hard}, {hard})); limit_memory(3 << 30); "
        "print(resource.getrlimit(resource.RLIMIT_AS))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str((limit, limit))
