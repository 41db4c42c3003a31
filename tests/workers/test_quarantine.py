import json
from pathlib import Path

from workers.page_store import StoredPage
from workers.quarantine import quarantine, state_folder

from .helpers import FETCHED_AT

PAGE = StoredPage("http://a.example/1", b"\xff<p>", "text/html", FETCHED_AT)


def test_bytes_and_reason_are_kept(tmp_path):
    path = quarantine(tmp_path, "news", "0123", PAGE, "不能用")
    assert path == tmp_path / "quarantine" / "news" / "0123.html"
    assert path.read_bytes() == PAGE.body
    note = json.loads(path.with_suffix(".json").read_text("utf-8"))
    assert (note["url"], note["reason"], note["type"]) == (PAGE.url, "不能用", "text/html")
    assert note["fetched_at"] == FETCHED_AT.isoformat()


def test_a_place_that_can_not_be_written_stops_nobody(tmp_path):
    (tmp_path / "quarantine").write_text("a file where a folder should be")
    quarantine(tmp_path, "news", "0123", PAGE, "unusable")


def test_the_state_folder_stands_beside_the_task_list_unless_named(tmp_path, monkeypatch):
    monkeypatch.delenv("EXEMPLAR_STATE", raising=False)
    assert state_folder(tmp_path) == tmp_path / ".exemplar"
    assert state_folder() == Path.cwd() / ".exemplar"
    monkeypatch.setenv("EXEMPLAR_STATE", str(tmp_path / "named"))
    assert state_folder(tmp_path) == tmp_path / "named"
