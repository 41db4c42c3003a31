"""The ledger in memory answers as the one in Redis does, for what lists ask of it."""

import pytest

from crawler.scouting.memory_ledger import MemoryLedger
from workers.ledger import Ledger
from workers.url_states import Found, fingerprint

URLS = [f"http://town.example/{n}" for n in range(4)]


@pytest.fixture(params=["memory", "Redis"])
def ledger(request, connection):
    return MemoryLedger("news") if request.param == "memory" else Ledger(connection, "news")


def test_a_known_url_is_not_new_and_keeps_its_state(ledger):
    assert ledger.add([Found(URLS[0]), Found(URLS[1]), Found(URLS[0])]) == [True, True, False]
    assert ledger.settle(fingerprint(URLS[0]), "rejected", "beyond the limit", listed=False)
    assert not ledger.settle(fingerprint(URLS[0]), "rejected", "beyond the limit", listed=False)
    assert ledger.add([Found(URLS[0])]) == [False]
    assert ledger.have_rows([fingerprint(url) for url in URLS[:3]]) == [False] * 3
    counts = ledger.counts()
    assert (counts.seen, counts.unaccounted) == (2, 0)
    assert {state: number for state, number in counts.states.items() if number} == {"waiting": 1, "rejected": 1}


def test_a_dropped_url_is_new_again(ledger):
    ledger.add([Found(URLS[0])])
    assert ledger.drop(fingerprint(URLS[0]))
    assert not ledger.drop(fingerprint(URLS[0]))
    assert ledger.counts().seen == 0
    assert ledger.add([Found(URLS[0])]) == [True]


def test_urls_wait_by_rank():
    ledger = MemoryLedger("news")
    ledger.add(Found(url, rank) for url, rank in zip(URLS, (3.0, 1.0, 2.0, 0.0), strict=True))
    assert [one.rank for one in ledger.in_order()] == [0.0, 1.0, 2.0, 3.0]


def test_what_needs_redis_is_refused():
    with pytest.raises(KeyError, match="EVALSHA"):
        MemoryLedger("news").lease(1)
