"""Real worker processes under a supervisor, against a real Redis.

The supervisor forks, so what a test patches before it starts is patched in the workers too.
"""

import itertools
import multiprocessing
import os
import signal
import sqlite3
import tempfile
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from rq import Queue
from rq.serializers import JSONSerializer

from extractors import Section
from tests.workers.helpers import TASK, article, deliver, eventually, gone, publish, rows, states, url
from tests.workers.servers import Server
from workers.inbox import QUEUE, Inbox
from workers.ledger import Ledger
from workers.pages.quarantine import kept_page
from workers.processes import die_with_parent
from workers.redaction import remember
from workers.redis_access.connection import client
from workers.redis_access.embedded import Embedded
from workers.reporting.presence import alive, node_name
from workers.reporting.present_problems import present_problems
from workers.reporting.worker_reports import WorkerTimes
from workers.sinks import AppendedFileSink
from workers.url_states import MOST_ATTEMPTS
from workers.worker_processes.supervisor import STOP_WAIT, Supervisor

pytestmark = pytest.mark.timeout(150)


QUICK = WorkerTimes(sink_pause=0.2)  # the times of a test, not of a night's run


@pytest.fixture
def supervise(redis_url, tmp_path):
    """Starts a supervisor as a process of its own; ends it after the test."""
    started = []

    def start(count=1, *, url=redis_url, times=QUICK, **options):
        process = multiprocessing.get_context("fork").Process(
            target=_supervise, args=(url, count, tmp_path / "state", os.getpid(), times, options)
        )
        process.start()
        started.append(process)
        return process

    yield start
    for process in started:
        if process.is_alive():
            process.terminate()
        process.join(20)
        if process.is_alive():
            process.kill()
            pytest.fail("the supervisor does not end")


def _supervise(url, count, state, parent, times, options):
    die_with_parent(parent=parent)
    quick = {"times": times, "sweep_every": 0.1, "pause_after_early_exit": 0.05}
    one = Supervisor(url, count, **quick, **options)
    signal.signal(signal.SIGTERM, one.stop)

    def note(problem, is_over):
        with (state.parent / "problems").open("a") as file:
            file.write(problem.in_words(is_over) + "\n")

    def notice(text):
        with (state.parent / "notices").open("a") as file:
            file.write(text + "\n")

    one.run(on_problem=note, on_notice=notice)


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
        pass


def hang_once(mark):
    if not mark.exists():
        hang(mark)


def take_half_a_second(mark):
    mark.write_text(f"{os.getpid()}\n")
    time.sleep(0.5)


def worker_at(mark):
    return int(eventually(lambda: mark.exists() and mark.read_text().split(), f"the worker at {mark.name}")[-1])


def settled(connection, *numbers):
    return lambda: not {"waiting", "leased", "fetched"} & set(states(connection, *numbers))


def written_once(folder, *numbers):
    return sorted(row["url"] for row in rows(folder)) == sorted(map(url, numbers))


def test_delivered_pages_become_rows_in_every_output(connection, supervise, tmp_path):
    publish(connection, tmp_path, "out.jsonl", "out.db")
    numbers = range(1, 41)
    deliver(connection, {number: article(number) for number in numbers})
    supervise(2)
    eventually(settled(connection, *numbers), "the rows")
    assert set(states(connection, *numbers)) == {"written"}
    assert written_once(tmp_path, *numbers)
    with closing(sqlite3.connect(tmp_path / "out.db")) as database:
        assert {found for (found,) in database.execute("SELECT url FROM articles")} == set(map(url, numbers))


def test_an_idle_worker_wakes_for_a_page(connection, supervise, tmp_path):
    publish(connection, tmp_path)
    supervise()
    eventually(lambda: alive(connection), "the supervisor")
    deliver(connection, {1: article(1)})
    eventually(settled(connection, 1), "the row")
    assert written_once(tmp_path, 1)


def test_a_worker_killed_in_the_middle_of_a_page_loses_nothing(connection, supervise, tmp_path, pages):
    pages["SLOW"] = hang_once
    publish(connection, tmp_path)
    deliver(connection, {1: article(1), 2: article(2, word="SLOW"), 3: article(3)})
    supervise()
    os.kill(worker_at(tmp_path / "SLOW"), signal.SIGKILL)
    eventually(settled(connection, 1, 2, 3), "the rows")
    assert states(connection, 1, 2, 3) == ["written"] * 3
    assert written_once(tmp_path, 1, 2, 3)


