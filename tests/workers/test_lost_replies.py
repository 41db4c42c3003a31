"""A step whose reply is lost is repeated by the client, and gives the same reply without a second effect.

`test_ledger_model` loses replies to all the other steps of a ledger.
"""

from datetime import UTC, datetime

import pytest

from workers import keys
from workers.extraction.near_duplicates import NearDuplicates
from workers.inbox import Inbox
from workers.ledger import Ledger
from workers.page_store import StoredPage
from workers.redis_access.connection import client
from workers.redis_access.redis_scripts import Step
from workers.url_states import Found, fingerprint

from .helpers import TASK, claim, take, url
from .servers import LossyProxy, Server

AT = datetime(2026, 3, 12, tzinfo=UTC)


@pytest.fixture
def proxy(connection, redis_url):
    """Of an empty Redis."""
    return LossyProxy(redis_url.removeprefix("unix://"))


@pytest.fixture
def ledger(proxy):
    return Ledger(proxy.client(), TASK)


@pytest.fixture
def losing(proxy, connection):
    """Drops the reply to the next script of a ledger."""

    def lose(script):
        connection.script_load(script.script)
        proxy.drop_reply_to(script.sha)

    yield lose
    assert proxy.dropped == 1, "no reply was dropped"


NAMES = [fingerprint(url(number)) for number in range(3)]


@pytest.fixture
def fetched(ledger):
    """The first of three URLs has its page."""
    ledger.add(Found(url(number), float(number)) for number in range(3))
    ledger.lease(3)
    deliver(ledger, NAMES[0])


def deliver(ledger, name):
    Inbox(ledger.redis).deliver(ledger, {name: StoredPage(url(0), b"<p>Tide", "text/html", AT)})


@pytest.mark.usefixtures("fetched")
@pytest.mark.parametrize("name", ["claim", "claim_entries", "begin"])
def test_a_repeatable_step_is_repeated(ledger, losing, name):
    [[lease]] = ledger.take_all(NAMES[:1], "me", seconds=30)
    losing(ledger.script_of(name))
    match name:
        case "claim":
            assert claim(ledger, NAMES[0], NAMES[0], "me").state == "mine"
        case "claim_entries":
            entries = [fingerprint("http://gazette.example/e/1")]
            assert ledger.claim_entries(NAMES[0], entries, "me", pages_give_rows=True) == [True]
        case "begin":
            ledger.begin(lease, "me", seconds=30)
            assert take(ledger, NAMES[0], "me", seconds=30).attempts == 2


@pytest.mark.usefixtures("fetched")
def test_a_hand_over_gives_one_page(ledger, proxy):
    proxy.drop_reply_to(b"exemplar:fetched")
    deliver(ledger, NAMES[1])
    assert ledger.counts().states["fetched"] == 2
    assert take(ledger, NAMES[1], "me", seconds=30).attempts == 1


def test_an_article_is_not_a_near_duplicate_of_itself(proxy, losing):
    near = NearDuplicates(proxy.client(), TASK)
    losing(near._add)
    text = "The harbour office opened its new tide station on Monday. " * 20
    assert near.first_like(text, url(0)) is None
    assert near.first_like(text, url(1)) == url(0)


def test_steps_of_one_transaction_are_repeated_together(proxy):
    connection = proxy.client()
    count = Step(connection, "return redis.call('INCR', KEYS[1])")

    def twice():
        pipe = connection.pipeline(transaction=True)
        count(["exemplar:one"], [], pipe)
        count(["exemplar:two"], [], pipe)
        return pipe.execute()

    assert twice() == [1, 1]
    proxy.drop_reply_to(b"exemplar:two")
    assert twice() == [2, 2]


@pytest.mark.parametrize("reply", ["false", "{}", "{'a', {1, 2}, false}", "'text'", "1", "0"])
def test_each_kind_of_reply_is_given_again(proxy, connection, losing, reply):
    step = Step(proxy.client(), f"redis.call('INCR', KEYS[1]) return {reply}")
    first = step(["exemplar:one"], [])
    losing(step.script)
    assert step(["exemplar:one"], []) == first
    assert connection.get("exemplar:one") == b"2"


def test_a_client_has_one_kept_reply(ledger, connection):
    for number in range(50):
        ledger.add([Found(url(number))])
    [name] = connection.keys(keys.REPLY + "*")
    assert 0 < connection.ttl(name) <= 90


def test_a_step_is_repeated_when_redis_has_been_restarted():
    with Server() as server, client(server.url) as connection:
        ledger = Ledger(connection, TASK)
        ledger.add([Found(url(0))])
        server.kill()
        server.start()
        assert ledger.add([Found(url(0)), Found(url(1))]) == [False, True]
