"""`exemplar run`: the main job from one example URL to rows in files, and what happens when it is disturbed."""

import json
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
import redis

from console.runner import RESTARTS
from evaluation.sample_site import DEAD_LINKS, shingle_f1, truth
from tests.chaos.cluster import REPOSITORY
from tests.console.calls import IMPATIENT, edit, until_written
from tests.console.conftest import Crawled, Done, Exemplar
from tests.forks import Started, start
from tests.site.server import SiteServer
from tests.written_rows import rows_of
from workers.keys import of_task
from workers.redis_access.embedded import Embedded
from workers.sinks.sqlite import SqliteSink

pytestmark = pytest.mark.timeout(180)


def rows(folder: Path, task: str) -> list[dict[str, Any]]:
    return rows_of(folder / "out" / f"{task}.jsonl")


def test_every_article_comes_once_and_right(crawled: Crawled) -> None:
    folder, site = crawled.folder, crawled.site
    for section, task in (("zh", "zh-news"), ("en", "en-stories")):
        found = {str(row["canonical_url"]).removeprefix(site.url): row for row in rows(folder, task)}
        wanted = {article.path: article for article in truth(section)}
        assert set(found) == set(wanted)
        assert len(rows(folder, task)) == len(wanted)
        for path, article in wanted.items():
            assert shingle_f1(str(found[path]["text"]), article.text) >= 0.95, path
            assert found[path]["title"] == article.title
            assert str(found[path]["published"])[:10] == f"{article.published:%Y-%m-%d}"
    with sqlite3.connect(folder / "out" / "articles.db") as database:
        assert database.execute("SELECT count(*) FROM articles").fetchone() == (30,)


def test_second_run_fetches_no_article_again(crawled: Crawled, exemplar: Exemplar) -> None:
    before = len(crawled.site.requests)
    done = exemplar("run", "--once", "--json").succeeded()
    articles = {article.path for section in ("zh", "en") for article in truth(section)} | set(DEAD_LINKS)
    assert not articles & {request.path for request in crawled.site.requests[before:]}
    assert all(row["written"] == 0 for row in done.accounting.values())


def test_accounting_adds_up(crawled: Crawled, in_process: Exemplar) -> None:
    for row in crawled.done.accounting.values():
        states = ("written", "duplicate", "rejected", "failed", "waiting", "leased", "fetched")
        assert row["seen"] == sum(row[state] for state in states)
        assert row["unaccounted"] == 0
        assert "new rows" not in json.dumps(row["remarks"]), "one for each URL that counts as written"
    status = json.loads(in_process("status", "--json").out)
    assert [row["counts"]["unaccounted"] for row in status["tasks"]] == [0, 0]


def started(folder: Path, environment: dict[str, str], *tasks: str) -> Started:
    return start("console", ["run", *tasks, "--once"], folder, environment)


def test_killed_run_loses_nothing_and_repeats_nothing(
    folder: Path, site: SiteServer, exemplar: Exemplar, environment: dict[str, str]
) -> None:
    edit(folder, "delay: 0", "delay: 0.1")
    process = started(folder, environment, "zh-news")
    until_written(folder, 5)
    process.send_signal(signal.SIGKILL)
    _, err = process.communicate(timeout=60)
    assert "Traceback" not in err
    done: Done = exemplar("run", "zh-news", "--once", "--json")
    assert done.code == 0, done.err
    found = sorted(str(row["canonical_url"]).removeprefix(site.url) for row in rows(folder, "zh-news"))
    assert found == sorted(article.path for article in truth("zh"))


def spiders(folder: Path, task: str) -> set[int]:
    """The processes of the task's spiders, as they have joined it."""
    with suppress(redis.RedisError), redis.Redis.from_url(Embedded(folder / ".exemplar").url) as connection:
        return {int(raw.decode().split(":")[-2]) for raw in connection.zrange(of_task(task, "crew"), 0, -1)}
    return set()


