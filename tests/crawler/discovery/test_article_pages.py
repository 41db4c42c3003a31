"""Which further pages an article has, by its address and its links."""

from datetime import UTC, datetime

import pytest

from crawler.discovery import article_pages as module
from crawler.discovery.article_pages import ArticlePages, further_pages
from workers.inbox import StoredPage

HOST = "http://news.example"


def page(url, *links, extra=""):
    body = "".join(f'<a href="{href}">{text}</a>' for href, text in links)
    return StoredPage(
        url, f"<html><body><p>text</p>{body}{extra}</body></html>".encode(), "text/html", datetime.now(UTC)
    )


@pytest.mark.parametrize(
    ("article", "href", "found"),
    [
        ("/a/166.html", "166_2.html", "/a/166_2.html"),
        ("/a/166.html", "/a/166-2.html", "/a/166-2.html"),
        ("/a/166.html", "./166_p2.html", "/a/166_p2.html"),
        ("/a/166.html", "?page=2", "/a/166.html?page=2"),
        ("/a/166_1.html", "166_2.html", "/a/166_2.html"),
        ("/a/harbour-opens/", "2/", "/a/harbour-opens/2/"),
        ("/a/harbour-opens/", "/a/harbour-opens/page/2/", "/a/harbour-opens/page/2/"),
        ("/a/harbour-opens", "/a/harbour-opens/2", "/a/harbour-opens/2"),
        ("/show?id=166", "/show?id=166&page=2", "/show?id=166&page=2"),
        # threads, as the common engines name their pages
        ("/thread-166-1-1.html", "thread-166-2-1.html", "/thread-166-2-1.html"),  # Discuz!
        ("/viewtopic.php?f=2&t=166", "./viewtopic.php?f=2&amp;t=166&amp;start=10", "/viewtopic.php?f=2&t=166&start=10"),
        ("/threads/tides.166/", "/threads/tides.166/page-2", "/threads/tides.166/page-2"),  # XenForo
        ("/threads/166-tides", "/threads/166-tides/page2", "/threads/166-tides/page2"),  # vBulletin
        ("/item?id=166", "item?id=166&amp;p=2", "/item?id=166&p=2"),  # Hacker News
        ("/p/166", "/p/166?pn=2", "/p/166?pn=2"),  # 贴吧
        ("/read-htm-tid-166.html", "read-htm-tid-166-page-2.html", "/read-htm-tid-166-page-2.html"),  # PHPWind
    ],
)
def test_a_further_page_has_the_articles_address_with_a_number(article, href, found):
    assert list(further_pages(HOST + article, page(HOST + article, (href, "2"))).values()) == [HOST + found]


@pytest.mark.parametrize(
    ("article", "href", "text"),
    [
        ("/a/166.html", "166_2.html", "The harbour opens again"),  # a headline
        ("/a/166.html", "http://other.example/a/166_2.html", "2"),
        ("/a/166.html", "166_2.jpg", "2"),
        ("/a/166.html", "166_1.html", "1"),  # the page itself under another name
        ("/a/166.html", "1166_2.html", "2"),
        ("/a/166.html", "?cpage=2", "2"),  # of the comments
        ("/a/166.html", "?page=2&sort=new", "2"),
        ("/a/harbour-opens/", "comment-page-2/", "2"),
        ("/a/harbour-opens/", "/a/other/2/", "2"),
        ("/show?id=166", "/show?id=167&page=2", "2"),
        ("/thread-166-1-1.html", "thread-167-1-1.html", "next"),  # the next thread
        ("/thread-166-1-1.html", "thread-166-1-2.html", "2"),  # the same page, from another page of the list
        ("/threads/tides.166/", "/threads/tides.166/post-2", "2"),
    ],
)
def test_other_links_are_no_further_pages(article, href, text):
    assert further_pages(HOST + article, page(HOST + article, (href, text))) == {}


def follow(parts, site):
    """Fetch what is requested from a site of pages by URL; returns the order."""
    asked = []
    while (url := parts.next_url()) is not None:
        asked.append(url)
        parts.add(site[url]) if url in site else parts.add_missing(url)
    return asked


def test_a_page_that_leads_back_is_the_end():
    first = HOST + "/a/1.html"
    parts = ArticlePages.after(page(first, ("1_2.html", "next")))
    assert follow(parts, {f"{HOST}/a/1_2.html": page(first, ("1_3.html", "next"))}) == [f"{HOST}/a/1_2.html"]
    assert parts.fetched[1:] == []


def test_an_article_without_end_is_cut_off_and_says_so(monkeypatch):
    monkeypatch.setattr(module, "MOST_PARTS", 3)
    first = HOST + "/a/1.html"
    site = {f"{HOST}/a/1_{n}.html": page(f"{HOST}/a/1_{n}.html", (f"1_{n + 1}.html", "next")) for n in range(2, 30)}
    parts = ArticlePages.after(page(first, ("1_2.html", "next")))
    assert len(follow(parts, site)) == 3
    assert parts.missing == [f"{HOST}/a/1_5.html"]
