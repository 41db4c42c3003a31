"""Walks on simulated sites: a map from a page's path to the paths it links, some with a text."""

import pytest

from crawler.discovery import TRIES_PER_SHAPE, Walk, fruitful_lists
from crawler.links import Link
from crawler.listings import Listing
from crawler.pagination import pagination, shape_of
from crawler.patterns import Pattern

HOST = "http://site.example"
ARTICLES = "/a/{id}.html"


def pattern(text):
    return Pattern.parse(text, HOST)


def link(entry):
    path, text = entry if isinstance(entry, tuple) else (entry, "")
    return Link(path if path.startswith("http") else HOST + path, text)


class Outing:
    """Walks a site to the end. `read` are the list pages in order, `articles` what was found, as paths."""

    def __init__(self, site, starts=("/a/",), *, known=(), articles=ARTICLES, follow=(), **options):
        starts, fruitful, spares = (
            [HOST + path for path in paths]
            for paths in (starts, options.pop("fruitful", ()), options.pop("spares", ()))
        )
        self.walk = Walk(
            pattern(articles),
            starts,
            [pattern(text) for text in follow],
            fruitful=fruitful,
            spares=spares,
            **{"look_for_sitemaps": False} | options,
        )
        self.read, self.articles, self.known = [], set(), set(known)
        while page := self.walk.next_page():
            self._read(page, site)

    def _read(self, page, site):
        path = page.url.removeprefix(HOST)
        self.read.append(path)
        if path not in site:
            if page.kind == "start":
                self.walk.missed()
            return
        links = [link(entry) for entry in site[path]]
        found = {taken.link.url.removeprefix(HOST) for taken in self.walk.read(links)}
        new = found - self.known
        self.articles |= found
        self.known |= found
        self.walk.note(page, Listing("page", links), found=len(found), new=len(new))


def numbered(pages, per_page=2):
    """`/a/`, `/a/list_2.html` … each with its articles, newest first, and a link to the next one."""
    paths = ["/a/", *(f"/a/list_{n}.html" for n in range(2, pages + 1))]
    total = pages * per_page
    return {
        path: [f"/a/{total - at * per_page - i}.html" for i in range(per_page)] + paths[at + 1 : at + 2]
        for at, path in enumerate(paths)
    }


# Pagination


def test_pagination_is_followed_to_its_end():
    outing = Outing(numbered(5))
    assert outing.read == ["/a/", *(f"/a/list_{n}.html" for n in range(2, 6))]
    assert len(outing.articles) == 10


def test_numbers_and_next_words_lead_to_further_pages():
    site = {
        "/a/": ["/a/1.html", ("/a/x9", "2"), ("/a/y7.htm", "下一页"), ("/a/z8", "»"), ("/a/w6", "Older posts")],
    }
    assert Outing(site).read == ["/a/", "/a/x9", "/a/y7.htm", "/a/z8", "/a/w6"]


@pytest.mark.parametrize(
    "url",
    ["/a/?page=2", "/a/page/2/", "/a/list_2.html", "/a/index_2.shtml", "/a/p2", "/a/?start=20", "/a/list-12-2.htm"],
)
def test_a_url_that_says_page_needs_no_text(url):
    assert pagination(HOST + "/a/", [link(url)]) == [HOST + url]


@pytest.mark.parametrize(
    "entry",
    [("/b/list_2.html", "2"), ("http://other.example/a/list_2.html", "2"), "/a/2.pdf", ("/a/about", "About"), "/a/"],
)
def test_other_sections_hosts_and_files_are_no_pagination(entry):
    assert pagination(HOST + "/a/", [link(entry)]) == []


def test_the_second_page_knows_the_third():
    assert pagination(HOST + "/posts/page/2/", [link("/posts/page/3/")]) == [HOST + "/posts/page/3/"]


def test_rel_next_is_enough():
    assert pagination(HOST + "/a/", [Link(HOST + "/a/more", "", "next")]) == [HOST + "/a/more"]


def test_the_same_page_is_read_once():
    pages = ["/a/list_2.html", "/a/list_3.html"]
    site = {"/a/": pages} | {page: ["/a/", *pages, "/a/1.html"] for page in pages}
    assert Outing(site).read == ["/a/", *pages]


# Articles and lists


def test_article_links_are_never_read_as_lists():
    site = {
        "/a/": [("/a/1.html", "2"), "/a/list_2.html"],
        "/a/list_2.html": ["/a/2.html"],
        "/a/1.html": ["/a/99.html", "/a/list_3.html"],
    }
    outing = Outing(site)
    assert "/a/1.html" not in outing.read
    assert outing.articles == {"/a/1.html", "/a/2.html"}


