"""`exemplar run --once` on a site whose pages only scripts fill, with a browser and without one."""

from pathlib import Path
from typing import Any

import pytest

from evaluation.sample_site import EXAMPLES, shingle_f1, tasks_yaml, truth
from tests.console.calls import edit
from tests.console.conftest import Done, Exemplar
from tests.site.scripted import SCRIPT, make_scripted
from tests.site.server import SiteServer
from tests.written_rows import rows_of

pytestmark = pytest.mark.timeout(180)


@pytest.fixture
def folder(tmp_path: Path, site: SiteServer) -> Path:
    """Only the Chinese section."""
    (tmp_path / "tasks.yaml").write_text(tasks_yaml(site.url).split("  en-stories:")[0], "utf-8")
    return tmp_path


def report(done: Done) -> dict[str, Any]:
    return next(event for event in done.events if event["event"] == "crawled")


def test_a_section_that_scripts_fill_comes_whole(
    browser: str, folder: Path, site: SiteServer, exemplar: Exemplar
) -> None:
    edit(folder, EXAMPLES["zh"], truth("zh")[12].path)
    site.relaunch(unpublished=11)
    make_scripted(site, "/zh/news/", encoding="gbk")
    done = exemplar("run", "--once", "--json").succeeded()
    rows = rows_of(folder / "out" / "zh-news.jsonl")
    found = {row["canonical_url"].removeprefix(site.url): row for row in rows}
    wanted = {article.path: article for article in truth("zh")[11:]}
    assert (set(found), len(rows)) == (set(wanted), len(wanted))
    for path, article in wanted.items():
        assert shingle_f1(found[path]["text"], article.text) >= 0.95, path
        assert found[path]["title"] == article.title
    assert report(done)["rendered"] == len(wanted) + 1 + 3  # one article has two addresses; three lists
    assert [request.path for request in site.requests].count(SCRIPT) < len(wanted) / 2
    assert not [request.path for request in site.requests if request.path.endswith((".png", ".ico", ".css"))]


def test_without_a_browser_the_pages_wait_and_the_run_says_what_to_do(
    browser: str, folder: Path, site: SiteServer, exemplar: Exemplar
) -> None:
    make_scripted(site, "/zh/news/2026/", encoding="gbk")  # the lists are as ever
    assert exemplar("crawl", "zh-news", "--limit", "1").code == 0
    done = exemplar("run", "--once", "--json", EXEMPLAR_CHROMIUM="/nowhere/chromium").failed(1)
    [problem] = report(done)["problems"]
    assert "need JavaScript (render: auto), but EXEMPLAR_CHROMIUM=/nowhere/chromium is not a program" in problem
    row = done.accounting["zh-news"]
    assert (report(done)["outcome"], row["failed"], row["rejected"]) == ("no browser", 0, 0)
    assert row["waiting"] == row["seen"] - 1 > 5
    assert "Traceback" not in done.err
