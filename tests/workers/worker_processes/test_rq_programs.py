"""The programs of RQ, started as a user starts them: what they show of our workers, and that they can run our jobs."""

import fcntl
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner
from rq.cli import main as rq_program

from tests.redis_servers import eventually
from tests.workers.helpers import article, deliver, publish, rows, states, url
from tests.workers.supervisors import supervisors
from workers.inbox import PAGES_A_JOB, QUEUE

BIN = Path(sys.executable).parent
ROOT = Path(__file__).parents[3]
MORE = PAGES_A_JOB + 2  # pages for two jobs


@pytest.fixture
def rq(redis_url, tmp_path):
    """Starts a program of RQ in the task's folder; ends those that still run after the test."""
    started = []

    def start(*args):
        program = subprocess.Popen(
            [BIN / "rq", *args, "--url", redis_url],
            cwd=tmp_path,
            env={"PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        started.append(program)
        return program

    yield start
    for program in started:
        program.kill()
        program.communicate()


@pytest.fixture
def info(redis_url):
    """What `rq info --raw` prints: a list of the words of each line."""

    def lines():
        text = CliRunner().invoke(rq_program, ["info", "--raw", "--url", redis_url]).stdout
        return [line.split() for line in text.splitlines()]

    return lines


@pytest.fixture
def our_worker(redis_url, monkeypatch):
    """Starts what `exemplar work extract -n 1` runs."""
    monkeypatch.setenv("EXEMPLAR_NODE", "here")
    with supervisors(redis_url) as start:
        yield partial(start, count=1)


def workers_of(lines):
    return [words for words in lines if words and words[0] == "worker"]


def queue_of(lines):
    """How many jobs wait, run and have failed."""
    [words] = [words for words in lines if words[:2] == ["queue", QUEUE]]
    counts = dict(zip(words[4::2], words[3::2], strict=True))
    return int(words[2].strip(",")), int(counts["executing,"]), int(counts["failed"])


def test_info_shows_the_jobs_and_the_workers(connection, info, our_worker, tmp_path):
    publish(connection, tmp_path)
    deliver(connection, {number: article(number) for number in range(1, MORE + 1)})
    assert queue_of(info()) == (2, 0, 0)
    assert workers_of(info()) == []
    with (tmp_path / "out.jsonl").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # so that the worker waits in the middle of its job
        our_worker()
        eventually(lambda: any("busy" in words for words in workers_of(info())))
        assert queue_of(info()) == (1, 1, 0)
        fcntl.flock(held, fcntl.LOCK_UN)  # the worker, which is a fork, has this file too
    eventually(lambda: set(states(connection, *range(1, MORE + 1))) == {"written"})
    eventually(lambda: any("idle" in words for words in workers_of(info())))
    [worker] = workers_of(info())
    assert worker[1].startswith("here-")
    assert queue_of(info()) == (0, 0, 0)


def test_a_plain_worker_of_rq_runs_the_jobs(connection, rq, tmp_path):
    publish(connection, tmp_path)
    deliver(connection, {number: article(number) for number in range(1, MORE + 1)})
    worker = rq("worker", "-S", "json", QUEUE)
    eventually(lambda: set(states(connection, *range(1, MORE + 1))) == {"written"})
    worker.send_signal(signal.SIGTERM)
    text, _ = worker.communicate(timeout=60)
    assert worker.returncode == 0
    assert text.count("Job OK") == 2, text
    assert sorted(row["url"] for row in rows(tmp_path)) == sorted(url(number) for number in range(1, MORE + 1))
