"""The schedule in Redis, by a clock that the tests set. Times are Unix seconds."""

from collections import Counter

import pytest
import redis

from crawler.run.publishing_rate import note_visit
from crawler.scheduling.schedule import SPREAD_MOST, SPREAD_SHARE, STARTED_AT_ONCE, Schedule
from crawler.task_list.publication import periods_of
from tests.crawler.clock import HandClock
from tests.crawler.task_lists import task_file
from workers import keys

NOW = 1_700_000_000.0
HOUR = 3600.0
SPREAD = SPREAD_SHARE * HOUR


@pytest.fixture
def schedule(connection):
    return Schedule(connection, HandClock(NOW))


def at(now, schedule):
    """The schedule, its clock set to `now`."""
    schedule.clock.now = now
    return schedule


def tasks(*names, **keys_):
    return periods_of(task_file(*names, **keys_).tasks)


def names(count):
    return [f"task-{number}" for number in range(count)]


def planned(schedule, *task_names, **keys_):
    at(NOW, schedule).plan(tasks(*task_names, **keys_))


# Planning


def test_new_tasks_start_soon_and_spread(schedule):
    planned(schedule, *names(20))
    times = sorted(schedule.next_times().values())
    assert times[0] >= NOW
    assert times[-1] <= NOW + min(SPREAD, SPREAD_MOST)
    assert len(set(times)) == 20


def test_a_scheduler_of_chosen_tasks_leaves_the_times_of_the_others(schedule):
    planned(schedule, "chosen", "other")
    assert schedule.fire(only=["chosen", "unknown"]) == ["chosen"]
    assert schedule.next_times(["other"]) == {"other": NOW}


def test_a_cron_line_keeps_its_own_time(schedule):
    at(NOW, schedule).plan(tasks("daily", every='"0 8 * * * UTC"'))
    due = schedule.next_times()["daily"]
    assert due % 86400 == 8 * HOUR
    assert NOW < due <= NOW + 24 * HOUR


def test_paused_and_removed_tasks_leave_also_what_is_due(schedule):
    planned(schedule, "kept", "paused", "removed")
    at(NOW + HOUR, schedule).fire()
    at(NOW + HOUR, schedule).plan(tasks("kept", "paused!"))
    assert list(schedule.next_times()) == ["kept"]
    assert schedule.due() == ["kept"]


def test_a_task_that_comes_back_starts_as_a_new_one(schedule):
    planned(schedule, "news")
    at(NOW, schedule).plan(tasks("news!"))
    at(NOW + 5 * HOUR, schedule).plan(tasks("news"))
    assert NOW + 5 * HOUR <= schedule.next_times()["news"] <= NOW + 5 * HOUR + SPREAD


def test_a_shorter_period_counts_from_now(schedule):
    planned(schedule, "news")
    at(NOW + HOUR, schedule).fire()
    at(NOW + HOUR, schedule).plan(tasks("news+10m"))
    assert schedule.next_times()["news"] == NOW + HOUR + 600


def test_a_longer_period_does_not_put_off_what_is_near(schedule):
    planned(schedule, "news")
    at(NOW + HOUR, schedule).fire()
    near = schedule.next_times()["news"]
    at(NOW + HOUR, schedule).plan(tasks("news+30d"))
    assert schedule.next_times()["news"] == near


# Firing


def test_a_task_fires_when_its_time_has_come_and_not_before(schedule):
    planned(schedule, "news")
    due = schedule.next_times()["news"]
    assert at(due - 0.001, schedule).fire() == []
    assert at(due, schedule).fire() == ["news"]
    assert schedule.due() == ["news"]


def test_a_missed_time_fires_once_and_the_next_counts_from_now(schedule):
    planned(schedule, "news")
    late = NOW + 100 * HOUR
    assert at(late, schedule).fire() == ["news"]
    assert at(late, schedule).fire() == []
    assert late + HOUR / 2 <= schedule.next_times()["news"] <= late + 1.5 * HOUR


def test_a_task_that_still_runs_is_not_fired_again(schedule):
    planned(schedule, "news")
    at(NOW + HOUR, schedule).fire()
    lease = schedule.lease()
    assert at(NOW + 3 * HOUR, schedule).fire() == []
    assert schedule.due() == []
    schedule.done(lease)
    assert at(NOW + 6 * HOUR, schedule).fire() == ["news"]


