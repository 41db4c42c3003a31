"""The links that a reader could follow, absolute and each once."""

import pytest

from crawler.links import MOST_LINKS, links_of

PAGE = "http://site.example/news/list.html"


def urls(html, url=PAGE):
    return [link.url for link in links_of(html.encode(), url, "text/html; charset=utf-8")]


def test_links_are_absolute_in_the_order_of_the_page():
    html = '<a href="b.html">b</a><map><area href="/a.html"></map><a href="//other.example/c">c</a>'
    assert urls(html) == ["http://site.example/news/b.html", "http://site.example/a.html", "http://other.example/c"]


def test_the_base_element_moves_relative_links():
    assert urls('<base href="/archive/"><a href="1.html">1</a>') == ["http://site.example/archive/1.html"]


def test_a_url_counts_once_with_its_first_readable_text():
    html = '<a href="/a#top"><img src="a.png"></a><a href="/a?utm_source=x">The  title\n here</a><a href="/a">more</a>'
    assert [(link.url, link.text) for link in links_of(html.encode(), PAGE)] == [
        ("http://site.example/a", "The title here")
    ]


@pytest.mark.parametrize("href", ["javascript:void(0)", "mailto:a@site.example", "ftp://site.example/a", "http://[x/"])
def test_what_is_no_web_address_is_left_out(href):
    assert urls(f'<a href="{href}">x</a><a href="/a">a</a>') == ["http://site.example/a"]


def test_of_link_elements_only_the_next_page_counts():
    html = '<head><link rel="stylesheet" href="/a.css"><link rel="next" href="/news/list_2.html"></head>'
    found = links_of(html.encode(), PAGE)
    assert [(link.url, link.rel) for link in found] == [("http://site.example/news/list_2.html", "next")]


def test_chinese_pages_are_read_in_their_own_encoding():
    html = '<meta charset="gb2312"><a href="/a">下一页</a>'.encode("gbk")
    assert links_of(html, PAGE)[0].text == "下一页"


@pytest.mark.parametrize(
    "body", [b"", b" ", b"\x00\x01\x02", b"plain text", b"<a href=", b"<!-- <a href='/x'>x</a> -->"]
)
def test_a_page_without_links_has_none(body):
    assert links_of(body, PAGE) == []


def test_endless_lists_are_cut():
    assert len(urls("".join(f'<a href="/{n}">{n}</a>' for n in range(MOST_LINKS + 10)))) == MOST_LINKS
