import itertools
import json
import time

import pytest

from workers import ledger as ledger_module
from workers.ledger import REASON_BYTES, REQUEUE_AFTER, Ledger, ledgers
from workers.task_state.forgetting import forget_rejected, forget_task, forget_url
from workers.url_states import Found, fingerprint

A, B, C = "http://a.example/1", "http://a.example/2", "http://a.example/3"
FAR = 1000.0  # seconds: not within this test
PAST = -1.0  # seconds: over already


@pytest.fixture
def ledger(connection, clock):
    return Ledger(connection, "news", clock=clock)


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
    assert ledger.take(name, worker, seconds=seconds)
    return name


# -- entering and leasing ------------------------------------------------------------------------------------------


def test_a_url_is_new_once(ledger):
    assert ledger.add([Found(A), Found(B), Found(A)]) == [True, True, False]
    assert ledger.add([Found(A), Found(C)]) == [False, True]
    assert ledger.counts().seen == 3


def test_a_settled_url_is_not_entered_again(ledger):
    ledger.add([Found(A)])
    ledger.settle(fingerprint(A), "rejected", "HTTP 404")
    assert ledger.add([Found(A)]) == [False]
    assert ledger.known([A, B]) == [True, False]
    assert ledger.lease(10) == []


def test_the_smallest_rank_is_leased_first(ledger):
    ledger.add([Found(A, 2.5), Found(B, -7.39e12), Found(C, -7.39e12 + 1)])
    assert [leased.url for leased in ledger.lease(2)] == [B, C]
    assert [leased.url for leased in ledger.lease(2)] == [A]


def test_what_discovery_knows_comes_back_with_the_lease(ledger):
    ledger.add([Found(A, info={"written_for": "2026-03-12", "题": "标题"})])
    [leased] = ledger.lease(1)
    assert leased.info["written_for"] == "2026-03-12"
    assert leased.info["题"] == "标题"


def test_urls_above_the_bound_are_leased_only_if_none_is_below(ledger):
    ledger.add([Found(A, -1), Found(B, 1), Found(C, 2)])
    leased = [[one.url for one in ledger.lease(9, below=0, most_above=most)] for most in (1, 0, 1, 9)]
    assert leased == [[A], [], [B], [C]]


def test_a_leased_url_is_nobody_elses(ledger):
    ledger.add([Found(A)])
    assert ledger.lease(1, seconds=FAR)
    assert ledger.lease(1) == []


def test_a_lease_that_ran_out_is_leased_again_and_counted(ledger):
    ledger.add([Found(A)])
    assert ledger.lease(1, seconds=PAST)[0].tries == 1
    assert ledger.lease(1)[0].tries == 2


def test_a_renewed_lease_does_not_run_out(ledger):
    ledger.add([Found(A)])
    ledger.lease(1, seconds=PAST)
    ledger.renew([fingerprint(A)], seconds=FAR)
    assert ledger.lease(1) == []


def test_renewing_does_not_lease_what_is_not_leased(ledger):
    ledger.add([Found(A)])
    ledger.renew([fingerprint(A)], seconds=FAR)
    assert ledger.counts().states["leased"] == 0


def test_a_url_put_back_keeps_its_rank_and_its_tries(ledger):
    ledger.add([Found(A, 1), Found(B, 2)])
    ledger.lease(1)
    ledger.put_back([fingerprint(A)])
    [again] = ledger.lease(1)
    assert (again.url, again.tries) == (A, 1)


def test_reclaimed_leases_wait_again(ledger):
    ledger.add([Found(A), Found(B)])
    ledger.lease(2, seconds=FAR)
    assert ledger.reclaim() == 2
    assert [leased.tries for leased in ledger.lease(2)] == [2, 2]


def test_what_failed_in_passing_waits_for_its_time(ledger):
    ledger.add([Found(A)])
    ledger.lease(1)
    ledger.try_later(fingerprint(A), "HTTP 503", FAR)
    assert ledger.lease(1) == []
    assert ledger.state_of(A) == ("waiting", "HTTP 503")
    leased, number, due = ledger.pending()
    assert (leased, number) == (0, 1)
    assert due == pytest.approx(time.time() + FAR, abs=60)


def test_what_failed_in_passing_is_leased_when_its_time_has_come(ledger):
    ledger.add([Found(A)])
    ledger.lease(1)
    ledger.try_later(fingerprint(A), "HTTP 503", PAST)
    assert ledger.lease(1)[0].tries == 2