def test_a_worker_killed_between_row_and_ledger_writes_nothing_twice(connection, supervise, tmp_path, monkeypatch):
    mark = tmp_path / "written"
    write = AppendedFileSink.write

    def write_and_hang(self, rows, *, again):
        write(self, rows, again=again)
        if any(row["url"] == url(2) for row in rows):
            hang_once(mark)

    monkeypatch.setattr(AppendedFileSink, "write", write_and_hang)
    publish(connection, tmp_path)
    deliver(connection, {1: article(1), 2: article(2), 3: article(3)})
    supervise()
    worker = worker_at(mark)
    assert written_once(tmp_path, 1, 2, 3)
    os.kill(worker, signal.SIGKILL)
    eventually(settled(connection, 1, 2, 3), "the rows")
    assert written_once(tmp_path, 1, 2, 3)


def test_workers_killed_at_random_lose_nothing_and_write_nothing_twice(connection, supervise, tmp_path, pages):
    pages["page"] = lambda mark: (mark.write_text(str(os.getpid())), time.sleep(0.05))
    publish(connection, tmp_path)
    numbers = range(1, 61)
    deliver(connection, {number: article(number, word="page") for number in numbers})
    supervise(2)
    killed = set()
    while len(killed) < 4 and not settled(connection, *numbers)():
        text = (tmp_path / "page").read_text() if (tmp_path / "page").exists() else ""
        if text and int(text) not in killed and not gone(int(text)):
            os.kill(int(text), signal.SIGKILL)
            killed.add(int(text))
        time.sleep(0.05)
    eventually(settled(connection, *numbers), "the rows")
    assert len(killed) == 4
    assert set(states(connection, *numbers)) == {"written"}
    assert written_once(tmp_path, *numbers)


def test_a_page_that_hangs_is_blamed_alone(connection, supervise, tmp_path, pages):
    pages["HANGS"] = hang
    publish(connection, tmp_path)
    body = article(3, word="HANGS")
    names = deliver(connection, {1: article(1), 2: article(2), 3: body, 4: article(4), 5: article(5)})
    supervise(times=replace(QUICK, page_deadline=0.3))
    eventually(settled(connection, 1, 2, 3, 4, 5), "the end of the hanging page")
    assert states(connection, 1, 2, 3, 4, 5) == ["written", "written", "failed", "written", "written"]
    assert written_once(tmp_path, 1, 2, 4, 5)
    assert len((tmp_path / "HANGS").read_text().split()) == MOST_ATTEMPTS
    assert kept_page(connection, TASK, names[2])[1] == body
    [problem] = Ledger(connection, TASK).problems()
    assert (problem["url"], problem["reason"]) == (url(3), "crashed or timed out its worker 3 times")


def test_a_worker_without_memory_is_replaced_and_the_page_tried_again(connection, supervise, tmp_path, pages):
    def grow_once(mark):
        if not mark.exists():
            mark.write_text(f"{os.getpid()}\n")
            raise MemoryError

    pages["GROWS"] = grow_once
    publish(connection, tmp_path)
    deliver(connection, {1: article(1, word="GROWS"), 2: article(2)})
    supervise()
    eventually(settled(connection, 1, 2), "the rows")
    assert written_once(tmp_path, 1, 2)
    assert gone(worker_at(tmp_path / "GROWS"))


def test_a_page_waits_for_an_output_that_is_away(connection, supervise, tmp_path):
    publish(connection, tmp_path, "out.jsonl", "away/out.db")
    (tmp_path / "away").write_text("a file where a folder should be")
    deliver(connection, {1: article(1)})
    supervise()
    [problem] = eventually(lambda: [p for p in present_problems(connection) if p.count > 2], "the problem")
    assert "away/out.db cannot be written" in problem.text
    assert problem.nodes == (node_name(),)
    assert states(connection, 1) == ["fetched"]
    (tmp_path / "away").unlink()
    eventually(settled(connection, 1), "the row")
    eventually(lambda: not present_problems(connection), "the problem's end")
    [began, ended] = (tmp_path / "problems").read_text().splitlines()  # one line each, whatever the number of attempts
    assert began.startswith("problem: ")
    assert ended.startswith("resolved: ")
    assert states(connection, 1) == ["written"]
    assert written_once(tmp_path, 1)


def test_a_worker_that_is_stopped_while_it_writes_is_replaced_and_no_page_is_blamed(
    connection, supervise, tmp_path, monkeypatch
):
    mark = tmp_path / "locked"
    write = AppendedFileSink.write

    def stop_once(self, rows, *, again):
        if not mark.exists():
            mark.write_text(f"{os.getpid()}\n")
            os.kill(os.getpid(), signal.SIGSTOP)  # it holds the file's lock
        write(self, rows, again=again)

    monkeypatch.setattr(AppendedFileSink, "write", stop_once)
    publish(connection, tmp_path)
    deliver(connection, {1: article(1), 2: article(2)})
    supervise(2, times=replace(QUICK, write_deadline=0.5))
    eventually(settled(connection, 1, 2), "the rows")
    assert gone(worker_at(mark))
    assert written_once(tmp_path, 1, 2)
    assert "did not accept rows within" in (tmp_path / "problems").read_text()
    assert not [int(n) for n in connection.hvals(Ledger(connection, TASK).keys["cuts"]) if int(n)]


