"""`--report` and `--explain` of `exemplar extract` and `exemplar try`."""

import base64
import hashlib
import re
from pathlib import Path
from typing import get_args

import pytest
from lxml import html as lxml_html

from console.explaining import explained_rows
from console.inputs import PageIn
from console.locale import translator_of
from console.report import gathering
from console.report.charts import BINS, charts_of
from console.report.document import PAGE_ROWS, ReportHead, render_report
from console.report.gathering import Explainer, ReportedPage
from crawler.discovery.links import PageLink
from crawler.scouting.trial import JudgedLink, ReadList
from extractors import Section
from extractors.article import PageType
from extractors.explanation.values import Explanation
from tests.console.conftest import Exemplar
from tests.extractors.pages import BAKERY, HARBOUR, LIBRARY, news_page

HEAD = ReportHead("Why", "2026-11-22 12:00 UTC")
CHINESE = (
    "澜江边的老码头在修缮两年之后，于上周一重新向市民开放，潮位站也同时启用。",
    "潮位站的旧仪器自台风以后一直差着一掌宽，工程师说。",
)


def explained(page: str, example: str | None = None, url: str | None = "https://g.example/a.html") -> ReportedPage:
    model = PageIn("example", example.encode(), role="example") if example is not None else None
    return Explainer(Section(example), model).page(PageIn(url or "a.html", page.encode(), url))


def parsed(report: str) -> lxml_html.HtmlElement:
    return lxml_html.document_fromstring(report)


def explanation_of(page: ReportedPage) -> Explanation:
    assert page.explanation is not None
    return page.explanation


@pytest.fixture(scope="module")
def bread_page() -> ReportedPage:
    """A page with an example of its template."""
    return explained(news_page("New bread", BAKERY), news_page("Tides", HARBOUR))


@pytest.fixture(scope="module")
def bread_report(bread_page: ReportedPage) -> str:
    return render_report(HEAD, [bread_page])


# The page


def test_every_line_is_in_the_report_with_its_decision_and_reason(bread_page: ReportedPage, bread_report: str) -> None:
    explanation = explanation_of(bread_page)
    rows = parsed(bread_report).xpath("//li[contains(@class,'line ')]")
    assert len(rows) == len(explanation.lines) == 11
    for row, line in zip(rows, explanation.lines, strict=True):
        assert row.get("class") == f"line {line.decision}"
        assert line.reason in row.xpath(".//summary/@title")[0]
        [reason] = row.xpath("./details/p/text()")
        assert reason == f"{line.reason}."
        assert row.xpath(".//bdi[@class='text']/text()") == [line.text]


def test_head_and_tail_in_the_charts_are_those_of_the_answer(bread_page: ReportedPage, bread_report: str) -> None:
    text = " ".join(parsed(bread_report).text_content().split())
    assert "turning points: head at line 3, tail at line 7 of 11" in text
    assert "text: lines 3 to 6" in text
    charts = list(charts_of(explanation_of(bread_page)))
    assert [chart.title for chart in charts] == [
        "Similarity to the example, line by line (FS and BS)",
        "Weight of each line",
    ]
    for _, path in (path for chart in charts for path in chart.paths):
        assert re.fullmatch(r"[MVHLz\d. -]*", path)
        assert path.count("M") <= BINS


def test_report_has_text_methods_fields_and_grounds(bread_report: str) -> None:
    root = parsed(bread_report)
    assert [block.text_content() for block in root.xpath("//div[@class='body']/p")] == list(BAKERY)
    methods = {
        row.xpath("string(th)"): row.xpath("string(td[2])") for row in root.xpath("//table[@class='methods']//tr")
    }
    assert methods["example"] == methods["density"] == "1.00"
    assert {"line-blocks", "tag-paths", "bp-network", "article-deviation", "example-verbatim"} <= {*methods}
    fields = {row.xpath("string(th)"): row.xpath("string(td[2])") for row in root.xpath("//table[@class='fields']//tr")}
    assert fields["title"] == "<h1>"
    assert "Surrounding match" in root.xpath("string(//table[@class='grounds'])")


def test_report_requests_nothing_and_allows_only_its_own_style(bread_report: str) -> None:
    root = parsed(bread_report)
    [policy] = root.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    [style] = re.findall(r"<style>(.*?)</style>", bread_report, re.S)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert not root.xpath("//script | //link | //img | //iframe | //object | //form | //@src | //@style")
    assert "url(" not in style
    assert "@import" not in style


