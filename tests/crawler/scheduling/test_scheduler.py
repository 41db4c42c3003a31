"""The scheduler between a file that people edit and the list in force. Each tick is one look."""

import logging
import multiprocessing
import os
from queue import Empty

import pytest
import redis

from crawler.scheduling import scheduler as scheduler_module
from crawler.scheduling.schedule import Schedule
from crawler.scheduling.scheduler import Scheduler
from crawler.task_list.publication import DivergentCopy, edition, publish, published, published_periods
from tests.crawler.spiders import until
from tests.crawler.task_lists import task_file, text_of
from tests.workers.servers import Server
from workers.redis_access.connection import client, persistence_problem


@pytest.fixture(autouse=True)
def _look_in_each_tick(monkeypatch):
    monkeypatch.setattr(scheduler_module, "LOOK_AT_FILE", 0.0)


class File:
    """A tasks.yaml that is edited; each edit has a later time stamp."""

    def __init__(self, folder):
        self.path = folder / "tasks.yaml"
        self.edits = 0

    def write(self, text):
        self.edits += 1
        self.path.write_text(text, "utf-8")
        os.utime(self.path, (1_700_000_000 + self.edits,) * 2)
        return self


@pytest.fixture
def file(tmp_path):
    return File(tmp_path).write(text_of("news"))


@pytest.fixture
def scheduler(connection, file):
    started = Scheduler(connection, file.path)
    started.start()
    return started


def test_starting_with_a_divergent_copy_is_refused_unless_it_takes_over(scheduler, connection, tmp_path):
    (tmp_path / "other").mkdir()
    other = File(tmp_path / "other").write(text_of("sports")).path
    with pytest.raises(DivergentCopy):
        Scheduler(connection, other).start()
    assert Scheduler(connection, other, take_over=True).start().added == ("sports",)


def test_a_mistake_in_an_edit_keeps_the_old_list_and_is_said_once(scheduler, connection, file, caplog):
    file.write(text_of("news", evry="1h"))
    with caplog.at_level(logging.ERROR):
        for _ in range(3):
            scheduler.tick()
        file.write(text_of("news", evry="1h"))
        scheduler.tick()
    assert len(caplog.records) == 1
    assert "evry" in caplog.text
    assert "the published task list is unchanged" in caplog.text
    assert list(scheduler.schedule.next_times()) == ["news"]
    file.write(text_of("sports"))
    scheduler.tick()
    assert list(published(connection).tasks) == ["sports"], "a mended edit is taken"


def test_a_missing_file_is_said_once(scheduler, connection, file, caplog):
    text = file.path.read_text()
    file.path.unlink()
    scheduler.tick()
    assert caplog.records == [], "it may be away for a moment"
    for _ in range(3):
        scheduler.tick()
    file.path.write_text(text)
    for _ in range(3):
        scheduler.tick()
    [missing] = (record.getMessage() for record in caplog.records)
    assert "the file is missing" in missing
    assert list(published(connection).tasks) == ["news"]


def test_a_list_that_another_machine_published_is_served(scheduler, connection, tmp_path):
    publish(connection, task_file("sports"), tmp_path / "other.yaml", take_over=True)
    scheduler.tick()
    assert list(scheduler.schedule.next_times()) == ["sports"]


def test_an_edit_of_a_copy_that_is_no_longer_in_force_is_refused(scheduler, connection, file, tmp_path, caplog):
    publish(connection, task_file("sports"), tmp_path / "other.yaml", take_over=True)
    scheduler.tick()
    file.write(text_of("news", "weather"))
    scheduler.tick()
    assert list(published(connection).tasks) == ["sports"]
    assert "differs from the task list in force" in caplog.text


def serve(url, path, out):
    served = Scheduler(redis.Redis.from_url(url), path)
    served.start()
    served.run(on_fired=out.put)