def test_a_worker_that_is_stopped_between_two_pages_is_replaced(connection, supervise, tmp_path, monkeypatch):
    mark = tmp_path / "stopped"
    take_all = Ledger.take_all

    def stop_once(self, *args, **more):
        for leases in take_all(self, *args, **more):
            if not mark.exists():
                mark.write_text(f"{os.getpid()}\n")
                os.kill(os.getpid(), signal.SIGSTOP)
            yield leases

    monkeypatch.setattr(Ledger, "take_all", stop_once)
    publish(connection, tmp_path)
    deliver(connection, {1: article(1), 2: article(2)})
    supervise(times=replace(QUICK, silence=0.5))
    eventually(settled(connection, 1, 2), "the rows")
    assert gone(worker_at(mark))
    assert written_once(tmp_path, 1, 2)


def test_only_the_page_that_crashed_its_worker_counts_an_attempt(connection, supervise, tmp_path, pages):
    def crash(mark):
        mark.open("a").write(f"{os.getpid()}\n")
        os._exit(9)

    pages["CRASH"] = crash
    publish(connection, tmp_path)
    deliver(connection, {1: article(1), 2: article(2), 3: article(3, word="CRASH")})
    supervise(times=replace(QUICK, sink_pause=0.2))
    eventually(settled(connection, 1, 2, 3), "the end")
    assert states(connection, 1, 2, 3) == ["written", "written", "failed"]
    assert len((tmp_path / "CRASH").read_text().split()) == MOST_ATTEMPTS


def test_a_worker_that_a_person_kills_counts_no_attempt(connection, supervise, tmp_path, pages):
    def hang_often(mark):
        if not mark.exists() or len(mark.read_text().split()) <= MOST_ATTEMPTS:
            hang(mark)

    pages["SLOW"] = hang_often
    publish(connection, tmp_path)
    deliver(connection, {1: article(1), 2: article(2, word="SLOW")})
    supervise()
    mark = tmp_path / "SLOW"
    for died in range(MOST_ATTEMPTS + 1):
        eventually(lambda died=died: mark.exists() and len(mark.read_text().split()) > died, "the worker")
        os.kill(worker_at(mark), signal.SIGKILL)
    eventually(settled(connection, 1, 2), "the rows")
    assert written_once(tmp_path, 1, 2)


SHORT = replace(QUICK, page_lease=1.0, renew_every=0.2)


def test_the_lease_of_a_slow_page_is_renewed(connection, supervise, tmp_path, pages):
    def take_three_seconds(mark):
        mark.open("a").write(f"{os.getpid()}\n")
        time.sleep(3.0)

    pages["SLOW"] = take_three_seconds
    publish(connection, tmp_path)
    deliver(connection, {1: article(1, word="SLOW"), 2: article(2)})
    supervise(times=SHORT)
    supervise(times=SHORT)
    eventually(settled(connection, 1, 2), "the rows")
    assert len((tmp_path / "SLOW").read_text().split()) == 1
    assert written_once(tmp_path, 1, 2)


def test_the_pages_of_a_supervisor_that_died_are_taken_by_another_one(connection, supervise, tmp_path, pages):
    pages["SLOW"] = hang_once
    publish(connection, tmp_path)
    deliver(connection, {1: article(1, word="SLOW"), 2: article(2), 3: article(3)})
    first = supervise(times=SHORT)
    worker_at(tmp_path / "SLOW")
    supervise(times=SHORT)
    first.kill()
    eventually(settled(connection, 1, 2, 3), "the rows")
    assert written_once(tmp_path, 1, 2, 3)
    counted = connection.hgetall(Ledger(connection, TASK).keys["cuts"])
    assert counted == {}


def test_a_lost_job_is_queued_again(connection, supervise, tmp_path):
    publish(connection, tmp_path)
    [name] = deliver(connection, {1: article(1)}, wake=False)
    Ledger(connection, TASK).take(name, "lost", seconds=-1)
    supervise()
    eventually(settled(connection, 1), "the row")
    assert written_once(tmp_path, 1)


def test_a_stop_finishes_the_page_in_hand(connection, supervise, tmp_path, pages):
    pages["SLOW"] = take_half_a_second
    publish(connection, tmp_path)
    deliver(connection, {1: article(1, word="SLOW")})
    process = supervise()
    worker = worker_at(tmp_path / "SLOW")
    process.terminate()
    process.join(15)
    assert process.exitcode == 0
    assert gone(worker)
    assert states(connection, 1) == ["written"]
    assert written_once(tmp_path, 1)
    assert Inbox(connection).waiting_jobs() == 0


