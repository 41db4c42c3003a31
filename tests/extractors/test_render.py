import json
from datetime import UTC, date, datetime

import pytest

from extractors.article import Article, Block, NoArticle
from extractors.render import render

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


def test_text_is_title_and_paragraphs():
    assert render(ARTICLE).startswith("Bread\n\n1. Buy *flour* [sic]\n\nTides\n\none\n# two")


def test_markdown_writes_each_kind_and_escapes_what_would_be_markup():
    assert render(ARTICLE, "markdown").split("\n\n") == [
        "# Bread",
        "1\\. Buy \\*flour\\* \\[sic\\]",
        "## Tides",
        "- one\n- \\# two",
        "| Day | Tide |\n| --- | --- |\n| Monday | a\\|b |\n| Tuesday |  |",
        "````\nx = '```'\ny\n````",
        "> It floats.",
    ]


def test_json_holds_every_field_with_iso_dates():
    row = json.loads(render(ARTICLE, "json"))
    assert row["published"] == "2024-03-05T08:30:00+00:00"
    assert row["keywords"] == ["bread", "mill"]
    assert row["blocks"][1] == {"kind": "heading", "text": "Tides", "level": 2}
    assert row["author"] is None
    assert set(row) == set(ARTICLE.__slots__)


def test_date_without_time_stays_a_date():
    article = Article("", (), "density", 0.5, "", published=date(2024, 3, 5))
    assert article.to_dict()["published"] == "2024-03-05"


def test_unknown_format_is_refused():
    with pytest.raises(ValueError, match="markdown"):
        render(ARTICLE, "pdf")


def test_no_article_is_false_and_has_no_text():
    nothing = NoArticle("only links", "https://gazette.example/")
    assert not nothing
    assert nothing.text == ""
    assert nothing.to_dict() == {"url": "https://gazette.example/", "reason": "only links", "text": ""}
