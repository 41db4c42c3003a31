"""List pages from the command line: `extract`, and a task whose pages are lists."""

import json
import sqlite3
from pathlib import Path

import pytest

from evaluation.sample_site import truth
from tests.console.calls import AT_HOME
from tests.console.conftest import Exemplar
from tests.site.server import SiteServer
from tests.written_rows import rows_of

pytestmark = pytest.mark.timeout(180)
LIST_PAGE = """<!DOCTYPE html><html lang="en"><head><title>Town news</title></head><body><h1>Town news</h1><ul>
    <li><a href="/1.html">Harbour office opens its tide station</a> <span>2026-03-04</span></li>
    <li><a href="/2.html">Bakery in the old town bakes again</a> <span>2026-03-03</span></li>
    <li><a href="/3.html">Library van stops in the villages</a></li></ul></body></html>"""


def tasks(site: SiteServer, method: str) -> str:
    return f"""settings: {{contact: "https://example.org/bot", allow_hosts: [127.0.0.1]}}
defaults: {{delay: 0, every: 1h}}
tasks:
  headlines:
    example: {site.url}/en/stories/
    pattern: {site.url}/en/stories/[?page={{id}}]
    method: {method}
    output: [out/headlines.jsonl, out/headlines.db]
"""


def test_extract_by_i_awce_gives_an_article_or_a_list(exemplar: Exemplar, site: SiteServer) -> None:
    urls = [f"{site.url}/en/stories/", f"{site.url}{truth('en')[3].path}"]
    done = exemplar("extract", "--method", "i-awce", "--format", "json", *urls, **AT_HOME).succeeded()
    found = {row["file"]: row for row in map(json.loads, done.out.splitlines())}
    assert len(found[urls[0]]["entries"]) >= 6
    assert "entries" not in found[urls[1]]
    assert truth("en")[3].text.split("\n\n")[0] in found[urls[1]]["text"]


def test_screenshots_are_for_i_awce_and_their_folder_must_be_there(in_process: Exemplar, tmp_path: Path) -> None:
    (tmp_path / "list.html").write_text(LIST_PAGE, "utf-8")
    in_process("extract", "--method", "i-awce", "--screenshots", "shots", "list.html").failed(2, "shots")
    (tmp_path / "shots").mkdir()
    assert in_process("extract", "--method", "i-awce", "--screenshots", "shots", "list.html").code == 0  # it has none
    in_process("extract", "--screenshots", "shots", "list.html").failed(2, "--method i-awce")


def test_a_network_that_can_not_be_read_is_named(in_process: Exemplar, tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime", reason="extra vision is not installed")
    (tmp_path / "list.html").write_text(LIST_PAGE, "utf-8")
    (tmp_path / "shots").mkdir()
    (tmp_path / "shots" / "list.png").write_bytes(b"a picture")
    arguments = ("extract", "--method", "i-awce", "--screenshots", "shots", "list.html")
    done = in_process(*arguments, EXEMPLAR_VISUAL_WEIGHTS="mine.onnx")
    assert (done.code, "Traceback" in done.err) == (2, False)
    assert "EXEMPLAR_VISUAL_WEIGHTS: mine.onnx: No such file" in done.err


def test_a_task_of_lists_writes_a_row_an_entry(tmp_path: Path, site: SiteServer, exemplar: Exemplar) -> None:
    (tmp_path / "tasks.yaml").write_text(tasks(site, "i-awce"), "utf-8")
    exemplar("run", "--once", "--json").succeeded()
    written = rows_of(tmp_path / "out" / "headlines.jsonl")
    urls = [str(row["url"]).removeprefix(site.url) for row in written]
    assert len(set(urls)) == len(urls)
    titles = {article.path: article.title for article in truth("en")}
    assert set(titles) <= {url.partition("?")[0] for url in urls}
    lists = {"/en/stories/", "/en/stories/?page=2", "/en/stories/?page=3"}
    assert {str(row["listed_on"]).removeprefix(site.url) for row in written} <= lists
    known = [row for row in written if str(row["url"]).removeprefix(site.url) in titles]
    assert all(row["title"] == titles[str(row["url"]).removeprefix(site.url)] for row in known)
    assert all(row["published"] for row in known)
    with sqlite3.connect(tmp_path / "out" / "headlines.db") as database:
        assert database.execute("SELECT count(*) FROM articles").fetchone() == (len(written),)
    exemplar("run", "--once", "--json").succeeded()
    assert rows_of(tmp_path / "out" / "headlines.jsonl") == written
