"""`python -m docs.site`: one build, about five seconds of CPU; what it has, and that it needs no other host."""

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from docs.site.contents import CHINESE, DOCS, ROOT, all_pages, decisions
from docs.site.search import BilingualSearch

pytestmark = pytest.mark.timeout(180)  # the build takes ten times as long where other work goes on
LOADED = {"script": "src", "link": "href", "img": "src", "source": "srcset", "iframe": "src", "use": "href"}
LINKS_OF_OTHERS = {"canonical", "license"}  # of <link>: nothing is loaded


class Assets(HTMLParser):
    """What a page loads, and where its forms are sent."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag in LOADED and values.get("rel") not in LINKS_OF_OTHERS:
            self.found.append(values.get(LOADED[tag]) or "")
        if tag == "form":
            self.found.append(values.get("action") or "")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("docs") / "site"
    command = [sys.executable, "-m", "docs.site", str(target)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=170)
    assert (done.returncode, done.stderr) == (0, "")
    return target


def test_every_page_is_in_the_navigation() -> None:
    listed = {page.name for page in all_pages()}
    written = {path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md")}
    chinese = {name for name in written if name.endswith(CHINESE)}
    of_decisions = {f"decisions/{path.stem}" for path in decisions()}
    assert written - chinese - of_decisions <= listed
    assert {name.removesuffix(CHINESE) for name in chinese} <= listed


def test_pages_are_in_both_languages_and_lead_to_each_other(site: Path) -> None:
    for page in all_pages():
        assert (site / f"{page.name}.html").exists()
        if page.has_chinese():
            chinese = (site / f"{page.name}{CHINESE}.html").read_text("utf-8")
            other = page.name.rpartition("/")[2]
            assert re.search(rf'href="(\.\./)?({page.name}|{other})\.html" lang="en"', chinese), page.name
            assert '<html class="no-js" lang="zh-CN"' in chinese
            assert "跳到正文" in chinese


def test_nothing_is_loaded_from_another_host(site: Path) -> None:
    for path in site.rglob("*.html"):
        outside = [url for url in Assets(path.read_text("utf-8")).found if re.match(r"(\w+:)?//", url)]
        assert outside == [], path
    for path in site.rglob("*.css"):
        text = re.sub(r"/\*.*?\*/", "", path.read_text("utf-8"), flags=re.S)
        assert re.findall(r"url\(['\"]?(?:\w+:)?//[^)]*|@import[^;]*", text) == [], path
    for path in site.rglob("*.js"):
        text = path.read_text("utf-8")
        assert re.findall(r"(?:fetch|import|src ?=)\(?['\"`]https?://[^'\"`]*", text) == [], path


def test_the_search_finds_any_part_of_a_chinese_text(site: Path) -> None:
    index = json.loads((site / "searchindex.js").read_text("utf-8").removeprefix("Search.setIndex(").removesuffix(")"))
    names = index["docnames"]

    def pages_of(term: str) -> set[str]:
        found = [index[part].get(term, []) for part in ("terms", "titleterms")]
        return {names[number] for one in found for number in ([one] if isinstance(one, int) else one)}

    def pages_with(query: str) -> set[str]:
        pairs = [term for term in BilingualSearch({}).split(query) if len(term) == 2]
        return set.intersection(*map(pages_of, pairs))

    assert f"healing{CHINESE}" in pages_with("模板的页面聚类")
    assert f"operations{CHINESE}" in pages_with("查询当前的主服务器")
    assert "splitQuery" in (site / "_static" / "language_data.js").read_text("utf-8")


def test_a_link_to_nowhere_fails_the_build(tmp_path: Path) -> None:
    from docs.site import staging

    page = DOCS / "explain.md"
    link = re.match(r"(\[.*\])\((.*?)(#.*)?\)", "[text](gone.md)")
    assert link is not None
    with pytest.raises(staging.MissingPageError, match=r"docs/explain\.md: gone\.md does not exist"):
        staging.link_in_site(link, page, "explain", {})


def test_lines_of_chinese_are_joined_and_code_is_not() -> None:
    from docs.site.staging import joined

    assert joined("第一行，\n第二行。\n`code` 后面\nEnglish\nwords") == "第一行，第二行。`code` 后面\nEnglish\nwords"
