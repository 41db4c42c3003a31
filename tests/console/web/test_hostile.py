"""Injections in every field that comes from a site: nothing runs, no element is made, nothing is requested.

The short form tries 500, the long form (`tests.samples`) 6,000.
"""

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import lxml.html
import pytest
import redis
import uvicorn
from playwright.sync_api import Page

from console.web.api_types import ArticleQuery
from console.web.sandbox import harmless
from console.web.surveys import Job
from crawler.run.run_report import RunReport, keep_report
from crawler.task_list.file import load
from crawler.task_list.publication import publish
from tests.console.web.conftest import ConsoleClient, MakeConsole, raise_alarm, row_of
from tests.console.web.injections import injections
from tests.redis_servers import eventually
from tests.samples import sample
from workers import keys
from workers.ledger import Ledger
from workers.page_store import StoredPage
from workers.pages.quarantine import keep_page
from workers.redesign.backtest import BackTest, ExtractedFields, PageComparison, TextChange
from workers.redesign.proposals import Proposal
from workers.reporting.presence import Presence
from workers.reporting.present_problems import PresentProblem
from workers.url_states import Found, fingerprint

TEXTS = injections(sample(500, 6000))
FAILED = "https://t0.example/a/9.html"
A_TASK = 390  # reasons on one page of links
AN_ARTICLE = 100  # texts in one article
MADE = """() => [...document.querySelectorAll('*')].filter((element) =>
  (element.tagName === 'SCRIPT' && element.getAttribute('src') !== '/static/console.js')
  || ['OBJECT', 'EMBED', 'BASE', 'MARQUEE', 'VIDEO', 'MATH', 'STYLE', 'IMG', 'BODY'].includes(element.tagName)
     && element !== document.body
  || [...element.attributes].some((one) => one.name.startsWith('on') || one.name === 'style' || one.name === 'srcdoc'
     || (['href', 'src', 'action', 'formaction', 'data'].includes(one.name) && !/^(https?:|[/#?]|$)/.test(one.value)))
).map((element) => element.outerHTML.slice(0, 200))"""


