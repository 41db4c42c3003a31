"""What walks remember: by what a list is asked for, and where a run broke off."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from crawler.discovery import crawl_state as list_memory
from crawler.discovery.crawl_state import MOST_STANDING, TRUSTED, ListMemory, forget_lists, kept_of
from crawler.discovery.listings import ListPage
from workers import keys

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
URL = "http://site.example/a/"
PAGE = ListPage(URL, "start", start=URL)
OLD = "Sat, 21 Nov 2026 10:00:00 GMT"
HEADERS = {"etag": 'W/"x"', "last-modified": OLD, "date": "Sat, 21 Nov 2026 12:00:00 GMT"}


def kept(headers=HEADERS, standing=(), now=NOW):
    return kept_of(headers, URL, now, found=3, standing=standing)


@pytest.fixture
def memory(connection):
    return ListMemory(connection, "news", "shape")


def again(connection, shape="shape"):
    memory = ListMemory(connection, "news", shape)
    memory.load()
    return memory


def remember(memory, answer, page=PAGE):
    memory.read(page, (), answer)
    memory.save({"shape": "shape", "complete": "yes"})


def test_a_list_is_asked_for_by_what_its_server_said(connection, memory):
    follow = ListPage(URL + "t", "follow", 1, URL)
    remember(memory, kept(standing=[follow]))
    found = again(connection).kept(PAGE, NOW)
    assert found.conditions() == {"If-None-Match": 'W/"x"', "If-Modified-Since": OLD}
    assert (found.url, found.found, [tuple(each) for each in found.standing]) == (URL, 3, [(URL + "t", "follow", 1)])


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"etag": "", "last-modified": "yesterday"},
        {"etag": "x" * 2000},
        {"last-modified": "Sat, 21 Nov 2026 11:59:30 GMT"},
    ],
)
def test_what_names_no_usable_state_is_not_kept(headers):
    assert kept(headers) is None


def test_a_state_of_the_last_minute_may_change_without_a_sign():
    fresh = {"etag": "x", "last-modified": "Sat, 21 Nov 2026 11:59:30 GMT"}
    assert kept(fresh).conditions() == {"If-None-Match": "x"}


def test_a_list_that_leads_to_very_many_lists_is_not_kept():
    assert kept(standing=[ListPage(f"{URL}{n}", "follow") for n in range(MOST_STANDING + 1)]) is None


def test_after_a_day_a_list_is_asked_for_whole(connection, memory):
    remember(memory, kept())
    assert again(connection).kept(PAGE, NOW + TRUSTED) is None


def test_an_answer_without_a_state_ends_the_older_one(connection, memory):
    remember(memory, kept())
    remember(again(connection), None)
    assert again(connection).kept(PAGE, NOW) is None


def test_a_changed_task_and_a_forgotten_one_begin_anew(connection, memory):
    remember(memory, kept())
    forget_lists(connection, "news")
    assert again(connection).kept(PAGE, NOW) is None
    remember(memory, kept())
    assert again(connection, "other").kept(PAGE, NOW) is None
    assert again(connection).kept(PAGE, NOW) is None


def test_only_so_many_lists_are_kept_the_newest(connection, memory, monkeypatch):
    monkeypatch.setattr(list_memory, "MOST_KEPT", 2)
    for n in range(4):
        memory.read(ListPage(f"{URL}{n}", "follow"), (), kept(now=NOW + timedelta(minutes=n)))
    memory.save({"shape": "shape"})
    left = {name.decode() for name in connection.hkeys(keys.of_task("news", "lists"))}
    assert left == {f"{URL}2", f"{URL}3"}
    assert connection.ttl(keys.of_task("news", "lists")) > 0


def test_what_another_version_kept_is_no_obstacle(connection, memory):
    remember(memory, kept())
    connection.hset(keys.of_task("news", "lists"), URL, json.dumps({"etag": "x"}))
    assert again(connection).kept(PAGE, NOW) is None


# Where a run broke off


def test_a_list_is_unread_from_its_beginning_until_all_it_leads_to_is_known(connection, memory):
    further = ListPage(URL + "list_2.html", "next", 0, URL)
    memory.begin(PAGE)
    assert memory.unread() == [PAGE]
    memory.read(PAGE, [further], None)
    assert memory.unread() == [further]
    memory.read(further, (), None)
    assert memory.unread() == []


def test_a_walk_that_ended_leaves_only_what_it_could_not_read(connection, memory):
    further = ListPage(URL + "list_2.html", "next", 0, URL)
    memory.begin(PAGE)
    memory.save({"shape": "shape"}, [further])
    assert memory.unread() == [further]
