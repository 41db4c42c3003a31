"""Walks on simulated sites: a map from a page's path to the paths it links, some with a text."""

import pytest

from crawler.discovery import walk
from crawler.discovery.crawl_state import WalkMemory
from crawler.discovery.links import ListContent, PageLink
from crawler.discovery.list_yield import ListYield
from crawler.discovery.listings import ListPage
from crawler.discovery.pagination import pagination, shape_of
from crawler.discovery.walk import (
    MOST_BELOW,
    MOST_WITHOUT_ARTICLES,
    REPEATS_MOST,
    SHIFTS_MORE,
    TRIES_PER_SHAPE,
    Walk,
    WalkPlan,
)
from crawler.patterns.pattern import Pattern
from crawler.scouting.trial import judged
from workers.url_states import fingerprint

HOST = "http://site.example"
ARTICLES = "/a/{id}.html"


def pattern(text):
    return Pattern.parse(text, HOST)


def link(entry):
    path, text = entry if isinstance(entry, tuple) else (entry, "")
    return PageLink(path if path.startswith("http") else HOST + path, text)


class Outing:
    """Walks a site to the end. `read` are the list pages in order, `articles` what was found, as paths.

    A robots.txt or sitemap that the site does not have is not noted.
    """

    def __init__(self, site, starts=("/a/",), *, known=(), articles=ARTICLES, follow=(), **options):
        starts, productive, fallback_starts = (
            [HOST + path for path in paths]
            for paths in (starts, options.pop("productive", ()), options.pop("fallback_starts", ()))
        )
        self.walk = Walk(
            WalkPlan(
                pattern(articles),
                starts,
                [pattern(text) for text in follow],
                productive=productive,
                fallback_starts=fallback_starts,
                **options,
            )
        )
        self.read, self.articles, self.known = [], set(), set(known)
        while page := self.walk.next_page():
            self._read(page, site)

    def _read(self, page, site):
        path = page.url.removeprefix(HOST)
        if path in site or page.kind not in ("robots", "sitemap"):
            self.read.append(path)
        if path not in site:
            self.walk.record_failure(page)
            return
        said = site[path]
        listing = said if isinstance(said, ListContent) else ListContent("page", [link(entry) for entry in said])
        links = listing.links
        found = {taken.link.url.removeprefix(HOST) for taken in self.walk.article_links(links)}
        new = found - self.known
        self.articles |= found
        self.known |= found
        self.walk.record_read(page, listing, found=len(found), new=len(new))


def numbered(pages, per_page=2):
    """`/a/`, `/a/list_2.html` … each with its articles, newest first, and a link to the next one."""
    paths = ["/a/", *(f"/a/list_{n}.html" for n in range(2, pages + 1))]
    total = pages * per_page
    return {
        path: [f"/a/{total - at * per_page - i}.html" for i in range(per_page)] + paths[at + 1 : at + 2]
        for at, path in enumerate(paths)
    }


class Endless(dict):
    """A pagination without an end: each list has the links that `links` gives for its number, and one to the next."""

    def __init__(self, links):
        self.links = links

    def __contains__(self, path):
        return path.startswith("/a/")

    def __getitem__(self, path):
        number = int(path.rpartition("_")[2].removesuffix(".html") or 1) if "_" in path else 1
        return [*self.links(number), f"/a/list_{number + 1}.html"]


# Pagination


def test_numbers_and_next_words_lead_to_further_pages():
    site = {"/a/": ["/a/1.html", ("/a/x9", "2"), ("/a/y7.htm", "下一页"), ("/a/z8", "»"), ("/a/w6", "Older posts")]}
    assert Outing(site).read == ["/a/", "/a/x9", "/a/y7.htm", "/a/z8", "/a/w6"]


@pytest.mark.parametrize(
    "url",
    [
        "/a/?page=2",
        "/a/page/2/",
        "/a/list_2.html",
        "/a/p2",
        "/a/?start=20",
        "/a/more?page=2",
    ],
)
def test_a_url_that_says_page_needs_no_text(url):
    assert pagination(HOST + "/a/", [link(url)]) == [HOST + url]


