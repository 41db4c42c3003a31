"""`exemplar forget`: the next run finds again what is forgotten, and nothing is written twice."""

from pathlib import Path

import pytest
import redis

from console.sample_site import truth
from tests.console.conftest import Crawled, Exemplar
from tests.written_rows import rows_of
from workers.ledger import Ledger
from workers.url_states import Found


def rows(folder: Path) -> list[str]:
    return [row["url"] for row in rows_of(folder / "out/zh-news.jsonl")]


def test_a_forgotten_url_is_fetched_again_and_written_once(crawled: Crawled, exemplar: Exemplar) -> None:
    folder, site = crawled.folder, crawled.site
    before = rows(folder)
    path = truth("zh")[0].path
    done = exemplar("forget", "zh-news", site.url + path, site.url + "/nothing.html")
    assert (done.code, "1 URL forgotten" in done.err, "unknown URL" in done.err) == (1, True, True)
    asked = len(site.requests)
    exemplar("run", "--once", "--json")
    assert [request.path for request in site.requests[asked:]].count(path) == 1
    assert sorted(rows(folder)) == sorted(before)


def test_a_forgotten_task_is_crawled_anew(crawled: Crawled, exemplar: Exemplar) -> None:
    folder = crawled.folder
    assert exemplar("forget", "zh-news", "--json", "--yes").code == 0
    (folder / "out/zh-news.jsonl").unlink()
    assert exemplar("run", "--once", "--json").code == 0
    assert len(rows(folder)) == len(truth("zh"))


def test_nothing_is_forgotten_without_a_yes(on_redis: Exemplar, connection: "redis.Redis") -> None:
    Ledger(connection, "zh-news").add([Found("http://a.example/1")])
    assert on_redis("forget", "zh-news", stdin=b"n\n").code == 130
    assert Ledger(connection, "zh-news").counts().seen == 1
    on_redis("forget", "zh-news", stdin=b"").failed(2, "--yes")
    assert Ledger(connection, "zh-news").counts().seen == 1
    assert on_redis("forget", "zh-news", stdin=b"y\n").code == 0
    assert Ledger(connection, "zh-news").counts().seen == 0


@pytest.mark.parametrize("command", ["forget zh-news --yes", "status"])
def test_a_task_list_that_is_not_there_makes_no_folder(command: str, tmp_path: Path, exemplar: Exemplar) -> None:
    exemplar(*command.split(), "--tasks", "nowhere/tasks.yaml").failed(2, "nowhere/tasks.yaml: no such file")
    assert not (tmp_path / "nowhere").exists()


def test_a_forgotten_url_that_no_list_shows_is_fetched_again(crawled: Crawled, exemplar: Exemplar) -> None:
    site = crawled.site
    path = truth("zh")[0].path
    for name in [
        name for name in site._pages if name.startswith("/zh/news/") and not name.startswith("/zh/news/2026/")
    ]:
        site.override(name, status=200, body=b"<html><body><p>nothing</p></body></html>")
    assert exemplar("forget", "zh-news", site.url + path).code == 0
    asked = len(site.requests)
    exemplar("run", "--once", "--json")
    assert [request.path for request in site.requests[asked:]].count(path) == 1
