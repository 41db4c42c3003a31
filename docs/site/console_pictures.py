"""Pictures of the console: `python -m docs.site.console_pictures FOLDER` runs the real one and the sample site.

A task is added from a URL, the tasks run, and an article fails; then each page is taken in both languages, light at
1280 and dark at 360 pixels.
"""

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from crawler.rendering.chromium import find_browser
from evaluation.sample_site import tasks_yaml, truth
from tests.console.web.running import running_console, wait_for
from tests.site.server import SiteServer

SIZES = (("light", 1280), ("dark", 360))
LOCALES = {"en": "en-US", "zh": "zh-CN"}
EXAMPLE = truth("en")[3]


def main(target: Path) -> None:
    """Write the pictures into a folder."""
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary, SiteServer() as site, sync_playwright() as playwright:
        file = Path(temporary) / "tasks.yaml"
        whole = tasks_yaml(site.url).replace("every: 1h\ntasks", "every: 1h\n  keep_pages: 30d\ntasks")
        file.write_text(whole.partition("  en-stories:")[0], "utf-8")  # the English section is added in the browser
        site.override(truth("zh")[1].path, status=418)
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        with running_console(file) as home:
            preview = _add(browser, home, site.url + EXAMPLE.path)
            addresses = _addresses(browser, home) | {"preview": preview}
            for language in LOCALES:
                for scheme, width in SIZES:
                    _take(browser, target, addresses, language, scheme, width)
        browser.close()


def _add(browser: Browser, home: str, url: str) -> str:
    page = browser.new_page(locale="en-US")
    page.goto(f"{home}/")
    page.get_by_role("button", name="Start the tasks").click()
    page.goto(f"{home}/add")
    page.fill("#url", url)
    page.get_by_role("button", name="Show a preview").click()
    page.get_by_role("button", name="Save the task").wait_for(timeout=120_000)
    preview = page.url
    page.get_by_role("button", name="Save the task").click()
    page.close()
    return preview


def _addresses(browser: Browser, home: str) -> dict[str, str]:
    """Wait for the articles, and return the address of each page."""
    page = browser.new_page(locale="en-US")
    wait_for(page, f"{home}/articles?q=%E7%9A%84", truth("zh")[0].title)
    wait_for(page, f"{home}/failures", "http 418")
    page.goto(f"{home}/tasks/zh-news/articles")
    article = page.locator(".result-title").first.get_attribute("href")
    page.close()
    names = {"tasks": "/", "articles": "/articles?q=%E7%9A%84", "article": article or "", "failures": "/failures"}
    names |= {name: f"/{name}" for name in ("schedule", "machines", "alarms", "add")}
    parts = ("", "articles", "links", "example", "settings")
    names |= {f"task-{part or 'overview'}": f"/tasks/zh-news/{part}".rstrip("/") for part in parts}
    return {name: home + address for name, address in names.items()}


def _take(browser: Browser, target: Path, addresses: dict[str, str], language: str, scheme: str, width: int) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 800},
        color_scheme="dark" if scheme == "dark" else "light",
        locale=LOCALES[language],
        device_scale_factor=1,
    )
    page = context.new_page()
    for name, address in addresses.items():
        page.goto(address)
        page.wait_for_timeout(300)
        page.screenshot(path=target / f"{name}-{language}-{scheme}-{width}.png", full_page=True)
    context.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