def test_links_keep_their_place_in_the_page():
    taken = Walk(pattern(ARTICLES), [HOST + "/a/"]).read([link("/x"), link("/a/2.html"), link("/a/1.html")])
    assert [(found.link.url, found.position) for found in taken] == [(HOST + "/a/2.html", 1), (HOST + "/a/1.html", 2)]


# Following


def chain(length):
    """`/a/` → `/topic/x.htm` → `/topic/xx.htm` …, each a hop further away."""
    pages = ["/a/", *(f"/topic/{'x' * n}.htm" for n in range(1, length + 1))]
    return {page: [f"/a/{at}.html", *pages[at + 1 : at + 2]] for at, page in enumerate(pages)}


def test_follow_patterns_are_read_to_their_depth():
    hops = [len(Outing(chain(6), follow=["/topic/*.htm"], depth=depth).read) - 1 for depth in (0, 1, 3)]
    assert hops == [0, 1, 3]


def test_with_follow_nothing_else_is_explored():
    site = {"/": ["/sports", "/a/y1/list_1.html"], "/a/y1/list_1.html": ["/a/1.html", "/culture"]}
    assert Outing(site, ["/"], follow=["/a/*/list_{id}.html"]).read == ["/", "/a/y1/list_1.html"]


# Exploring


def test_a_sections_own_start_page_is_not_left():
    site = {"/a/": ["/a/1.html", "/about", "/sports"], "/about": [], "/sports": []}
    assert Outing(site).read == ["/a/"]


def test_from_the_home_page_the_section_is_found():
    site = {"/": ["/a/", "/sports"], "/a/": ["/a/1.html"], "/sports": []}
    outing = Outing(site, ["/"])
    assert outing.articles == {"/a/1.html"}


def test_exploring_stays_on_the_site():
    site = {"/": ["http://other.example/a/", "/style.css"]}
    assert Outing(site, ["/"]).read == ["/"]


def test_a_shape_that_brings_nothing_dries_up():
    site = {"/": [f"/topic/{n}.htm" for n in range(100)]} | {f"/topic/{n}.htm": [] for n in range(100)}
    assert len(Outing(site, ["/"]).read) == 1 + TRIES_PER_SHAPE


def test_a_shape_that_brings_articles_is_read_on():
    topics = [f"/topic/{n}.htm" for n in range(40)]
    site = {"/": topics} | {topic: [f"/a/{n}.html"] for n, topic in enumerate(topics)}
    assert len(Outing(site, ["/"]).articles) == 40


def test_a_calendar_without_end_is_bounded():
    class Calendar(dict):
        def __contains__(self, path):
            return True

        def __getitem__(self, path):
            day = int(path.rpartition("_")[2].removesuffix(".html") or 1) if "_" in path else 1
            return [f"/a/list_{day + 1}.html"]

    outing = Outing(Calendar(), most_lists=5)
    assert len(outing.read) == 5
    assert outing.walk.limits == ["stopped after 5 list pages"]


# Later walks


def test_a_complete_walk_stops_where_all_is_known():
    site = numbered(6)
    known = {path for path in Outing(site).articles if path not in ("/a/12.html", "/a/11.html", "/a/10.html")}
    assert Outing(site, known=known, complete=True).read == ["/a/", "/a/list_2.html", "/a/list_3.html"]


def test_an_incomplete_walk_goes_through_known_pages():
    site = numbered(6)
    assert len(Outing(site, known=Outing(site).articles).read) == 6


def test_lists_that_brought_something_are_read_again():
    site = {"/": [], "/topic/7.htm": ["/a/1.html"]}
    assert Outing(site, ["/"], complete=True, fruitful=["/topic/7.htm"]).articles == {"/a/1.html"}


def test_fruitful_lists_are_those_that_brought_links_best_first():
    brought = {"/x": 1, "/y": 5, "/dry": 0, "/start": 9}
    assert fruitful_lists(brought, ["/start"]) == ["/y", "/x"]
    assert fruitful_lists(brought, [], most=1) == ["/start"]


# Spare starts


def test_a_spare_start_is_tried_where_the_first_is_missing_or_bare():
    site = {"/b/": ["/imprint"], "/": ["/a/1.html"]}
    assert Outing(site, ["/a/"], spares=["/b/", "/"]).articles == {"/a/1.html"}


def test_a_start_that_brings_articles_needs_no_spare():
    assert Outing({"/a/": ["/a/1.html"], "/": []}, spares=["/"]).read == ["/a/"]


# Shapes


@pytest.mark.parametrize(
    ("url", "shape"),
    [
        ("http://h/topic/17.html", "/topic/0.html"),
        ("http://h/2026/11/list_3.html", "/0/0/list_0.html"),
        ("http://h/news/about.html", "/news/*.html"),
        ("http://h/news/sports/", "/news/*/"),
        ("http://h/list?page=3&cat=2", "/*?cat&page"),
    ],
)
def test_urls_of_one_template_have_one_shape(url, shape):
    assert shape_of(url) == shape
