"""`exemplar extract --rules`: rules for single sites beside the statistics of a method."""

from pathlib import Path

import pytest

from tests.console.conftest import Exemplar
from tests.extractors.pages import BAKERY, HARBOUR, news_page

ADDRESS = '<link rel="canonical" href="https://www.gazette.example/1.html">'
BODY = 'body: //h1 | //div[@class="story"]\n'
STORY = (
    "".join(f"<p>{text}</p>" for text in BAKERY) + '<p class="ad">Buy the best bread knife of them all.</p> And more.'
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A page whose comment is longer than its story, so that the statistics take the comment."""
    comment = '<div class="talk">' + "".join(f"<p>{text * 3}</p>" for text in HARBOUR) + "</div>"
    page = news_page("New bread", (), body=STORY, head=ADDRESS).replace(
        '<div class="side">', f'{comment}<div class="side">'
    )
    (tmp_path / "page.html").write_text(page, "utf-8")
    (tmp_path / "rules").mkdir()
    return tmp_path


def extracted(exemplar: Exemplar, *more: str) -> str:
    done = exemplar("extract", "page.html", "--method", "line-blocks", *more).succeeded()
    return done.out


@pytest.mark.parametrize("host", ["gazette.example", "www.gazette.example"])
def test_a_rule_says_what_the_method_reads(host: str, folder: Path, in_process: Exemplar) -> None:
    assert HARBOUR[0] in extracted(in_process)
    (folder / "rules" / f"{host}.yaml").write_text(BODY, "utf-8")
    text = extracted(in_process, "--rules", "rules")
    assert HARBOUR[0] not in text
    assert text.startswith("New bread\n")
    assert all(line in text for line in (*BAKERY, "bread knife"))


def test_a_rule_says_what_is_removed(folder: Path, in_process: Exemplar) -> None:
    (folder / "rules" / "gazette.example.yaml").write_text(BODY + 'remove: .//p[@class="ad"]\n', "utf-8")
    text = extracted(in_process, "--rules", "rules")
    assert "bread knife" not in text
    assert BAKERY[-1] in text
    assert "And more." in text


def test_a_rule_of_another_host_changes_nothing(folder: Path, in_process: Exemplar) -> None:
    (folder / "rules" / "news.gazette.example.yaml").write_text(BODY, "utf-8")
    assert extracted(in_process, "--rules", "rules") == extracted(in_process)


def test_a_rule_that_selects_nothing_is_told(folder: Path, in_process: Exemplar) -> None:
    (folder / "rules" / "gazette.example.yaml").write_text("body: //div[@id='gone']\n", "utf-8")
    done = in_process("extract", "page.html", "--method", "line-blocks", "--rules", "rules")
    assert done.out == extracted(in_process)
    assert "gazette.example.yaml selects nothing on this page; the method reads the whole page" in done.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("body: //div[\n", "gazette.example.yaml:1: body is no XPath"),
        ("body: //div\nremove: css:p\n", "gazette.example.yaml:2: remove is no XPath"),
        ("body: //div\nremoved: //p\n", "gazette.example.yaml:2: unknown key 'removed'; the keys are body and remove"),
        ("remove: //p\n", "gazette.example.yaml:1: body is missing; write, for example, body: //article"),
        ("body: //div\n'x\n", "gazette.example.yaml:2:1: this quotation mark is not closed; close it"),
        ("//div\n", "gazette.example.yaml:1: no keys; write, for example, body: //article"),
        ("body: [a, b]\n", "gazette.example.yaml:1: body is no XPath"),
        (None, "rules has no rules; add a file for each host, such as example.org.yaml"),
    ],
)
def test_a_wrong_file_names_line_and_remedy(text: str | None, message: str, folder: Path, in_process: Exemplar) -> None:
    if text is not None:
        (folder / "rules" / "gazette.example.yaml").write_text(text, "utf-8")
    in_process("extract", "page.html", "--rules", "rules").failed(2, message)
