"""Many tabs of the console in one real browser."""

from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.console.calls import edit
from tests.console.web.conftest import NAMES
from tests.console.web.running import running_console

TABS = 7  # a browser allows six connections to a host
HIDE = """hidden => {
  Object.defineProperty(document, "hidden", {value: hidden, configurable: true});
  document.dispatchEvent(new Event("visibilitychange"));
}"""


class Streams:
    """The streams of events that are open in a browser."""

    def __init__(self, context: BrowserContext):
        self.open: list[Page] = []
        context.on("request", lambda request: self._is_one(request) and self.open.append(request.frame.page))
        for name in ("requestfailed", "requestfinished"):
            context.on(name, lambda request: self._is_one(request) and self.open.remove(request.frame.page))

    def _is_one(self, request: object) -> bool:
        return str(request.url).partition("?")[0].endswith("/events")  # type: ignore[attr-defined]


@pytest.mark.timeout(120)
def test_a_refused_stream_is_opened_again(context: BrowserContext, tasks_yaml: Path) -> None:
    context.route("**/events", lambda route: route.fulfill(status=503), times=1)
    with running_console(tasks_yaml) as home:
        tab = context.new_page()
        tab.goto(home)
        tab.wait_for_timeout(4000)
        edit(tasks_yaml.parent, "harbour:", "quay:")
        expect(tab.locator("main")).to_contain_text("quay", timeout=20_000)


@pytest.mark.timeout(120)
def test_settings_do_not_replace_those_that_another_person_saved(context: BrowserContext, tasks_yaml: Path) -> None:
    with running_console(tasks_yaml) as home:
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
        expect(mine.get_by_role("status")).to_have_text("Saved.")


@pytest.mark.timeout(120)
def test_a_page_says_when_it_is_out_of_date_and_shows_new_mistakes(context: BrowserContext, tasks_yaml: Path) -> None:
    with running_console(tasks_yaml) as home:
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


@pytest.mark.timeout(300)
@pytest.mark.parametrize("has_locks", [True, False])
def test_all_tabs_are_live_by_one_stream(context: BrowserContext, tasks_yaml: Path, has_locks: bool) -> None:
    if not has_locks:  # as without HTTPS
        context.add_init_script("Object.defineProperty(navigator, 'locks', {value: undefined})")
    streams = Streams(context)
    with running_console(tasks_yaml) as home:
        tabs: list[Page] = []
        for _ in range(TABS):
            tabs.append(context.new_page())
            tabs[-1].goto(home, timeout=30_000)
            if not has_locks:
                tabs[-1].evaluate(HIDE, True)
        if not has_locks:
            tabs[-1].evaluate(HIDE, False)
        tabs[0].wait_for_timeout(1000)
        assert len(streams.open) == 1
        edit(tasks_yaml.parent, "harbour:", "quay:")
        for tab in tabs if has_locks else tabs[-1:]:
            expect(tab.locator("main")).to_contain_text("quay", timeout=20_000)
        leader = streams.open[0]
        leader.close()  # Playwright reports no end of its stream
        tabs.remove(leader)
        for tab in tabs[1:]:
            tab.evaluate(HIDE, True)
        tabs[0].evaluate(HIDE, False)
        edit(tasks_yaml.parent, "quay:", "pier:")
        expect(tabs[0].locator("main")).to_contain_text("pier", timeout=20_000)  # the next one has the stream
        expect(tabs[1].locator("main")).not_to_contain_text("pier")
        tabs[0].evaluate(HIDE, True)
        tabs[0].wait_for_timeout(1000)
        assert all(tab.is_closed() for tab in streams.open)  # all tabs are hidden
        tabs[1].evaluate(HIDE, False)
        expect(tabs[1].locator("main")).to_contain_text("pier")  # a tab that is shown again is up to date