def test_a_report_in_chinese_has_no_message_in_english() -> None:
    links = "".join(f"<li><a href='/{n}'>港口新闻第{n}号</a></li>" for n in range(9))
    example, listed = news_page("旧闻", [CHINESE[1], *CHINESE]), f"<title>新闻</title><ul>{links}</ul>"
    pages = [explained(news_page("老码头", CHINESE * 2), example), explained(news_page("老码头", CHINESE * 2))]
    pages += [explained(listed), explained(""), ReportedPage("https://g.example/gone", error="404 not found")]
    root = parsed(render_report(HEAD, pages, translator_of("zh")))
    assert root.get("lang") == "zh-Hans"
    texts = [*root.xpath("//body//text()[not(ancestor::bdi)]"), *root.xpath("//@title | //@aria-label")]
    of_pages = " ".join(line.text for page in pages if page.explanation for line in page.explanation.lines)
    rows = [row for page in pages for row in explained_rows(page, translator_of("zh"))]
    texts += [row for row in rows if row.strip().rstrip("…") not in of_pages]
    assert [text for text in texts if re.search("[a-z]{2,} [a-z]{2,} [a-z]{2,}", text)] == []
    names = [ground.name for page in pages if page.explanation for ground in page.explanation.grounds]
    words = [translator_of("zh").text(word) for word in (*names, "lines", *get_args(PageType))]
    assert [word for word in words if re.search("[a-z]", word)] == []


def test_texts_of_pages_are_never_translated() -> None:
    words = "no article", "not on other pages of the section", "kept: a line of the text"
    page = explained(news_page("no article", [f"{text}. {BAKERY[0]}" for text in words]))
    root = parsed(render_report(HEAD, [page], translator_of("zh")))
    assert {"no article", *(f"{text}. {BAKERY[0]}" for text in words)} <= {*root.xpath("//bdi[@class='text']/text()")}


def test_page_without_an_article_says_why() -> None:
    links = "".join(f'<li><a href="/{n}">Story number {n} of the week</a></li>' for n in range(40))
    page = explained(f"<html><title>News</title><body><ul>{links}</ul></body></html>")
    root = parsed(render_report(HEAD, [page]))
    assert "no article" in root.xpath("string(//p[@class='facts'])")
    assert root.xpath("//p[@class='refusal']")
    assert len(root.xpath("//li[starts-with(@class,'line ')]")) == 40
    assert "no article" in "\n".join(explained_rows(page))


def test_unreadable_and_unavailable_pages_are_in_the_report() -> None:
    report = render_report(HEAD, [explained(""), ReportedPage("https://g.example/gone", error="answered with 404")])
    root = parsed(report)
    assert "unusable page" in root.text_content()
    assert "answered with 404" in root.text_content()


def test_report_of_a_huge_page_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "MOST_COMPARED", 2_500)
    paragraphs = "".join(f"<p>Line {n} of a very long story about a town by the sea.</p>" for n in range(900))
    links = "".join(f"<li><a href='/{n}'>Link {n}</a></li><li>x{n}</li>" for n in range(900))
    page = explained(f"<title>Long</title><body><h1>Long</h1><div>{paragraphs}</div><ul>{links}</ul></body>")
    assert len(explanation_of(page).lines) > gathering.MOST_COMPARED > PAGE_ROWS
    report = render_report(HEAD, [page])
    assert len(report) < 1_500_000
    assert report.count('class="line ') == PAGE_ROWS + 1  # with that of the others
    assert "further lines" in report
    assert len(explained_rows(page)) < 300


def test_links_taken_and_left_are_listed_with_reasons() -> None:
    taken = JudgedLink(PageLink("https://g.example/1", "One"), True, "matches the pattern")
    other = PageLink("https://g.example/about", "About")
    left = JudgedLink(other, False, "goes on with 'about' instead of a number")
    lists = (ReadList("https://g.example/", "start", (taken, left)),)
    text = parsed(
        render_report(ReportHead("Why", "now", problems=("nothing matches",)), [], lists=lists)
    ).text_content()
    assert "1 taken" in text
    assert "goes on with 'about' instead of a number" in text
    assert "problem: nothing matches" in text


# The terminal


def test_the_explanation_in_the_terminal_has_each_part_and_no_long_line_of_the_page() -> None:
    page = explained(news_page("New bread", [*BAKERY, "x" * 500]), news_page("Tides", LIBRARY))
    text = "\n".join(explained_rows(page))
    assert "x" * 100 not in text
    for part in ("confidence", "turning points", "Surrounding match", "kept:", "template:", "line-blocks", "from <h1>"):
        assert part in text


# The command line


@pytest.fixture
def pages(bread: Path) -> Path:
    (bread / "folder.html").mkdir()
    return bread


def test_report_comes_beside_the_text(pages: Path, in_process: Exemplar) -> None:
    plain = in_process("extract", "page.html", "--example", "known.html")
    done = in_process("extract", "page.html", "--example", "known.html", "--report", "why.html")
    assert (done.code, done.out) == (0, plain.out)
    assert done.err == "report: why.html\n"
    assert BAKERY[0] in (pages / "why.html").read_text("utf-8")
    assert not list(pages.glob(".*.part"))


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nowhere/why.html", "--report: nowhere/why.html cannot be written: no folder nowhere"),
        ("folder.html", "--report: folder.html is a folder; name a file in it"),
        ("why.pdf", "--report: why.pdf: the file name of a report must end in .html"),
    ],
)
def test_a_report_that_cannot_be_written_is_refused_at_once(
    path: str, message: str, pages: Path, in_process: Exemplar
) -> None:
    done = in_process("extract", "page.html", "--report", path).failed(2, message)
    assert done.out == ""
