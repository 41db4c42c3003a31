"""A redesign in the console: the proposed example is looked at, adopted or dismissed, and its reports are shown."""

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
import redis

from console.web.api_types import ArticleQuery
from console.web.reports import NoReport, made_report
from crawler.task_list.file import load
from crawler.task_list.publication import publish
from tests.console.web.conftest import ConsoleClient, MakeConsole, raise_alarm
from tests.workers.helpers import FETCHED_AT
from tests.workers.redesigned import SITE, RedesignedSection
from workers import keys
from workers.ledger import Ledger
from workers.page_store import StoredPage
from workers.pages.quarantine import keep_page
from workers.redesign.proposals import proposal_of
from workers.unproposed import note_unproposed
from workers.url_states import Found, fingerprint

Dump = dict[bytes, bytes]  # values of Redis by their keys
TASK = "en-stories"
FAILED = f"{SITE}/en/failed"


@pytest.fixture(scope="module")
def came_in(redis_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RedesignedSection, Dump]]:
    """Six pages of the present design and four of the new one have come in; a page failed and is in quarantine.

    It is made once; tests get copies of its folder, and of what Redis has.
    """
    folder = tmp_path_factory.mktemp("redesigned")
    with redis.Redis.from_url(redis_url) as connection:
        connection.flushall()
        section = RedesignedSection(connection, folder, time.time, task=TASK)
        (folder / "tasks.yaml").write_text(
            f"tasks:\n  {TASK}:  # the harbour\n    example: {SITE}{section.example}\n    pattern: {SITE}/en/stories/"
            "{date:%Y/%m/%d}/{slug}/\n    every: 1h\n    output: out/{task}.jsonl\n    keep_pages: 30d\n",
            "utf-8",
        )
        publish(connection, load(folder / "tasks.yaml"), folder / "tasks.yaml")
        section.come("classic", range(6))
        section.come("new", range(6, 10))
        ledger = Ledger(connection, TASK)
        ledger.add([Found(FAILED)])
        [leased] = ledger.lease(1)
        ledger.settle(leased.fingerprint, "failed", "extractor error: boom")
        first = section.designs["classic"][section.example]
        stored = StoredPage(FAILED, first.body, section.kind, FETCHED_AT)
        keep_page(connection, TASK, fingerprint(FAILED), stored, "extractor error: boom")
        yield section, {key: connection.dump(key) for key in connection.scan_iter() if key != keys.EDITION.encode()}
        section.worker.close()


@pytest.fixture
def section(came_in: tuple[RedesignedSection, Dump], tasks_yaml: Path, connection: "redis.Redis") -> RedesignedSection:
    section, dump = came_in
    shutil.copytree(section.folder, tasks_yaml.parent, dirs_exist_ok=True)
    for key, value in dump.items():
        connection.restore(key, 0, value)
    publish(connection, load(tasks_yaml), tasks_yaml)
    return section


def decide(client: ConsoleClient, do: str, url: str, **token: str) -> int:
    return client.act(f"/tasks/{TASK}/example", do=do, url=url, **token).status_code


def test_a_proposal_is_shown_with_its_back_test_and_adopted(
    section: RedesignedSection, console: MakeConsole, connection: "redis.Redis"
) -> None:
    client, before = console(), proposal_of(connection, TASK)
    assert before is not None
    for path in ("/", "/alarms", f"/tasks/{TASK}"):
        assert f"/tasks/{TASK}/example" in client.get(path).text
    text = client.get(f"/tasks/{TASK}/example").text
    assert before.url in text
    assert "Back-test" in text
    assert "Present example" in text
    old, new = before.test.fitting()
    assert f"{old} → {new}" in text
    assert client.get(f"/tasks/{TASK}/example/page").headers["content-security-policy"].startswith("sandbox")
    assert decide(client, "adopt", before.url, csrf="wrong") == 403
    assert decide(client, "adopt", "https://other.example/") == 303
    assert "Another example has been proposed" in client.get(f"/tasks/{TASK}/example").text
    assert decide(client, "dismiss", before.url) == 303
    assert "this one can still be adopted" in client.get(f"/tasks/{TASK}/example").text
    assert "A new example is proposed" not in client.get("/alarms").text
    assert decide(client, "adopt", before.url) == 303
    assert "is adopted. Pages extracted again:" in client.get(f"/tasks/{TASK}/example").text
    tasks = client.web.data.config.tasks
    assert load(tasks)[TASK].example == before.url
    assert "# the harbour" in tasks.read_text("utf-8")
    assert decide(client, "adopt", before.url) == 303
    assert "already been adopted" in client.get(f"/tasks/{TASK}/example").text