@pytest.mark.parametrize(
    "entry",
    [("/b/list_2.html", "2"), ("http://other.example/a/list_2.html", "2"), "/a/2.pdf", ("/a/about", "About"), "/a/"],
)
def test_other_sections_hosts_and_files_are_no_pagination(entry):
    assert pagination(HOST + "/a/", [link(entry)]) == []


@pytest.mark.parametrize(
    ("page", "url"), [("/news.html", "/news_2.html"), ("/n/c12.htm", "/n/c12_3.htm"), ("/n/c12_2.htm", "/n/c12.htm")]
)
def test_pages_of_one_name_with_a_number_are_one_list(page, url):
    assert pagination(HOST + page, [link(url)]) == [HOST + url]


@pytest.mark.parametrize("entry", [("/list.php?cat=3&page=2", "下一页"), ("/ajax/list_2.json?x=1", "Load more")])
def test_a_text_that_means_nothing_else_counts_on_the_whole_host(entry):
    path, text = entry
    assert pagination(HOST + "/a/", [PageLink(HOST + path, text, "next" if ".json" in path else "")]) == [HOST + path]


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


# Following


def chain(length):
    """`/a/` → `/topic/x.htm` → `/topic/xx.htm` …, each a hop further away."""
    pages = ["/a/", *(f"/topic/{'x' * n}.htm" for n in range(1, length + 1))]
    return {page: [f"/a/{at}.html", *pages[at + 1 : at + 2]] for at, page in enumerate(pages)}


def test_follow_patterns_are_read_to_their_depth():
    hops = [len(Outing(chain(6), follow=["/topic/*.htm"], depth=depth).read) - 1 for depth in (0, 1, 3)]
    assert hops == [0, 1, 3]


# Exploring


@pytest.mark.parametrize("start", ["/", "/a/"])
def test_a_home_page_and_a_section_without_articles_are_explored(start):
    site = {"/": ["/a/1.html", "/news/"], "/a/": ["/news/"], "/news/": ["/a/2.html"]}
    assert "/a/2.html" in Outing(site, [start]).articles


def test_a_later_walk_explores_if_the_start_page_has_no_articles_any_more():
    site = {"/": ["/news/"], "/news/": ["/a/2.html"]}
    assert Outing(site, ["/"], complete=True).articles == {"/a/2.html"}
    assert Outing(site | {"/": ["/a/1.html", "/news/"]}, ["/"], complete=True).read == ["/"]
    assert Outing(site | {"/x/": []}, ["/"], complete=True, productive=["/x/"]).read == ["/", "/x/"]


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


def test_a_calendar_without_end_is_bounded(monkeypatch):
    monkeypatch.setattr(walk, "MOST_LISTS", 5)
    outing = Outing(Endless(lambda day: []))
    assert len(outing.read) == 5
    assert list(outing.walk.limits) == ["stopped after 5 list pages"]


def test_a_calendar_without_articles_is_left_soon():
    calendar = {"/a/": ["/a/1.html", "/a/list_1.html"]}
    calendar |= {f"/a/list_{n}.html": [f"/a/list_{n + 1}.html", f"/a/d{n}"] for n in range(1, 99)}
    outing = Outing(calendar)
    assert len(outing.read) == 1 + MOST_WITHOUT_ARTICLES + 1
    assert next(iter(outing.walk.limits)).endswith("10 pages in a row without an article; not followed further")


def test_pages_that_show_the_same_again_are_not_followed_on():
    site = {"/a/": ["/a/1.html", "/a/2.html", "/about", "/a/?page=2"]}
    site |= {f"/a/?page={n}": ["/a/2.html", "/a/1.html", "/about", f"/a/?page={n + 1}"] for n in range(2, 99)}
    most = 1 + 1 + SHIFTS_MORE + 1  # one page may be repeated once, or more if the section grows again
    assert len(Outing(site).read) == len(Outing(site, complete=True).read) == most
    assert Outing(site, complete=True, known=["/a/1.html", "/a/2.html"]).read == ["/a/"]


