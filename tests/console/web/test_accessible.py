"""The pages by the rules of axe-core, and at the width of a telephone: light and dark, in both languages."""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.console.web.conftest import NAMES, MakeConsole
from tests.console.web.test_hostile import served, survey_of

PATHS = (
    "/", "/articles?q=7th", "/failures", "/schedule", "/machines", "/add", "/alarms", "/tasks/none",
    *(f"/tasks/{NAMES[0]}{part}" for part in ("", "/articles", "/links", "/example", "/settings")),
)  # fmt: skip
SERIOUS = ("serious", "critical")


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("scheme", "width", "locale"), [("light", 1280, "en-US"), ("dark", 360, "zh-CN")])
def test_axe_finds_nothing_serious_and_no_page_is_too_wide(
    published: Path, console: MakeConsole, chromium: Browser, scheme: str, width: int, locale: str
) -> None:
    client = console()
    job = survey_of([f"Text {number} of a site" for number in range(16)])
    client.web.jobs._jobs[job.id] = job
    context = chromium.new_context(
        viewport={"width": width, "height": 800}, color_scheme="dark" if scheme == "dark" else "light", locale=locale
    )
    page = context.new_page()
    findings: dict[str, list[str]] = {}
    rules = None if scheme == "light" else {"runOnly": ["color-contrast"]}  # the rest does not depend on colours
    with served(client) as home:
        first = client.get("/articles").text.partition('class="result-title" href="')[2].partition('"')[0]
        for path in (*PATHS, first, f"/add/{job.id}"):
            page.goto(home + path)
            found = Axe().run(page, options=rules).response
            assert len(found["passes"]) > (10 if rules is None else 0)
            serious = [
                f"{row['id']}: {node['html'][:150]}"
                for row in found["violations"]
                if row["impact"] in SERIOUS
                for node in row["nodes"][:3]
            ]
            if page.evaluate("document.documentElement.scrollWidth") > width:
                serious.append("wider than the window")
            if serious:
                findings[path] = serious
    context.close()
    assert findings == {}


def test_pages_are_read_and_searched_by_keyboard(published: Path, console: MakeConsole, page: Page) -> None:
    with served(console()) as home:
        page.goto(f"{home}/articles")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        for _ in range(20):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.name") == "q":
                break
        page.keyboard.type("7th")
        page.keyboard.press("Enter")
        page.wait_for_url("**/articles?q=7th*")
        assert page.locator(".result-title").count() == 1


def test_pages_are_read_without_script(published: Path, console: MakeConsole, chromium: Browser) -> None:
    context = chromium.new_context(java_script_enabled=False, locale="en-US")
    page = context.new_page()
    with served(console()) as home:
        page.goto(home)
        page.get_by_role("link", name=NAMES[0]).click()
        assert "every URL is accounted for" in page.inner_text("main")
        page.get_by_role("link", name="Articles").last.click()
        page.locator(".result-title").first.click()
        assert "article of the harbour" in page.inner_text(".article-html")
    context.close()
