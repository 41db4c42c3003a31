"""Crawl workers against a real schedule, with a real crawl process as their child."""

import signal
import subprocess
import tempfile
import threading
from contextlib import contextmanager
from datetime import datetime

import pytest
import redis

from crawler.run.run_report import reports as last_runs
from crawler.scheduling import crawl_worker
from crawler.scheduling.crawl_worker import CrawlWorkers
from crawler.scheduling.schedule import Schedule
from crawler.task_list.file import load
from crawler.task_list.publication import publish, published_periods
from tests.crawler.spiders import REPOSITORY, asked_for, states, until, write_tasks
from tests.forks import ForkingPopen
from workers.reporting.presence import alive

pytestmark = [pytest.mark.timeout(60), pytest.mark.usefixtures("plain_environment")]


@pytest.fixture
def schedule(connection):
    return Schedule(connection)


@pytest.fixture
def make_due(site, connection, tmp_path, schedule):
    """Publishes the site's section as a task with these keys, which is due."""

    def publish_and_fire(**keys):
        write_tasks(tmp_path, site.url, **keys)
        publish(connection, load(tmp_path / "tasks.yaml"), tmp_path / "tasks.yaml")
        schedule.fire_now(["zh-news"])

    return publish_and_fire


@pytest.fixture
def at_work(redis_url, monkeypatch):
    """Begins a block in which workers are in a thread; it yields them and their reports. Crawl processes are forks."""
    monkeypatch.setattr(subprocess, "Popen", ForkingPopen)

    @contextmanager
    def working(count=1, **options):
        reports = []
        with redis.Redis.from_url(redis_url) as own:
            workers = CrawlWorkers(redis_url, own, count, **options)
            thread = threading.Thread(target=workers.run, args=(lambda *report: reports.append(report),))
            thread.start()
            try:
                yield workers, reports
            finally:
                workers.stop()
                thread.join()

    return working


def processes_of(workers):
    return [each.process for each in workers._processes]


def signal_spider(workers, site, number):
    """Send a signal to the spider once it is at work."""
    until(lambda: asked_for(site))
    processes_of(workers)[0].send_signal(number)


TALKING = """\
class Talker:
    def process_request(self, request):
        print("hello")

DOWNLOADER_MIDDLEWARES = {Talker: 300}
"""


def test_a_due_task_is_crawled_and_its_report_arrives_whatever_middlewares_print(
    connection, schedule, make_due, at_work, tmp_path, monkeypatch, capfd
):
    (tmp_path / "talking.py").write_text(TALKING, "utf-8")
    monkeypatch.setenv("PYTHONPATH", f"{REPOSITORY}:{tmp_path}")
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "talking")
    make_due(limit=2)
    with at_work() as (_, reports):
        until(lambda: reports)
    [(task, report)] = reports
    assert (task, report["outcome"], report["fetched"]) == ("zh-news", "finished", 2)
    assert (schedule.due(), schedule.running()) == ([], [])
    assert states(connection)["fetched"] == 2
    assert "hello" in capfd.readouterr().err


def test_a_settings_module_that_cannot_be_used_is_named_without_a_traceback(make_due, at_work, monkeypatch, capfd):
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "nowhere")
    make_due()
    with at_work() as (_, reports):
        until(lambda: reports)
    assert reports[0][1]["problems"] == ["the crawl process ended: exit code 1; see the log"]
    said = capfd.readouterr().err
    assert "No module named 'nowhere'" in said
    assert "Traceback" not in said


def test_a_killed_run_is_among_the_last_runs_and_replaced_within_seconds(site, connection, schedule, make_due, at_work):
    make_due(delay=0.2)
    schedule.plan(published_periods(connection))
    later = 4_000_000_000.0
    connection.zadd("exemplar:schedule", {"zh-news": later})
    with at_work() as (workers, reports):
        signal_spider(workers, site, signal.SIGKILL)
        until(lambda: reports)
        [report] = last_runs(connection, "zh-news", 9)
        assert schedule.next_times()["zh-news"] < later
        asked = len(asked_for(site))

        def is_replaced():
            schedule.fire()
            return len(asked_for(site)) > asked

        until(is_replaced, within=15)
    assert report == reports[0][1]
    assert (report["outcome"], report["problems"]) == ("killed", ["the crawl process was ended by SIGKILL"])
    assert datetime.fromisoformat(report["started"]) <= datetime.fromisoformat(report["ended"])


def test_a_redis_that_is_away_for_a_moment_ends_neither_run_nor_worker(make_due, at_work, monkeypatch):
    make_due(delay=0.2, limit=2)
    with at_work() as (workers, reports):
        real = workers.schedule.done

        def fail_once(*arguments, **options):
            monkeypatch.setattr(workers.schedule, "done", real)
            raise redis.ConnectionError("away")

        monkeypatch.setattr(workers.schedule, "done", fail_once)
        until(lambda: reports)
    assert reports[0][1]["outcome"] == "finished"


def test_without_a_scheduler_an_interrupted_run_is_started_again_a_few_times(schedule, make_due, at_work):
    make_due(delay=0.2)
    killed = set()
    with at_work(restarts=2) as (workers, reports):

        def kill():
            for each in [*workers._processes]:
                if each.runs and each.process.pid not in killed:  # the next process may have started already, idle
                    killed.add(each.process.pid)
                    each.process.send_signal(signal.SIGKILL)
            return len(reports) == 3

        until(kill)
    assert len(killed) == 3
    assert [report.get("restarted", False) for _, report in reports] == [True, True, False]
    assert (schedule.due(), schedule.running()) == ([], [])


def test_a_spider_that_hangs_is_killed(site, make_due, at_work, monkeypatch):
    monkeypatch.setattr(crawl_worker, "HANGS_AFTER", 1.0)
    make_due(delay=0.2)
    with at_work() as (workers, reports):
        signal_spider(workers, site, signal.SIGSTOP)
        until(lambda: reports)
    assert "SIGKILL" in reports[0][1]["problems"][0]


def test_stopping_lets_the_spider_hand_in_what_it_has_and_leaves_no_temporary_file(
    site, connection, schedule, make_due, at_work, tmp_path, monkeypatch
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    make_due(delay=0.2)
    with at_work() as (_, reports):
        until(lambda: len(asked_for(site)) >= 3)
        assert [*(tmp_path / "temporary").iterdir()] == []  # nor while it is at work: it may be killed
    [(_, report)] = reports
    assert report["outcome"] == "stopped"
    assert report["fetched"] == states(connection)["fetched"] > 0
    assert schedule.running() == []


def test_a_worker_shows_that_it_is_alive_and_leaves(connection, at_work):
    with at_work(count=3):
        until(lambda: alive(connection))
        assert [(sign["role"], sign["workers"]) for sign in alive(connection)] == [("crawl", 3)]
    assert alive(connection) == []