def test_a_try_that_was_none_is_not_counted(ledger):
    ledger.add([Found(A)])
    ledger.lease(1)
    ledger.try_later(fingerprint(A), "robots.txt cannot be had", PAST, counted=False)
    assert ledger.lease(1)[0].tries == 1
    assert ledger.state_of(A) == ("leased", "robots.txt cannot be had")


# -- pages in workers' hands ----------------------------------------------------------------------------------------


def test_a_page_comes_in_once(ledger):
    [name] = fetched(ledger, A)
    ledger.arrive(name, {"body": b"another"})
    assert ledger.take(name, "w", seconds=FAR).page["body"] == b"x"


def test_a_page_of_an_unknown_url_is_not_kept(ledger, connection):
    ledger.arrive(fingerprint(A), {"body": b"x"})
    assert ledger.counts().seen == 0
    assert list(connection.scan_iter("*:page:*")) == []


def test_one_worker_takes_a_page(ledger):
    [name] = fetched(ledger, A)
    assert ledger.take(name, "one", seconds=FAR).url == A
    assert ledger.take(name, "two", seconds=FAR) is None
    assert ledger.holds(name, "one")
    assert not ledger.holds(name, "two")


def test_a_page_is_taken_over_when_the_lease_ran_out(ledger):
    name = in_hand(ledger, A, "one", PAST)
    assert ledger.take(name, "two", seconds=FAR).attempts == 2
    assert not ledger.holds(name, "one")


def test_a_lapsed_page_is_queued_by_one_sweeper(ledger):
    name = in_hand(ledger, A, seconds=PAST)
    assert ledger.lapsed(oldest_job=None) == ([name], [])
    assert ledger.lapsed(oldest_job=None) == ([], [])
    assert not ledger.holds(name, "w")


def test_a_held_page_is_not_queued(ledger):
    in_hand(ledger, A, seconds=FAR)
    assert ledger.lapsed(oldest_job=None) == ([], [])


def test_attempts_that_took_their_worker_down_are_counted(ledger):
    name = in_hand(ledger, A, "one")
    assert ledger.free("one") == [name]
    taken = ledger.take(name, "two", seconds=FAR)
    assert (taken.attempts, taken.again) == (2, True)


def test_freeing_a_dead_worker_leaves_the_pages_of_others(ledger):
    in_hand(ledger, A, "dead")
    theirs = in_hand(ledger, B, "alive")
    ledger.free("dead")
    assert ledger.holds(theirs, "alive")
    assert ledger.take(theirs, "other", seconds=FAR) is None


def test_a_released_page_is_not_blamed_but_was_in_hand_before(ledger):
    name = in_hand(ledger, A)
    ledger.release(name, "w", PAST, "disk full")
    assert ledger.state_of(A) == ("fetched", "disk full")
    taken = ledger.take(name, "w", seconds=FAR)
    assert (taken.attempts, taken.again) == (1, True)


def test_a_released_page_rests_until_its_time(ledger):
    name = in_hand(ledger, A)
    ledger.release(name, "w", FAR, "disk full")
    assert ledger.take(name, "w", seconds=FAR) is None
    assert ledger.lapsed(oldest_job=None) == ([], [])


def test_a_postponed_page_is_queued_even_if_other_jobs_wait(ledger):
    name = in_hand(ledger, A)
    ledger.release(name, "w", PAST, "disk full")
    assert ledger.lapsed(oldest_job=time.time()) == ([], [name])


def test_who_lost_a_page_can_not_let_it_go(ledger):
    name = in_hand(ledger, A, "slow", PAST)
    ledger.take(name, "quick", seconds=FAR)
    ledger.release(name, "slow", PAST, "disk full")
    assert ledger.holds(name, "quick")


def test_postponed_pages_rest_and_come_back(ledger):
    one, two = fetched(ledger, A, B)
    ledger.postpone([one], FAR, "not published")
    ledger.postpone([two], PAST, "not published")
    assert ledger.lapsed(oldest_job=time.time()) == ([], [two])
    assert ledger.take(one, "w", seconds=FAR) is None
    assert ledger.state_of(A) == ("fetched", "not published")


def test_a_page_whose_job_may_still_wait_is_not_queued(ledger, clock):
    fetched(ledger, A)
    clock.forward(REQUEUE_AFTER)  # the page is overdue …
    an_hour_ago = clock() - 3600
    assert ledger.lapsed(oldest_job=an_hour_ago) == ([], [])  # … but the jobs before it are not taken yet


