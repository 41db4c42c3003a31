import json
from datetime import UTC, date, datetime

import pytest

from extractors import extract

from .pages import BAKERY, news_page

URL = "https://gazette.example/town/2024/bread.html?id=7"


def article(head="", before="", **kwargs):
    """Return the article of a page with the given elements in its head and lines before its body."""
    body = before + "".join(f"<p>{text}</p>" for text in BAKERY)
    return extract(news_page("Bread from old stones", (), body=body, head=head), URL, **kwargs)


def ld(**properties):
    data = {"@context": "https://schema.org", "@type": "NewsArticle", **properties}
    return f'<script type="application/ld+json">{json.dumps({"@graph": [{"@type": "WebSite"}, data]})}</script>'


def meta(name, content):
    return f'<meta property="{name}" content="{content}">'


def test_json_ld_speaks_first():
    head = ld(
        datePublished="2024-03-05T08:30:00+00:00",
        author=[{"@type": "Person", "name": "Ada Miller"}, {"name": "Ben Stone"}],
        description="On bread.",
        keywords=["bread", "mill"],
        publisher={"name": "The Gazette"},
        image={"url": "/stones.jpg"},
    ) + meta("article:published_time", "2019-01-01")
    found = article(head)
    assert found.published == datetime(2024, 3, 5, 8, 30, tzinfo=UTC)
    assert found.author == "Ada Miller, Ben Stone"
    assert found.description == "On bread."
    assert found.keywords == ("bread", "mill")
    assert found.site_name == "The Gazette"
    assert found.image == "https://gazette.example/stones.jpg"


def test_meta_elements():
    found = article(
        meta("og:title", "Bread from old stones")
        + meta("og:site_name", "The Gazette")
        + meta("og:description", "On &amp;amp; about bread.")
        + meta("og:image", "//img.example/stones.jpg")
        + meta("article:published_time", "2024-03-05 08:30")
        + '<meta name="author" content="By Ada Miller"><meta name="Keywords" content="bread, mill;bread">'
    )
    assert found.title == "Bread from old stones"
    assert found.site_name == "The Gazette"
    assert found.description == "On & about bread."
    assert found.image == "https://img.example/stones.jpg"
    assert found.published == datetime(2024, 3, 5, 8, 30)
    assert found.author == "Ada Miller"
    assert found.keywords == ("bread", "mill")


@pytest.mark.parametrize(
    ("line", "author", "source", "published"),
    [
        ("2024年03月05日 08:30　来源：晨报　作者：王小明", "王小明", "晨报", datetime(2024, 3, 5, 8, 30)),
        ("来源:《晨报》 2024-03-05", None, "晨报", date(2024, 3, 5)),
        ("文/李四　2024-03-05 08:30:09", "李四", None, datetime(2024, 3, 5, 8, 30, 9)),
        ("本报记者 王小明", "王小明", None, None),
        ("来源：未知 作者：张三", "张三", None, None),
        ("By Ada Miller, March 5, 2024", "Ada Miller", None, date(2024, 3, 5)),
        ("Written by hand since 1990", None, None, None),
    ],
)
def test_byline_above_the_body(line, author, source, published):
    found = article(before=f"<div>{line}</div>")
    assert (found.author, found.source, found.published) == (author, source, published)


def test_prose_is_no_byline():
    text = "<p>" + "According to our notes the flour was first sold here on March 5, 2024, by hand. " * 4 + "</p>"
    assert article(before=text).published is None


def test_relative_date_counts_from_the_fetch():
    found = article(before="<div>昨天 08:30</div>", fetched_at=datetime(2024, 3, 6, 1, tzinfo=UTC))
    assert found.published == datetime(2024, 3, 5, 8, 30)


def test_time_element_of_publication_wins_over_others():
    times = '<time datetime="2024-03-09">later</time><time pubdate datetime="2024-03-05">first</time>'
    assert article(before=f"<div>{times}</div>").published == date(2024, 3, 5)


@pytest.mark.parametrize(
    ("link", "canonical"),
    [
        ('<link rel="canonical" href="/town/bread.html">', "https://gazette.example/town/bread.html"),
        ('<base href="https://www.gazette.example/"><link rel=canonical href=b>', "https://www.gazette.example/b"),
        (meta("og:url", "http://gazette.example/b"), "http://gazette.example/b"),
        ('<link rel="canonical" href="javascript:void(0)">', None),
        ('<link rel="canonical" href="http://[broken">', None),
        ('<link rel="canonical" href="">', None),
        ('<base href="http://[broken"><link rel="canonical" href="/b">', "https://gazette.example/b"),
        ("", None),
    ],
)
def test_canonical_url_is_absolute_and_of_the_web(link, canonical):
    assert article(link).canonical_url == canonical


def test_address_in_place_of_the_author_is_no_name():
    assert article(meta("article:author", "https://social.example/gazette")).author is None


@pytest.mark.parametrize(
    "script",
    [
        "{broken",
        "[" * 100_000,
        '{"@type": ["NewsArticle"], "author": [[1]], "image": [{}], "datePublished": 7}',
        '"text"',
        "null",
    ],
)
def test_broken_json_ld_is_passed_over(script):
    found = article(f'<script type="application/ld+json">{script}</script>')
    assert found.title == "Bread from old stones"
    assert found.author is None


def test_json_ld_with_half_a_surrogate_pair_can_still_be_written():
    data = '{"@type": "Article", "author": "A\\ud800da", "headline": "\\ud800", "image": "/\\ud800.png"}'
    found = article(f'<script type="application/ld+json">{data}</script>')
    assert found.author == "A?da"
    json.dumps(found.to_dict(), ensure_ascii=False).encode()


def test_language_of_the_page():
    assert article().language == "en"
