"""Permits of a host and reports about it, counted in Redis for all processes."""

import asyncio
import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crawler.politeness import pace as politeness
from crawler.politeness.pace import (
    ADDRESS_KEPT,
    CRAWL_DELAY_MOST,
    RETRY_AFTER_MOST,
    AddressBook,
    HostProblem,
    Pace,
    host_of,
    host_state,
    hosts,
    in_words,
    state_key,
)
from tests.samples import sample
from workers import keys

SITE = "site.example:80"
REFUSED = HostProblem("http 429", slow=True)
AWAY = HostProblem("connection refused", failed=True)
FORBIDDEN = HostProblem("http 403")
FAILURES = int(politeness._NUMBERS["FAILURES_MOST"])
OPEN_LEAST, OPEN_MOST = politeness._CONSTANTS["OPEN_LEAST"], politeness._CONSTANTS["OPEN_MOST"]
SLOW_LEAST, SLOW_MOST = politeness._CONSTANTS["SLOW_LEAST"], politeness._CONSTANTS["SLOW_MOST"]


def rest(seconds):
    return HostProblem(f"http 429; Retry-After: {seconds:.0f} s", seconds, slow=True)


class Clock:
    """Redis' clock and the processes', moved by hand. Each `pace()` is a process of its own."""

    def __init__(self, connection, monkeypatch):
        self.connection, self.now = connection, 1_800_000_000.0
        real = politeness._lua
        monkeypatch.setattr(
            politeness, "_lua", lambda name: real(name).replace("redis.call('TIME')", "{0, redis.call('GET', 'clock')}")
        )
        self.pass_(0)

    def pass_(self, seconds):
        self.now += seconds
        self.connection.set("clock", int(self.now * 1e6))

    def pace(self):
        return Pace(self.connection, lambda: self.now)

    def state(self, host=SITE):
        return host_state(self.connection, host)


@pytest.fixture
def clock(connection, monkeypatch):
    return Clock(connection, monkeypatch)


def take(clock, pace, interval=0.0, host=SITE):
    """Wait for a permit, as long as it takes; return its time."""
    while (permit := pace.request_permit(host, interval)).wait:
        clock.pass_(permit.wait)
    return permit.at


def ask_and(clock, pace, problem=None, interval=0.0, seconds=0.02):
    """One request and what came of it."""
    at = take(clock, pace, interval)
    pace.report(SITE, at, problem, seconds=seconds, interval=interval)


def failing(clock, pace, times=FAILURES):
    for _ in range(times):
        ask_and(clock, pace, AWAY)


# Permits


def test_the_first_permit_is_free_the_next_one_an_interval_away_and_asking_reserves_nothing(clock):
    pace = clock.pace()
    hosts_and_ports = (SITE, "other.example:80", "site.example:8080")
    assert [pace.request_permit(host, 5.0).wait for host in hosts_and_ports] == [0, 0, 0]
    assert [pace.request_permit(SITE, 5.0).wait for _ in range(20)] == [5.0] * 20


def test_who_wants_a_long_interval_is_not_starved_by_who_wants_a_short_one(clock):
    short, long = clock.pace(), clock.pace()
    take(clock, short, 0.2)
    clock.pass_(0.2)
    assert long.request_permit(SITE, 60.0).wait == 0
    assert short.request_permit(SITE, 0.2).wait > 59


def test_a_host_is_a_name_with_its_port():
    assert host_of("http://SITE.example/a") == "site.example:80"
    assert host_of("https://site.example/") == "site.example:443"
    assert host_of("http://site.example:8080/") == "site.example:8080"


def test_without_an_interval_nobody_waits_and_nothing_is_written(connection):
    pace = Pace(connection)
    assert [pace.request_permit(SITE, 0).wait for _ in range(3)] == [0, 0, 0]
    assert connection.keys("*") == []


def test_the_state_of_a_host_lapses(clock, connection):
    pace = clock.pace()
    pace.request_permit(SITE, 2.0)
    hour, day = 3_600_000, 86_400_000
    assert hour < connection.pttl(state_key(SITE)) <= hour + 2000
    ask_and(clock, pace, rest(600), interval=2.0)
    assert day < connection.pttl(state_key(SITE)) <= day + 600_000


