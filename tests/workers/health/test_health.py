"""Baselines and alarms: the decisions alone, in simulated years, and with workers that extract the sample site."""

import json
from dataclasses import replace

import pytest

from benchmarks.health_year import SECTIONS, alarms_of_year, delay_of
from tests.samples import sample
from tests.workers.helpers import TASK, deliver, news, publish, url
from workers import keys
from workers.health.observations import PageObservation, VisitObservation, from_json, to_json
from workers.health.sequential import ShareRule, ShareTest
from workers.health.store import dismiss_alarms, health_report, present_alarms, update_health
from workers.health.task_health import DAY, PAGE_THRESHOLD, TaskHealth
from workers.ledger import OBSERVED_KEPT
from workers.task_state.forgetting import forget_task
from workers.task_state.renaming import rename_task

BASE = "https://paper.example"
RULE = ShareRule(0.1, 0.8, PAGE_THRESHOLD, least=5)
CAPTCHA = b"""<html><head><title>One moment</title></head><body><h1>One moment</h1><p>Please complete the captcha below
to show that you are a person. Requests from your network were unusual in the last minutes, so we have to ask.</p>
<form action="/verify"><input name="answer"><button>Go on</button></form></body></html>"""


def page(number, **more):
    """A page that fits."""
    return PageObservation(
        at=1e9 + number, url=url(number), fate="article", method="example", match=0.7,
        length=1500 + 100 * (number % 7), title_mark=number + 1, text_mark=number + 1, **more,
    )  # fmt: skip


def pages(count, **later):
    """Pages that fit, of which the thirty-first and later ones are changed."""
    return [page(number) if number < 30 else replace(page(number), **later) for number in range(count)]


def after(observations, health=None):
    """A task's health after observations."""
    health = health or TaskHealth(TASK)
    for observation in observations:
        health.observe(observation)
    return health


def visits(numbers, every=3600, **what):
    return [VisitObservation(1e9 + every * number, **{"lists": 1, **what}) for number in numbers]


USUAL_VISIT = {"found": 20, "known": 19, "new": 1, "fetched": 1}


def opened(health):
    return [change.alarm.kind for change in health.changes if change.news == "opened"]


# ---- decisions


def test_the_level_rises_with_unusual_observations_only_and_opens_at_the_threshold():
    test = ShareTest()
    assert {test.step(RULE, 0, 1, at) for at in range(50)} == {""}
    assert test.level == 0
    verdicts = [test.step(RULE, 1, 1, 100 + at, [f"u{at}"]) for at in range(7)]
    assert verdicts == [""] * 6 + ["opened"]
    assert (test.since, test.rise_hits, test.urls) == (100, 7, ["u0", "u1", "u2", "u3", "u4"])


def test_a_change_is_over_when_observations_are_usual_again():
    test = ShareTest()
    verdicts = [test.step(RULE, number in range(30, 40), 1, number) for number in range(60)]
    assert [verdict for verdict in verdicts if verdict] == ["opened", "recovered"]


def test_observations_keep_their_values_and_later_fields_are_ignored():
    for observation in (page(1, reason="x"), VisitObservation(5.0, found=3, is_whole=False)):
        assert from_json(to_json(observation)) == observation
    assert from_json('{"kind": "visit", "at": 5.0, "colour": 1}') == VisitObservation(5.0)


def test_a_changed_template_a_captcha_and_a_few_odd_pages_are_told_apart():
    usual = [page(number) for number in range(60)]
    later = [page(number) for number in range(60, 130)]
    cases = {
        "template changed": [replace(one, match=0.1) for one in later[:10]],
        "blocked": [replace(one, match=0.0, title_mark=5, text_mark=5, length=200) for one in later[:10]],
        "pages off the template": [
            replace(one, match=0.1) if number % 5 < 2 else one for number, one in enumerate(later)
        ],
        "failures": [PageObservation(one.at, one.url, "failed", reason="unusable page") for one in later[:10]],
    }
    for kind, changed in cases.items():
        assert opened(after(usual + changed)) == [kind]


def test_other_words_around_the_body_are_no_changed_template_if_the_pages_fit():
    for later in ({"match": 0.1}, {"match": 0.1, "method": "density"}):
        assert opened(after(pages(40, **later))) == ["template changed"]
        assert opened(after(pages(40, **later, fits=True))) == []


def test_texts_that_become_far_shorter_are_a_changed_template():
    health = after(pages(40, length=200))
    assert opened(health) == ["template changed"]
    assert "usually 1800" in health.state.alarms["template changed"].evidence


def test_texts_that_begin_alike_are_a_changed_template_unless_they_always_did():
    other = after(pages(40, text_mark=7))
    assert not after(replace(page(number), text_mark=7) for number in range(40)).changes
    assert opened(other) == ["template changed"]
    assert other.state.alarms["template changed"].evidence.endswith("9 have texts that begin alike")


def test_short_texts_in_a_first_run_are_no_changed_template():
    lengths = [page(number).length if number < 8 else 400 for number in range(40)]
    assert not after(replace(page(number), length=length) for number, length in enumerate(lengths)).changes


def test_an_example_among_its_own_pages_and_a_first_run_are_no_baseline():
    health = TaskHealth(TASK)
    health.observe(replace(page(0), match=1.0, length=90))
    health.observe(VisitObservation(1e9, lists=90, found=2000, new=2000, fetched=200, is_whole=False))
    for number, visit in enumerate(visits(range(1, 100), **USUAL_VISIT), 1):
        after([replace(page(number), match=0.5), visit], health)
    assert not health.changes