def test_a_stop_right_after_the_start_is_not_lost(connection, supervise):
    process = supervise(4)
    eventually(lambda: connection.smembers("rq:workers"), "a worker")
    started = time.monotonic()
    process.terminate()
    process.join(20)
    assert process.exitcode == 0
    assert time.monotonic() - started < STOP_WAIT / 2
    assert alive(connection) == []


def test_workers_end_with_their_supervisor(connection, supervise, tmp_path, pages):
    pages["HANGS"] = hang
    publish(connection, tmp_path)
    deliver(connection, {1: article(1, word="HANGS")})
    process = supervise()
    worker = worker_at(tmp_path / "HANGS")
    process.kill()
    eventually(lambda: gone(worker), "the worker's end")


def test_until_empty_ends_when_no_page_waits(connection, supervise, tmp_path):
    publish(connection, tmp_path, "away/out.jsonl")
    (tmp_path / "away").write_text("a file where a folder should be")
    deliver(connection, {1: article(1)})
    process = supervise(until_empty=True)
    eventually(lambda: (tmp_path / "problems").exists(), "the problem")
    process.join(0.3)
    assert process.is_alive()  # a page at rest still waits
    (tmp_path / "away").unlink()
    process.join(15)
    assert process.exitcode == 0
    assert states(connection, 1) == ["written"]


def test_until_empty_ends_at_once_when_there_is_nothing(connection, supervise):
    process = supervise(until_empty=True)
    process.join(15)
    assert process.exitcode == 0


def test_a_job_can_not_name_another_function(connection, supervise, tmp_path):
    forbidden = tmp_path / "made by a stranger"
    queue = Queue(QUEUE, connection=connection, serializer=JSONSerializer)
    queue.enqueue("os.mkdir", str(forbidden))
    planted = queue.enqueue("workers.worker_processes.page_job.extract_pages", TASK, [])
    connection.hset(planted.key, "success_callback_name", "os.mkdir")
    connection.hset(planted.key, "failure_callback_name", "os.mkdir")
    publish(connection, tmp_path)
    deliver(connection, {1: article(1)})
    supervise()
    eventually(settled(connection, 1), "the row")
    assert written_once(tmp_path, 1)
    assert not forbidden.exists()


def test_work_goes_on_after_redis_was_killed(supervise, tmp_path):
    with tempfile.TemporaryDirectory(prefix="e-") as folder:
        server = Embedded(Path(folder))
        address = server.start()
        try:
            connection = client(address)
            publish(connection, tmp_path)
            process = supervise(2, url=address)
            for number in range(1, 4):
                deliver(connection, {number: article(number)})
                os.kill(connection.info("server")["process_id"], signal.SIGKILL)
            eventually(settled(connection, 1, 2, 3), "the rows")
            assert states(connection, 1, 2, 3) == ["written"] * 3
            assert written_once(tmp_path, 1, 2, 3)
            assert process.is_alive()
            process.terminate()
            process.join(15)
        finally:
            server.stop()


def test_a_supervisor_waits_for_a_redis_that_is_away(supervise, tmp_path):
    with Server() as server:
        connection = client(server.url)
        publish(connection, tmp_path)
        process = supervise(url=server.url)
        eventually(lambda: alive(connection), "the supervisor")
        server.kill()
        time.sleep(12.0)  # longer than a client repeats a command
        assert process.is_alive()
        server.start()
        deliver(connection, {1: article(1)})
        eventually(settled(connection, 1), "the row")
        assert written_once(tmp_path, 1)
        # The worker may be back before the supervisor, which looks every few seconds.
        eventually(lambda: "again" in (tmp_path / "notices").read_text(), "the notice")
        process.terminate()
        process.join(15)
    [lost, back] = (tmp_path / "notices").read_text().splitlines()
    assert lost.startswith("Redis is unavailable: ")
    assert back.startswith("Redis is available again after ")


def test_a_supervisor_may_end_when_redis_is_away(supervise, tmp_path):
    with Server() as server:
        process = supervise(url=server.url, exits_without_redis=True)
        eventually(lambda: alive(client(server.url)), "the supervisor")
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
    pauses = []
    remove = one._remove

    def note(worker):
        remove(worker)
        pauses.append(one._not_before - time.monotonic())
        if len(pauses) == 6:
            one.stop()

    monkeypatch.setattr(one, "_remove", note)
    one.run()
    assert all(1.5 * pause < longer for pause, longer in itertools.pairwise(pauses[:6]))
    warned = [record.getMessage() for record in caplog.records if "exit code 1" in record.getMessage()]
    assert len(warned) == 6
    assert all(text.endswith("exit code 1: OSError: no memory for ***") for text in warned)
