import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from console.runner import Accounting, Runner
from tests.console.calls import edit
from tests.console.conftest import Exemplar
from tests.redis_servers import free_port, redis_server
from workers.reporting.present_problems import PresentProblem
from workers.url_states import FINAL_STATES, OPEN_STATES, Counts

PRINTING = """
from console import extraction_process
from workers.reporting.present_problems import PresentProblem

class Supervisor:
    def __init__(self, *given, **options): pass
    def stop(self, *signal): pass
    def run(self, on_problem, on_notice):
        print("an output prints")
        on_problem(PresentProblem("the disk is full", 1.0, 1.0, 1, ()), False)

extraction_process.Supervisor = Supervisor
extraction_process.main(1, exits_without_redis=False)
"""


@pytest.fixture
def guarded_redis(tmp_path: Path) -> Iterator[str]:
    port = free_port()
    with redis_server(tmp_path, port, "--requirepass", "hunter2"):
        yield f"redis://:hunter2@127.0.0.1:{port}/0"


def test_run_on_a_redis_with_password_never_shows_it(folder: Path, exemplar: Exemplar, guarded_redis: str) -> None:
    edit(folder, "defaults:\n", "defaults:\n  limit: 2\n")
    done = exemplar("run", "zh-news", "--once", "--json", REDIS_URL=guarded_redis).succeeded()
    assert "hunter2" not in done.out + done.err
    assert done.events[0]["redis"].startswith("redis://:***@")


def test_a_missing_password_is_said_in_plain_words(exemplar: Exemplar, guarded_redis: str) -> None:
    exemplar("status", REDIS_URL=guarded_redis.replace(":hunter2@", "")).failed(
        2, "requires a password; put it into REDIS_URL"
    )
    done = exemplar("status", REDIS_URL=guarded_redis.replace("hunter2", "wrong")).failed(
        2, "refuses the login: invalid username-password pair"
    )
    assert "wrong@" not in done.err


def test_what_an_output_of_another_package_prints_is_no_line_for_the_run() -> None:
    environment = os.environ | {"REDIS_URL": "redis://here"}
    done = subprocess.run([sys.executable, "-c", PRINTING], env=environment, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["problem"]["text"] == "the disk is full"
    assert "an output prints" in done.stderr


def test_what_the_extraction_printed_last_is_reported_unless_only_half_of_it_is_printed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem = PresentProblem("the disk is full", first=1.0, last=1.0, count=1, nodes=())
    line = json.dumps({"problem": problem.to_dict(), "over": False})
    program = f"""
import os, sys
print({line!r})
print({line[:30]!r}, end="", flush=True)
for number in range(2000):
    print(f"ERROR row {{number}}", file=sys.stderr)
os.kill(os.getpid(), 9)
"""
    popen, heard = subprocess.Popen, set[str]()
    monkeypatch.setattr(subprocess, "Popen", lambda _, **more: popen([sys.executable, "-c", program], **more))
    runner = Runner.__new__(Runner)
    runner.url, runner.workers, runner.exits_without_redis, runner._once = "redis://here", 1, False, True
    runner._problems, runner.accounting = {}, Accounting()
    runner.on_event = lambda name, facts: heard.add(facts["text"])
    runner._start_extraction()
    assert runner._extraction is not None
    runner._extraction.wait()
    runner._end_extraction()
    assert runner.accounting.problems == [f"row {number}" for number in range(2000)]
    assert heard == {*runner.accounting.problems, "the disk is full"}


def test_new_rows_of_pages_that_were_written_before_are_named() -> None:
    states = dict.fromkeys((*OPEN_STATES, *FINAL_STATES), 0) | {"written": 1}
    accounting = Accounting({"forum": Counts(1, states, rows=6)}, {"forum": Counts(1, states, rows=8)})
    [row] = accounting.rows()
    assert (row["written"], row["remarks"]) == (0, ["new rows: 2 (`written` counts URLs)"])


def test_rows_that_no_output_gets_are_counted() -> None:
    states = dict.fromkeys((*OPEN_STATES, *FINAL_STATES), 0)
    accounting = Accounting(
        {"news": Counts(1, states, left_out=4)}, {"news": Counts(4, states | {"written": 3}, rows=1, left_out=6)}
    )
    [row] = accounting.rows()
    assert row["remarks"] == ["rows that `where` keeps out of every output: 2"]


def test_pages_that_wait_for_their_recheck_do_not_count_as_minus_written() -> None:
    none = dict.fromkeys((*OPEN_STATES, *FINAL_STATES), 0)
    before, after = (Counts(9, none | {"written": written, "waiting": 9 - written}, rows=9) for written in (9, 4))
    [row] = Accounting({"news": before}, {"news": after}).rows()
    assert (row["written"], row["waiting"], row["remarks"]) == (0, 5, [])