def test_a_permit_whose_request_is_late_begins_when_it_is_sent(clock):
    one, other = clock.pace(), clock.pace()
    permit = one.request_permit(SITE, 0.2)
    clock.pass_(0.15)
    assert one.in_time(SITE, permit, 0.2).wait == 0
    assert other.request_permit(SITE, 0.2).wait == pytest.approx(0.2)


def test_a_permit_whose_request_is_too_late_is_lost(clock):
    one, other = clock.pace(), clock.pace()
    permit = one.request_permit(SITE, 0.2)
    clock.pass_(0.25)
    assert other.request_permit(SITE, 0.2).wait == 0
    assert one.in_time(SITE, permit, 0.2) is None
    assert one.request_permit(SITE, 0.2).wait == pytest.approx(0.2)


def test_a_permit_whose_request_is_in_time_costs_no_look(clock, monkeypatch):
    pace = clock.pace()
    monkeypatch.setattr(pace, "_renew", None)
    for interval in (0.2, 0.0):
        permit = pace.request_permit(SITE, interval)
        clock.pass_(0.009 if interval else 5.0)
        assert pace.in_time(SITE, permit, interval) is permit


def test_where_every_answer_is_late_something_is_sent_all_the_same(clock, monkeypatch):
    pace = clock.pace()
    permit = pace.request_permit(SITE, 0.2)
    clock.pass_(0.05)
    renew = pace._renew

    def held(**said):
        answer = renew(**said)
        clock.pass_(0.05)
        return answer

    monkeypatch.setattr(pace, "_renew", held)
    assert pace.in_time(SITE, permit, 0.2).wait == 0


# Retry-After


def test_nobody_asks_a_host_before_the_time_it_named(clock):
    one, other = clock.pace(), clock.pace()
    ask_and(clock, one, rest(3))
    permits = [pace.request_permit(SITE, 0) for pace in (one, other)]
    assert [permit.wait for permit in permits] == pytest.approx([3, 3])
    assert permits[0].closed == "http 429; Retry-After: 3 s"
    clock.pass_(3)
    assert other.request_permit(SITE, 0).wait == 0


def test_the_longest_wait_that_was_named_counts_and_there_is_a_most(clock):
    pace = clock.pace()
    at = take(clock, pace)
    for seconds in (60, 3):
        pace.report(SITE, at, rest(seconds))
    assert pace.request_permit(SITE, 0).wait == pytest.approx(60)
    pace.report(SITE, at, rest(1e9))
    assert pace.request_permit(SITE, 0).wait == pytest.approx(RETRY_AFTER_MOST)


# Slower and faster


def test_each_refusal_doubles_the_interval_up_to_a_most(clock):
    pace = clock.pace()
    seen = []
    for _ in range(8):
        ask_and(clock, pace, REFUSED)
        seen.append(clock.state().interval)
        assert pace.request_permit(SITE, 0).wait == pytest.approx(seen[-1])
    assert seen == [SLOW_LEAST * 2**n for n in range(6)] + [SLOW_MOST] * 2


def test_a_floor_is_doubled_too(clock):
    ask_and(clock, clock.pace(), REFUSED, interval=4.0)
    assert clock.state().interval == 8.0


@pytest.mark.parametrize(
    ("first", "others", "wait"), [(REFUSED, REFUSED, SLOW_LEAST), (REFUSED, None, SLOW_LEAST), (AWAY, AWAY, OPEN_LEAST)]
)
def test_of_requests_that_were_under_way_the_first_problem_counts(clock, first, others, wait):
    pace = clock.pace()
    for number, at in enumerate([pace.request_permit(SITE, 0).at for _ in range(16)]):
        pace.report(SITE, at, others if number else first)
    assert pace.request_permit(SITE, 0).wait == pytest.approx(wait)


def test_good_answers_bring_the_interval_down_little_by_little(clock):
    pace = clock.pace()
    ask_and(clock, pace, REFUSED)
    seen = []
    while interval := clock.state().interval:
        seen.append(interval)
        ask_and(clock, pace)
    assert seen == sorted(seen, reverse=True)
    assert 10 <= len(seen) <= 20
    assert hosts(clock.connection) == []


def test_a_page_that_is_forbidden_neither_slows_down_nor_speeds_up(clock):
    pace = clock.pace()
    ask_and(clock, pace, REFUSED)
    ask_and(clock, pace, FORBIDDEN)
    assert clock.state().interval == SLOW_LEAST


