import time
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.workers.helpers import FETCHED_AT
from workers import keys
from workers.page_store import StoredPage
from workers.pages.quarantine import LIMITS, keep_page, kept_notes, kept_page
from workers.redis_access.full_redis import memory_of
from workers.redis_access.redis_clock import RedisClock
from workers.state_folder import state_folder

PAGE = StoredPage("http://a.example/1", b"\xff<p>", "text/html", FETCHED_AT)


def keep(connection, name, task="news", reason="unusable", page=PAGE, clock=time.time, **limits):
    with patch.object(RedisClock, "now", lambda _: clock()):
        return keep_page(connection, task, name, page, reason, limits=replace(LIMITS, **limits))


def names(connection, task="news"):
    return sorted(kept_notes(connection, task))


def stopped_at(seconds):
    return lambda: float(seconds)


def test_bytes_and_reason_are_kept(connection):
    assert keep(connection, "0123", reason="不能用", clock=lambda: 7.0)
    note, body = kept_page(connection, "news", "0123")
    assert body == PAGE.body
    assert (note.url, note.reason, note.type) == (PAGE.url, "不能用", "text/html")
    assert (note.fetched_at, note.at) == (FETCHED_AT.isoformat(), 7.0)
    assert kept_notes(connection, "news") == {"0123": note}
    assert kept_page(connection, "news", "4567") is None


def test_the_newest_pages_of_a_task_are_kept_within_a_size(connection):
    for at, name in enumerate("abcd"):
        keep(connection, name, clock=stopped_at(at), items=3)
    assert names(connection) == ["b", "c", "d"]
    keep(connection, "e", clock=lambda: 9, bytes=400)
    assert names(connection) == ["d", "e"]
    assert not keep(connection, "f", bytes=100)
    assert names(connection) == ["d", "e"]


def test_a_limited_number_of_tasks_has_pages_for_a_limited_time(connection):
    for at, task in enumerate(("one", "two", "three")):
        keep(connection, "0", task, clock=stopped_at(at), tasks=2)
    assert [names(connection, task) for task in ("one", "two", "three")] == [[], ["0"], ["0"]]
    for key in connection.scan_iter("exemplar:task:two:*"):
        assert 0 < connection.ttl(key) <= LIMITS.seconds
    keep(connection, "0", "later", clock=lambda: LIMITS.seconds + 10.0)
    assert connection.zrange(keys.QUARANTINES, 0, -1) == [b"later"]


def test_a_full_redis_keeps_no_page(connection, caplog):
    connection.config_set("maxmemory", memory_of(connection).used // 2)
    try:
        assert not keep(connection, "0123")
    finally:
        connection.config_set("maxmemory", 0)
    assert (names(connection), "Redis is full" in caplog.text) == ([], True)


def test_a_damaged_page_is_an_error_that_can_be_expected(connection):
    keep(connection, "0123")
    connection.hset(
        "exemplar:task:news:quarantine", "0123", connection.hget("exemplar:task:news:quarantine", "0123")[:-3]
    )
    with pytest.raises(ValueError, match="damaged"):
        kept_page(connection, "news", "0123")


def test_the_state_folder_stands_beside_the_task_list_unless_named(tmp_path, monkeypatch):
    monkeypatch.delenv("EXEMPLAR_STATE", raising=False)
    assert state_folder(tmp_path) == tmp_path / ".exemplar"
    assert state_folder() == Path.cwd() / ".exemplar"
    monkeypatch.setenv("EXEMPLAR_STATE", str(tmp_path / "named"))
    assert state_folder(tmp_path) == tmp_path / "named"