@pytest.mark.timeout(90)
def test_three_schedulers_of_which_one_is_killed_fire_each_task_once(connection, redis_url, tmp_path):
    file = File(tmp_path).write(text_of(*(f"task-{number}" for number in range(400)), every="40s"))  # spread over 4 s
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.loaded"])
    outs = [context.Queue() for _ in range(3)]  # of its own for each: one that is killed may leave its lock taken
    servers = [context.Process(target=serve, args=(redis_url, file.path, out)) for out in outs]
    try:
        for server in servers:
            server.start()
        until(lambda: len(Schedule(connection).due()) > 50)
        servers[0].kill()
        until(lambda: len(Schedule(connection).due()) == 400)
        told = [name for out in outs[1:] for name in all_of(out)]
    finally:
        for server in servers:
            server.kill()
            server.join()
    times = Schedule(connection).next_times()
    due = dict(connection.zrange("exemplar:due", 0, -1, withscores=True))
    assert len(told) == len(set(told)), "no task was fired by two of them"
    assert len(due) == len(times) == 400
    # Each time is half a period to one and a half after the first: it was moved on once, not twice.
    assert all(20 <= at - due[name.encode()] <= 60 for name, at in times.items())


def all_of(queue):
    found = []
    while True:
        try:
            found += queue.get(timeout=0.5)
        except Empty:
            return found


# A Redis that loses data


def test_an_emptied_redis_gets_the_list_again_from_the_scheduler_that_has_the_file(scheduler, connection, file, caplog):
    connection.flushall()
    with caplog.at_level(logging.WARNING):
        scheduler.tick()
    assert list(published(connection).tasks) == ["news"]
    assert list(scheduler.schedule.next_times()) == ["news"]
    assert f"it was emptied or replaced); {file.path} is published again" in caplog.text


def test_a_list_that_can_not_be_published_at_once_is_published_later(scheduler, connection, file):
    connection.flushall()
    broken = file.path.read_text()
    file.path.write_text("tasks: [")
    scheduler.tick()
    assert edition(connection) is None
    file.path.write_text(broken)
    scheduler.tick()
    assert list(published(connection).tasks) == ["news"]


def test_a_scheduler_without_the_file_serves_the_list_that_follows_a_lost_one(scheduler, connection):
    served = Scheduler(connection, None)
    served.start()
    served.tick()
    connection.flushall()
    served.tick()
    scheduler.tick()
    served.tick()
    assert served.tasks == 1
    assert list(served.schedule.next_times()) == ["news"]


def test_a_restarted_redis_that_lost_the_plan_is_planned_again(tmp_path):
    file = File(tmp_path).write(text_of("news"))
    with Server() as server, client(server.url) as connection:
        scheduler = Scheduler(connection, file.path)
        scheduler.start()
        size = server.size()
        file.write(text_of("news", "sports"))
        scheduler.tick()
        assert sorted(scheduler.schedule.next_times()) == ["news", "sports"]
        server.roll_back(size)
        scheduler.tick()
        assert sorted(scheduler.schedule.next_times()) == ["news", "sports"]
        assert list(published(connection).tasks) == ["news", "sports"]


@pytest.mark.parametrize("step", ["the periods are read", "the list is planned"])
def test_a_redis_that_is_emptied_while_the_list_is_planned_is_planned_again(connection, file, monkeypatch, step):
    scheduler = Scheduler(connection, file.path)
    empty, plan = iter([connection.flushall]), scheduler.schedule.plan

    def planning(periods, *, edition):
        if step == "the periods are read":
            next(empty, lambda: None)()
            periods = published_periods(connection)
        plan(periods, edition=edition)
        next(empty, lambda: None)()

    monkeypatch.setattr(scheduler.schedule, "plan", planning)
    scheduler.start()
    scheduler.tick()
    scheduler.tick()
    assert sorted(scheduler.schedule.next_times()) == sorted(published(connection).tasks) != []


def test_a_redis_without_persistence_is_reported_at_start(connection, file, caplog):
    with caplog.at_level(logging.WARNING):
        Scheduler(connection, file.path).start()
    assert "or all of its data if it makes none; set `appendonly yes`" in caplog.text


def test_a_redis_without_an_append_only_file_has_a_problem_although_it_makes_snapshots():
    with Server() as server, client(server.url) as connection:
        assert persistence_problem(connection) is None
        connection.config_set("appendonly", "no")
        connection.config_set("save", "60 1")
        assert "what it wrote since its last snapshot" in persistence_problem(connection)
