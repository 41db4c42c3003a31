import json
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from extractors.article import KINDS, Article, Block, Link, NoArticle
from extractors.render import render, to_markdown

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


def test_markdown_writes_each_kind_and_escapes_what_would_be_markup():
    assert render(ARTICLE, "markdown").split("\n\n") == [
        "# Bread",
        "- Published: 2024-03-05T08:30:00+00:00\n- Keywords: bread, mill",
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
    assert set(row) == set(ARTICLE.__slots__) - {"surrounding_match", "fits"}


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


def markdown_of(*blocks, include=KINDS):
    return to_markdown(replace(ARTICLE, title=None, published=None, keywords=(), blocks=blocks), include)


def test_markdown_writes_links_where_their_words_stand():
    mill = Link("the *old* mill", "https://gazette.example/mill")
    block = Block("paragraph", "At the *old* mill, not [there].", links=(mill,))
    assert markdown_of(block) == "At [the \\*old\\* mill](<https://gazette.example/mill>), not \\[there\\]."


def test_markdown_leaves_captions_and_embeds_out_unless_asked():
    blocks = (
        Block("caption", "The pier", images=("https://gazette.example/pier.jpg",)),
        Block("caption", "No picture"),
        Block("embed", "High tide."),
        Block("embed", "", links=(Link("", "https://video.example/7"),)),
        Block("paragraph", "It floats."),
    )
    assert to_markdown(replace(ARTICLE, title=None, published=None, keywords=(), blocks=blocks)) == "It floats."
    assert markdown_of(*blocks).split("\n\n") == [
        "![The pier](<https://gazette.example/pier.jpg>)",
        "*No picture*",
        "> High tide.",
        "<https://video.example/7>",
        "It floats.",
    ]


def test_json_has_links_and_images_of_blocks():
    block = Block(
        "caption", "The pier", links=(Link("pier", "https://a.example/"),), images=("https://a.example/p.jpg",)
    )
    assert block.to_dict() == {
        "kind": "caption",
        "text": "The pier",
        "links": [{"text": "pier", "url": "https://a.example/"}],
        "images": ["https://a.example/p.jpg"],
    }