def test_run_once_starts_the_run_of_a_killed_spider_again(
    folder: Path, exemplar: Exemplar, environment: dict[str, str]
) -> None:
    edit(folder, "delay: 0", "delay: 0.1")
    process = started(folder, environment)
    until_written(folder, 1)
    [spider] = spiders(folder, "zh-news")
    os.kill(spider, signal.SIGKILL)
    out, err = process.communicate(timeout=100)
    assert process.returncode == 0, err
    assert (len(rows(folder, "zh-news")), len(rows(folder, "en-stories"))) == (16, 14)
    assert sum("zh-news" in line and "its run is started again" in line for line in (out + err).splitlines()) == 1
    runs = [task["last_run"]["outcome"] for task in exemplar("status", "--json").events[0]["tasks"]]
    assert runs == ["finished", "finished"]


def test_run_once_gives_up_a_run_whose_spider_is_killed_again_and_again(
    folder: Path, environment: dict[str, str]
) -> None:
    edit(folder, "delay: 0", "delay: 3")
    process = started(folder, environment, "zh-news")
    killed: set[int] = set()
    while process.poll() is None:
        for pid in spiders(folder, "zh-news") - killed:
            os.kill(pid, signal.SIGKILL)
            killed.add(pid)
        time.sleep(0.02)
    out, err = process.communicate()
    assert (process.returncode, len(killed)) == (1, RESTARTS + 1), err
    assert "zh-news: its run was started 4 times and interrupted each time" in out + err


def test_two_runs_in_one_folder_do_not_mix(folder: Path, exemplar: Exemplar, environment: dict[str, str]) -> None:
    edit(folder, "delay: 0", "delay: 0.3")
    process = started(folder, environment)
    try:
        until_written(folder, 1)
        exemplar("run", "--once", "--json").failed(3, "`exemplar run`")
        assert json.loads(exemplar("status", "--json").out)["tasks"], "status works beside a run"
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)


def test_a_run_says_why_a_page_waits(folder: Path, site: SiteServer, exemplar: Exemplar) -> None:
    edit(folder, "defaults:\n", "defaults:\n  limit: 3\n")
    site.override(truth("zh")[0].path, status=503, body=b"later")
    done = exemplar("run", "zh-news", "--once", "--json", **IMPATIENT).failed(1).accounting["zh-news"]
    assert done["waiting"] == 1
    assert any("http 503" in problem for problem in done["problems"]), done


def test_a_limit_that_is_too_low_to_start_is_said_once(folder: Path, environment: dict[str, str]) -> None:
    number = 400 << 20
    done = subprocess.run(
        [sys.executable, "-m", "console", "run", "zh-news", "--once", "--workers", "1", "--json"],
        cwd=folder,
        env=environment | {"PYTHONPATH": str(REPOSITORY)},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (number, number)),
        capture_output=True,
        text=True,
        timeout=110,
    )
    assert done.returncode == 3
    assert done.stderr.count("error: the hard limit on address space is 400 MiB, and at least 512 MiB are needed") == 1
    assert "ulimit -Hv" in done.stderr
    assert "Traceback" not in done.stderr


def test_refused_rows_count_in_the_accounting_in_status_and_as_a_failed_run(folder: Path, exemplar: Exemplar) -> None:
    edit(folder, "defaults:\n", "defaults:\n  limit: 3\n")
    database = folder / "out" / "articles.db"
    SqliteSink(database).check()
    with closing(sqlite3.connect(database)) as other:
        other.execute("CREATE TRIGGER no BEFORE INSERT ON articles BEGIN SELECT RAISE(ABORT, 'not today'); END")
    done = exemplar("run", "zh-news", "--once", "--json").failed(1)
    assert done.events[-1]["ok"] is False
    [row] = done.accounting.values()
    assert row["refused"] == row["written"] > 0
    [state] = exemplar("status", "--json").events
    assert sum(output["refused"] for output in state["outputs"]) == row["refused"]
    again = exemplar("run", "zh-news", "--once")  # no row is refused in this run, and a column of zeros is left out
    assert again.code == 0, again.out + again.err
    [header] = [line for line in again.out.splitlines() if line.split()[:2] == ["task", "run"]]
    assert header.split() == ["task", "run", "written"]
