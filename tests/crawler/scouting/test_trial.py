"""A task tried on an invented site in memory."""

import asyncio
from datetime import date

import pytest

from crawler.run.section_run import SectionRun
from crawler.scouting.trial import Trial, trial
from crawler.task_list.models import Task
from tests.crawler.invented import HOST, Site, article, listing, menu, page
from workers.page_store import StoredPage

NAV = menu("/", "/news/", "/about/")
SHOWN = [(f"/news/2026/11{n % 28 + 1:02d}/{n + 400}.html", n) for n in range(24)]
TODAY = date(2026, 11, 30)


def site() -> Site:
    pages = {path: article(n, NAV, "<a href='/news/'>News</a>") for path, n in SHOWN}
    pages["/news/"] = listing(NAV, SHOWN[:8], "<a href='/news/list_2.html'>2</a>")
    pages["/news/list_2.html"] = listing(NAV, SHOWN[8:], "<a href='/news/'>1</a>")
    pages["/about/"] = page("About", f"{NAV}<p>We print the paper.</p>")
    return Site(pages)


def task_of(**keys: object) -> Task:
    said = {"example": HOST + SHOWN[3][0], "pattern": "/news/{date:%Y/%m%d}/{id}.html", "start": f"{HOST}/news/"}
    return Task.model_validate({"name": "news", "every": "1h", "output": "a.jsonl", **said, **keys})


def tried(where: Site, **keys: object) -> Trial:
    return asyncio.run(trial(where.fetch, task_of(**keys), TODAY))


def test_lists_links_and_ten_newest_articles_are_shown() -> None:
    found = tried(site())
    assert found.ok
    assert found.found == 24
    assert [one.taken for one in found.lists] == [8, 16]
    days = [sample.url.split("/")[5] for sample in found.samples]
    assert days == sorted(days, reverse=True)
    assert len(days) == 10
    assert all(sample.by_example and sample.confidence > 0.9 for sample in found.samples)


def test_what_robots_txt_forbids_is_told() -> None:
    class Forbidding(Site):
        def answer(self, url: str) -> StoredPage | str:
            return "robots.txt forbids it" if "/2026/1124/" in url else super().answer(url)

    found = tried(Forbidding(site().pages))
    assert found.forbidden == (f"{HOST}{SHOWN[23][0]}",)


@pytest.mark.parametrize("host", [HOST, "https://*.example"])
def test_derived_start_pages_are_tried_in_turn(host: str) -> None:
    found = tried(site(), start=[], pattern=host + "/news/{date:%Y/%m%d}/{id}.html")
    assert found.ok
    assert found.lists[0].url == f"{HOST}/news/"


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ({"start": f"{HOST}/none/"}, "start page https://town.example/none/: http 404"),
        ({"start": f"{HOST}/about/", "depth": 0}, "no link matches the pattern (list pages read: 1)"),
        ({"example": f"{HOST}/news/2026/1103/9.html"}, "if that persists, choose another one"),
        ({"render": True}, "in a browser; a trial reads them without one"),
    ],
)
def test_what_is_wrong_is_said(keys: dict[str, object], says: str) -> None:
    found = tried(site(), **keys)
    assert not found.ok
    assert any(says in problem for problem in found.problems), found.problems


@pytest.mark.parametrize("links", [SHOWN[:8], []])
def test_of_a_task_whose_pages_scripts_fill_nothing_else_is_said(links: list[tuple[str, int]]) -> None:
    shell = page("Town", "<div id=root></div><script src=/app.js></script><p>All rights reserved.</p>")
    pages = dict.fromkeys((path for path, _ in SHOWN), shell)
    where = Site(pages | {"/news/": listing(NAV, links) if links else shell})
    found = tried(where)
    assert [problem for problem in found.problems if "no link matches" not in problem] == [
        "a run renders this task's pages in a browser; a trial reads them without one"
    ]
    assert found.warnings == ()
    assert any("confidence of only" in problem for problem in tried(where, render=False).problems)


def test_an_article_is_the_nearest_link_if_the_sites_urls_have_changed() -> None:
    where = site()
    where.pages["/news/"] = listing(NAV, [(f"/news/story-{n}/1.html", n) for n in range(8)])
    [problem] = [problem for problem in tried(where, depth=0).problems if "no link matches" in problem]
    assert f"the nearest: {HOST}/news/story-0/1.html" in problem


def test_pages_that_are_not_there_are_told() -> None:
    where = site()
    for path, n in SHOWN:
        if n % 4:
            del where.pages[path]
    found = tried(where, example=HOST + SHOWN[8][0])
    assert [problem for problem in found.problems if "are unavailable (http 404)" in problem]
    assert not [problem for problem in found.problems if "example fits" in problem]


def test_dates_are_counted_where_no_list_is() -> None:
    where, pattern, path = site(), "/d/{date:%Y-%m-%d}.html", "/d/2026-11-30.html"
    where.pages[path] = article(5, NAV)
    found = tried(where, pattern=pattern, example=HOST + path, start=[])
    assert [sample.url for sample in found.samples] == [HOST + path]


def test_a_trial_cuts_what_a_run_fetches_first(connection) -> None:
    where = site()
    found = tried(where, pattern="/news/**/{id}.html")
    run = SectionRun(connection, task_of(pattern="/news/**/{id}.html"))
    run.begin()
    while place := run.next_list():
        page = where.answer(place.url)
        if isinstance(page, str):
            run.lists.record_failure(place, page, passing=False)
        else:
            run.lists.read(place, page)
    assert [sample.url for sample in found.samples] == [one.url for one in run.articles.lease(10)]


def test_sitemaps_are_read_where_the_task_names_them_only() -> None:
    where = site()
    urls = "".join(f"<url><loc>{HOST}{path}</loc></url>" for path, _ in SHOWN)
    xml = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>"
    where.pages["/sitemap.xml"] = f"{xml}{urls}</urlset>".encode()
    tried(where, pattern="/news/2026/1101/{id}.html", example=f"{HOST}/news/2026/1101/400.html")
    assert {f"{HOST}/robots.txt", f"{HOST}/sitemap.xml"}.isdisjoint(where.asked)
    assert tried(where, start=f"{HOST}/sitemap.xml").found == 24
