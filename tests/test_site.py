"""The sample site serves what it says: other tests and the demo rely on it."""

import http.client
import re
from collections.abc import Iterator
from datetime import date
from html.parser import HTMLParser
from itertools import pairwise
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

import pytest

from console.sample_site import FOLDER
from crawler.task_list.file import loads
from evaluation.sample_site import (
    DEAD_LINKS,
    DESIGNS,
    ENCODINGS,
    EXAMPLES,
    LIST_PATHS,
    PATTERNS,
    PRIVATE,
    SECTIONS,
    STARTS,
    TASK_NAMES,
    tasks_yaml,
    truth,
)
from evaluation.sample_site.__main__ import recording
from tests.site.server import SiteServer

ARTICLE_PATH = {
    "zh": re.compile(r"/zh/news/\d{4}/\d{4}/\d+\.html"),
    "en": re.compile(r"/en/stories/\d{4}/\d{2}/\d{2}/[a-z-]+/"),
}


class Answer(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    body: bytes


def fetch(site: SiteServer, path: str, method: str = "GET") -> Answer:
    """One real request; redirects are not followed."""
    connection = http.client.HTTPConnection(urlsplit(site.url).netloc, timeout=10)
    try:
        connection.request(method, path, headers={"User-Agent": "site-test"})
        response = connection.getresponse()
        return Answer(response.status, response.headers, response.read())
    finally:
        connection.close()


class Links(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value for name, value in attrs if name in {"href", "src"} and value]


def links(html: str) -> list[str]:
    return Links(html).found


def page(site: SiteServer, path: str) -> str:
    section = "zh" if path.startswith("/zh/") else "en"
    return fetch(site, path).body.decode(ENCODINGS[section])


def visible(html: str) -> str:
    """The words of a page: tags and entities gone, white space dropped."""
    text = re.sub(r"<[^>]+>", "", html).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    return re.sub(r"\s", "", text)


@pytest.fixture(params=DESIGNS)
def site(request: pytest.FixtureRequest) -> Iterator[SiteServer]:
    with SiteServer(design=request.param) as server:
        yield server


@pytest.mark.parametrize("section", SECTIONS)
def test_every_block_of_the_truth_is_on_the_articles_page(site, section):
    for article in truth(section):
        words = visible(page(site, article.path))
        assert re.sub(r"\s", "", article.title) in words
        for paragraph in article.text.split("\n"):
            unnumbered = re.sub(r"^\d+\. ", "", paragraph)  # browsers number the items of a list
            assert re.sub(r"\s", "", unnumbered) in words, (article.path, paragraph)


@pytest.mark.parametrize("section", SECTIONS)
def test_truth_is_newest_first_and_each_article_has_its_own_path(section):
    articles = truth(section)
    assert articles == tuple(sorted(articles, key=lambda article: article.published, reverse=True))
    assert len({article.path for article in articles}) == len(articles) == {"zh": 16, "en": 14}[section]
    assert all(ARTICLE_PATH[section].fullmatch(article.path) for article in articles)


@pytest.mark.parametrize("section", SECTIONS)
def test_list_pages_name_every_article(site, section):
    listed = [link for path in LIST_PATHS[section] for link in links(page(site, path))]
    for article in truth(section):
        assert {article.path, *article.other_paths} <= set(listed)


@pytest.mark.parametrize("section", SECTIONS)
def test_list_pages_lead_from_one_to_the_next(site, section):
    pages = LIST_PATHS[section]
    assert all(after in links(page(site, before)) for before, after in pairwise(pages))


def test_every_link_resolves_but_the_dead_ones(site):
    seen, waiting, dead = set(), ["/"], set()
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        answer = fetch(site, path)
        if answer.status == 404:
            dead.add(path)
        if not answer.headers.get("Content-Type", "").startswith("text/html"):
            continue
        encoding = ENCODINGS["zh" if path.startswith("/zh/") else "en"]
        for link in links(answer.body.decode(encoding)):
            target = urlsplit(urljoin(site.url + path, link))
            if target.netloc == urlsplit(site.url).netloc:
                waiting.append(target._replace(scheme="", netloc="", fragment="").geturl())
    assert dead == set(DEAD_LINKS.values())
    assert {
        PRIVATE,
        "/img/river.png",
        "/sitemap.xml",
        *(path for paths in LIST_PATHS.values() for path in paths),
    } <= seen


@pytest.mark.parametrize("section", SECTIONS)
def test_lists_hold_links_a_crawler_must_not_take(site, section):
    found = links("".join(page(site, path) for path in LIST_PATHS[section]))
    assert {DEAD_LINKS[section], PRIVATE, "/img/river.png"} <= set(found)
    for opening in ("https://elsewhere.example/", "mailto:", "javascript:"):
        assert any(link.startswith(opening) for link in found), opening
    assert ARTICLE_PATH[section].fullmatch(DEAD_LINKS[section])


def test_chinese_charset_is_named_in_the_page_only_and_too_narrow(site):
    answer = fetch(site, truth("zh")[0].path)
    assert answer.headers["Content-Type"] == "text/html"
    assert b'<meta charset="gb2312">' in answer.body
    everything = b"".join(fetch(site, article.path).body for article in truth("zh"))
    assert set("镕堃喆") <= set(everything.decode("gbk"))
    with pytest.raises(UnicodeDecodeError):
        everything.decode("gb2312")


def test_second_address_of_an_article_names_the_first_as_canonical(site):
    (article,) = [article for article in truth("en") if article.other_paths]
    html = page(site, article.other_paths[0])
    assert f'<link rel="canonical" href="{site.url}{article.path}">' in html
    assert html == page(site, article.path)


def test_moved_article_redirects_to_its_new_address(site):
    (article,) = [article for article in truth("zh") if article.other_paths]
    answer = fetch(site, article.other_paths[0])
    assert (answer.status, answer.headers["Location"]) == (301, article.path)


def test_robots_disallow_the_private_folder_and_name_the_sitemap(site):
    rules = fetch(site, "/robots.txt").body.decode()
    assert "Disallow: /private/" in rules
    assert f"Sitemap: {site.url}/sitemap.xml" in rules
    sitemap = fetch(site, "/sitemap.xml").body.decode()
    assert re.findall("<loc>(.*?)</loc>", sitemap) == [site.url + a.path for s in SECTIONS for a in truth(s)]


def test_teasers_of_other_articles_surround_each_body(site):
    for section in SECTIONS:
        articles = truth(section)
        for article in articles:
            words = visible(page(site, article.path))
            others = [other for other in articles if other is not article]
            assert sum(re.sub(r"\s", "", other.text)[:40] in words for other in others) >= 4


def test_the_two_designs_share_no_article_markup():
    def classes(design: str, section: str) -> set[str]:
        with SiteServer(design=design) as site:
            return set(re.findall(r'class="([^"]+)"', page(site, truth(section)[0].path)))

    for section in SECTIONS:
        assert not classes("classic", section) & classes("new", section)


def test_the_demo_serves_the_site_as_it_is() -> None:
    assert (FOLDER / "pages.jsonl").read_text("utf-8").splitlines() == list(recording())


def test_the_tasks_of_the_demo_are_those_of_the_site() -> None:
    base = "https://g.example"
    tasks = loads(tasks_yaml(base), "tasks.yaml").tasks
    for section, name in TASK_NAMES.items():
        found = tasks[name].example, str(tasks[name].pattern), *tasks[name].start_urls(date(2026, 11, 22))
        assert found == (base + EXAMPLES[section], base + PATTERNS[section], base + STARTS[section])