def test_many_circles_are_left_at_once():
    sections = [f"/{letter}/" for letter in "abcdefghijklmnopqrst"]
    site = {"/": ["/a/1.html", *sections]}
    site |= {path: [f"/a/{place + 2}.html", f"{path}?page=2"] for place, path in enumerate(sections)}
    site |= {
        f"{path}?page={n}": [f"/a/{place + 2}.html", f"{path}?page={n + 1}"]
        for place, path in enumerate(sections)
        for n in range(2, 99)
    }
    outing = Outing(site, ["/"], follow=["/*/"])
    assert len(outing.articles) == 1 + len(sections)
    assert len(outing.read) <= 1 + 2 * len(sections) + REPEATS_MOST
    assert any("repeat the links of earlier pages" in remark for remark in outing.walk.remarks)


class Growing(dict):
    """A section of `/a/`, `/a/?page=2` … that gets new articles on top: so many before each list is read."""

    def __init__(self, articles, growth, per_page=10, other=list):
        self.articles = [f"/a/{n}.html" for n in range(articles, 0, -1)]
        self.growth, self.per_page, self.other = dict(growth), per_page, other
        self.reads = 0

    def __contains__(self, path):
        return path.startswith("/a/")

    def __getitem__(self, path):
        top = len(self.articles)
        self.articles[:0] = [f"/a/{top + n}.html" for n in range(self.growth.get(self.reads, 0), 0, -1)]
        self.reads += 1
        page = int(path.partition("=")[2] or 1)
        end = page * self.per_page
        further = [f"/a/?page={page + 1}"] if end < len(self.articles) else []
        return [*self.articles[end - self.per_page : end], *self.other(), *further]


GROWTHS = [{1: 10}, {1: 10, 2: 10, 3: 10}, {4: 100}, {3: 10, 9: 20, 15: 10}, {2: 7, 4: 13}]


@pytest.mark.parametrize("growth", GROWTHS)
def test_a_section_that_grows_by_whole_pages_during_its_first_walk_is_read_to_its_end(growth):
    site = Growing(300, growth)
    first = Outing(site)
    assert {f"/a/{n}.html" for n in range(1, 301)} <= first.articles
    later = Outing(Growing(len(site.articles), {}), known=first.articles, complete=True)
    assert later.articles | first.articles == set(site.articles)


@pytest.mark.parametrize("growth", GROWTHS)
def test_a_section_that_grows_by_whole_pages_during_a_later_walk_is_read_to_what_was_known(growth):
    known = {f"/a/{n}.html" for n in range(1, 101)}
    site = Growing(300, growth)
    later = Outing(site, known=known, complete=True)
    assert {f"/a/{n}.html" for n in range(101, 301)} <= later.articles
    last = Outing(Growing(len(site.articles), {}), known=known | later.articles, complete=True)
    assert last.articles | later.articles | known == set(site.articles)
    assert len(last.read) <= 20


@pytest.mark.parametrize("complete", [False, True])
def test_a_section_that_grew_as_fast_as_it_was_read_is_read_to_its_end_by_the_next_walk(complete):
    known = {f"/a/{n}.html" for n in range(1, 11)} if complete else set()
    site = Growing(200, dict.fromkeys(range(10, 40), 10))
    first = Outing(site, known=known, complete=complete)
    assert not {f"/a/{n}.html" for n in range(11, 201)} <= first.articles, "it was not taken for a loop"
    later = Outing(
        Growing(len(site.articles), {}),
        known=known | first.articles,
        complete=True,
        unread=first.walk.unclear,
        fresh=first.walk.fresh,
    )
    assert first.articles | later.articles | known == set(site.articles)
    assert later.walk.unclear == []


def test_a_real_loop_is_read_once_more_and_then_left():
    site = {"/a/": ["/a/1.html", "/a/2.html", "/a/?page=2"]}
    site |= {f"/a/?page={n}": ["/a/2.html", "/a/1.html", f"/a/?page={n + 1}"] for n in range(2, 99)}
    first = Outing(site)
    later = Outing(site, known=first.articles, complete=True, unread=first.walk.unclear, fresh=first.walk.fresh)
    assert first.walk.unclear
    assert not later.walk.unclear
    assert len(later.read) <= 2 * len(first.read)


