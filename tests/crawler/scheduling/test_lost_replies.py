"""A schedule and a pace whose replies are lost: a leased task has its run, and a failure counts once."""

import pytest

from crawler.politeness.pace import HostProblem, Pace
from crawler.run.run_report import RunReport, keep_report, reports
from crawler.scheduling.schedule import Schedule
from tests.workers.servers import LossyProxy, Server


@pytest.fixture(scope="module")
def server():
    with Server() as server:
        yield LossyProxy(server.socket)


@pytest.fixture
def connection(server):
    with server.client() as connection:
        connection.flushall()
        yield connection


@pytest.fixture
def losing(server, connection):
    def lose(step):
        connection.script_load(step.script.script)
        server.drop_reply_to(step.script.sha)

    before = server.dropped
    yield lose
    assert server.dropped == before + 1, "no reply was dropped"


def test_a_leased_task_is_run(connection, losing):
    schedule = Schedule(connection)
    schedule.fire_now(["a", "b"])
    losing(schedule._lease)
    lease = schedule.lease()
    assert lease is not None
    assert schedule.running() == [lease.task]
    assert schedule.renew(lease)


def test_a_fired_task_is_reported_by_the_one_who_fired_it(connection, losing):
    now = [1_000_000.0]
    schedule = Schedule(connection, clock=lambda: now[0])
    schedule.plan({"a": "1h"})
    now[0] += 7200
    losing(schedule._fire)
    assert schedule.fire() == ["a"]
    assert schedule.fire() == []


def test_a_failure_of_a_host_counts_once(connection, losing):
    pace = Pace(connection)
    permit = pace.request_permit("gazette.example:80", 1.0)
    losing(pace._report)
    pace.report("gazette.example:80", permit.at, HostProblem("no answer", failed=True))
    [name] = connection.keys("exemplar:host:*")
    assert connection.hget(name, "failures") == b"1"


def test_a_granted_permit_is_not_lost(connection, losing):
    pace = Pace(connection)
    losing(pace._permit)
    assert pace.request_permit("gazette.example:80", 60.0).wait == 0


def test_a_report_is_stored_once(connection, server):
    report = RunReport("gazette", "2026-03-12T08:00:00+00:00")
    server.drop_reply_to(b"LTRIM")
    keep_report(connection, report)
    assert len(reports(connection, "gazette", 9)) == 1
