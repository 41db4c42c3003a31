"""What a ledger promises beside its steps one by one, which `test_ledger_model.py` compares with a model."""

import itertools

import pytest

from tests.workers.helpers import claim, holds, take
from workers import ledger as ledger_module
from workers.ledger import REASON_BYTES, REQUEUE_AFTER, Ledger
from workers.task_state.forgetting import forget_url
from workers.url_states import Found, fingerprint

A, B, C = "http://a.example/1", "http://a.example/2", "http://a.example/3"
FAR = 1000.0  # seconds: not within this test
PAST = -1.0  # seconds: over already


@pytest.fixture
def ledger(connection, clock):
    return Ledger(connection, "news")


def fetched(ledger, *urls):
    """Enter URLs and let their pages come in; says their fingerprints."""
    ledger.add([Found(url) for url in urls])
    names = [fingerprint(url) for url in urls]
    ledger.lease(len(urls), seconds=FAR)
    for name in names:
        ledger.arrive(name, {"body": b"x"})
    return names


def in_hand(ledger, url, worker="w", seconds=FAR):
    [name] = fetched(ledger, url)
    assert take(ledger, name, worker, seconds=seconds)
    return name


# -- entering and leasing ------------------------------------------------------------------------------------------


def test_urls_are_new_once_also_within_one_call_and_keep_any_rank(ledger):
    assert ledger.add([Found(A, 2.5), Found(B, -7.39e12), Found(A, -9e12)]) == [True, True, False]
    assert ledger.add([Found(A), Found(C, -7.39e12 + 1)]) == [False, True]
    assert ledger.counts().seen == 3
    for _ in range(2):
        assert [(leased.url, leased.tries) for leased in ledger.lease(3)] == [(B, 1), (C, 1), (A, 1)]
        ledger.put_back([fingerprint(url) for url in (A, B, C)])


def test_urls_above_the_bound_are_leased_only_if_none_is_below(ledger):
    ledger.add([Found(A, -1), Found(B, 1), Found(C, 2)])
    leased = [[one.url for one in ledger.lease(9, below=0, most_above=most)] for most in (1, 0, 1, 9)]
    assert leased == [[A], [], [B], [C]]


# -- pages in workers' hands ----------------------------------------------------------------------------------------


def test_a_page_whose_job_seems_lost_is_queued_if_no_older_job_waits(ledger, clock):
    [name] = fetched(ledger, A)
    assert ledger.lapsed(oldest_job=None) == ([], [])  # it is fresh
    clock.forward(REQUEUE_AFTER)
    assert ledger.lapsed(oldest_job=clock() - 3600) == ([], [])  # the jobs before its own are not taken yet
    assert ledger.lapsed(oldest_job=clock()) == ([], [name])


# -- the pages of a job ------------------------------------------------------------------------------------------------


def attempts(ledger, *names):
    return [int(ledger.redis.hget(ledger.keys["cuts"], name) or 0) for name in names]


def test_only_the_page_that_is_worked_on_counts_an_attempt(ledger):
    names = fetched(ledger, A, B)
    [[one, two]] = ledger.take_all(names, "one", seconds=30)
    ledger.begin(one, "one", seconds=30)
    assert attempts(ledger, *names) == [1, 0]
    ledger.begin(two, "one", seconds=30, earlier=[one.fingerprint])
    assert attempts(ledger, *names) == [0, 1]
    ledger.free("one")
    [[one, two]] = ledger.take_all(names, "two", seconds=30)
    assert [one.attempts, two.attempts] == [1, 2]


def test_a_page_that_another_worker_took_counts_no_attempt_of_the_first(ledger):
    [name] = fetched(ledger, A)
    [[lease]] = ledger.take_all([name], "slow", seconds=-1)
    assert take(ledger, name, "quick", seconds=30).attempts == 1
    ledger.begin(lease, "slow", seconds=30)
    ledger.begin(lease, "slow", seconds=30, earlier=[name])
    assert attempts(ledger, name) == [1]
    assert holds(ledger, name, "quick")


def test_large_pages_of_a_job_are_read_one_after_another(ledger, monkeypatch):
    monkeypatch.setattr(ledger_module, "TAKEN_BYTES", 1)
    names = fetched(ledger, A, B)
    batches = ledger.take_all([names[0], "0" * 16, names[1]], "one", seconds=30)
    [one] = next(batches)
    assert one.fingerprint == names[0]
    assert take(ledger, names[1], "two", seconds=30) is None  # leased already
    assert [lease.fingerprint for batch in batches for lease in batch] == [names[1]]


# -- canonical URLs ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second"), [(A, B), (A, C), (C, A)], ids=["two aliases", "an alias first", "the canonical page first"]
)
def test_two_pages_of_one_article_do_not_both_get_it(ledger, first, second):
    one, two = in_hand(ledger, first, "one"), in_hand(ledger, second, "two")
    for _ in range(2):  # claiming twice is claiming once
        assert claim(ledger, one, fingerprint(C), "one").state == "mine"
        assert claim(ledger, two, fingerprint(C), "two").state == "busy"
    assert ledger.settle(one, "written", "", worker="one")
    assert claim(ledger, two, fingerprint(C), "two").state == "theirs"


