"""What walks remember: by what a list is asked for, and where a run broke off."""

import json
from datetime import UTC, date, datetime, timedelta

import pytest

from crawler.discovery.crawl_state import (
    MOST_KEPT,
    TRUSTED,
    CrawlState,
    LastResponse,
    WalkMemory,
    digest_of,
    forget_lists,
)
from crawler.discovery.listings import ListPage
from workers import keys

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
URL = "http://site.example/a/"
PAGE = ListPage(URL, "start", start=URL)
OLD = "Sat, 21 Nov 2026 10:00:00 GMT"
HEADERS = {"etag": 'W/"x"', "last-modified": OLD, "date": "Sat, 21 Nov 2026 12:00:00 GMT"}


def kept(headers=HEADERS, followed=(), now=NOW, found=3):
    return LastResponse.of(headers, URL, b"a list", now, found=found, followed=followed)


@pytest.fixture
def memory(connection):
    return CrawlState(connection, "news", "shape")


def again(connection, shape="shape"):
    memory = CrawlState(connection, "news", shape)
    memory.load()
    return memory


def remember(memory, answer, page=PAGE):
    memory.end_list(page, (), answer)
    memory.save(WalkMemory(ended=True, complete=True))


def test_a_list_is_asked_for_by_what_its_server_said(connection, memory):
    follow = ListPage(URL + "t", "follow", 1, URL)
    remember(memory, kept(followed=[follow]))
    found = again(connection).last_response(PAGE, NOW)
    assert found.conditions() == {"If-None-Match": 'W/"x"', "If-Modified-Since": OLD}
    assert (found.url, found.found, [tuple(each) for each in found.followed]) == (URL, 3, [(URL + "t", "follow", 1)])


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"etag": "", "last-modified": "yesterday"},
        {"etag": "x" * 2000},
        {"last-modified": "Sat, 21 Nov 2026 11:59:30 GMT"},
    ],
)
def test_without_a_usable_state_a_list_is_known_by_its_body_if_it_has_articles(headers):
    assert kept(headers, found=0) is None
    assert (kept(headers).conditions(), kept(headers).digest) == ({}, digest_of(b"a list"))


def test_after_a_day_a_list_is_asked_for_whole(connection, memory):
    remember(memory, kept())
    assert again(connection).last_response(PAGE, NOW + TRUSTED) is None


def test_an_answer_without_a_state_ends_the_older_one(connection, memory):
    remember(memory, kept())
    remember(again(connection), None)
    assert again(connection).last_response(PAGE, NOW) is None


def test_a_changed_task_and_a_forgotten_one_begin_anew(connection, memory):
    remember(memory, kept())
    forget_lists(connection, "news")
    assert again(connection).last_response(PAGE, NOW) is None
    remember(memory, kept())
    assert again(connection, "other").last_response(PAGE, NOW) is None
    assert again(connection).last_response(PAGE, NOW) is None


def test_only_so_many_lists_are_kept_the_newest(connection, memory):
    for n in range(MOST_KEPT + 2):
        memory.end_list(ListPage(f"{URL}{n}", "follow"), (), kept(now=NOW + timedelta(minutes=n)))
    memory.save(WalkMemory(ended=True))
    left = {name.decode() for name in connection.hkeys(keys.of_task("news", "lists"))}
    assert left == {f"{URL}{n}" for n in range(2, MOST_KEPT + 2)}
    assert connection.ttl(keys.of_task("news", "lists")) > 0


def test_what_another_version_kept_is_no_obstacle(connection, memory):
    remember(memory, kept())
    connection.hset(keys.of_task("news", "lists"), URL, json.dumps({"etag": "x"}))
    assert again(connection).last_response(PAGE, NOW) is None


# Where a run broke off


def test_a_list_is_unread_from_its_beginning_until_all_it_leads_to_is_known(connection, memory):
    further = ListPage(URL + "list_2.html", "next", 0, URL)
    memory.begin_list(PAGE)
    assert memory.unread() == [PAGE]
    memory.end_list(PAGE, [further], None)
    assert memory.unread() == [further]
    memory.end_list(further, (), None)
    assert memory.unread() == []


def test_articles_are_fresh_from_the_beginning_of_their_list_until_a_walk_ends(connection, memory):
    memory.save(WalkMemory(ended=True))
    memory.begin_list(PAGE, {"0123456789abcdef"})
    assert again(connection).fresh() == {"0123456789abcdef"}
    assert connection.ttl(keys.of_task("news", "fresh")) > 0
    memory.save(WalkMemory(ended=True), [PAGE])
    assert again(connection).fresh() == set()
    memory.begin_list(PAGE, {"0123456789abcdef"})
    assert again(connection, "other").fresh() == set()


# The form in Redis, which a running system's next version must read

FIELDS = {
    "shape": "shape",
    "learnt": "0",
    "first": "done",
    "complete": "yes",
    "brought": '{"http://site.example/t": 3}',
    "feeds": '["http://site.example/rss"]',
    "sitemaps": '{"http://site.example/x": ["2026-11-20T00:00:00+00:00", 2], "http://site.example/y": ["", 0]}',
    "expired": "2026-11-21",
    "walked": "2026-11-20",
    "forms": '{"/0/a0.shtml": false}',
}
MEMORY = WalkMemory(
    ended=True,
    complete=True,
    new_by_list={"http://site.example/t": 3},
    feeds=("http://site.example/rss",),
    sitemaps={"http://site.example/x": (datetime(2026, 11, 20, tzinfo=UTC), 2), "http://site.example/y": (None, 0)},
    forgotten_on="2026-11-21",
    walked_on="2026-11-20",
    forms={"/0/a0.shtml": False},
)


def stored(connection):
    return {name.decode(): value.decode() for name, value in connection.hgetall(keys.of_task("news", "walk")).items()}


def test_the_memory_of_a_walk_has_this_form(connection, memory):
    memory.record_forgetting(date(2026, 11, 21))
    memory.save(MEMORY)
    assert stored(connection) == FIELDS
    assert memory.load() == MEMORY


def test_of_a_changed_task_only_the_end_of_a_walk_and_the_last_forgetting_are_valid(connection):
    connection.hset(keys.of_task("news", "walk"), mapping=FIELDS)
    assert CrawlState(connection, "news", "other").load() == WalkMemory(ended=True, forgotten_on="2026-11-21")