def test_a_host_that_answers_much_slower_than_usual_is_asked_less_often(clock):
    pace = clock.pace()
    for _ in range(60):
        ask_and(clock, pace, seconds=0.05)
        clock.pass_(1)
    assert clock.state().interval == 0
    for _ in range(20):
        ask_and(clock, pace, seconds=4.0)
        clock.pass_(1)
    slowed = clock.state().interval
    assert 1 < slowed < 4
    take(clock, pace)
    assert pace.request_permit(SITE, 0).wait == pytest.approx(clock.state().interval)
    for _ in range(5):
        ask_and(clock, pace, seconds=300.0)
    assert clock.state().interval == politeness._CONSTANTS["LAG_MOST"]
    for _ in range(20):
        ask_and(clock, pace, seconds=0.05)
        clock.pass_(1)
    assert clock.state().interval == 0


# Crawl-delay


def test_a_crawl_delay_holds_for_who_has_not_read_robots_txt(clock):
    one, other = clock.pace(), clock.pace()
    take(clock, one)  # with which robots.txt is read
    one.crawl_delay(SITE, 5.0, 86400)
    assert other.request_permit(SITE, 0).wait == pytest.approx(5.0)
    assert other.request_permit(SITE, 1.0).wait == pytest.approx(5.0)
    clock.pass_(5.0)
    take(clock, other, 7.0)
    assert one.request_permit(SITE, 0).wait == pytest.approx(7.0)


def test_a_crawl_delay_is_honoured_up_to_a_most_and_for_as_long_as_robots_txt_counts(clock):
    pace = clock.pace()
    pace.crawl_delay(SITE, 3600.0, 600)
    assert clock.state().interval == CRAWL_DELAY_MOST
    clock.pass_(601)
    assert clock.state().interval == 0


# The breaker


def test_the_breaker_opens_after_failures_in_a_row_whoever_had_them(clock):
    one, other = clock.pace(), clock.pace()
    for pace, _ in zip(itertools.cycle((one, other)), range(FAILURES), strict=False):
        assert not pace.request_permit(SITE, 0).closed
        ask_and(clock, pace, AWAY)
        clock.pass_(1)
    permit = other.request_permit(SITE, 0)
    assert permit.wait == pytest.approx(OPEN_LEAST - 1)
    assert permit.closed == "connection refused"


def test_an_answer_in_between_keeps_it_closed(clock):
    pace = clock.pace()
    for _ in range(3):
        failing(clock, pace, FAILURES - 1)
        ask_and(clock, pace)
    assert pace.request_permit(SITE, 0).closed == ""
    failing(clock, pace, FAILURES - 1)
    ask_and(clock, pace, FORBIDDEN)
    failing(clock, pace, FAILURES - 1)
    assert pace.request_permit(SITE, 0).closed == ""


def test_after_its_time_one_request_looks_and_the_others_wait_for_what_it_finds(clock):
    one, other = clock.pace(), clock.pace()
    failing(clock, one)
    clock.pass_(OPEN_LEAST)
    at = one.request_permit(SITE, 0)
    assert at.wait == 0
    assert [other.request_permit(SITE, 0).wait for _ in range(2)] == [politeness._CONSTANTS["PROBE_LOOK"]] * 2
    one.report(SITE, at.at)
    assert other.request_permit(SITE, 0).wait == 0
    assert one.request_permit(SITE, 0).wait == 0


def test_it_stays_open_twice_as_long_each_time_up_to_a_most(clock):
    pace = clock.pace()
    failing(clock, pace)
    seen = []
    for _ in range(8):
        seen.append(pace.request_permit(SITE, 0).wait)
        clock.pass_(seen[-1])
        ask_and(clock, pace, AWAY)
    assert seen[:4] == pytest.approx([OPEN_LEAST * 2**n for n in range(4)])
    assert seen[-1] == pytest.approx(OPEN_MOST)


def test_who_looked_and_died_is_followed_by_another(clock):
    one, other = clock.pace(), clock.pace()
    failing(clock, one)
    clock.pass_(OPEN_LEAST)
    assert one.request_permit(SITE, 0).wait == 0
    clock.pass_(politeness._CONSTANTS["PROBE_MOST"])
    assert other.request_permit(SITE, 0).wait == 0


def test_a_host_that_asks_to_wait_is_there(clock):
    pace = clock.pace()
    for _ in range(2 * FAILURES):
        ask_and(clock, pace, HostProblem("http 503; Retry-After: 3 s", 3.0, slow=True))
    assert clock.state().failures == 0


