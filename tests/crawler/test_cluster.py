"""What a host sees of several spiders at once, by its own log, when it is asked too much, or is away."""

import json
import time
from contextlib import ExitStack

import pytest

from crawler.politeness.pace import hosts
from evaluation.sample_site import Response, truth
from tests.crawler.spiders import LEAST_GAP, Child, asked_for, crawl, gaps, states, write_tasks
from workers.url_states import fingerprint

pytestmark = pytest.mark.timeout(150)

ARTICLES = [article.path for article in truth("zh")]
EXAMPLE = truth("zh")[3].path
TASKS = ("zh-news", "second", "third")
FLOOR = 0.2  # seconds
JITTER = 0.1  # seconds between a turn and its request's arrival where others use the machine too
# (the bar of 20 ms is measured by benchmarks/politeness.py)


class Three:
    """Three spiders on one host."""

    def __init__(self, folder, redis_url):
        with ExitStack() as running:
            self.children = [running.enter_context(Child(name, folder, redis_url)) for name in TASKS]
            self.running = running.pop_all()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.running.close()

    def end(self):
        return [child.end(60) for child in self.children]


def refusing(site, times, status=429, **headers):
    """An answer for articles: the first `times` requests are refused; says when."""
    refused = []

    def answer(request):
        if len(refused) < times:
            refused.append(request.time)
            return Response(status, {name.replace("_", "-"): value for name, value in headers.items()}, b"")
        return site._pages[request.path]

    return answer, refused


def test_three_spiders_keep_the_floor_together(site, connection, redis_url, tmp_path):
    write_tasks(tmp_path, site.url, names=TASKS, delay=FLOOR, limit=6)
    with Three(tmp_path, redis_url) as three:
        assert [ended.code for ended in three.end()] == [0, 0, 0]
    times = sorted(request.time for request in site.requests)
    assert len(times) >= 20
    for number in (4, 16):  # a request that is held up by the machine comes closer to the next one, once
        least = min(later - earlier for earlier, later in zip(times[:-number], times[number:], strict=True))
        assert least >= FLOOR * number - 2 * JITTER
    assert times[-1] - times[0] >= FLOOR * (len(times) - 1) - JITTER
    assert asked_for(site, "/").count("/robots.txt") == 1, "one asks for all"


def test_a_host_that_asks_for_long_is_left_alone_and_its_articles_wait(
    site, crawl_with, connection, redis_url, tmp_path
):
    answer, refused = refusing(site, 1000, status=503, Retry_After="600")
    for path in ARTICLES:
        site.override(path, answer)
    site.restore(EXAMPLE)
    ended = crawl_with(retries=0, delay=0.1)
    assert (ended.code, ended.report["outcome"], len(refused)) == (1, "unreachable", 1)
    [problem] = ended.report["problems"]
    assert problem == "127.0.0.1 is closed: http 503; Retry-After: 600 s; the rest waits for the next run"
    now = states(connection)
    assert now["waiting"] == now["seen"] - now.get("fetched", 0)
    seen = len(site.requests)
    ended = crawl(tmp_path, redis_url)
    assert (ended.report["outcome"], len(site.requests)) == ("unreachable", seen), "the next run does not ask either"
    [state] = hosts(connection)
    assert state.until == pytest.approx(time.time() + 590, abs=60)


def test_names_of_one_address_share_a_pace_where_that_is_wanted(site, connection, redis_url, tmp_path):
    said = "{contact: a@example.org, allow_hosts: [127.0.0.1, localhost], delay: 0.6, per_address: true}"
    write_tasks(tmp_path, site.url, settings=said, limit=2)
    other = site.url.replace("127.0.0.1", "localhost")
    file = tmp_path / "tasks.yaml"
    text = file.read_text("utf-8")
    file.write_text(text + text.partition("tasks:\n")[2].replace("zh-news", "other").replace(site.url, other), "utf-8")
    with ExitStack() as running:
        children = [running.enter_context(Child(name, tmp_path, redis_url)) for name in ("zh-news", "other")]
        assert [child.end().report["outcome"] for child in children] == ["finished"] * 2
    assert len(site.requests) >= 6
    assert min(gaps(site)) >= 0.6 * LEAST_GAP


# What the site says of its pages travels with them


def stored_headers(connection, site, path):
    raw = connection.hget(f"exemplar:task:zh-news:page:{fingerprint(site.url + path)}", "headers")
    return json.loads(raw) if raw else {}


def test_headers_about_the_use_of_a_page_travel_with_it(site, crawl_with, connection):
    html = {"Content-Type": "text/html; charset=utf-8"}
    site.override(ARTICLES[-1], headers={**html, "X-Robots-Tag": "noai, noimageai", "TDM-Reservation": "1"})
    crawl_with()
    said = {"x-robots-tag": ["noai, noimageai"], "tdm-reservation": ["1"]}
    assert stored_headers(connection, site, ARTICLES[-1]) == said
    assert stored_headers(connection, site, ARTICLES[-2]) == {}
    assert "/.well-known/tdmrep.json" not in asked_for(site, "/"), "no task skips by it"


def test_tdmrep_json_is_asked_for_once_where_a_task_skips_by_it(site, crawl_with, connection, redis_url, tmp_path):
    rules = [{"location": ARTICLES[-1], "tdm-reservation": 0}, {"location": "/zh/*", "tdm-reservation": 1}]
    site.override("/.well-known/tdmrep.json", status=200, body=json.dumps(rules).encode())
    crawl_with(skip="tdm-reservation")
    crawl(tmp_path, redis_url)
    assert asked_for(site, "/").count("/.well-known/tdmrep.json") == 1
    assert stored_headers(connection, site, ARTICLES[-1]) == {"tdmrep": ["0"]}
    assert stored_headers(connection, site, ARTICLES[-2]) == {"tdmrep": ["1"]}
