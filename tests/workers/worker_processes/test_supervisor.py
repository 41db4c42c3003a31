"""Real worker processes under a supervisor, against a real Redis.

The supervisor forks, so what a test patches before it starts is patched in the workers too.
"""

import os
import signal
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

from extractors import Section
from tests.chaos.cluster import is_running
from tests.redis_servers import eventually
from tests.workers.helpers import CHEAP, TASK, article, deliver, publish, rows, states, url
from tests.workers.servers import Server
from tests.workers.supervisors import supervisors
from workers.inbox import Inbox
from workers.ledger import Ledger
from workers.pages.quarantine import kept_page
from workers.redaction import remember
from workers.redis_access.connection import client
from workers.reporting.presence import alive
from workers.reporting.worker_reports import WorkerTimes
from workers.sinks import AppendedFileSink
from workers.url_states import MOST_ATTEMPTS, fingerprint
from workers.worker_processes.supervisor import STOP_WAIT, Supervisor

pytestmark = pytest.mark.timeout(150)


QUICK = WorkerTimes(sink_pause=0.2)  # the times of a test, not of a night's run


@pytest.fixture
def supervise(redis_url, tmp_path):
    """Starts a supervisor as a process of its own; ends it after the test."""
    with supervisors(redis_url, told=tmp_path, times=QUICK) as start:
        yield start


@pytest.fixture
def pages(monkeypatch, tmp_path):
    """Changes what cutting a page that holds a word does; the worker's id is in the file of that word."""
    behaviours = {}
    cut = Section.extract

    def act(self, html, *args, **more):
        for word, behaviour in behaviours.items():
            if word.encode() in html:
                behaviour(tmp_path / word)
        return cut(self, html, *args, **more)

    monkeypatch.setattr(Section, "extract", act)
    return behaviours


def hang(mark):
    mark.open("a").write(f"{os.getpid()}\n")
    while True:
        time.sleep(60)


def hang_once(mark):
    if not mark.exists():
        hang(mark)


def take_half_a_second(mark):
    mark.write_text(f"{os.getpid()}\n")
    time.sleep(0.5)


def worker_at(mark):
    return int(eventually(lambda: mark.exists() and mark.read_text().split())[-1])


def settled(connection, *numbers):
    return lambda: not {"waiting", "leased", "fetched"} & set(states(connection, *numbers))


def written_once(folder, *numbers):
    return sorted(row["url"] for row in rows(folder)) == sorted(map(url, numbers))


@pytest.fixture
def work_on(connection, supervise, tmp_path):
    """Publishes the task, delivers pages and starts a supervisor; returns its process."""

    def start(pages, count=1, *, outputs=(), **options):
        publish(connection, tmp_path, *outputs, method=CHEAP)
        deliver(connection, pages)
        return supervise(count, **options)

    return start


@pytest.fixture
def all_written(connection, tmp_path):
    """Waits until pages are settled; each has to be written, and its row be there once."""

    def wait(*numbers, connection=connection):
        eventually(settled(connection, *numbers))
        assert states(connection, *numbers) == ["written"] * len(numbers)
        assert written_once(tmp_path, *numbers)

    return wait


def crash(mark):
    mark.open("a").write(f"{os.getpid()}\n")
    os._exit(9)


@pytest.mark.parametrize("behaviour", [hang, crash])
def test_a_page_that_hangs_or_crashes_its_workers_is_blamed_alone(connection, work_on, tmp_path, pages, behaviour):
    pages["BAD"] = behaviour
    body = article(3, word="BAD")
    bodies = {1: article(1), 2: article(2), 3: body, 4: article(4), 5: article(5)}
    work_on(bodies, times=replace(QUICK, page_deadline=0.3 if behaviour is hang else QUICK.page_deadline))
    eventually(settled(connection, *bodies))
    assert states(connection, *bodies) == ["written", "written", "failed", "written", "written"]
    assert written_once(tmp_path, 1, 2, 4, 5)
    assert len((tmp_path / "BAD").read_text().split()) == MOST_ATTEMPTS
    assert kept_page(connection, TASK, fingerprint(url(3)))[1] == body
    [problem] = Ledger(connection, TASK).problems()
    assert (problem["url"], problem["reason"]) == (url(3), "crashed or timed out its worker 3 times")


def test_a_worker_without_memory_is_replaced_and_the_page_tried_again(work_on, all_written, tmp_path, pages):
    def grow_once(mark):
        if not mark.exists():
            mark.write_text(f"{os.getpid()}\n")
            raise MemoryError

    pages["GROWS"] = grow_once
    work_on({1: article(1, word="GROWS"), 2: article(2)})
    all_written(1, 2)
    assert not is_running(worker_at(tmp_path / "GROWS"))


def stop_once(mark):
    """Stop this process unless another one was stopped; its id is in a file."""
    if not mark.exists():
        mark.write_text(f"{os.getpid()}\n")
        os.kill(os.getpid(), signal.SIGSTOP)


def test_a_worker_that_is_stopped_while_it_writes_is_replaced_and_no_page_is_blamed(
    connection, work_on, all_written, tmp_path, monkeypatch
):
    mark, write = tmp_path / "locked", AppendedFileSink.write
    monkeypatch.setattr(AppendedFileSink, "write", lambda *args, **more: (stop_once(mark), write(*args, **more))[1])
    work_on({1: article(1), 2: article(2)}, 2, times=replace(QUICK, write_deadline=0.5))
    all_written(1, 2)
    assert not is_running(worker_at(mark))  # it held the file's lock
    assert "did not accept rows within" in (tmp_path / "problems").read_text()
    assert not [int(n) for n in connection.hvals(Ledger(connection, TASK).keys["cuts"]) if int(n)]


