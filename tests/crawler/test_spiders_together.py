"""Several spiders of one task as processes of their own, killed or not, and articles of several pages."""

import signal

import pytest

from console.sample_site import Response, truth
from tests.crawler.spiders import ARTICLE, Child, asked_for, linked, states, until, write_tasks
from workers.keys import of_task
from workers.ledger import Ledger
from workers.page_store import unpack
from workers.url_states import Found

pytestmark = pytest.mark.timeout(90)

HTML = {"Content-Type": "text/html; charset=utf-8"}
[MOVED] = [article for article in truth("zh") if article.other_paths]  # listed under its old path too
LONG = truth("zh")[5].path


def test_two_spiders_of_one_task_fetch_each_page_once(site, connection, redis_url, tmp_path):
    def when_both_are_there(request):
        until(lambda: connection.zcard(of_task("zh-news", "crew")) == 2, within=30.0)
        return Response(404, HTML, b"")

    site.override("/robots.txt", when_both_are_there)
    write_tasks(tmp_path, site.url, delay=0.1)
    gone = [Found(f"{site.url}{ARTICLE}1101/{number}.html") for number in range(40)]
    Ledger(connection, "zh-news").add(gone)
    with Child("zh-news", tmp_path, redis_url) as one, Child("zh-news", tmp_path, redis_url) as two:
        ended = [one.end(), two.end()]
    assert [each.report["outcome"] for each in ended] == ["finished", "finished"], ended
    looks = asked_for(site)
    again = [path for path in looks if path != MOVED.path and looks.count(path) > 1]
    assert again == []
    assert set(looks) >= linked(site)
    assert sorted(each.report["lists"] > 0 for each in ended) == [False, True]
    assert all(each.report["fetched"] + each.report["rejected"] for each in ended)


def test_when_the_walker_is_killed_the_other_spider_ends_its_work(site, connection, redis_url, tmp_path):
    write_tasks(tmp_path, site.url, delay=0.1)
    ledger = Ledger(connection, "zh-news")
    with Child("zh-news", tmp_path, redis_url) as walker:
        until(lambda: ledger.counts().seen >= 3)
        with Child("zh-news", tmp_path, redis_url) as other:
            until(lambda: ledger.counts().states["fetched"] >= 2)
            walker.stop(signal.SIGKILL)
            ended = other.end()
    assert (ended.code, ended.report["outcome"]) == (0, "finished"), ended.said
    counted = states(connection)
    assert counted["fetched"] + counted["rejected"] == counted["seen"], "nothing is left leased or waiting"
    assert set(asked_for(site)) >= linked(site)


def several_pages(site, count, broken=()):
    """Give an article further pages, linked as Chinese CMSs do it."""
    stem = LONG.removesuffix(".html")
    first = site._pages[LONG].body.decode("gb18030")

    def answer(number):
        links = f'<div><a href="{stem}_{number + 1}.html">下一页</a></div>' if number < count else ""
        text = first.replace("</head>", f"</head><!-- 第{number}页 -->")
        return Response(200, HTML, text.replace("</body>", links + "</body>").replace("gbk", "utf-8").encode())

    for number in range(1, count + 1):
        path = LONG if number == 1 else f"{stem}_{number}.html"
        page = Response(500, HTML, b"away") if number in broken else answer(number)
        site._pages[path] = page


def stored(connection, url):
    from workers.url_states import fingerprint

    raw = connection.hgetall(f"exemplar:task:zh-news:page:{fingerprint(url)}")
    return unpack({key.decode(): value for key, value in raw.items()})


def test_the_example_is_fetched_once_with_its_further_pages(site, crawl_with, connection):
    several_pages(site, 3)
    assert crawl_with(example=site.url + LONG).report["outcome"] == "finished"
    page = stored(connection, site.url + LONG)
    assert [part.url.rpartition("_")[2] for part in page.parts] == ["2.html", "3.html"]
    assert ["第2页".encode() in part.body for part in page.parts] == [True, False]
    assert asked_for(site).count(LONG) == 1
    assert states(connection)["fetched"] == len(truth("zh")) + 1, "further pages are no articles of their own"


def test_a_further_page_that_stays_away_is_named_and_the_article_handed_in(site, crawl_with, connection):
    several_pages(site, 2, broken={2})
    assert crawl_with(retries=0).report["outcome"] == "finished"
    page = stored(connection, site.url + LONG)
    assert (page.parts, [url.rpartition("_")[2] for url in page.missing]) == ((), ["2.html"])
