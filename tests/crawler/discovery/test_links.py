"""The links that a reader could follow, absolute and each once."""

from urllib.parse import urljoin

import pytest

from crawler.discovery.links import MOST_LINKS, MOST_NUMBERED, absolute, page_links
from crawler.discovery.pagination import pagination
from extractors.html.urls import normalise

PAGE = "http://site.example/news/list.html"


def urls(html, url=PAGE):
    return [link.url for link in page_links(html.encode(), url, "text/html; charset=utf-8").links]


def test_the_base_element_moves_relative_links():
    assert urls('<base href="/archive/"><a href="1.html">1</a>') == ["http://site.example/archive/1.html"]


def test_a_url_counts_once_with_its_first_readable_text():
    html = '<a href="/a#top"><img src="a.png"></a><a href="/a?utm_source=x">The  title\n here</a><a href="/a">more</a>'
    found = page_links(html.encode(), PAGE).links
    assert [(link.url, link.text) for link in found] == [("http://site.example/a", "The title here")]


@pytest.mark.parametrize("href", ["javascript:void(0)", "mailto:a@site.example", "ftp://site.example/a", "http://[x/"])
def test_what_is_no_web_address_is_left_out(href):
    assert urls(f'<a href="{href}">x</a><a href="/a">a</a>') == ["http://site.example/a"]


def test_of_link_elements_only_the_next_page_counts():
    html = '<head><link rel="stylesheet" href="/a.css"><link rel="next" href="/news/list_2.html"></head>'
    found = page_links(html.encode(), PAGE).links
    assert [(link.url, link.rel) for link in found] == [("http://site.example/news/list_2.html", "next")]


def test_an_endless_list_is_cut_and_says_so():
    found = page_links("".join(f'<a href="/{n}">{n}</a>' for n in range(MOST_LINKS + 1)).encode(), PAGE)
    assert (len(found.links), found.truncated) == (MOST_LINKS, True)


@pytest.mark.parametrize("base", [PAGE, "http://site.example:8080/a/", "http://SITE.example/", "https://[::1]/", ""])
@pytest.mark.parametrize(
    "href",
    ["/a/1.html", "/a/./b", "/./a", "/../a", "//other.example/a", "http://site.example/a//b", "http://site.example",
     "http://Site.example/A", "http://site.example/a%7eb?utm_source=x&b=1#c", "http://site.example/.a/..b/c..", "/é",
     "http://a.b//c", "/\\evil.example/"],
)  # fmt: skip
def test_an_address_has_its_one_spelling(base, href):
    found = absolute(base, href)
    assert found == (normalise(urljoin(base, href.replace("\\", "/"))) if base or href.startswith("http") else None)


# Addresses that scripts and options hold


@pytest.mark.parametrize(
    "html",
    [
        '<select><option value="/news/list_2.html">2</option><option value="us">US</option></select>',
        '<div data-href="list_2.html"><p>a card</p></div>',
        """<span onclick="location.href='/news/list_2.html'">2</span>""",
        """<a href="javascript:;" onclick="goTo('/news/list_2.html', 2)">2</a>""",
        """<a href="javascript:location='list_2.html'">2</a>""",
    ],
)
def test_addresses_in_options_attributes_and_short_scripts_are_links(html):
    assert urls(html) == ["http://site.example/news/list_2.html"]


def test_further_pages_of_which_a_script_knows_the_number_are_links():
    script = '<script>createPageHTML({}, 0, "index", "html");</script>'
    found = page_links(script.format(3).encode(), PAGE).links
    further = ["http://site.example/news/index_1.html", "http://site.example/news/index_2.html"]
    assert [(link.url, link.text) for link in found] == [(further[0], "2"), (further[1], "3")]
    assert pagination("http://site.example/news/", found) == further
    assert len(urls(script.format(99999))) == MOST_NUMBERED - 1
    assert urls(script.format(1)) == []


@pytest.mark.parametrize(
    "html",
    [
        '<button data-next="/news/list?cursor=abc"></button>',
        '<button class="load-more" data-url="/news/list?cursor=abc">…</button>',
        '<div id="infinite-next" hx-get="/news/list?cursor=abc"></div>',
        '<button data-url="/news/list?cursor=abc">加载更多</button>',
    ],
)
def test_what_says_it_brings_more_of_the_list_is_its_next_page(html):
    found = page_links(html.encode(), PAGE, "text/html; charset=utf-8").links
    assert [(link.url, link.rel) for link in found] == [("http://site.example/news/list?cursor=abc", "next")]


@pytest.mark.parametrize(
    "html",
    [
        '<div data-url="/list?page={{page}}"></div>',
        '<div data-url="#top" data-next="2" data-more="true"></div>',
        """<a onclick="load('/list?page=' + page)">more</a>""",
        """<a href="javascript:void(0)" onclick="show('menu')">menu</a>""",
    ],
)
def test_templates_and_other_values_are_no_addresses(html):
    assert urls(html) == []


# Feeds


def test_feeds_of_the_head_are_named_and_are_no_links():
    html = (
        '<link rel="alternate" type="application/rss+xml" href="/feed">'
        '<link rel="alternate" type="application/atom+xml; charset=utf-8" href="/atom.xml">'
        '<link rel="alternate" type="text/html" hreflang="en" href="/en/">'
        '<link rel="alternate" type="application/rss+xml" title="Comments Feed" href="/comments/feed">'
    )
    found = page_links(html.encode(), PAGE)
    assert (found.feeds, found.links) == (["http://site.example/feed", "http://site.example/atom.xml"], [])


def test_a_link_to_rss_is_a_feed_too():
    html = b'<a href="/rss/news.xml">RSS</a><a href="/rss.xml">RSS</a>'
    assert page_links(html, PAGE).feeds == ["http://site.example/rss.xml"]


@pytest.mark.parametrize(
    ("href", "url"),
    [
        (r"\news\1.html", "http://site.example/news/1.html"),
        (r"\\other.example\1.html", "http://other.example/1.html"),
        ("///other.example/1.html", "http://other.example/1.html"),
        (r"\/\//other.example/1.html", "http://other.example/1.html"),
        ("http:////other.example/1.html", "http://other.example/1.html"),
        (r"1.html?a\b", r"http://site.example/news/1.html?a%5Cb"),
    ],
)
def test_slashes_and_backslashes_are_read_as_in_browsers(href, url):
    assert absolute(PAGE, href) == url


def test_queries_are_sent_in_the_encoding_of_the_page():
    page = '<meta charset="gbk"><a href="/搜索?q=中文&amp;b=é#中">x</a>'
    assert (
        page_links(page.encode("gbk"), PAGE).links[0].url
        == "http://site.example/%E6%90%9C%E7%B4%A2?q=%D6%D0%CE%C4&b=%A8%A6"
    )
    assert (
        page_links(page.replace("gbk", "utf-8").encode(), PAGE).links[0].url.endswith("?q=%E4%B8%AD%E6%96%87&b=%C3%A9")
    )
    latin = '<meta charset="latin1"><a href="/?q=é中">x</a>'.encode("latin1", "ignore").replace(
        b"\xe9", b"\xe9&#20013;"
    )
    assert page_links(latin, PAGE).links[0].url.endswith("?q=%E9%26%2320013%3B")


@pytest.mark.parametrize("href", ["http://gaze\x9b/", "http://a b/", "http://a\u3000b.example/", "http://a<b/"])
def test_what_cannot_be_a_host_is_no_link(href):
    assert absolute(PAGE, href) is None
