"""The console in a real browser, from the URL of one article to its text, and from a failure to its retry."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from evaluation.sample_site import truth
from tests.console.web.running import WAIT, running_console, wait_for
from tests.site.server import SiteServer

NEWEST = truth("en")[0]
EXAMPLE = truth("en")[3]


@pytest.mark.timeout(300)
def test_from_a_url_to_articles_and_from_a_failure_to_its_retry(page: Page, tmp_path: Path) -> None:
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    with (
        SiteServer(unpublished=1) as site,
        running_console(tmp_path / "tasks.yaml", EXEMPLAR_CONTACT="a@example.org") as home,
    ):
        add(page, home, site)
        task = page.inner_text("h1")
        page.get_by_role("button", name="Run now").click()
        read(page, home, task)
        fail_and_retry(page, home, task, site)
    assert problems == []


def add(page: Page, home: str, site: SiteServer) -> None:
    page.goto(home)
    page.get_by_role("link", name="Add a task").first.click()
    page.get_by_label("URL of one article").fill(site.url + EXAMPLE.path)
    page.get_by_role("button", name="Show a preview").click()
    save = page.get_by_role("button", name="Save the task")
    expect(save).to_be_visible(timeout=WAIT)
    pattern = page.get_by_label("Pattern of the articles’ URLs")
    assert pattern.input_value() == site.url + "/en/stories/{date:%Y/%m/%d}/{slug}/"
    expect(page.locator("main")).to_contain_text(EXAMPLE.title)
    page.get_by_role("button", name="Find the pattern for my marks").click()
    expect(page.get_by_role("status")).to_contain_text("The pattern now follows your marks")
    assert pattern.input_value().startswith(site.url + "/en/stories/{date:%Y/%m/%d}/")
    page.get_by_role("button", name="Save the task").click()
    expect(page.get_by_role("status")).to_contain_text("added")


def read(page: Page, home: str, task: str) -> None:
    wait_for(page, f"{home}/tasks/{task}/articles?q={EXAMPLE.title.split()[-1]}", EXAMPLE.title)
    page.get_by_role("link", name=EXAMPLE.title).first.click()
    expect(page.locator(".article-html")).to_contain_text(EXAMPLE.text.splitlines()[0][:40])
    wait_for(page, f"{home}/tasks/{task}", "every URL is accounted for")


def fail_and_retry(page: Page, home: str, task: str, site: SiteServer) -> None:
    site.override(NEWEST.path, status=418)
    site.relaunch()
    page.goto(f"{home}/tasks/{task}")
    page.get_by_role("button", name="Run now").click()
    wait_for(page, f"{home}/failures", "http 418")
    site.restore(NEWEST.path)
    page.get_by_role("button", name="Retry (http 418").click()
    expect(page.get_by_role("status")).to_contain_text("again")
    page.goto(f"{home}/tasks/{task}")
    page.get_by_role("button", name="Run now").click()
    wait_for(page, f"{home}/articles?task={task}", NEWEST.title)
    wait_for(page, f"{home}/failures", "Nothing has failed")
