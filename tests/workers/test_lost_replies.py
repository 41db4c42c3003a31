"""A step whose reply is lost is repeated by the client, and gives the same reply without a second effect."""

from datetime import UTC, datetime
from functools import partial

import pytest

from workers import keys
from workers.extraction.near_duplicates import NearDuplicates
from workers.inbox import Inbox
from workers.ledger import Ledger
from workers.page_store import StoredPage
from workers.redis_access.redis_scripts import Step
from workers.url_states import Found, fingerprint

from .helpers import TASK, claim, take, url
from .servers import LossyProxy, Server

AT = datetime(2026, 3, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def server():
    with Server() as server, LossyProxy(server.socket) as proxy:
        yield server, proxy


@pytest.fixture
def connection(server):
    with server[1].client() as connection:
        connection.flushall()
        yield connection


@pytest.fixture
def ledger(connection):
    return Ledger(connection, TASK)


@pytest.fixture
def losing(server, connection):
    """Drops the reply to the next script of a ledger."""

    def lose(script):
        connection.script_load(script.script)
        server[1].drop_reply_to(script.sha)

    before = server[1].dropped
    yield lose
    assert server[1].dropped == before + 1, "no reply was dropped"


NAMES = [fingerprint(url(number)) for number in range(3)]


def add(ledger, most=3):
    return ledger.add(Found(url(number), float(number)) for number in range(most))


def deliver(ledger, name):
    Inbox(ledger.redis).deliver(ledger, {name: StoredPage(url(0), b"<p>Tide", "text/html", AT)})


def fetched(ledger):
    add(ledger)
    ledger.lease(3)
    deliver(ledger, NAMES[0])


def rejected(ledger):
    add(ledger)
    ledger.settle(NAMES[0], "rejected", "a list")


def taken(ledger, seconds=30):
    fetched(ledger)
    take(ledger, NAMES[0], "me", seconds=seconds)


@pytest.mark.parametrize(
    ("script", "prepare", "step", "reply"),
    [
        ("add", lambda ledger: None, add, [True] * 3),
        ("settle", taken, lambda ledger: ledger.settle(NAMES[0], "written", "", worker="me"), True),
        ("free", taken, lambda ledger: ledger.free("me"), NAMES[:1]),
        ("lapsed", partial(taken, seconds=-1), lambda ledger: ledger.lapsed(oldest_job=0.0), (NAMES[:1], [])),
        ("reopen", rejected, lambda ledger: ledger.accept(url(0)), True),
        ("drop", add, lambda ledger: ledger.drop(NAMES[0]), True),
    ],
)
def test_a_step_has_one_effect_and_the_reply_to_it(ledger, losing, script, prepare, step, reply):
    prepare(ledger)
    losing(ledger.script_of(script))
    assert step(ledger) == reply
    assert step(ledger) != reply
    assert ledger.counts().unaccounted == 0


def test_leased_urls_reach_the_spider(ledger, losing):
    add(ledger)
    losing(ledger.script_of("lease"))
    assert [leased.url for leased in ledger.lease(2)] == [url(0), url(1)]
    assert ledger.counts().states["leased"] == 2
    assert [leased.url for leased in ledger.lease(2)] == [url(2)]


def test_a_taken_page_counts_one_attempt(ledger, losing):
    fetched(ledger)
    losing(ledger.script_of("take"))
    lease = take(ledger, NAMES[0], "me", seconds=30)
    assert (lease.attempts, lease.again) == (1, True)  # its row is looked up, without need
    assert lease.page["body"]
    assert take(ledger, NAMES[0], "me", seconds=30).attempts == 2


@pytest.mark.parametrize("name", ["put_back", "try_later"])
def test_what_waits_again_may_be_leased_by_another(ledger, losing, name):
    add(ledger, 1)
    ledger.lease(1)
    losing(ledger.script_of("put_back"))
    if name == "put_back":
        ledger.put_back(NAMES[:1])
    else:
        ledger.try_later(NAMES[0], "no answer", -1.0)
    assert ledger.counts().states["waiting"] == 1
    assert ledger.lease(1)[0].tries == (1 if name == "put_back" else 2)


@pytest.mark.parametrize("name", ["arrive", "claim", "claim_entries", "begin", "postpone", "release", "renew_pages"])
def test_a_repeatable_step_is_repeated(ledger, losing, name):
    fetched(ledger)
    if name == "begin":
        [[taken]] = ledger.take_all(NAMES[:1], "me", seconds=30)
    elif name != "postpone":
        take(ledger, NAMES[0], "me", seconds=30)
    losing(ledger.script_of({"postpone": "release", "renew_pages": "renew"}.get(name, name)))
    match name:
        case "arrive":
            deliver(ledger, NAMES[1])
            assert ledger.counts().states["fetched"] == 2
        case "claim":
            assert claim(ledger, NAMES[0], NAMES[0], "me").state == "mine"
        case "claim_entries":
            entries = [fingerprint("http://gazette.example/e/1")]
            assert ledger.claim_entries(NAMES[0], entries, "me", pages_give_rows=True) == [True]
        case "begin":
            ledger.begin(taken, "me", seconds=30)
            assert take(ledger, NAMES[0], "me", seconds=30).attempts == 2
        case "renew_pages":
            assert ledger.renew_pages(NAMES[:1], "me", seconds=60) == 1
        case "postpone":
            ledger.postpone(NAMES[:1], 5.0, "disk full")
            assert take(ledger, NAMES[0], "other", seconds=30) is None
        case "release":
            ledger.release(NAMES[0], "me", -1.0, "disk full")
            assert take(ledger, NAMES[0], "other", seconds=30).attempts == 1


def test_a_hand_over_gives_one_page(ledger, connection, server):
    add(ledger)
    ledger.lease(3)
    deliver(ledger, NAMES[1])
    server[1].drop_reply_to(b"exemplar:fetched")
    deliver(ledger, NAMES[0])
    assert ledger.counts().states["fetched"] == 2
    assert take(ledger, NAMES[0], "me", seconds=30).attempts == 1


def test_an_article_is_not_a_near_duplicate_of_itself(connection, losing):
    near = NearDuplicates(connection, TASK)
    losing(near._add)
    text = "The harbour office opened its new tide station on Monday. " * 20
    assert near.first_like(text, url(0)) is None
    assert near.first_like(text, url(1)) == url(0)


def test_steps_of_one_transaction_are_repeated_together(connection, server):
    count = Step(connection, "return redis.call('INCR', KEYS[1])")

    def twice():
        pipe = connection.pipeline(transaction=True)
        count(["exemplar:one"], [], pipe)
        count(["exemplar:two"], [], pipe)
        return pipe.execute()

    assert twice() == [1, 1]
    server[1].drop_reply_to(b"exemplar:two")
    assert twice() == [2, 2]


@pytest.mark.parametrize("reply", ["false", "{}", "{'a', {1, 2}, false}", "'text'", "1", "0"])
def test_each_kind_of_reply_is_given_again(connection, losing, reply):
    step = Step(connection, f"redis.call('INCR', KEYS[1]) return {reply}")
    first = step(["exemplar:one"], [])
    losing(step.script)
    assert step(["exemplar:one"], []) == first
    assert connection.get("exemplar:one") == b"2"


def test_a_client_has_one_kept_reply(ledger, connection):
    for number in range(50):
        ledger.add([Found(url(number))])
    [name] = connection.keys(keys.REPLY + "*")
    assert 0 < connection.ttl(name) <= 90


def test_a_step_is_repeated_when_redis_has_been_restarted(server, ledger):
    add(ledger, 1)
    server[0].kill()
    server[0].start()
    assert add(ledger, 2) == [False, True]