def test_a_page_that_is_older_than_all_waiting_jobs_is_queued(ledger, clock):
    [name] = fetched(ledger, A)
    clock.forward(REQUEUE_AFTER)
    assert ledger.lapsed(oldest_job=clock()) == ([], [name])


def test_a_fresh_page_is_not_queued_again(ledger):
    fetched(ledger, A)
    assert ledger.lapsed(oldest_job=None) == ([], [])


# -- the pages of a job ------------------------------------------------------------------------------------------------


def attempts(ledger, *names):
    return [int(ledger.redis.hget(ledger.keys["cuts"], name) or 0) for name in names]


def test_pages_of_a_job_are_leased_together_and_count_no_attempt(ledger):
    names = fetched(ledger, A, B)
    [leases] = ledger.take_all(names, "one", seconds=30)
    assert [(lease.fingerprint, lease.url, lease.attempts) for lease in leases] == [(names[0], A, 1), (names[1], B, 1)]
    assert attempts(ledger, *names) == [0, 0]
    assert ledger.take(names[1], "two", seconds=30) is None


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
    assert ledger.take(name, "quick", seconds=30).attempts == 1
    ledger.begin(lease, "slow", seconds=30)
    ledger.begin(lease, "slow", seconds=30, earlier=[name])
    assert attempts(ledger, name) == [1]
    assert ledger.holds(name, "quick")


def test_large_pages_of_a_job_are_read_one_after_another(ledger, monkeypatch):
    monkeypatch.setattr(ledger_module, "TAKEN_BYTES", 1)
    names = fetched(ledger, A, B)
    batches = ledger.take_all([names[0], "0" * 16, names[1]], "one", seconds=30)
    [one] = next(batches)
    assert one.fingerprint == names[0]
    assert ledger.take(names[1], "two", seconds=30) is None  # leased already
    assert [lease.fingerprint for batch in batches for lease in batch] == [names[1]]


def test_a_postponed_page_of_a_job_is_skipped(ledger):
    names = fetched(ledger, A, B)
    ledger.postpone(names[:1], 60.0, "disk full")
    [[lease]] = ledger.take_all(names, "one", seconds=30)
    assert lease.fingerprint == names[1]


# -- canonical URLs ----------------------------------------------------------------------------------------------------


def settle_written(ledger, name, worker):
    assert ledger.settle(name, "written", "", worker=worker)


def test_two_pages_of_one_article_do_not_both_get_it(ledger):
    one, two = in_hand(ledger, A, "one"), in_hand(ledger, B, "two")
    assert ledger.claim(one, fingerprint(C), "one").state == "mine"
    assert ledger.claim(two, fingerprint(C), "two").state == "busy"
    settle_written(ledger, one, "one")
    assert ledger.claim(two, fingerprint(C), "two").state == "theirs"


def test_a_claim_is_released_when_its_page_fails(ledger):
    one, two = in_hand(ledger, A, "one"), in_hand(ledger, B, "two")
    ledger.claim(one, fingerprint(C), "one")
    ledger.settle(one, "failed", "ended its worker", worker="one")
    assert ledger.claim(two, fingerprint(C), "two").state == "mine"


def test_a_claim_is_released_when_its_page_is_dropped(ledger):
    one, two = in_hand(ledger, A, "one"), in_hand(ledger, B, "two")
    ledger.claim(one, fingerprint(C), "one")
    ledger.drop(one)
    assert ledger.claim(two, fingerprint(C), "two").state == "mine"


def test_a_claim_is_released_when_its_page_claims_another(ledger):
    one, two = in_hand(ledger, A, "one"), in_hand(ledger, B, "two")
    ledger.claim(one, fingerprint(C), "one")
    assert ledger.claim(one, fingerprint(A), "one").state == "mine"
    assert ledger.claim(two, fingerprint(C), "two").state == "mine"


def test_claiming_twice_is_claiming_once(ledger):
    one = in_hand(ledger, A)
    assert ledger.claim(one, fingerprint(C), "w").state == "mine"
    assert ledger.claim(one, fingerprint(C), "w").state == "mine"