def test_a_worker_that_a_person_kills_counts_no_attempt(work_on, all_written, tmp_path, pages):
    def hang_often(mark):
        if not mark.exists() or len(mark.read_text().split()) <= MOST_ATTEMPTS:
            hang(mark)

    pages["SLOW"] = hang_often
    work_on({1: article(1), 2: article(2, word="SLOW")})
    mark = tmp_path / "SLOW"
    for died in range(MOST_ATTEMPTS + 1):
        eventually(lambda died=died: mark.exists() and len(mark.read_text().split()) > died)
        os.kill(worker_at(mark), signal.SIGKILL)
    all_written(1, 2)


SHORT = replace(QUICK, page_lease=1.0, renew_every=0.2)


def test_the_lease_of_a_slow_page_is_renewed(work_on, supervise, all_written, tmp_path, pages):
    def take_two_seconds(mark):
        mark.open("a").write(f"{os.getpid()}\n")
        time.sleep(2.0)

    pages["SLOW"] = take_two_seconds
    work_on({1: article(1, word="SLOW"), 2: article(2)}, times=SHORT)
    supervise(times=SHORT)
    all_written(1, 2)
    assert len((tmp_path / "SLOW").read_text().split()) == 1


def test_the_pages_of_a_supervisor_that_died_are_taken_by_another_one(
    connection, work_on, supervise, all_written, tmp_path, pages
):
    pages["SLOW"] = hang_once
    first = work_on({1: article(1, word="SLOW"), 2: article(2), 3: article(3)}, times=SHORT)
    worker_at(tmp_path / "SLOW")
    supervise(times=SHORT)
    first.kill()
    all_written(1, 2, 3)
    assert connection.hgetall(Ledger(connection, TASK).keys["cuts"]) == {}


def test_a_stop_finishes_the_page_in_hand(connection, work_on, all_written, tmp_path, pages):
    pages["SLOW"] = take_half_a_second
    process = work_on({1: article(1, word="SLOW")})
    worker = worker_at(tmp_path / "SLOW")
    process.terminate()
    process.join(15)
    assert process.exitcode == 0
    assert not is_running(worker)
    all_written(1)
    assert Inbox(connection).waiting_jobs() == 0


def test_a_stop_right_after_the_start_is_not_lost(connection, supervise):
    process = supervise(4)
    eventually(lambda: connection.smembers("rq:workers"))
    started = time.monotonic()
    process.terminate()
    process.join(20)
    assert process.exitcode == 0
    assert time.monotonic() - started < STOP_WAIT / 2
    assert alive(connection) == []


def test_workers_end_with_their_supervisor(work_on, tmp_path, pages):
    pages["HANGS"] = hang
    process = work_on({1: article(1, word="HANGS")})
    worker = worker_at(tmp_path / "HANGS")
    process.kill()
    eventually(lambda: not is_running(worker))


@pytest.fixture
def impatient(monkeypatch):
    """Processes repeat a command once, and not for seconds."""
    for module in ("supervisor", "worker"):
        monkeypatch.setattr(f"workers.worker_processes.{module}.client", lambda url, **_: client(url, retries=1))


@pytest.mark.usefixtures("impatient")
def test_a_supervisor_waits_for_a_redis_that_is_away(supervise, all_written, tmp_path):
    with Server() as server:
        connection = client(server.url)
        publish(connection, tmp_path)
        process = supervise(url=server.url)
        eventually(lambda: alive(connection))
        server.kill()
        time.sleep(3.0)  # longer than a process repeats a command
        assert process.is_alive()
        server.start()
        deliver(connection, {1: article(1)})
        all_written(1, connection=connection)
        # The worker may be back before the supervisor, which looks every few seconds.
        eventually(lambda: "again" in (tmp_path / "notices").read_text())
        process.terminate()
        process.join(15)
    [lost, back] = (tmp_path / "notices").read_text().splitlines()
    assert lost.startswith("Redis is unavailable: ")
    assert back.startswith("Redis is available again after ")


@pytest.mark.usefixtures("impatient")
def test_a_supervisor_may_end_when_redis_is_away(supervise):
    with Server() as server:
        process = supervise(url=server.url, exits_without_redis=True)
        eventually(lambda: alive(client(server.url)))
        server.kill()
        process.join(40)
        assert process.exitcode == 1


def test_workers_that_die_at_their_start_are_replaced_after_growing_pauses_and_the_error_is_named(
    connection, redis_url, monkeypatch, caplog
):
    def die(*_, **__):
        raise OSError("no memory for geheim-7")

    monkeypatch.setattr("workers.worker_processes.supervisor.work", die)
    remember("geheim-7")
    one = Supervisor(redis_url, 1, pause_after_early_exit=0.01)
    now, pauses = [time.monotonic()], []

    def sleep(seconds):
        now[0] += seconds
        time.sleep(seconds)

    clock = SimpleNamespace(monotonic=lambda: now[0], sleep=sleep)  # stands still while the machine is busy
    monkeypatch.setattr("workers.worker_processes.supervisor.time", clock)
    remove = one._remove

    def note(worker):
        remove(worker)
        pauses.append(one._not_before - now[0])
        if len(pauses) == 6:
            one.stop()

    monkeypatch.setattr(one, "_remove", note)
    one.run()
    assert pauses[:6] == pytest.approx([0.01 * 2**number for number in range(6)])
    warned = [record.getMessage() for record in caplog.records if "exit code 1" in record.getMessage()]
    assert len(warned) == 6
    assert all(text.endswith("exit code 1: OSError: no memory for ***") for text in warned)
