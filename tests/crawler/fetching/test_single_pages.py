"""Single pages by URL, in a process of their own: Twisted's reactor runs once."""

import asyncio
import json

import pytest

from crawler.fetching.single_pages import PagesSpider, of_page_or_list
from crawler.gates.context import FetchContext
from crawler.scouting.survey import Fetch
from evaluation.sample_site import DEAD_LINKS, truth
from tests.crawler.spiders import asked_for, environment, gaps, run

pytestmark = pytest.mark.timeout(60)

CHILD = """
import json, signal, sys
from crawler.fetching.single_pages import fetch
urls, delay = json.loads(sys.argv[1])
before = {number: signal.getsignal(number) for number in signal.valid_signals()}
answers = fetch(urls, delay=delay)
assert {number: signal.getsignal(number) for number in before} == before
assert signal.set_wakeup_fd(-1) == -1
print(json.dumps({url: answer if isinstance(answer, str) else [answer.url, len(answer.body)]
                  for url, answer in answers.items()}))
"""
PATHS = [article.path for article in truth("en")]
FEED_TYPE = "application/rss+xml"


def fetched(folder, *urls, delay=0.0, **environ):
    (folder / "child.py").write_text(CHILD, "utf-8")
    ran = run("child", [json.dumps([urls, delay])], folder, environment(**environ))
    assert (ran.code, ran.said) == (0, "")
    return json.loads(ran.out)


def test_each_url_gets_its_page_or_the_reason_why_not(site, tmp_path):
    good, dead, private = (site.url + path for path in (PATHS[0], DEAD_LINKS["en"], "/private/subscribers.html"))
    away, feed, invalid = "http://127.0.0.1:1/", site.url + "/feed", "town.example/no-scheme"
    site._pages["/feed"] = site._pages[PATHS[0]]._replace(headers={"Content-Type": FEED_TYPE})
    urls = (good, good + "#top", dead, private, away, feed, invalid)
    answers = fetched(tmp_path, *urls, EXEMPLAR_ALLOW_HOSTS="127.0.0.1")
    assert answers[good] == answers[good + "#top"]
    assert asked_for(site, PATHS[0]) == [PATHS[0]]
    assert answers[invalid].startswith("invalid URL")
    assert answers[good][0] == good
    assert answers[good][1] == len(site._pages[PATHS[0]].body)
    assert answers[dead] == "http 404"
    assert answers[private] == "robots.txt forbids it"
    assert answers[away] == "the site is unreachable: connection refused"
    assert answers[feed] == f"not a page: {FEED_TYPE}"


def test_contact_and_hosts_come_from_the_task_list_here(site, tmp_path):
    (tmp_path / "tasks.yaml").write_text(
        "settings: {contact: a@example.org, allow_hosts: [127.0.0.1], user_agent: OurCrawler/7}\n"
        "tasks:\n  t: {example: 'http://h.example/1', pattern: 'http://h.example/{id}', every: 1h, output: a.jsonl}\n",
        "utf-8",
    )
    [answer] = fetched(tmp_path, site.url + PATHS[0]).values()
    assert isinstance(answer, list)
    assert {request.user_agent for request in site.requests} == {"OurCrawler/7 (+a@example.org)"}


def test_one_host_is_asked_at_its_pace(site, tmp_path):
    fetched(tmp_path, *(site.url + path for path in PATHS[:3]), delay=0.3, EXEMPLAR_ALLOW_HOSTS="127.0.0.1")
    assert sorted(asked_for(site, "/en/")) == sorted(PATHS[:3])
    assert asked_for(site, "/robots") == ["/robots.txt"], "the other requests wait for it"
    assert min(gaps(site)) >= 0.2  # the server may be late


def test_what_the_survey_raises_is_kept():
    async def survey(fetch: Fetch) -> None:
        raise LookupError("no section")

    spider = PagesSpider(FetchContext(), survey, lambda url, answer: None, of_page_or_list)

    async def started() -> None:
        assert [request async for request in spider.start()] == []

    asyncio.run(started())
    assert spider.result is None
    assert str(spider.error) == "no section"


def test_a_survey_also_gets_lists():
    assert of_page_or_list(200, FEED_TYPE, b"<rss>").kind == "page"
    assert of_page_or_list(200, "image/png", b"x").reason == "not a page: image/png"
