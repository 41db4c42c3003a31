"""The public calls."""

import json
import subprocess
import sys
from datetime import UTC, datetime
from functools import partial

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from extractors import Article, NoArticle, Section, UnusablePage, extract
from extractors.registry import METHODS, NEED_EXAMPLE
from tests.samples import sample

from .pages import BAKERY, HARBOUR, news_page

EXAMPLE = news_page("Tides", HARBOUR)
SECTION = Section(EXAMPLE)
URLS = [None, "", "http://[", "https://a.example", "https://a.example/?page=2&%ff", "HTTP://A.example//x//"]
MARKUP = st.lists(
    st.sampled_from(["<p>", "</p>", "<pre>", "<br>", "<table>", "<tr>", "<td>", "<li>", "<div>", "<h1>", "<title>"])
    | st.sampled_from(
        ["<h2>", "<a href='/x-1'>", "<a href='//[", "<img>", "<link rel=canonical href='http://a.example/%'>"]
    )
    | st.sampled_from(["<!--", "<script>", "<a href=", '"', "&#0;", "\0", "作者：", "2024-03-05", "prose " * 20])
    | st.sampled_from(['<meta charset="gbk">', '<meta property="og:title" content="', '<p style="display:none">'])
    | st.just('<script type="application/ld+json">{"@type": "Article", "headline": ')
    | st.text(max_size=8)
).map(lambda pieces: "".join(pieces).encode("utf-8", "surrogatepass"))


@settings(max_examples=sample(100, 1_000))
@given(st.binary() | MARKUP, st.sampled_from(sorted(METHODS.keys() - NEED_EXAMPLE)), st.sampled_from(URLS))
@example(b"", "auto", None)
@example(b"\xff\xfe", "auto", None)
@example(b"<div>" * 3_000, "auto", None)
def test_any_bytes_give_an_article_no_article_or_unusable_page(data, method, url):
    for call in (SECTION.extract, partial(extract, method=method)):
        try:
            result = call(data, url)
        except UnusablePage:
            continue
        assert isinstance(result, Article | NoArticle)
        assert result.reason
        assert isinstance(result, NoArticle) != bool(result)
        json.dumps(result.to_dict(), ensure_ascii=False).encode()


def test_bytes_and_text_give_the_same():
    page = news_page("Bread", BAKERY)
    assert extract(page.encode(), example=EXAMPLE.encode()) == extract(page, example=EXAMPLE)


@pytest.mark.parametrize(
    "data", [b"%PDF-1.4\n" + b"1 0 obj " * 99, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"WARC/1.1\r\n" * 99]
)
def test_binary_data_and_archives_are_no_page(data):
    with pytest.raises(UnusablePage, match="binary data"):
        extract(data)


def test_http_header_names_the_encoding():
    page = news_page("Brötchen", [text.replace("o", "ö") for text in BAKERY]).encode("iso-8859-2")
    assert "Brötchen" in extract(page, content_type="text/html; charset=iso-8859-2").title


@pytest.mark.parametrize(("method", "nearest"), [("exampel", "example"), ("Density", "density"), ("", "auto")])
def test_unknown_method_names_the_known_ones_and_the_nearest(method, nearest):
    with pytest.raises(ValueError, match="auto, example, density") as error:
        Section(EXAMPLE, method=method)
    assert method == "" or repr(nearest) in str(error.value)


def test_method_example_needs_one():
    with pytest.raises(ValueError, match="needs an example"):
        extract(EXAMPLE, method="example")


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"html": None}, "html"),
        ({"html": 7}, "html"),
        ({"html": "<p>", "example": 7}, "example"),
    ],
)
def test_argument_of_the_wrong_type_is_named(arguments, name):
    with pytest.raises(TypeError, match=f"^{name} must be "):
        extract(**arguments)


def test_fetch_time_without_zone_is_refused():
    with pytest.raises(ValueError, match="time zone"):
        extract(EXAMPLE, fetched_at=datetime(2024, 3, 5))
    assert extract(EXAMPLE, fetched_at=datetime(2024, 3, 5, tzinfo=UTC))


def test_import_brings_nothing_heavy_along():
    code = "import sys, extractors; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "lxml", "rapidfuzz", "scrapy", "redis", "rq"} & set(loaded)