def test_programs_list_and_decide(
    section: RedesignedSection, console: MakeConsole, connection: "redis.Redis", monkeypatch: pytest.MonkeyPatch
) -> None:
    client = console()
    raise_alarm(connection, TASK, "failures", "7 of 8 requests failed", SITE)
    listed = client.get("/api/alarms").json()
    assert (listed["total"], listed["alarms"][0]["kind"]) == (1, "failures")
    assert listed["alarms"][0]["advice"].startswith("`exemplar status")
    before = proposal_of(connection, TASK)
    assert before is not None
    listed = client.get("/api/proposals").json()
    assert [(one["task"], one["url"], one["state"]) for one in listed["proposals"]] == [(TASK, before.url, "proposed")]
    one = client.get(f"/api/tasks/{TASK}/proposal").json()
    test = one["proposal"]["test"]
    assert len(test["pages"]) == sum(test["counts"].values()) == len(before.test.pages)
    address = f"/api/tasks/{TASK}/proposal"
    assert client.post(address, json={"do": "dismiss", "url": before.url}).json()["ok"]
    assert client.get("/api/proposals").json()["total"] == 0
    assert "was proposed and dismissed" in client.get(address).json()["unproposed"]
    twice = client.post(address, json={"do": "dismiss", "url": before.url})
    assert (twice.status_code, "already been dismissed" in twice.json()["error"]) == (422, True)
    with monkeypatch.context() as patched:
        patched.setattr("console.web.actions.adopt_proposal", lambda *_: (before, ["adopted, but only in Redis"]))
        partly = client.post(address, json={"do": "adopt", "url": before.url}).json()
    assert (partly["ok"], partly["text"].endswith("adopted, but only in Redis")) == (False, True)


def test_why_no_example_is_proposed_is_shown(
    section: RedesignedSection, console: MakeConsole, connection: "redis.Redis"
) -> None:
    client = console()
    raise_alarm(connection, TASK, "template changed", "7 of the last 12 pages do not fit", SITE)
    connection.hdel(keys.PROPOSALS, TASK)
    reason = "no URL of the pages of the new template matches the pattern"
    note_unproposed(connection, TASK, reason)
    for path in ("/alarms", f"/tasks/{TASK}/example"):
        text = client.get(path).text
        assert "No example is proposed:" in text
        assert reason in text
        assert f"exemplar backtest {TASK} --example" in text
    chinese = client.get("/alarms", headers={"Accept-Language": "zh"}).text
    assert "没有建议的示例：" in chinese
    assert "没有一个网址符合规律" in chinese


@pytest.mark.timeout(300)
def test_a_report_is_in_the_language_of_the_console_and_under_a_policy_of_its_own(
    section: RedesignedSection, console: MakeConsole
) -> None:
    client = console()
    number = client.web.data.index.search(ArticleQuery(), 1).articles[0].id
    answer = client.get(f"/articles/{number}/report", headers={"Accept-Language": "zh"})
    assert answer.status_code == 200, answer.text
    assert '<html lang="zh-Hans">' in answer.text
    assert "逐行看页面" in answer.text
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "script" not in policy
    assert policy.endswith("frame-ancestors 'none'; sandbox allow-same-origin")
    assert f'href="/articles/{number}/report"' in client.get(f"/articles/{number}").text
    link = f"/tasks/{TASK}/report?url={quote(FAILED, safe='')}"
    assert link in client.get("/failures").text
    failed = client.get(link).text
    assert "The page, line by line" in failed
    headers = {"Sec-Fetch-Site": "cross-site"}
    assert client.get(f"/articles/{number}/report", headers=headers).status_code == 403
    unknown = client.get(f"/tasks/{TASK}/report?url=https://paper.example/none")
    assert unknown.status_code == 404
    assert "keep_pages: 30d" in unknown.text
    assert client.get(f"/tasks/{TASK}/page?url={FAILED}").status_code == 200
    assert client.get("/tasks/none/report?url=x").status_code == 404


def test_a_report_that_cannot_be_made_says_why() -> None:
    with pytest.raises(NoReport, match=r"exit code 1: .*must begin with"):
        made_report("nonsense")
    with pytest.raises(NoReport, match="exceeded the time limit"):
        made_report("nonsense", limit=0.01)


def test_an_alarm_is_dismissed(published: Path, console: MakeConsole, connection: "redis.Redis") -> None:
    raise_alarm(connection, "harbour", "blocked", "5 of 9 pages", "https://a.example/1")
    client = console()
    text = client.get("/alarms").text
    assert "`exemplar extract https://a.example/1`" in text
    assert client.act("/alarms", task="harbour", kind="x", do="dismiss").status_code == 404
    client.act("/alarms", task="harbour", kind="blocked", do="dismiss")
    assert "no longer open" in client.get("/alarms").text  # it is not in the task's state