def test_a_list_without_links_is_a_section_that_moved():
    moved = visits(range(20, 24), start="http://a.example/", moved_to="http://a.example/b/")
    health = after(visits(range(20), **USUAL_VISIT) + moved)
    assert opened(health) == ["section moved"]
    evidence = health.state.alarms["section moved"].evidence
    assert "usually 20" in evidence
    assert "redirects to http://a.example/b/" in evidence


def test_links_of_a_new_form_above_known_articles_are_a_section_that_moved():
    known = USUAL_VISIT | {"new": 0, "known": 20, "fetched": 0}
    link = "http://a.example/2026/a1.shtml"
    assert not after(visits(range(20), **USUAL_VISIT) + visits(range(20, 30), **known)).changes
    assert not after(visits(range(20), **USUAL_VISIT) + visits(range(20, 30), **known, unlike=link)).changes
    known["found"] = 17  # the links of the new form have pushed others off the list
    health = after(visits(range(20), **USUAL_VISIT) + visits(range(20, 24), **known, unlike=link))
    assert opened(health) == ["section moved"]
    assert f"such as {link}" in health.state.alarms["section moved"].evidence


def test_visits_at_which_everything_is_new_come_too_rarely():
    assert opened(after(visits(range(6), DAY, found=20, known=0, new=20, fetched=20))) == ["everything new"]
    # One of two lists shows the articles of before.
    assert not after(visits(range(20), DAY, lists=2, unchanged=1, found=5, new=5, fetched=5)).changes


def test_people_are_told_once_a_day_of_an_alarm_that_comes_and_goes():
    health = TaskHealth(TASK)
    for number in range(400):
        is_odd = number > 50 and number // 25 % 2
        health.observe(replace(page(number), match=0.1 if is_odd else 0.7, at=1e9 + 60 * number))
    assert [change.news for change in health.changes] == ["opened", "recovered"]
    assert [alarm.state for alarm in health.state.history][-2:] == ["recovered", "recovered"]
    health.observe(replace(page(500), at=1e9 + 2 * DAY))
    assert all(alarm.is_told for alarm in health.state.alarms.values())


def test_another_example_begins_the_baselines_of_pages_anew():
    health = TaskHealth(TASK)
    health.use_example("1")
    after(pages(40, match=0.1), health)
    health.use_example("2")
    assert not health.state.alarms
    assert [change.news for change in health.changes] == ["opened", "recovered"]
    after((replace(page(number), match=0.5) for number in range(40, 60)), health)
    assert not health.state.alarms


@pytest.mark.parametrize("section", sample(SECTIONS[::8], SECTIONS), ids=lambda section: section.name)
def test_a_normal_year_raises_no_alarm(section):
    assert alarms_of_year(section, 1) == []


@pytest.mark.parametrize(
    ("change", "kind"), [("template", "template changed"), ("blocked", "blocked"), ("quiet", "section quiet")]
)
def test_a_change_in_a_simulated_year_raises_its_own_alarm(change, kind):
    delay = delay_of(SECTIONS[0], change, 1)
    assert delay.kind == kind
    assert delay.pages <= 10


# ---- in Redis, with workers


def test_each_page_is_counted_once_and_little_is_kept(connection, worker, tmp_path):
    publish(connection, tmp_path)
    for start in range(1, 31, 10):
        names = deliver(connection, {number: news(number) for number in range(start, start + 10)})
        worker.extract_pages(TASK, names)
        worker.extract_pages(TASK, names)  # a job that comes again
    report = health_report(connection, TASK)
    assert report.pages == 30
    assert not report.alarms
    assert json.loads(json.dumps(report.to_dict()))["task"] == TASK
    assert not connection.exists(keys.of_task(TASK, "observed"))


def test_observations_that_nobody_counts_are_bounded(connection, ledger):
    for number in range(OBSERVED_KEPT + 50):
        ledger.observe(to_json(page(number)))
    assert connection.llen(keys.of_task(TASK, "observed")) == OBSERVED_KEPT
    update_health(connection, TASK)
    assert health_report(connection, TASK).pages == OBSERVED_KEPT
    assert not update_health(connection, TASK)


@pytest.fixture
def blocked(connection, worker, tmp_path):
    """A task of which ten articles came in, and then ten times a captcha."""
    publish(connection, tmp_path)
    worker.extract_pages(TASK, deliver(connection, {number: news(number) for number in range(1, 11)}))
    worker.extract_pages(TASK, deliver(connection, dict.fromkeys(range(11, 21), CAPTCHA)))


@pytest.mark.usefixtures("blocked")
def test_a_captcha_is_an_alarm_with_its_evidence_and_can_be_dismissed(connection):
    [alarm] = present_alarms(connection)
    assert (alarm.task, alarm.kind, alarm.is_open) == (TASK, "blocked", True)
    assert "block pages, or have the same title and length" in alarm.evidence
    assert "exemplar extract http://gazette.example/a/" in alarm.advice
    assert connection.llen(keys.NOTICES) == 1
    assert dismiss_alarms(connection, TASK) == ["blocked"]
    assert present_alarms(connection) == []
    assert health_report(connection, TASK).history[0].state == "dismissed"


@pytest.mark.usefixtures("blocked")
def test_alarms_go_with_a_task_that_is_renamed_and_with_its_ledger(connection):
    rename_task(connection, TASK, "town")
    update_health(connection, "town")
    assert [(alarm.task, alarm.kind) for alarm in present_alarms(connection)] == [("town", "blocked")]
    assert health_report(connection, "town").alarms[0].task == "town"
    forget_task(connection, "town")
    assert present_alarms(connection) == []
    assert health_report(connection, "town").pages == 0
