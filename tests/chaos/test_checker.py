"""The checker on histories that are made up: a whole one, and one for each way in which a promise is broken."""

from dataclasses import replace

import pytest

from tests.chaos.checker import History, OutputRow, violations
from tests.chaos.site import Expected

FIRST, SECOND = (f"http://10.99.0.1:80/s1/a/{number}.html" for number in (1, 2))
WRITTEN, GONE = frozenset({"written"}), frozenset({"rejected"})
OUTPUTS = (("s1", "jsonl"), ("s1", "db"))


def article(url, states=WRITTEN, **change):
    return replace(Expected(states, f"Title of {url}", f"Text of {url}", 1, "2026-03-01", url), **change)


def row(url, **change):
    served = article(url)
    row = OutputRow("s1", url, 1, served.title, served.text, served.parts, served.published, served.canonical_url)
    return replace(row, **change)


def whole(**change):
    """A history of two articles in which all is well, but for what is changed."""
    history = History(
        published={"s1": {FIRST: article(FIRST), SECOND: article(SECOND)}},
        served={FIRST: 1, SECOND: 2},
        places={("s1", FIRST): ("written",), ("s1", SECOND): ("written",)},
        counts={"s1": {"seen": 2, "waiting": 0, "leased": 0, "fetched": 0, "written": 2, "unaccounted": 0}},
        outputs={output: [row(FIRST), row(SECOND)] for output in OUTPUTS},
    )
    return replace(history, **change)


def second_is(*places):
    return {("s1", FIRST): ("written",), ("s1", SECOND): places}


def second_may_be(states, **change):
    return {"s1": {FIRST: article(FIRST, twin=SECOND), SECOND: article(SECOND, states, twin=FIRST, **change)}}


def rows(*changed):
    """The rows of the JSONL file; the database has those that it should have."""
    return {OUTPUTS[0]: list(changed), OUTPUTS[1]: [row(FIRST), row(SECOND)]}


def test_a_whole_history_has_no_violations():
    assert violations(whole()) == []


@pytest.mark.parametrize(
    ("rule", "change"),
    [
        ("lost", {"places": second_is()}),
        ("open", {"places": second_is("leased")}),
        ("two states", {"places": second_is("waiting", "written")}),
        ("two states", {"places": second_is("waiting", "leased")}),
        ("blamed", {"places": second_is("failed"), "reasons": {SECOND: "crashed its worker 3 times"}}),
        ("blamed", {"places": second_is("duplicate")}),
        ("counts", {"counts": {"s1": {"seen": 2, "written": 1, "unaccounted": 1}}}),
        ("counts", {"counts": {"s1": {"seen": 3, "written": 3, "unaccounted": 0}}}),
        ("row lost", {"outputs": rows(row(FIRST))}),
        ("row too many", {"places": second_is("fetched")}),
        ("row too many", {"places": second_is()}),
        ("twice", {"outputs": rows(row(FIRST), row(SECOND), row(FIRST))}),
        ("twice", {"outputs": rows(row(FIRST), row(SECOND), row(FIRST, version=2))}),
        ("damaged", {"damaged": {("s1", "jsonl"): 1}}),
        ("foreign row", {"outputs": rows(row(FIRST), row(SECOND), row(FIRST.replace("/1.", "/3.")))}),
        ("foreign row", {"outputs": rows(row(FIRST), row(SECOND, title="Ferry 1 of s1"))}),
        ("foreign row", {"outputs": rows(row(FIRST), row(SECOND, task="s2"))}),
        ("foreign row", {"served": {FIRST: 1}}),
        ("foreign row", {"outputs": rows(row(FIRST), row(SECOND, text=f"Text of {FIRST}"))}),
        ("foreign row", {"outputs": rows(row(FIRST), row(SECOND, parts=2))}),
        ("foreign row", {"outputs": rows(row(FIRST), row(SECOND, published=""))}),
        ("foreign row", {"outputs": rows(row(FIRST), row(SECOND, canonical_url=FIRST))}),
        ("twice", {"outputs": rows(row(FIRST), row(SECOND, canonical_url=FIRST))}),
        ("not blamed", {"published": {"s1": {FIRST: article(FIRST), SECOND: article(SECOND, GONE)}}}),
        ("twice", {"published": second_may_be(WRITTEN | {"duplicate"})}),
        ("counts", {"samples": [("s1", {"seen": 2, "written": 2}), ("s1", {"seen": 2, "written": 1})]}),
        ("too fast", {"requests": [0.05 * number for number in range(30)], "interval": 0.1}),
        ("late", {"waits": [1.0] * 90 + [45.0] * 10, "longest_wait": 15.0}),
        ("left over", {"left": ["exemplar:stored: 1 page"]}),
    ],
)
def test_each_broken_promise_is_told(rule, change):
    assert rule in {violation.rule for violation in violations(whole(**change))}


def test_a_duplicate_is_no_violation_where_its_twin_is_written():
    published = second_may_be(WRITTEN | {"duplicate"}, canonical_url=FIRST)
    counts = {"s1": {"seen": 2, "written": 1, "duplicate": 1}}
    outputs = {output: [row(FIRST)] for output in OUTPUTS}
    assert violations(whole(published=published, places=second_is("duplicate"), counts=counts, outputs=outputs)) == []


@pytest.mark.parametrize(("is_lossy", "told"), [(True, set()), (False, {"row lost", "row too many"})])
def test_a_row_under_the_url_of_a_twin_is_right_only_if_redis_lost_which_url_was_written(is_lossy, told):
    published = second_may_be(WRITTEN | {"duplicate"}, canonical_url=FIRST)
    counts = {"s1": {"seen": 2, "written": 1, "duplicate": 1}}
    outputs = {output: [row(SECOND, canonical_url=FIRST)] for output in OUTPUTS}
    places = second_is("duplicate")
    history = whole(published=published, places=places, counts=counts, outputs=outputs, is_lossy=is_lossy)
    assert {violation.rule for violation in violations(history)} & {"row lost", "row too many"} == told


def test_requests_at_the_pace_are_no_violation_though_some_arrive_late():
    times = sorted(0.1 * number + (0.3 if number % 7 == 0 else 0.0) for number in range(300))
    assert violations(whole(requests=times, interval=0.1)) == []
