"""`exemplar forget`: the next run finds again what is forgotten, and nothing is written twice."""

from pathlib import Path

import pytest
import redis

from evaluation.sample_site import LIST_PATHS, truth
from tests.console.conftest import Crawled, Exemplar
from tests.written_rows import rows_of
from workers.ledger import Ledger
from workers.url_states import Found, fingerprint


def rows(folder: Path) -> list[str]:
    return [row["url"] for row in rows_of(folder / "out/zh-news.jsonl")]


def test_a_forgotten_url_is_fetched_again_and_written_once(crawled: Crawled, exemplar: Exemplar) -> None:
    """It is no longer on any list."""
    folder, site = crawled.folder, crawled.site
    before = rows(folder)
    path = truth("zh")[0].path
    for name in LIST_PATHS["zh"]:
        site.override(name, status=200, body=b"<html><body><p>nothing</p></body></html>")
    done = exemplar("forget", "zh-news", site.url + path, site.url + "/nothing.html")
    assert (done.code, "1 URL forgotten" in done.err, "unknown URL" in done.err) == (1, True, True)
    asked = len(site.requests)
    exemplar("run", "zh-news", "--once", "--json")
    assert [request.path for request in site.requests[asked:]].count(path) == 1
    assert sorted(rows(folder)) == sorted(before)


def test_nothing_is_forgotten_without_a_yes(on_redis: Exemplar, connection: "redis.Redis") -> None:
    Ledger(connection, "zh-news").add([Found("http://a.example/1")])
    assert on_redis("forget", "zh-news", stdin=b"n\n").code == 130
    assert Ledger(connection, "zh-news").counts().seen == 1
    on_redis("forget", "zh-news", stdin=b"").failed(2, "--yes")
    assert Ledger(connection, "zh-news").counts().seen == 1
    assert on_redis("forget", "zh-news", stdin=b"y\n").code == 0
    assert Ledger(connection, "zh-news").counts().seen == 0


def test_urls_are_forgotten_by_the_beginning_of_their_reason(on_redis: Exemplar, connection: "redis.Redis") -> None:
    ledger = Ledger(connection, "zh-news")
    for number, reason in enumerate(["keep: none of its keywords", "http 404", "keep: another"]):
        ledger.add([Found(f"http://a.example/{number}")])
        ledger.settle(fingerprint(f"http://a.example/{number}"), "rejected", reason)
    assert on_redis("forget", "zh-news", "--reason", "keep").code == 0
    assert [ledger.state_of(f"http://a.example/{number}") is None for number in range(3)] == [True, False, True]
    assert on_redis("forget", "zh-news", "--reason", "keep").code == 1


@pytest.mark.parametrize("command", ["forget zh-news --yes", "status"])
def test_a_task_list_that_is_not_there_makes_no_folder(command: str, tmp_path: Path, in_process: Exemplar) -> None:
    in_process(*command.split(), "--tasks", "nowhere/tasks.yaml").failed(2, "nowhere/tasks.yaml: no such file")
    assert not (tmp_path / "nowhere").exists()