def test_an_alias_first_makes_the_canonical_page_a_duplicate(ledger):
    alias, own = in_hand(ledger, A, "one"), in_hand(ledger, C, "two")
    assert ledger.claim(alias, own, "one").state == "mine"
    assert ledger.claim(own, own, "two").state == "busy"
    settle_written(ledger, alias, "one")
    assert ledger.claim(own, own, "two").state == "theirs"


def test_the_canonical_page_first_makes_an_alias_a_duplicate(ledger):
    own, alias = in_hand(ledger, C, "one"), in_hand(ledger, A, "two")
    assert ledger.claim(own, own, "one").state == "mine"
    assert ledger.claim(alias, own, "two").state == "busy"
    settle_written(ledger, own, "one")
    assert ledger.claim(alias, own, "two").state == "theirs"


def test_a_canonical_page_that_was_rejected_leaves_the_article_to_its_alias(ledger):
    own, alias = in_hand(ledger, C, "one"), in_hand(ledger, A, "two")
    ledger.claim(own, own, "one")
    ledger.settle(own, "rejected", "a list page", worker="one")
    assert ledger.claim(alias, own, "two").state == "mine"


def test_who_lost_the_page_can_not_claim(ledger):
    name = in_hand(ledger, A, "slow", PAST)
    ledger.take(name, "quick", seconds=FAR)
    assert ledger.claim(name, fingerprint(C), "slow").state == "lost"
    ledger.settle(name, "rejected", "a list page", worker="quick")
    assert ledger.claim(name, fingerprint(C), "slow").state == "lost"
    other = in_hand(ledger, B, "w")
    assert ledger.claim(other, fingerprint(C), "w").state == "mine"


# -- the end of a URL -----------------------------------------------------------------------------------------------


def test_only_the_holder_settles(ledger):
    name = in_hand(ledger, A, "slow", PAST)
    ledger.take(name, "quick", seconds=FAR)
    assert not ledger.settle(name, "written", "", worker="slow")
    assert ledger.settle(name, "written", "", worker="quick")


def test_a_url_is_settled_once(ledger):
    ledger.add([Found(A)])
    assert ledger.settle(fingerprint(A), "rejected", "HTTP 404")
    assert not ledger.settle(fingerprint(A), "failed", "HTTP 500")
    assert ledger.state_of(A) == ("rejected", "HTTP 404")


def test_an_open_state_is_not_an_end(ledger):
    with pytest.raises(ValueError, match="not a final state"):
        ledger.settle(fingerprint(A), "waiting", "")


def test_a_settled_page_leaves_nothing_but_its_fingerprint(ledger, connection):
    name = in_hand(ledger, A)
    ledger.claim(name, name, "w")
    ledger.settle(name, "written", "", worker="w")
    left = {key.decode().split(":", 3)[3] for key in connection.scan_iter("exemplar:task:news:*")}
    assert {what.split(":")[0] for what in left} == {"counts", "days", "done", "clock"}  # `clock` is of the task


def test_the_reason_is_kept_in_any_language(ledger):
    ledger.add([Found(A)])
    ledger.settle(fingerprint(A), "rejected", "栏目页，没有正文")
    assert ledger.state_of(A) == ("rejected", "栏目页，没有正文")


