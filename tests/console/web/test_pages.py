"""What the pages show, and what they change."""

import json
import re
import subprocess
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import redis

from console.web.snapshot import DAYS
from console.web.surveys import LocalRun
from crawler.politeness.pace import HostProblem, Pace, host_of, host_state
from crawler.scheduling.schedule import Schedule
from crawler.task_list.file import load
from tests.console.web.conftest import NAMES, TASKS, ConsoleClient, MakeConsole, raise_alarm
from tests.forks import ForkingPopen
from tests.redis_servers import eventually
from workers import keys
from workers.ledger import Ledger
from workers.redesign.proposals import Proposal
from workers.url_states import Found

PATHS = (
    "/", "/?q=harb&sort=next", "/articles", "/articles?q=港口", "/failures", "/schedule", "/machines", "/add",
    "/alarms",
    *(f"/tasks/{name}{part}" for name in NAMES for part in ("", "/articles", "/links", "/example", "/settings")),
)  # fmt: skip
URL = "https://news.example/0/a/2.html"


@pytest.mark.parametrize(("language", "shown"), [("en", "en"), ("zh-CN", "zh-Hans")])
def test_each_page_is_shown_in_each_language_and_needs_no_script(
    client: ConsoleClient, language: str, shown: str
) -> None:
    for path in PATHS:
        answer = client.get(path, headers={"Accept-Language": language})
        assert answer.status_code == 200, path
        assert f'<html lang="{shown}">' in answer.text
        assert ("任务" in answer.text) == (language == "zh-CN"), path
        assert re.findall("<script.*", answer.text) == ['<script src="/static/console.js" defer></script>'], path
        assert not re.search("style=|<style", answer.text), path


def test_a_console_without_tasks_has_all_pages(tasks_yaml: Path, console: MakeConsole) -> None:
    tasks_yaml.unlink()
    client = console()
    assert [path for path in PATHS[:8] if client.get(path).status_code != 200] == []


def test_the_first_page_counts_every_url_of_a_task(client: ConsoleClient) -> None:
    text = client.get("/").text
    assert "4 = 1 + 0 + 0 + 1 + 0 + 1 + 1 + 0" in text
    assert "every URL is accounted for" in text
    assert "pages that failed: 1" in text  # why it needs a look


def test_an_alarm_is_shown_with_its_evidence(published: Path, console: MakeConsole, connection: "redis.Redis") -> None:
    raise_alarm(connection, NAMES[1], "blocked", "5 of 9 pages")
    client = console()
    for path in ("/", f"/tasks/{NAMES[1]}"):
        text = client.get(path).text
        assert "blocked</strong>" in text
        assert "5 of 9 pages" in text
    assert client.get(f"/api/tasks/{NAMES[1]}").json()["health"] == "failing"


def test_a_proposed_example_is_shown(published: Path, console: MakeConsole, connection: "redis.Redis") -> None:
    proposal = Proposal(NAMES[0], "https://news.example/0/a/9.html", "<b>New</b>", "", "", 1.0, 1.0, 7, 5, 0.9)
    connection.hset(keys.PROPOSALS, NAMES[0], json.dumps(proposal.to_dict()))
    text = console().get(f"/tasks/{NAMES[0]}").text
    assert "7 pages since" in text
    assert "&lt;b&gt;New" in text
    assert f'href="/tasks/{NAMES[0]}/example"' in text


@pytest.mark.parametrize(
    ("written", "buttons"),
    [
        ("  {name}:\n    {keys}", "pause run"),
        ("  '{name}':  # quoted\n    {keys}", "pause run"),
        ("  {name}: {{{braces}}}", "run"),
        ("  {name} : {{{braces}}}", "run"),
    ],
)
def test_a_task_in_braces_has_no_buttons_that_change_it(
    published: Path, console: MakeConsole, written: str, buttons: str
) -> None:
    lines = TASKS.splitlines()[1:5]
    braces = ", ".join(line.strip().replace(": ", ': "', 1) + '"' for line in lines)
    filled = written.format(name=NAMES[0], keys="\n".join(lines).strip(), braces=braces)
    published.write_text(f"tasks:\n{filled}\n", "utf-8")
    client = console()
    text = client.get(f"/tasks/{NAMES[0]}").text
    shown = " ".join(re.findall(r'name="do" value="(pause|run)"', text))
    assert (shown, "written in braces" in text) == (buttons, "pause" not in buttons)
    client.act(f"/tasks/{NAMES[0]}", do="pause")
    assert load(published)[NAMES[0]].paused == ("pause" in buttons)


def test_a_closed_host_is_shown_with_its_time(published: Path, console: MakeConsole, connection: "redis.Redis") -> None:
    host, pace = host_of(URL), Pace(connection)
    for _ in range(10):
        pace.report(host, pace.request_permit(host, 0).at, HostProblem("http 503", failed=True))
    until = datetime.fromtimestamp(host_state(connection, host).until or 0).strftime("%m-%d %H:%M:%S")
    assert f"closed until {until} (http 503)" in console().get(f"/tasks/{NAMES[0]}").text


def test_tasks_are_found_by_name_and_by_health(client: ConsoleClient) -> None:
    assert [name in client.get("/?q=学校").text for name in NAMES] == [False, True]
    assert [name in client.get("/?health=attention").text for name in NAMES] == [True, False]


