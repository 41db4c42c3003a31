"""Adding a task: the survey in the background, correction by marks, saving."""

import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from console.web import surveys
from console.web.surveys import corrected, with_pattern
from crawler.task_list.edit import add_task
from crawler.task_list.file import load
from evaluation.sample_site import truth
from tests.console.web.conftest import ConsoleClient, MakeConsole
from tests.forks import ForkingPopen
from tests.site.server import SiteServer

EXAMPLE = "https://news.example/a/2026/11/1.html"
SIBLINGS = [f"https://news.example/a/2026/11/{number}.html" for number in range(2, 8)]
OTHERS = {"https://news.example/b/9.html": "Other", "https://news.example/about.html": "About us"}


def test_the_pattern_follows_the_marks() -> None:
    correction = corrected(EXAMPLE, SIBLINGS, OTHERS)
    assert (correction.missed, correction.too_many) == ((), ())
    result = {"task": {"example": EXAMPLE}, "taken": [], "left": []}
    result["left"] = [{"url": url, "text": "", "reason": "x"} for url in (*SIBLINGS, *OTHERS)]
    judged = with_pattern(result, correction.pattern)
    assert [link["url"] for link in judged["taken"]] == SIBLINGS
    assert {link["url"] for link in judged["left"]} == {*OTHERS}


def test_a_pattern_that_also_takes_others_names_them() -> None:
    correction = corrected(EXAMPLE, SIBLINGS[:3], dict.fromkeys(SIBLINGS[3:], "left by me"))
    assert {*correction.too_many} <= {*SIBLINGS[3:]}
    assert correction.missed == ()


def test_marks_without_a_second_link_give_no_pattern() -> None:
    assert corrected(EXAMPLE, [], OTHERS).problem


def waited_for(client: ConsoleClient, path: str) -> Any:
    job = client.web.jobs.get(path.rpartition("/")[2])
    limit = time.monotonic() + 100
    while not job.done:
        assert time.monotonic() < limit, job.progress
        time.sleep(0.1)
    return job


def survey(client: ConsoleClient, url: str, contact: str = "") -> tuple[str, Any]:
    answer = client.act("/add", url=url, scope="auto", contact=contact)
    assert answer.status_code == 303, answer.text
    path = answer.headers["location"]
    return path, waited_for(client, path)


@pytest.mark.parametrize(("url", "most"), [("x", 2), (EXAMPLE, 0)])
def test_a_form_that_starts_no_survey_keeps_what_was_entered(
    client: ConsoleClient, monkeypatch: pytest.MonkeyPatch, url: str, most: int
) -> None:
    monkeypatch.setattr(surveys, "AT_A_TIME", most)
    answer = client.act("/add", url=url, scope="site", insist="1")
    assert 'role="alert"' in answer.text
    for kept in (f'value="{url}"', 'value="site" checked', 'value="1" checked'):
        assert kept in answer.text


@pytest.mark.parametrize("present", [None, "tasks:\n", "tasks:\n\nsettings:\n  # contact: none\n  delay: 0\n"])
def test_a_contact_is_added_to_a_list_without_one(tasks_yaml: Path, present: str | None) -> None:
    tasks_yaml.unlink()
    if present is not None:
        tasks_yaml.write_text(present, "utf-8")
    entry = {"name": "a", "example": EXAMPLE, "pattern": "/a/2026/11/{id}.html", "every": "1h", "output": "a.jsonl"}
    assert add_task(tasks_yaml, entry, "me@example.org")
    assert load(tasks_yaml).settings.contact == "me@example.org"


@pytest.fixture
def site_list(tasks_yaml: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A list without tasks; surveys of its console are forks."""
    monkeypatch.setattr(subprocess, "Popen", ForkingPopen)
    tasks_yaml.write_text("tasks:\n\nsettings:\n  allow_hosts: [127.0.0.1]\n  delay: 0\n", "utf-8")
    return tasks_yaml


@pytest.mark.timeout(240)
def test_a_page_that_is_no_article_names_the_checkbox_and_articles_to_try(
    site_list: Path, console: MakeConsole
) -> None:
    client = console()
    with SiteServer() as site:
        path, job = survey(client, site.url + "/en/stories/")
    assert job.error
    assert job.result is None
    text = client.get(path).text
    for shown in ("tick “It is an article", "Articles to which this page links", "/add?url=http"):
        assert shown in text
    assert "--article" not in text
    client.get("/language/zh")
    text = client.get(path).text
    assert "勾选" in text
    assert "is a list page" not in text


@pytest.mark.timeout(240)
def test_a_task_is_previewed_corrected_and_saved(site_list: Path, console: MakeConsole) -> None:
    client, article = console(), truth("en")[3]
    for contact, problem in (("", "Enter a contact"), ("me", "neither a URL nor an e-mail address")):
        refused = client.act("/add", url="https://news.example/1.html", contact=contact)
        assert (refused.status_code, problem in refused.text, 'name="contact"' in refused.text) == (422, True, True)
    with SiteServer() as site:
        path, job = survey(client, site.url + article.path, "me@example.org")
        assert "me@example.org" in site.requests[-1].user_agent
    assert job.error == ""
    assert site.url in job.progress[0][0]
    text = client.get(path).text
    assert article.title in text
    assert "/en/stories/{date:%Y/%m/%d}/{slug}/" in text
    wrong = client.act(path, do="save", every="soon")
    assert (wrong.status_code, "soon" in wrong.text, "example" in site_list.read_text("utf-8")) == (422, True, False)
    cleared = client.act(path, do="save", every="", output="")  # as in defaults, of which there are none
    assert "&#39;every&#39; is missing" in cleared.text
    assert "&#39;output&#39; is missing" in cleared.text
    saved = client.act(path, do="save", name="boats", every="2h", output="out/{task}.jsonl")
    assert saved.headers["location"] == "/tasks/boats"
    listed = load(site_list)
    task = listed["boats"]
    assert (task.example, str(task.every)) == (site.url + article.path, "2h")
    assert listed.settings.contact == "me@example.org"
    assert 'name="contact"' not in client.get("/add").text


def test_a_text_that_is_no_url_is_refused(client: ConsoleClient) -> None:
    for url in ("ftp://a.example/", "news", "javascript:alert(1)", "http://"):
        assert client.act("/add", url=url).status_code == 422
