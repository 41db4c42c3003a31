"""The JSON API: answers, errors and actions."""

from datetime import datetime
from pathlib import Path

import pytest
import redis

from console.web.api import routes
from tests.console.web.conftest import NAMES, ConsoleClient, MakeConsole, row_of
from workers.sinks.row_schema import row_schema
from workers.writing.refused_rows import keep_refused, refused_rows

NEW_TASK = {
    "name": "fresh",
    "keys": {
        "example": "https://fresh.example/a/1.html",
        "pattern": "https://fresh.example/a/{id}.html",
        "every": "1h",
        "output": "out/{task}.jsonl",
    },
}
REQUESTS = [
    ("GET", "/api/tasks", None, {"total", "tasks"}),
    ("GET", f"/api/tasks/{NAMES[0]}", None, {"task", "state", "counts", "health", "reasons", "pattern", "days"}),
    ("GET", f"/api/tasks/{NAMES[0]}/runs", None, {"task", "runs"}),
    ("GET", "/api/articles?q=港口&limit=5", None, {"count", "more_than", "next", "articles"}),
    ("GET", "/api/failures", None, {"total", "tasks"}),
    ("POST", "/api/tasks", NEW_TASK, {"ok", "text"}),
    ("POST", f"/api/tasks/{NAMES[0]}", {"do": "run"}, {"ok", "text"}),
    ("POST", f"/api/tasks/{NAMES[0]}", {"do": "pause"}, {"ok", "text"}),
    ("GET", "/api/alarms?limit=5", None, {"total", "alarms"}),
    ("GET", f"/api/alarms?task={NAMES[1]}", None, {"total", "alarms"}),
    ("POST", "/api/alarms", {"task": NAMES[0], "kind": "failures", "do": "dismiss"}, {"ok", "text"}),
    ("GET", "/api/proposals", None, {"total", "proposals"}),
    ("GET", f"/api/tasks/{NAMES[0]}/proposal", None, {"task", "proposal", "unproposed"}),
    (
        "POST", f"/api/tasks/{NAMES[0]}/proposal",
        {"do": "adopt", "url": "https://news.example/0/a/9.html"}, {"ok", "text"},
    ),
    ("POST", "/api/failures", {"task": NAMES[0], "do": "retry"}, {"ok", "text"}),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path", "body", "fields"), REQUESTS)
def test_an_answer_has_its_fields(
    client: ConsoleClient, method: str, path: str, body: object, fields: set[str]
) -> None:
    answer = client.request(method, path, json=body)
    assert answer.status_code == 200, answer.text
    assert fields <= {*answer.json()}


def test_every_operation_is_requested_by_a_test() -> None:
    paths = {(method, path.partition("?")[0].replace(NAMES[0], "{name}")) for method, path, _, _ in REQUESTS}
    assert paths | {("GET", "/api/articles/{number:index}")} == {
        (method, route.path) for route in routes() for method in route.methods or () if method != "HEAD"
    }


def test_the_row_of_an_article_has_the_fields_of_rows(client: ConsoleClient) -> None:
    number = client.get("/api/articles?limit=1").json()["articles"][0]["id"]
    row = client.get(f"/api/articles/{number}").json()
    assert row["task"] == NAMES[0]
    assert {*row_schema()["required"]} <= {*row}


@pytest.mark.parametrize(
    ("method", "path", "body", "code"),
    [
        ("GET", "/api/tasks/none", None, 404),
        ("GET", "/api/articles/1", None, 404),
        ("POST", "/api/tasks/none", {"do": "run"}, 404),
        ("POST", f"/api/tasks/{NAMES[0]}", {"do": "explode"}, 422),
        ("POST", f"/api/tasks/{NAMES[0]}", {}, 422),
        ("GET", "/api/tasks/none/proposal", None, 404),
        ("POST", "/api/tasks/none/proposal", {"do": "adopt", "url": "https://news.example/"}, 404),
        ("POST", f"/api/tasks/{NAMES[0]}/proposal", {"do": "adopt"}, 422),
        ("POST", "/api/alarms", {"task": "none", "kind": "failures", "do": "dismiss"}, 404),
        ("POST", "/api/alarms", {"task": NAMES[0], "kind": "noise", "do": "dismiss"}, 422),
        ("POST", "/api/tasks", {"name": "x", "keys": {"every": "soon"}}, 422),
        ("POST", "/api/tasks", {**NEW_TASK, "name": NAMES[0]}, 422),
        ("POST", "/api/failures", {"task": NAMES[0], "do": "drop", "urls": ["https://news.example/0/a/9.html"]}, 422),
    ],
)
def test_an_error_names_its_cause(
    published: Path, console: MakeConsole, method: str, path: str, body: object, code: int
) -> None:
    before = published.read_text("utf-8")
    answer = console().request(method, path, json=body)
    assert answer.status_code == code
    assert answer.json()["error"]
    assert published.read_text("utf-8") == before


def test_a_task_that_is_added_is_in_the_file(published: Path, client: ConsoleClient) -> None:
    client.post("/api/tasks", json=NEW_TASK)
    assert "fresh" in published.read_text("utf-8")
    assert client.get("/api/tasks/fresh").json()["state"] == "unpublished"


def test_lists_are_paged_and_times_are_iso_8601(client: ConsoleClient) -> None:
    names = [client.get(f"/api/tasks?limit=1&offset={place}").json() for place in range(3)]
    assert [(page["total"], len(page["tasks"])) for page in names] == [(2, 1), (2, 1), (2, 0)]
    [task] = [task for page in names for task in page["tasks"] if task["task"] == NAMES[0]]
    assert datetime.fromisoformat(task["next"]).tzinfo


@pytest.mark.parametrize(
    ("path", "query"),
    [
        *(("/api/tasks", query) for query in ("limit=ten", "limit=-1", "offset=1.5")),
        *(("/api/articles", f"before={before}") for before in ("x", "-1", "9" * 19)),
    ],
)
def test_an_invalid_value_is_refused_with_its_name(client: ConsoleClient, path: str, query: str) -> None:
    answer = client.get(f"{path}?{query}")
    assert (answer.status_code, answer.json()["error"].partition(":")[0]) == (422, query.partition("=")[0])


def test_an_action_on_a_group_of_failures_spares_the_others(client: ConsoleClient, connection: "redis.Redis") -> None:
    rows = [row_of(number) for number in (2, 3)]
    whys = {(NAMES[0], row["canonical_url"], 1): why for row, why in zip(rows, ("no title", "no text"), strict=True)}
    keep_refused(connection, NAMES[0], "out/{task}.jsonl", rows, whys)

    def act(key: str, what: str) -> bool:
        body = {"task": NAMES[0], "do": "drop", "what": what, "key": key}
        return bool(client.post("/api/failures", json=body).json()["ok"])

    assert not act("http 400", "pages")
    assert act("http 500", "pages")
    [listed] = client.get("/api/failures").json()["tasks"]
    assert (listed["failed"], len(listed["rows"])) == (0, 2)
    assert {*listed["rows"][0]} == {"reason", "key", "number", "urls", "last"}
    assert act(listed["rows"][0]["key"], "rows")
    assert [row.reason for row in refused_rows(connection, NAMES[0])] == [listed["rows"][1]["key"]]