# What a person sees


def test_only_hosts_with_problems_are_shown_and_until_when(clock, connection):
    pace = clock.pace()
    take(clock, pace, 1.0, "calm.example:80")
    assert hosts(connection) == []
    ask_and(clock, pace, rest(600))
    [state] = hosts(connection)
    assert (state.host, state.state, state.why) == (SITE, "closed", "http 429; Retry-After: 600 s")
    assert state.until == pytest.approx(clock.now + 600)
    shown = state.to_dict()
    assert shown["until"].startswith("2027-01-15T08:10:00")
    assert "closed until" in in_words(shown)
    clock.pass_(600)
    [state] = hosts(connection)
    assert (state.state, state.until) == ("slowed", None)
    assert "slowed down, 1.0 s between two requests" in in_words(state.to_dict())
    clock.pass_(86401)
    assert hosts(connection) == []


def test_hosts_that_nobody_asked_for_a_day_are_forgotten(connection):
    connection.zadd(keys.TROUBLED_HOSTS, {SITE: 1e6})
    assert hosts(connection) == []
    assert connection.zcard(keys.TROUBLED_HOSTS) == 0


# Whatever happens

EVENTS = st.lists(
    st.one_of(
        st.tuples(st.just("pass"), st.floats(0, 90)),
        st.tuples(st.just("ask"), st.sampled_from([0.0, 0.2, 5.0])),
        st.tuples(st.just("tell"), st.sampled_from([None, REFUSED, AWAY, FORBIDDEN, rest(3), rest(100)])),
    ),
    max_size=60,
)


@given(EVENTS)
@settings(max_examples=sample(25, 60), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_in_any_order_of_events_no_permit_is_given_too_early(clock, events):
    clock.connection.flushall()
    clock.pass_(0)
    paces = [clock.pace(), clock.pace()]
    open_permits, free, closed = [], 0.0, 0.0
    for number, (kind, value) in enumerate(events):
        pace = paces[number % 2]
        if kind == "pass":
            clock.pass_(value)
        elif kind == "ask":
            permit = pace.request_permit(SITE, value)
            assert 0 <= permit.wait <= max(SLOW_MOST, OPEN_MOST, 100.0)
            if permit.wait == 0:
                assert clock.now >= max(free, closed) - 1e-3
                free = max(free, clock.now + value)
                open_permits.append((pace, permit.at))
        elif open_permits:
            asker, at = open_permits.pop(0)
            asker.report(SITE, at, value)
            if value and value.rest:
                closed = max(closed, clock.now + value.rest)
    state = clock.state()
    assert 0 <= state.interval <= SLOW_MOST
    clock.pass_(90_000)
    assert paces[0].request_permit(SITE, 0).wait == 0


# Processes


class Names:
    """Addresses from a table, in an order of its own."""

    def __init__(self, **table):
        self.table, self.lookups = table, []

    async def look_up(self, name, port):
        self.lookups.append((name, port))
        return self.table.get(name.replace(".", "_"), [])


def limiters(book, *urls):
    async def all_of_them():
        return [await book.limiter_of(url) for url in urls]

    return asyncio.run(all_of_them())


def test_names_and_ports_of_one_address_share_a_limiter():
    book = AddressBook(Names(a_example=["192.0.2.7"], b_example=["192.0.2.7"]).look_up)
    urls = ("http://a.example/1", "https://b.example/", "http://a.example:8080/", "http://gone.example/")
    assert limiters(book, *urls) == [*["192.0.2.7"] * 3, "gone.example:80"]


def test_the_order_of_the_addresses_does_not_matter():
    names = {"a_example": ["2001:db8::1", "192.0.2.9", "192.0.2.10"], "b_example": ["192.0.2.10", "192.0.2.9"]}
    book = AddressBook(Names(**names).look_up)
    assert limiters(book, "http://a.example/", "http://b.example/") == ["192.0.2.9"] * 2


def test_an_address_is_kept_for_some_minutes():
    now, names = [1000.0], Names(a_example=["192.0.2.7"])
    book = AddressBook(names.look_up, lambda: now[0])
    limiters(book, "http://a.example/", "http://a.example/")
    assert names.lookups == [("a.example", 80)]
    now[0] += ADDRESS_KEPT
    names.table["a_example"] = ["192.0.2.8"]
    assert limiters(book, "http://a.example/") == ["192.0.2.8"]