def test_a_long_reason_is_cut_between_characters_and_kept_whole_among_the_problems(ledger):
    ledger.add([Found(A)])
    ledger.settle(fingerprint(A), "failed", "坏" * 100)
    assert ledger.state_of(A) == ("failed", "坏" * (REASON_BYTES // 3))
    assert ledger.problems()[0]["reason"] == "坏" * 100


def test_a_reason_with_a_lone_surrogate_does_no_harm(ledger):
    ledger.add([Found(A)])
    assert ledger.settle(fingerprint(A), "failed", "bad \ud800 text")
    assert ledger.state_of(A) == ("failed", "bad ? text")


def test_problems_are_the_newest_first(ledger):
    ledger.add([Found(A), Found(B)])
    ledger.settle(fingerprint(A), "rejected", "HTTP 404")
    ledger.settle(fingerprint(B), "failed", "HTTP 500")
    assert [(p["url"], p["state"], p["reason"]) for p in ledger.problems()] == [
        (B, "failed", "HTTP 500"),
        (A, "rejected", "HTTP 404"),
    ]


def test_problems_are_bounded(connection):
    ledger = Ledger(connection, "news", problems_kept=2)
    ledger.add([Found(url) for url in (A, B, C)])
    for url in (A, B, C):
        ledger.settle(fingerprint(url), "failed", "HTTP 500")
    assert [problem["url"] for problem in ledger.problems()] == [C, B]


def test_unsee_forgets_the_rejected_of_one_reason(ledger):
    ledger.add([Found(url) for url in (A, B, C)])
    ledger.settle(fingerprint(A), "rejected", "beyond the limit")
    ledger.settle(fingerprint(B), "rejected", "HTTP 404")
    ledger.settle(fingerprint(C), "failed", "beyond the limit")
    assert forget_rejected(ledger, "beyond the limit") == 1
    assert ledger.known([A, B, C]) == [False, True, True]
    assert ledger.counts().unaccounted == 0


def test_forgetting_a_url_leaves_the_others_of_its_bucket(ledger):
    def bucket(url):
        return ledger.place_of(fingerprint(url))[0]

    other = next(url for url in (f"{A}/{number}" for number in itertools.count()) if bucket(url) == bucket(A))
    ledger.add([Found(A), Found(other)])
    for url in (A, other):
        ledger.settle(fingerprint(url), "rejected", "HTTP 404")
    assert forget_url(ledger, A)
    assert ledger.known([A, other]) == [False, True]


def test_a_dropped_url_can_be_found_again(ledger):
    ledger.add([Found(A)])
    assert ledger.drop(fingerprint(A))
    assert not ledger.drop(fingerprint(A))
    assert ledger.add([Found(A)]) == [True]


def test_open_urls_say_why_they_wait(ledger):
    ledger.add([Found(A)])
    ledger.lease(1)
    ledger.try_later(fingerprint(A), "HTTP 503", FAR)
    assert ledger.open_urls("waiting") == [{"url": A, "state": "waiting", "reason": "HTTP 503"}]


def test_tasks_have_ledgers_of_their_own(connection):
    one, two = Ledger(connection, "one"), Ledger(connection, "two*")
    one.add([Found(A)])
    assert two.add([Found(A)]) == [True]
    assert ledgers(connection) == ["one", "two*"]
    forget_task(connection, "two*")
    assert ledgers(connection) == ["one"]
    assert one.state_of(A) == ("waiting", "")
    assert two.state_of(A) is None


def test_counts_are_json_ready(ledger):
    ledger.add([Found(A)])
    shown = json.loads(json.dumps(ledger.counts().to_dict()))
    assert (shown["seen"], shown["waiting"], shown["unaccounted"]) == (1, 1, 0)


def test_a_settled_url_costs_at_most_forty_bytes_and_a_hundred_more_if_it_gave_no_row(connection):
    urls, step = 100_000, 5_000  # with more the share of the small hashes falls: 27 bytes at 200,000
    before = connection.info("memory")["used_memory"]
    for start in range(0, urls, step):
        batch = [f"http://a.example/{number}" for number in range(start, start + step)]
        Ledger(connection, "big").add([Found(url) for url in batch])
        pipe = connection.pipeline(transaction=False)
        ledger = Ledger(pipe, "big")  # the same calls, sent together
        for number, url in enumerate(batch):
            ledger.settle(fingerprint(url), *(("rejected", "HTTP 404") if number % 10 == 0 else ("written", "")))
        pipe.execute()
    counts = Ledger(connection, "big").counts()
    assert (counts.states["written"], counts.states["rejected"]) == (urls * 9 // 10, urls // 10)
    assert Ledger(connection, "big").state_of("http://a.example/0") == ("rejected", "HTTP 404")
    used = connection.info("memory")["used_memory"] - before
    assert (used - 100 * counts.states["rejected"]) / urls <= 40


def test_open_urls_begin_with_those_that_were_tried(ledger):
    ledger.add([Found(A)])
    [leased] = ledger.lease(1)
    ledger.try_later(leased.fingerprint, "HTTP 503", 60)
    ledger.add([Found(f"http://a.example/{n}") for n in range(200)])
    assert ledger.open_urls("waiting")[0]["reason"] == "HTTP 503"


def test_a_url_that_was_entered_before_days_were_counted_is_settled_like_any(ledger, connection):
    ledger.add([Found(A), Found(B)])
    connection.hset("exemplar:task:news:open", fingerprint(A), json.dumps({"url": A, "rank": 0}))
    assert ledger.settle(fingerprint(A), "rejected", "http 404")
    assert ledger.state_of(A) == ("rejected", "http 404")
    [of_today] = ledger.days().values()
    assert of_today.seen == 2
    assert ledger.counts().unaccounted == 0
