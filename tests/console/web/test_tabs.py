"""Many tabs of the console in one real browser."""

from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.console.calls import edit
from tests.console.web.conftest import NAMES
from tests.console.web.running import running_console

HIDE = """hidden => {
  Object.defineProperty(document, "hidden", {value: hidden, configurable: true});
  document.dispatchEvent(new Event("visibilitychange"));
}"""


@pytest.mark.timeout(240)
def test_tabs_show_what_others_changed_and_replace_none_of_it(context: BrowserContext, tasks_yaml: Path) -> None:
    with running_console(tasks_yaml) as home:
        settings_that_another_person_saved(context, home, tasks_yaml)
        a_page_that_is_out_of_date(context, home, tasks_yaml)
        a_tab_that_is_not_shown(context, home, tasks_yaml)


def settings_that_another_person_saved(context: BrowserContext, home: str, tasks_yaml: Path) -> None:
    mine, theirs = context.new_page(), context.new_page()
    for tab, key in ((mine, "delay: 2"), (theirs, "timeout: 9")):
        tab.goto(f"{home}/tasks/{NAMES[0]}/settings")
        tab.fill("#text", f"{tab.input_value('#text')}{key}\n")
    theirs.get_by_role("button", name="Check and save").click()
    mine.get_by_role("button", name="Check and save").click()
    expect(mine.get_by_role("alert")).to_contain_text("changed in the meantime")
    assert "delay: 2" in mine.input_value("#text")
    assert "timeout: 9" in str(mine.text_content("pre"))
    assert "delay" not in tasks_yaml.read_text("utf-8")
    mine.fill("#text", f"{mine.input_value('#text')}timeout: 9\n")
    mine.get_by_role("button", name="Check and save").click()
    expect(mine.get_by_role("status")).to_have_text("The task is saved.")


def a_page_that_is_out_of_date(context: BrowserContext, home: str, tasks_yaml: Path) -> None:
    tab = context.new_page()
    tab.goto(f"{home}/?sort=name")
    stale = tab.get_by_text("This page is not up to date")
    context.route("**/?sort=name", lambda route: route.fulfill(status=503))
    edit(tasks_yaml.parent, "every: 1h", "every: 1q")
    expect(stale).to_be_visible(timeout=20_000)
    context.unroute("**/?sort=name")
    expect(tab.locator("main")).to_contain_text("unknown unit 'q'", timeout=20_000)
    expect(stale).to_be_hidden()
    edit(tasks_yaml.parent, "every: 1q", "every: 1h")
    other = context.new_page()
    other.goto(home)
    other.get_by_role("button", name="Start the tasks").click()
    expect(tab.get_by_role("button", name="Stop the tasks")).to_be_visible(timeout=20_000)


def a_tab_that_is_not_shown(context: BrowserContext, home: str, tasks_yaml: Path) -> None:
    tabs = [context.new_page() for _ in range(2)]
    for tab in tabs:
        tab.goto(home)
    tabs[1].evaluate(HIDE, True)
    edit(tasks_yaml.parent, "harbour:", "quay:")
    expect(tabs[0].locator("main")).to_contain_text("quay", timeout=20_000)
    expect(tabs[1].locator("main")).not_to_contain_text("quay")
    tabs[1].evaluate(HIDE, False)
    expect(tabs[1].locator("main")).to_contain_text("quay", timeout=20_000)
