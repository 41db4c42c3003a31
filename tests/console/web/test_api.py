"""The JSON API answers as its OpenAPI document says."""

import json
from datetime import datetime
from pathlib import Path

import jsonschema
import pytest
import redis

from console.web.api import OPERATIONS
from tests.console.web.conftest import NAMES, ConsoleClient, MakeConsole, row_of
from workers import keys
from workers.ledger import Ledger
from workers.url_states import Found
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
    ("GET", "/api/tasks", "/api/tasks", None),
    ("GET", "/api/tasks?limit=1&offset=1", "/api/tasks", None),
    ("GET", f"/api/tasks/{NAMES[0]}", "/api/tasks/{name}", None),
    ("GET", f"/api/tasks/{NAMES[0]}/runs", "/api/tasks/{name}/runs", None),
    ("GET", "/api/articles?q=港口&limit=5", "/api/articles", None),
    ("GET", "/api/failures", "/api/failures", None),
    ("POST", "/api/tasks", "/api/tasks", NEW_TASK),
    ("POST", f"/api/tasks/{NAMES[0]}", "/api/tasks/{name}", {"do": "run"}),
    ("POST", f"/api/tasks/{NAMES[0]}", "/api/tasks/{name}", {"do": "pause"}),
    ("GET", "/api/alarms?limit=5", "/api/alarms", None),
    ("GET", f"/api/alarms?task={NAMES[1]}", "/api/alarms", None),
    ("POST", "/api/alarms", "/api/alarms", {"task": NAMES[0], "kind": "failures", "do": "dismiss"}),
    ("GET", "/api/proposals", "/api/proposals", None),
    ("GET", f"/api/tasks/{NAMES[0]}/proposal", "/api/tasks/{name}/proposal", None),
    (
        "POST", f"/api/tasks/{NAMES[0]}/proposal", "/api/tasks/{name}/proposal",
        {"do": "adopt", "url": "https://news.example/0/a/9.html"},
    ),
    ("POST", "/api/failures", "/api/failures", {"task": NAMES[0], "do": "retry"}),
]  # fmt: skip


def valid(document: dict[str, object], path: str, method: str, code: str, value: object) -> None:
    paths = document["paths"]
    content = paths[path][method.lower()]["responses"][code]["content"]["application/json"]["schema"]
    schema = {"$ref": content["$ref"], "components": document["components"]}
    jsonschema.Draft202012Validator(schema).validate(value)


@pytest.mark.parametrize(("method", "path", "template", "body"), REQUESTS)
def test_an_answer_has_its_schema(client: ConsoleClient, method: str, path: str, template: str, body: object) -> None:
    document = client.get("/api/openapi.json").json()
    answer = client.request(method, path, json=body)
    assert answer.status_code == 200, answer.text
    valid(document, template, method, "200", answer.json())


def test_every_operation_is_requested_by_a_test() -> None:
    requested = {(method, template) for method, _, template, _ in REQUESTS} | {("GET", "/api/articles/{number}")}
    assert requested == {(one.method, one.path) for one in OPERATIONS}


def test_the_row_of_an_article_has_the_schema_of_rows(client: ConsoleClient) -> None:
    document = client.get("/api/openapi.json").json()
    number = client.get("/api/articles?limit=1").json()["articles"][0]["id"]
    row = client.get(f"/api/articles/{number}").json()
    assert row["task"] == NAMES[0]
    assert {*document["components"]["schemas"]["Row"]["required"]} <= {*row}


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
        ("GET", "/api/articles?before=x", None, 422),
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


def test_an_empty_url_is_no_failure(client: ConsoleClient) -> None:
    answer = client.post("/api/failures", json={"task": NAMES[0], "do": "drop", "url": ""})
    assert answer.json()["ok"] is False
    assert client.get("/api/failures").json()["total"] == 1


def test_a_page_of_failures_has_as_many_tasks_as_requested(client: ConsoleClient, connection: "redis.Redis") -> None:
    for number in range(60):
        ledger = Ledger(connection, f"task-{number}")
        ledger.add([Found("https://news.example/1", 1)])
        [leased] = ledger.lease(1)
        ledger.settle(leased.fingerprint, "failed", "http 500")
    assert len(client.get("/api/failures?limit=200").json()["tasks"]) == 61


def test_a_task_that_is_added_is_in_the_file(published: Path, client: ConsoleClient) -> None:
    client.post("/api/tasks", json=NEW_TASK)
    assert "fresh" in published.read_text("utf-8")
    assert client.get("/api/tasks/fresh").json()["state"] == "unpublished"


def test_the_document_itself_is_valid(console: MakeConsole) -> None:
    document = console().get("/api/openapi.json").json()
    assert document["openapi"] == "3.1.0"
    for schema in document["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)


def test_lists_are_paged_and_times_are_iso_8601(client: ConsoleClient) -> None:
    names = [client.get(f"/api/tasks?limit=1&offset={place}").json() for place in range(3)]
    assert [(page["total"], len(page["tasks"])) for page in names] == [(2, 1), (2, 1), (2, 0)]
    [task] = [task for page in names for task in page["tasks"] if task["name"] == NAMES[0]]
    assert datetime.fromisoformat(task["next_run"]).tzinfo


@pytest.mark.parametrize("query", ["limit=ten", "limit=-1", "offset=1.5"])
def test_an_invalid_place_is_refused(client: ConsoleClient, query: str) -> None:
    answer = client.get(f"/api/tasks?{query}")
    assert answer.status_code == 422
    assert query.partition("=")[0] in answer.json()["error"]


@pytest.mark.parametrize("before", ["x", "-1", "9" * 19])
def test_an_invalid_id_before_which_articles_are_searched_is_refused(client: ConsoleClient, before: str) -> None:
    answer = client.get(f"/api/articles?before={before}")
    assert (answer.status_code, answer.json()["error"].partition(":")[0]) == (422, "before")


def test_the_report_of_an_earlier_version_is_completed(client: ConsoleClient, connection: "redis.Redis") -> None:
    report = {"started": "2026-11-22T11:00:00+00:00", "outcome": "finished", "problems": []}
    connection.lpush(keys.of_task(NAMES[0], "runs"), json.dumps(report))
    newest = client.get(f"/api/tasks/{NAMES[0]}/runs").json()["runs"][0]
    assert (newest["lists"], newest["remarks"]) == (0, [])


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
