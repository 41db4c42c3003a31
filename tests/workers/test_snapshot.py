"""An upgrade: what a release left in Redis is read, and worked on, by the present code."""

import json
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from console.commands.status import command
from crawler.run.fetches import Answered, ArticleFetch, Unanswered
from crawler.run.outcomes import Outcome
from crawler.run.section_run import SectionRun
from crawler.task_list.publication import published
from workers.inbox import Inbox
from workers.ledger import Ledger
from workers.page_store import pack, unpack
from workers.task_state.problems import problems
from workers.url_states import FINAL_STATES, OPEN_STATES

from .helpers import HandClock, number_of, rows
from .snapshot import COURIER, GAZETTE, article, load, page
from .supervisors import supervisors

RELEASES = sorted((Path(__file__).parent / "snapshots").glob("*.json"))
TASKS = ("board", "courier", "gazette")
OUTPUTS = {task: f"{task}.jsonl" for task in TASKS}
HOUR = 3600.0

pytestmark = pytest.mark.timeout(90)


@pytest.fixture(params=RELEASES, ids=lambda path: path.stem)
def stored(request):
    return json.loads(request.param.read_text("utf-8"))


@pytest.fixture
def upgraded(connection, stored, tmp_path):
    load(connection, stored, tmp_path)
    return connection


def counts(connection, task):
    """The URLs of a task by state, without states that none has."""
    counted = Ledger(connection, task).counts()
    assert counted.unaccounted == 0
    return {state: number for state, number in counted.states.items() if number}


def fetched(connection):
    return sum(counts(connection, task).get("fetched", 0) for task in TASKS)


def keys_of_rows(folder):
    """The key of each row in the outputs; rows are there once."""
    written = [
        (row["task"], row["canonical_url"], row["version"]) for task in TASKS for row in rows(folder, OUTPUTS[task])
    ]
    assert [key for key, number in Counter(written).items() if number > 1] == []
    return written


def work_until_empty(url):
    """Run real workers, as `exemplar run --once` does, until no page waits."""
    with supervisors(url) as start:
        process = start(until_empty=True)
        process.join(60)
        assert process.exitcode == 0


def test_waiting_pages_are_extracted_once(upgraded, redis_url, tmp_path):
    before = {task: counts(upgraded, task) for task in TASKS}
    assert fetched(upgraded) == 9
    work_until_empty(redis_url)
    assert (fetched(upgraded), Inbox(upgraded).waiting_jobs()) == (0, 0)
    written = Counter(task for task, *_ in keys_of_rows(tmp_path))
    assert written == {"gazette": 3, "courier": 4, "board": 2}
    assert counts(upgraded, "gazette")["written"] == before["gazette"]["written"] + 3
    assert counts(upgraded, "courier")["written"] == before["courier"]["written"] + 4
    assert counts(upgraded, "courier")["duplicate"] == 1
    [whole] = [row for row in rows(tmp_path, "courier.jsonl") if row["url"] == f"{COURIER}/n/23.html"]
    assert (whole["parts"], whole["parts_missing"]) == (3, [f"{COURIER}/n/23.html?page=4"])
    assert (whole["robots_directives"], whole["tdm_reservation"]) == (["noarchive"], True)
    assert [whole["text"].count(f"Story 23 page {number}:") for number in (2, 3)] == [6, 6]
    assert whole["section_version"].endswith("+1")  # the recent pages vote on


def answer_of(fetch):
    """What the site answers now: no further list, each article, one of them corrected."""
    if not isinstance(fetch, ArticleFetch):
        return Unanswered(Outcome("reject", "http 404"), fetch.url)
    number = number_of(fetch.url)
    return Answered(200, page(fetch.url, article(number, word=" corrected" if number == 2 else "")))


def run_to_its_end(connection):
    """Let a run fetch all that waits, rechecks included; return the URLs that it fetched, and the ledger."""
    ledger = Ledger(connection, "gazette")
    ledger.clock = lambda: HandClock()() + 2 * HOUR
    assert ledger.start_rechecks() == 5
    run = SectionRun(connection, published(connection)["gazette"])
    run.begin()
    asked = []
    while fetches := run.next():
        asked += [fetch.url for fetch in fetches]
        for fetch in fetches:
            run.settle(fetch, answer_of(fetch))
    run.end("finished")
    return asked, ledger


def test_a_killed_run_goes_on_and_rechecks_come_due(upgraded, redis_url, tmp_path):
    asked, ledger = run_to_its_end(upgraded)
    assert f"{GAZETTE}/a/?page=2" in asked  # a list that the killed run left unread
    assert f"{GAZETTE}/a/100.html" in asked  # a recheck; the example itself is kept
    assert {f"{GAZETTE}/a/{number}.html" for number in (12, 13, 14)} < set(asked)  # leased to the run that was killed
    work_until_empty(redis_url)
    assert set(counts(upgraded, "gazette")) <= {"written", "duplicate", "rejected", "waiting"}
    versions = {(number_of(url), version) for task, url, version in keys_of_rows(tmp_path) if task == "gazette"}
    assert {(2, 2), (12, 1), (13, 1), (14, 1)} <= versions
    assert (1, 2) not in versions  # unchanged
    assert ledger.state_of(f"{GAZETTE}/a/1.html") == ("written", "unchanged")


def test_urls_in_every_state_are_read(upgraded, redis_url, tmp_path, monkeypatch):
    assert {state for task in TASKS for state in counts(upgraded, task)} == {*OPEN_STATES, *FINAL_STATES}
    monkeypatch.setenv("REDIS_URL", redis_url)
    monkeypatch.chdir(tmp_path)
    told = json.loads(CliRunner().invoke(command, ["--json"]).stdout)
    assert [row["task"] for row in told["tasks"]] == sorted(TASKS)
    for row in told["tasks"]:
        seen = row["counts"].pop("seen")
        assert (seen, row["counts"].pop("unaccounted")) == (sum(row["counts"].values()), 0)
    assert told["queue"]["jobs"] == 2
    assert [row["last_run"]["outcome"] for row in told["tasks"][1:]] == ["finished", "finished"]
    assert CliRunner().invoke(command, []).exit_code == 0
    told = {(problem.state, problem.reason) for task in TASKS for problem in problems(Ledger(upgraded, task))}
    assert told >= {
        ("rejected", "http 404"),
        ("rejected", "drop: keyword obituary"),
        ("failed", "http 500"),
        ("waiting", "no answer in time"),
        ("fetched", "output unavailable: disk full"),
    }


# -- an older version reads it -----------------------------------------------------------------------------------------


def test_a_page_is_stored_in_the_fields_that_workers_of_0_2_0_read(upgraded):
    """0.2.0 also wrote a `status` that it never read; `takes` is the ledger's."""
    [stored] = [hash_ for key in upgraded.scan_iter("*:page:*") if b"parts" in (hash_ := upgraded.hgetall(key))]
    fields = {name.decode() for name in stored} - {"status", "takes"}
    fetched_page = unpack({name.decode(): value for name, value in stored.items()})
    packed = pack(fetched_page)
    assert packed.keys() == fields
    for name in fields - {"body", "body:1", "body:2"}:
        value = packed[name]
        assert (value if isinstance(value, bytes) else str(value).encode()) == stored[name.encode()], name