def test_from_the_first_start_on_many_tasks_are_spread_over_the_whole_period(schedule):
    planned(schedule, *names(200))
    first = at(NOW + SPREAD, schedule)
    assert len(first.fire()) == 200
    second = schedule.next_times()
    assert all(HOUR / 2 <= time - schedule.clock.now <= 1.5 * HOUR for time in second.values())
    in_each_tenth = Counter(int(time % HOUR // (HOUR / 10)) for time in second.values())
    assert all(8 <= in_each_tenth[tenth] <= 36 for tenth in range(10))
    for name, time in second.items():
        at(time + 0.4, schedule).fire([name])  # a scheduler looks twice a second
    assert schedule.next_times() == pytest.approx({name: time + HOUR for name, time in second.items()})


def test_a_few_tasks_keep_the_offsets_of_their_first_starts(schedule):
    planned(schedule, *names(STARTED_AT_ONCE))
    at(NOW + 0.4, schedule).fire()
    assert set(schedule.next_times().values()) == {NOW + HOUR}


def test_a_task_without_a_period_is_not_looked_at_for_ever(schedule, connection):
    planned(schedule, "news")
    connection.zadd(keys.SCHEDULE, {"nobody's": 1.0})
    assert at(NOW + HOUR, schedule).fire() == ["news"]
    assert list(schedule.next_times()) == ["news"]


def test_a_change_of_period_does_not_bring_back_a_time_that_has_fired_since(schedule, connection):
    planned(schedule, "news")
    late = NOW + 10 * HOUR

    def clock():  # `plan` has read the times when it asks for the time; now another scheduler fires
        at(late, schedule).fire()
        return late

    Schedule(connection, clock).plan(tasks("news+2h"))
    assert schedule.due() == ["news"]
    assert schedule.next_times()["news"] > late + HOUR / 2
    assert schedule.next_times()["news"] < late + 2 * HOUR, "the time that the other set is kept"


class SlowReader(redis.Redis):
    """A connection on which something happens after the times of the schedule were read."""

    def __init__(self, connection, meanwhile):
        super().__init__(connection_pool=connection.connection_pool)
        self.meanwhile = meanwhile

    def zrangebyscore(self, *args, **kwargs):
        rows = super().zrangebyscore(*args, **kwargs)
        self.meanwhile()
        return rows


def test_a_scheduler_that_looked_before_another_fired_fires_nothing(schedule, connection):
    planned(schedule, "news")
    late = NOW + 10 * HOUR
    fired = []

    def fire_and_run():
        fired.extend(at(late, schedule).fire())
        if lease := schedule.lease():
            schedule.done(lease)

    slow = Schedule(SlowReader(connection, fire_and_run), HandClock(late))
    assert slow.fire() == []
    assert fired == ["news"]
    assert schedule.due() == []


# Leases


def test_the_task_that_waits_longest_is_leased_first(schedule):
    at(NOW, schedule).plan(tasks("early"))
    at(NOW + HOUR, schedule).fire()
    at(NOW + HOUR, schedule).plan(tasks("early", "late"))
    at(NOW + 1.2 * HOUR, schedule).fire()
    assert [schedule.lease().task, schedule.lease().task] == ["early", "late"]


def test_a_lease_that_ran_out_gives_the_task_to_another(schedule):
    schedule.fire_now(["news"])
    dead = schedule.lease(seconds=-1)
    other = schedule.lease()
    assert other.task == "news"
    assert not schedule.renew(dead)
    schedule.done(dead)
    assert schedule.running() == ["news"], "only its holder ends a run"
    assert schedule.renew(other)


def test_a_renewed_lease_does_not_run_out(schedule, connection):
    schedule.fire_now(["news"])
    lease = schedule.lease(seconds=0.5)
    schedule.renew(lease, seconds=60)
    assert connection.zscore(keys.RUNNING, "news") == NOW + 60
    assert schedule.lease() is None


def test_a_run_that_broke_off_comes_again_soon(schedule):
    planned(schedule, "news")
    schedule.fire_now(["news"])
    soon = NOW - 100
    schedule.done(schedule.lease(), again_at=soon)
    assert schedule.next_times()["news"] == soon


def test_again_never_means_later_than_planned(schedule):
    planned(schedule, "news")
    due = schedule.next_times()["news"]
    schedule.fire_now(["news"])
    schedule.done(schedule.lease(), again_at=due + HOUR)
    assert schedule.next_times()["news"] == due


def test_a_removed_task_that_broke_off_does_not_come_back(schedule):
    schedule.fire_now(["gone"])
    schedule.done(schedule.lease(), again_at=NOW)
    assert schedule.next_times() == {}


# A person asks


def test_what_a_person_asks_for_is_due_at_once_and_once(schedule):
    schedule.fire_now(["news", "sports"])
    schedule.fire_now(["news"])
    schedule.fire_now([])
    assert sorted(schedule.due()) == ["news", "sports"]


def test_a_task_asked_for_while_it_runs_waits_for_the_end_of_its_run(schedule):
    schedule.fire_now(["news"])
    running = schedule.lease()
    schedule.fire_now(["news"])
    assert schedule.lease() is None
    schedule.fire_now(["sports"])
    assert schedule.lease().task == "sports", "it holds up no other"
    assert schedule.renew(running), "its lease was not taken away"
    schedule.done(running)
    assert schedule.lease().task == "news"


def test_clearing_takes_back_what_is_due_and_running(schedule, connection):
    schedule.fire_now(["news", "sports"])
    schedule.lease()
    schedule.clear()
    assert (schedule.due(), schedule.running(), schedule.lease()) == ([], [], None)


# Following the section


def test_an_auto_task_starts_with_a_period_for_one_that_nothing_is_known_of(schedule):
    planned(schedule, "news", every="auto")
    assert 3000 < schedule.periods_in_force(["news"])["news"] < 6 * HOUR
    assert at(NOW + HOUR, schedule).fire() == ["news"]


def test_a_run_that_finds_much_makes_the_period_of_an_auto_task_shorter_at_once(schedule, connection):
    planned(schedule, "news", every="auto 10m..1d")
    note_visit(connection, "news", 500, now=NOW)  # the archive
    before = schedule.periods_in_force(["news"])["news"]
    at(NOW + 4 * HOUR, schedule).fire()
    lease = schedule.lease()
    note_visit(connection, "news", 40, now=NOW + 4 * HOUR)
    at(NOW + 4 * HOUR, schedule).done(lease)
    period = schedule.periods_in_force(["news"])["news"]
    assert 600 <= period < before / 3
    assert schedule.next_times()["news"] == pytest.approx(NOW + 4 * HOUR + period)