def test_a_circle_whose_pages_have_other_links_each_time_is_left():
    boxes = iter(range(1000, 9000))
    site = Growing(10, {}, other=lambda: [f"/about/{next(boxes)}"])
    site.articles *= 200  # each page shows the same articles
    outing = Outing(site, known=[], complete=True)
    assert len(outing.read) == 1 + 1 + SHIFTS_MORE + 1


def test_an_endless_pagination_ends():
    outing = Outing(Endless(lambda number: [f"/a/{number}.html"]))
    assert len(outing.read) == 1 + MOST_BELOW
    assert list(outing.walk.limits) == [f"{HOST}/a/: stopped after {MOST_BELOW} further pages of it"]


# Feeds


def feed(*paths, home="", further=()):
    return ListContent("feed", [link(path) for path in paths], next=[HOST + path for path in further], home=home)


def test_a_feed_may_be_the_start_and_goes_on_to_its_further_pages():
    site = {"/feed": feed("/a/3.html", further=["/feed?p=2"]), "/feed?p=2": feed("/a/2.html", "/a/1.html")}
    assert Outing(site, ["/feed"]).articles == {"/a/1.html", "/a/2.html", "/a/3.html"}


def full_feed():
    return {"/feed": feed("/a/4.html", "/a/3.html", home=HOST + "/a/"), **numbered(4)}


def test_of_a_start_feed_the_archive_is_that_of_its_page():
    assert len(Outing(full_feed(), ["/feed"]).articles) == 8


def test_where_all_in_a_feed_is_new_its_page_is_read_as_well():
    known = {f"/a/{n}.html" for n in (1, 2)}
    assert "/a/" in Outing(full_feed(), ["/feed"], known=known, complete=True).read


def test_where_something_in_a_feed_is_known_it_is_enough():
    known = {f"/a/{n}.html" for n in range(1, 9) if n != 4}
    assert Outing(full_feed(), ["/feed"], known=known, complete=True).read == ["/feed"]


# Later walks


def test_productive_lists_are_those_that_led_to_new_articles_best_first():
    list_yield = ListYield(WalkMemory(new_by_list={"/x": 1, "/y": 5, "/dry": 0, "/start": 9}))
    assert list_yield.productive(["/start"]) == ["/y", "/x"]


def test_a_list_at_which_a_run_broke_off_is_read_as_if_it_had_news():
    site = numbered(6)
    unread = [ListPage(HOST + "/a/list_2.html", "next", 0, HOST + "/a/")]
    outing = Outing(site, known=Outing(site).articles, complete=True, unread=unread)
    assert outing.read == ["/a/", "/a/list_2.html", "/a/list_3.html"]


def test_a_walk_goes_on_behind_articles_that_an_interrupted_one_found():
    site = numbered(6)
    known = {f"/a/{number}.html" for number in (12, 11, 10, 9, 8, 7, 2, 1)}
    fresh = {fingerprint(f"{HOST}/a/{number}.html") for number in (12, 11, 10, 9, 8, 7)}
    assert len(Outing(site, known=known, complete=True, fresh=fresh).articles) == 12
    assert Outing(site, known=known, complete=True).read == ["/a/"]


# Reasons


def test_each_link_is_judged_with_its_reason():
    links = [
        link(each)
        for each in ["/a/1.html", "/a/", "/t/x", "/a/list_2.html", "http://other.example/a/1.html",
                     "/a/1.pdf", "/about"]
    ]  # fmt: skip
    said = judged(links, pattern(ARTICLES), [pattern("/t/*")], HOST + "/a/")
    assert [(each.taken, each.reason.partition(":")[0]) for each in said] == [
        (True, "matches the pattern"),
        (False, "the list page itself"),
        (False, "a list page to follow"),
        (False, "a further page of the list"),
        (False, "on another host"),
        (False, "a file, not a page"),
        (False, "after 'http"),
    ]
    assert said[-1].reason == pattern(ARTICLES).difference(HOST + "/about")


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