def test_a_task_list_that_is_not_in_force_is_shown(tasks_yaml: Path, console: MakeConsole) -> None:
    text = console().get("/").text
    assert "not in force yet" in text
    assert all(name in text for name in NAMES)


def test_mistakes_of_the_task_list_are_shown(published: Path, console: MakeConsole) -> None:
    published.write_text(published.read_text("utf-8").replace("every: 1h", "every: soon"), "utf-8")
    text = console().get("/").text
    assert "tasks.yaml:" in text
    assert "every" in text


def test_run_now_makes_a_task_due(client: ConsoleClient, connection: "redis.Redis") -> None:
    client.act(f"/tasks/{NAMES[0]}", do="run")
    assert Schedule(connection).due() == [NAMES[0]]
    assert "is due" in client.get(f"/tasks/{NAMES[0]}").text


def test_a_paused_task_can_be_resumed_before_the_list_is_in_force(client: ConsoleClient) -> None:
    path = f"/tasks/{NAMES[1]}"
    for do, offered in (("pause", "resume"), ("resume", "pause")):
        client.act(path, do=do)
        text = client.get(path).text
        assert f'value="{offered}"' in text
        assert f'value="{do}"' not in text
        assert ("Paused" in text) == (do == "pause")


def test_settings_are_checked_before_they_are_saved(published: Path, client: ConsoleClient) -> None:
    path = f"/tasks/{NAMES[0]}/settings"
    before = published.read_text("utf-8")
    block = client.get(path).text.partition("<textarea")[2].partition(">")[2].partition("</textarea>")[0]
    wrong = client.act(path, text=block.replace("every: 1h", "every: soon"), seen=block)
    assert wrong.status_code == 422
    assert "soon" in wrong.text
    assert published.read_text("utf-8") == before
    for _ in range(2):  # as with a double click
        right = client.act(path, text=block.replace("every: 1h", "every: 2h"), seen=block)
        assert right.status_code == 303
    assert str(load(published)[NAMES[0]].every) == "2h"
    assert "# written by hand" in published.read_text("utf-8")


def test_failed_pages_are_grouped_and_retried(client: ConsoleClient, connection: "redis.Redis") -> None:
    text = client.get("/failures").text
    assert "http 500" in text
    assert URL in text
    assert URL in client.get("/failures?page=9").text  # the last page
    assert f'aria-label="Retry (http 500, {NAMES[0]})"' in text  # the names of the buttons differ
    client.act("/failures", task=NAMES[0], key="http 500", what="pages", do="retry")
    assert Ledger(connection, NAMES[0]).state_of(URL) == ("waiting", "")
    assert "Nothing has failed" in client.get("/failures").text


def test_failed_pages_are_shown_behind_many_that_were_rejected(
    client: ConsoleClient, connection: "redis.Redis"
) -> None:
    ledger = Ledger(connection, NAMES[0])
    ledger.add([Found(f"https://news.example/0/a/{number}.html", number) for number in range(1000, 1500)])
    for leased in ledger.lease(500):
        ledger.settle(leased.fingerprint, "rejected", "a list")
    assert URL in client.get("/failures").text


def test_the_days_of_the_charts_are_those_of_utc(client: ConsoleClient, monkeypatch: pytest.MonkeyPatch) -> None:
    now = datetime.now(UTC)
    monkeypatch.setenv("TZ", "WEST12" if now.hour < 12 else "EAST-12")  # a zone with another day
    time.tzset()
    try:
        first = client.web.data.snapshot().first_day
    finally:
        monkeypatch.undo()
        time.tzset()
    assert first == now.date() - timedelta(days=DAYS - 1)


def test_a_rejected_page_is_accepted(client: ConsoleClient, connection: "redis.Redis") -> None:
    path = f"/tasks/{NAMES[0]}/links"
    assert "a list: 5 of 10" in client.get(path).text
    url = "https://news.example/0/a/3.html"
    assert client.act(f"{path}/accept", url=url).headers["location"] == path
    assert Ledger(connection, NAMES[0]).state_of(url) == ("waiting", "")
    assert "the next run fetches it again" in client.get(path).text
    client.act(f"{path}/accept", url=URL)
    assert "its state is failed, not rejected (http 500)" in client.get(path).text


def test_the_schedule_names_the_next_runs(client: ConsoleClient) -> None:
    text = client.get("/schedule").text
    assert "2 tasks are scheduled" in text
    assert all(name in text for name in NAMES)


def test_an_unknown_task_or_address_is_not_found(client: ConsoleClient) -> None:
    for path in ("/tasks/none", "/tasks/none/settings", "/articles/5", "/add/none", "/x"):
        assert client.get(path).status_code == 404, path


def test_that_a_run_ended_is_shown(
    tasks_yaml: Path, redis_url: str, console: MakeConsole, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subprocess, "Popen", ForkingPopen)
    client, valid = console(), tasks_yaml.read_text("utf-8")
    client.web.engine = LocalRun(redis_url, tasks_yaml)
    tasks_yaml.write_text(valid.replace("every: 1h", "every: often"), "utf-8")
    client.web.engine.start()
    eventually(lambda: client.web.engine is not None and bool(client.web.engine.problem))
    assert "exit code 2" in client.get("/").text
    assert "The run has ended" in client.get("/").text