@pytest.mark.parametrize("first", [A, C], ids=["an alias", "the canonical page"])
@pytest.mark.parametrize(
    "step",
    [
        lambda ledger, name: ledger.settle(name, "failed", "ended its worker", worker="one"),
        lambda ledger, name: ledger.settle(name, "rejected", "a list page", worker="one"),
        lambda ledger, name: ledger.drop(name),
        lambda ledger, name: claim(ledger, name, fingerprint("http://a.example/4"), "one").state == "mine",
    ],
    ids=["fails", "is rejected", "is dropped", "claims another"],
)
def test_a_claim_is_released_when_its_page_has_no_row_for_it(ledger, first, step):
    one, two = in_hand(ledger, first, "one"), in_hand(ledger, B, "two")
    claim(ledger, one, fingerprint(C), "one")
    assert step(ledger, one)
    assert claim(ledger, two, fingerprint(C), "two").state == "mine"


def test_who_lost_the_page_can_not_claim(ledger):
    name = in_hand(ledger, A, "slow", PAST)
    take(ledger, name, "quick", seconds=FAR)
    assert claim(ledger, name, fingerprint(C), "slow").state == "lost"
    ledger.settle(name, "rejected", "a list page", worker="quick")
    assert claim(ledger, name, fingerprint(C), "slow").state == "lost"
    other = in_hand(ledger, B, "w")
    assert claim(ledger, other, fingerprint(C), "w").state == "mine"


# -- the end of a URL -----------------------------------------------------------------------------------------------


def test_a_settled_page_leaves_nothing_but_its_fingerprint(ledger, connection):
    name = in_hand(ledger, A)
    claim(ledger, name, name, "w")
    ledger.settle(name, "written", "", worker="w")
    left = {key.decode().split(":", 3)[3] for key in connection.scan_iter("exemplar:task:news:*")}
    assert {what.split(":")[0] for what in left} == {"counts", "days", "done", "clock"}  # `clock` is of the task


def test_a_long_reason_is_cut_between_characters_and_kept_whole_among_the_problems(ledger):
    ledger.add([Found(A)])
    ledger.settle(fingerprint(A), "failed", "坏" * 100)
    assert ledger.state_of(A) == ("failed", "坏" * (REASON_BYTES // 3))
    assert ledger.problems()[0]["reason"] == "坏" * 100


def test_a_reason_with_a_lone_surrogate_does_no_harm(ledger):
    ledger.add([Found(A)])
    assert ledger.settle(fingerprint(A), "failed", "bad \ud800 text")
    assert ledger.state_of(A) == ("failed", "bad ? text")


def test_problems_are_bounded(ledger, monkeypatch):
    monkeypatch.setattr(ledger_module, "PROBLEMS_KEPT", 2)
    ledger.add([Found(url) for url in (A, B, C)])
    for url in (A, B, C):
        ledger.settle(fingerprint(url), "failed", "HTTP 500")
    assert [problem["url"] for problem in ledger.problems()] == [C, B]


def test_forgetting_a_url_leaves_the_others_of_its_bucket(ledger):
    def bucket(url):
        return ledger.place_of(fingerprint(url))[0]

    other = next(url for url in (f"{A}/{number}" for number in itertools.count()) if bucket(url) == bucket(A))
    ledger.add([Found(A), Found(other)])
    for url in (A, other):
        ledger.settle(fingerprint(url), "rejected", "HTTP 404")
    assert forget_url(ledger, A)
    assert ledger.known_fingerprints([fingerprint(A), fingerprint(other)]) == [False, True]


def bytes_stored(connection, task):
    """What the keys of a task take in Redis. For each of them that reports neither its one or two places in the table
    of all keys (16 bytes at most), nor that its name and its entry are rounded up to whole 16 bytes.
    """
    pipe = connection.pipeline(transaction=False)
    for key in connection.scan_iter(f"exemplar:task:{task}:*"):
        pipe.memory_usage(key, samples=0)
    return sum(size + 16 + 16 for size in pipe.execute())


def settle_all(connection, task, urls):
    """Settle each tenth URL as rejected, and the others as written."""
    for start in range(0, len(urls), 5000):
        batch = urls[start : start + 5000]
        Ledger(connection, task).add([Found(url) for url in batch])
        pipe = connection.pipeline(transaction=False)
        ledger = Ledger(pipe, task)  # the same calls, sent together
        for number, url in enumerate(batch):
            ledger.settle(fingerprint(url), *(("rejected", "HTTP 404") if number % 10 == 0 else ("written", "")))
        pipe.execute()


def test_a_settled_url_costs_at_most_forty_bytes_and_a_hundred_more_if_it_gave_no_row(connection):
    """A sixty-fourth of the buckets, as full as with 100,000 URLs. With more of these, small hashes count for less."""
    urls = [url for url in (f"http://a.example/{number}" for number in range(100_000)) if fingerprint(url) < "04"]
    settle_all(connection, "big", urls)
    used = bytes_stored(connection, "big")
    counts = Ledger(connection, "big").counts()
    assert counts.states["written"] + counts.states["rejected"] == len(urls) > 1_500
    assert Ledger(connection, "big").state_of(urls[0]) == ("rejected", "HTTP 404")
    assert (used - 100 * counts.states["rejected"]) / len(urls) <= 40