@contextmanager
def served(client: ConsoleClient) -> Iterator[str]:
    """Serve a console on a port of its own, under the address that its config has."""
    server = uvicorn.Server(uvicorn.Config(client.app, host="127.0.0.1", port=0, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    eventually(lambda: server.started)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(20)


def chunks(size: int) -> list[list[str]]:
    return [TEXTS[start : start + size] for start in range(0, len(TEXTS), size)]


@pytest.fixture
def hostile(tasks_yaml: Path, connection: "redis.Redis") -> list[str]:
    """Tasks whose reasons, URLs, runs, outputs and articles are injections; return the names of the tasks."""
    parts = chunks(A_TASK)
    names = [f"t{number}" for number in range(len(parts))]
    tasks = "".join(
        f"  {name}:\n    example: https://{name}.example/a/1.html\n    pattern: https://{name}.example/a/{{id}}.html\n"
        f"    every: 1h\n    output: out/{{task}}.jsonl\n    keep_pages: 1d\n"
        for name in names
    )
    tasks_yaml.write_text(f"tasks:\n{tasks}", "utf-8")
    publish(connection, load(tasks_yaml), tasks_yaml)
    for name, texts in zip(names, parts, strict=True):
        _fill_ledger(connection, name, texts)
    _propose_and_alarm(connection, names)
    _keep_failed(connection)
    out = tasks_yaml.parent / "out" / "t0.jsonl"
    out.parent.mkdir()
    rows = [_row(number, texts) for number, texts in enumerate(chunks(AN_ARTICLE))]
    out.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    presence = Presence(connection, "extract")
    presence.show(last_error={"at": time.time(), "text": TEXTS[0]}, task=TEXTS[1], waits=TEXTS[2], version=TEXTS[3])
    problem = PresentProblem(TEXTS[4], first=1.0, last=1.0, count=1, nodes=(TEXTS[5],))
    connection.hset(keys.PROBLEMS_NOW, presence.name, json.dumps([asdict(problem)]))
    return names


def _fill_ledger(connection: "redis.Redis", name: str, texts: Sequence[str]) -> None:
    ledger = Ledger(connection, name)
    urls = [f"{text}{number}" if number % 2 else f"https://{name}.example/{text}" for number, text in enumerate(texts)]
    ledger.add([Found(url, rank) for rank, url in enumerate(urls)])
    for number, (leased, text) in enumerate(zip(ledger.lease(len(urls) - 5), texts, strict=False)):
        ledger.settle(leased.fingerprint, "failed" if number % 2 else "rejected", text)
    keep_report(
        connection, RunReport(name, texts[0], texts[1], texts[2], problems=[*texts[:10]], remarks=[*texts[10:20]])
    )


def _propose_and_alarm(connection: "redis.Redis", names: Sequence[str]) -> None:
    """Alarms and proposed examples all of whose texts are injections."""
    for name, texts in zip(names, chunks(A_TASK), strict=True):
        raise_alarm(connection, name, "blocked", texts[0], *texts[:50])
        pages = [_compared(text) for text in texts]
        test = BackTest(tuple(pages), texts[1])
        proposal = Proposal(name, texts[2], texts[3], texts[4], texts[5], 1.0, 1.0, 7, 5, 0.9, test, problem=texts[6])
        connection.hset(keys.PROPOSALS, name, json.dumps(proposal.to_dict()))


def _compared(text: str) -> PageComparison:
    fields = ExtractedFields(text, text, text, 9, 0.9, text, True, text)
    changed, change = ("title", "published", "author", "text"), TextChange(text, text, (text,), (text,))
    return PageComparison(text, "changed", fields, fields, 0.5, changed, change, (text,))


def _keep_failed(connection: "redis.Redis") -> None:
    """A failed page in quarantine whose text, attributes and reason are injections."""
    body = "<html><title>" + TEXTS[1] + "</title>" + "".join(f"<p class='{text}'>{text}</p>" for text in TEXTS[:300])
    page = StoredPage(FAILED, body.encode("utf-8", "replace"), "text/html; charset=utf-8", datetime.now(UTC))
    keep_page(connection, "t0", fingerprint(FAILED), page, TEXTS[0])


def _row(number: int, texts: Sequence[str]) -> dict[str, Any]:
    return row_of(
        number,
        task="t0",
        url=f"{texts[1]}{number}" if number % 2 else f"https://t0.example/{number}/{texts[1]}",
        canonical_url=f"https://t0.example/{number}",
        title=texts[2],
        text="\n\n".join(texts),
        author=texts[3],
        keywords=[*texts],
        method=texts[4],
        reason=texts[5],
        language=texts[6],
        published=texts[7],
    )


@pytest.mark.timeout(600)
def test_nothing_of_a_site_runs_on_any_page(hostile: list[str], console: MakeConsole, page: Page) -> None:
    client = console()
    web = client.web
    job = survey_of(TEXTS)
    web.jobs._jobs[job.id] = job
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    articles = [article.id for article in web.data.index.search(ArticleQuery(), 200).articles]
    assert len(articles) == len(chunks(AN_ARTICLE))
    paths = ["/", "/articles", "/alarms", "/machines", "/schedule", "/failures", f"/add/{job.id}"]
    paths += [f"/tasks/{name}{part}" for name in hostile for part in ("", "/links", "/example")]
    paths += [f"/articles/{number}" for number in articles]
    shown = ""
    with served(client) as home:
        for path in paths:
            answer = page.goto(home + path, wait_until="load")
            assert answer is not None
            assert answer.status == 200, path
            assert page.evaluate("[window.__runs, window.__violations]") == [0, []], path
            assert page.evaluate(MADE) == [], path
            shown += page.content() if path.endswith("/links") else ""
        assert page.goto(f"{home}/tasks/t0/report?url={quote(FAILED)}", timeout=60_000).status == 200
        assert page.evaluate("[window.__runs, window.__violations]") == [0, []]
        assert [one for one in page.evaluate(MADE) if not one.startswith("<style>:root")] == []
        page.goto(f"{home}/tasks/t0/page?url={quote(FAILED)}")  # what is in the sandbox
        page.wait_for_timeout(500)
        assert page.evaluate("window.__runs") == 0
        assert [url for url in requests if not url.startswith(home)] == []
    assert dialogs == []
    assert shown.count("__ran") > len(TEXTS) / 2  # they are there, as text


def survey_of(texts: Sequence[str]) -> Job:
    """The result of a survey all of whose texts are injections."""
    job = Job("hostile", "survey", texts[0], done=True)
    links = [{"url": text, "text": text, "reason": text, "pages": 1, "paginates": False} for text in texts]
    sample = {
        "url": texts[1], "title": texts[2], "published": texts[3], "words": "\n".join(texts), "method": texts[5],
        "reason": texts[6], "characters": 9, "confidence": 1.0,
    }  # fmt: skip
    job.result = {
        "task": {"name": texts[7], "example": texts[8], "pattern": texts[9], "every": texts[10], "output": texts[11]},
        "scope": "site",
        "why": texts[12],
        "lists": [{"url": text, "why": text, "taken": 1} for text in texts[:100]],
        "taken": links[::2],
        "left": links[1::2],
        "doubtful": [*texts[:50]],
        "warnings": [*texts[:50]],
        "example": sample,
        "samples": [sample],
    }
    return job


def test_a_page_in_the_sandbox_has_nothing_that_could_run_or_request() -> None:
    for text in TEXTS:
        clean = harmless(f"<html><body><p>before{text}after</p>".encode("utf-8", "replace"), "text/html; charset=utf-8")
        assert made_of(clean) == [], (text, clean)


def made_of(page: str) -> list[str]:
    """The elements and attributes of a page that could run or request something."""
    tree = lxml.html.document_fromstring(page)
    tags = [str(element.tag) for element in tree.iter() if element.tag in FORBIDDEN]
    names = [str(name) for element in tree.iter() for name in element.attrib]
    return tags + [name for name in names if name.startswith("on") or name in REQUESTING]


FORBIDDEN = {"script", "iframe", "object", "base", "link", "video", "embed", "meta"}
REQUESTING = {"src", "href", "srcdoc", "action", "http-equiv", "data", "formaction"}


def test_a_page_in_the_sandbox_has_a_policy_without_scripts(hostile: list[str], console: MakeConsole) -> None:
    answer = console().get(f"/tasks/{hostile[0]}/page?url={quote(FAILED)}")
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("sandbox; default-src 'none'")
    assert "script-src" not in policy
    assert answer.headers["x-frame-options"] == "SAMEORIGIN"


def test_text_after_what_is_removed_stays() -> None:
    html = harmless(b"<p>before <script>x</script>after<!-- c --> it<b>all</b> <base>too</p>", "text/html")
    assert "<p>before after it<b>all</b> too" in html
