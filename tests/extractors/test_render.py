import json
from dataclasses import replace
from datetime import UTC, date, datetime
from types import SimpleNamespace

import pytest

from extractors import extract
from extractors.article import Article, Block, NoArticle
from extractors.render import render

from .pages import BAKERY, HARBOUR, blog_page

BLOCKS = (
    Block("paragraph", "1. Buy *flour* [sic]"),
    Block("heading", "Tides", 2),
    Block("list", "one\n# two"),
    Block("table", "Day\tTide\nMonday\ta|b\nTuesday"),
    Block("code", "x = '```'\ny"),
    Block("quote", "It floats."),
)
ARTICLE = Article(
    text="\n\n".join(block.text for block in BLOCKS),
    blocks=BLOCKS,
    method="example",
    confidence=0.97,
    reason="because",
    title="Bread",
    published=datetime(2024, 3, 5, 8, 30, tzinfo=UTC),
    keywords=("bread", "mill"),
)


def test_text_is_title_date_keywords_and_paragraphs():
    about = "Published: 2024-03-05T08:30:00+00:00\nKeywords: bread, mill"
    assert render(ARTICLE).startswith(f"Bread\n\n{about}\n\n1. Buy *flour* [sic]\n\nTides\n\none\n# two")


def test_what_a_page_does_not_give_takes_no_line():
    assert render(replace(ARTICLE, published=None)).startswith("Bread\n\nKeywords: bread, mill\n\n1. Buy")
    assert render(replace(ARTICLE, title=None, published=None, keywords=())).startswith("1. Buy")


def test_html_is_title_date_keywords_and_body():
    about = "<ul><li>Published: 2024-03-05T08:30:00+00:00</li><li>Keywords: bread, mill</li></ul>"
    assert render(replace(ARTICLE, title="A & <b>"), "html") == f"<h1>A &amp; &lt;b&gt;</h1>{about}{ARTICLE.html}"
    assert ARTICLE.html.startswith("<p>1. Buy *flour* [sic]</p><p>Tides</p><p>one<br># two</p>")


def test_title_with_which_the_body_begins_is_written_once():
    text, html = f"Bread\n\n{ARTICLE.text}", "<h2>Bread</h2><p>Buy.</p>"
    assert render(replace(ARTICLE, text=text)) == render(ARTICLE)
    markup = SimpleNamespace(html=lambda: html)
    assert render(replace(ARTICLE, markup=markup, published=None, keywords=()), "html") == "<h1>Bread</h1><p>Buy.</p>"


def test_markdown_is_that_of_the_html():
    article = extract(blog_page([*BAKERY, "<h3>At <a href=/mill>the mill</a></h3>", *HARBOUR]), "https://a.example/1")
    markdown = render(replace(article, title="Bread", published=date(2024, 3, 5), keywords=("a_", "b")), "markdown")
    assert markdown.startswith(f"# Bread\n\n- Published: 2024-03-05\n- Keywords: a\\_, b\n\n{BAKERY[0]}\n\n")
    assert "\n\n### At [the mill](https://a.example/mill)\n\n" in markdown


def test_json_holds_every_field_with_iso_dates():
    row = json.loads(render(ARTICLE, "json"))
    assert row["published"] == "2024-03-05T08:30:00+00:00"
    assert row["keywords"] == ["bread", "mill"]
    assert row["blocks"][1] == {"kind": "heading", "text": "Tides", "level": 2}
    assert row["author"] is None
    assert set(row) == set(ARTICLE.__slots__) - {"surrounding_match", "fits", "markup", "pages"}


def test_unknown_format_is_refused():
    with pytest.raises(ValueError, match="markdown"):
        render(ARTICLE, "pdf")


def test_no_article_is_false_and_has_no_text():
    nothing = NoArticle("only links", "https://gazette.example/")
    assert not nothing
    assert nothing.text == ""
    assert nothing.to_dict() == {"url": "https://gazette.example/", "reason": "only links", "text": ""}
