"""Rows that are queued and delivered in batches: each once, whatever is killed, away, slow or refused."""

import multiprocessing
import os
import signal
import threading
from collections import Counter
from dataclasses import replace
from functools import partial

import pytest

from extractors.article import Article
from tests.redis_servers import BINARIES, eventually, running
from tests.workers import helpers
from tests.workers.batch_folder import SCHEME, read_batches, read_rows, register
from tests.workers.helpers import FETCHED_AT, TASK, deliver, news, rows, states, url
from tests.workers.redis_access.test_full_redis import fill, relieve
from tests.workers.servers import Server
from tests.workers.sqlite_outputs import in_table, refusing
from tests.workers.supervisors import supervisors
from workers import keys
from workers.backpressure import DEFAULT_MARKS, load_of
from workers.errors import SinkUnavailable
from workers.ledger import Ledger
from workers.redis_access.connection import client
from workers.reporting.present_problems import present_problems
from workers.rows import key_of, row_of
from workers.sinks import KINDS, OutputOptions, RowCondition, batch_size
from workers.task_state.forgetting import forget_task
from workers.url_states import fingerprint
from workers.worker_processes import supervised_processes
from workers.worker_processes.extraction_worker import ExtractionWorker
from workers.worker_processes.supervisor import Supervisor
from workers.writing.delivery import Delivery, DeliveryTimes
from workers.writing.output_states import output_states, queue_states
from workers.writing.refused_rows import (
    LIMITS,
    drop_refused,
    keep_refused,
    refused_count,
    refused_row,
    refused_rows,
    retry_refused,
)
from workers.writing.row_queue import RowQueue, all_queues, due_queues, has_queues, rows_waiting

pytestmark = pytest.mark.timeout(150)
OUTPUT, OTHER = "folder:one", "folder:two"
REFUSED_LIMITS = "workers.writing.refused_rows.LIMITS"
publish = partial(helpers.publish, method=helpers.CHEAP)
CROWD = DEFAULT_MARKS.task_pages // 2
WEEK = 7 * 86400.0
QUICK = DeliveryTimes(look_every=0.02, first_pause=0.1, longest_pause=0.5)
HASTY = OutputOptions(batch_rows=4, batch_seconds=0.2)


@pytest.fixture(autouse=True)
def folders():
    register()
    yield
    del KINDS[SCHEME]


@pytest.fixture(autouse=True)
def published(connection, tmp_path):
    """The task with one queued output, unless a test publishes it otherwise."""
    publish(connection, tmp_path, OUTPUT)


@pytest.fixture
def delivery(connection, clock):
    return Delivery(connection, "here")


def options(**more):
    return {name: OutputOptions(**more).to_json() for name in (OUTPUT, OTHER)}


def extract(worker, connection, *numbers, **more):
    worker.extract_pages(TASK, deliver(connection, {number: news(number, **more) for number in numbers}))


def forget_the_first_week(connection, clock):
    """Let the week pass in which any row may be in an output already: its queue has begun before."""
    connection.hset(keys.of_task(TASK, f"queue:{OUTPUT}"), "epoch_since", clock() - WEEK)


def fault(folder, kind, told=""):
    """Let a target have a fault (`tests.workers.batch_folder`); return the file, without which it is over."""
    folder.mkdir(exist_ok=True)
    (folder / kind).write_text(told)
    return folder / kind


def row_number(number):
    own = Article(text=f"Story {number}", blocks=(), method="example", confidence=1.0, reason="", title="A title")
    return row_of(own, task=TASK, url=url(number), canonical_url=url(number), fetched_at=FETCHED_AT)


def delivered(folder, name="one"):
    """How often each URL is in a target."""
    return Counter(row["url"] for row in read_rows(folder / name))


def once(*numbers):
    return Counter({url(number): 1 for number in numbers})


# -- queues ------------------------------------------------------------------------------------------------------------


def test_a_batch_is_due_when_it_is_full_or_its_oldest_row_has_waited(connection, worker, delivery, clock, tmp_path):
    publish(connection, tmp_path, OUTPUT, output_options=options(batch_rows=3, batch_seconds=60))
    extract(worker, connection, 1, 2)
    assert due_queues(connection) == []
    assert delivery.deliver_due() == 0
    extract(worker, connection, 3, 4)
    assert delivery.deliver_due() == 1
    assert delivered(tmp_path) == once(1, 2, 3)
    assert delivery.deliver_due() == 0
    clock.forward(61)
    assert delivery.deliver_due() == 1
    assert [len(batch["keys"]) for batch in read_batches(tmp_path / "one")] == [3, 1]
    assert not has_queues(connection)
    assert not connection.exists(keys.QUEUED, keys.of_task(TASK, "queued"), keys.of_task(TASK, f"rows:{OUTPUT}"))


def test_batches_are_those_of_the_kind_unless_options_say_otherwise(monkeypatch):
    monkeypatch.delenv("TARGET", raising=False)
    plain, chosen = OutputOptions(), OutputOptions(batch_rows=7, batch_seconds=0)
    for output, size in (
        ("postgresql://db.example/news", (500, 10)),
        ("https://a.example/hook", (500, 10)),
        ("s3://rows/{task}/{batch}.jsonl", (5000, 60)),
        ("file:rows/{batch}.jsonl.gz", (5000, 60)),
        ("s3://rows/{batch}.parquet", (5000, 300)),
        ("rows/{batch}.parquet", (5000, 300)),
        ("${TARGET}", (500, 10)),
    ):
        assert batch_size(output, TASK, plain) == size
        assert batch_size(output, TASK, chosen) == (7, 0)
    assert batch_size("a.parquet", TASK, OutputOptions(batch_rows=7)) == (7, 300)


def test_only_the_holder_gives_up_a_lease_and_removes_rows(connection, clock):
    queue = RowQueue(connection, TASK, OUTPUT, OutputOptions(batch_rows=2))
    queue.add([row_number(number) for number in range(5)], again=False)
    first = queue.take("one", "now")
    assert not queue.free("two")
    assert queue.put_off("two", "disk full") is None
    assert queue.take("two", "now") is None
    assert queue.finish("one", first)
    assert len(queue.take("one", "now").rows) == 2
    assert not queue.finish("one", first)  # another batch is in progress
    assert queue.discard("two") == 0
    assert queue.discard("one") == rows_waiting(connection) + 3
    assert not has_queues(connection)


def test_rows_do_not_wait_for_a_large_batch_while_much_waits(connection, clock, tmp_path):
    publish(connection, tmp_path, OUTPUT, OTHER)
    large = OutputOptions(batch_rows=5000, batch_seconds=300)
    other, queue = (RowQueue(connection, TASK, name, large) for name in (OTHER, OUTPUT))
    queue.add([row_number(1)], again=False)
    rows = [row_number(number) for number in range(CROWD)]
    other.add(rows[: CROWD - 2], again=False)
    clock.forward(11)
    assert due_queues(connection) == []
    other.add(rows[-1:], again=False)
    assert due_queues(connection) == [(TASK, OTHER)]  # full
    queue.add([row_number(2)], again=False)
    assert due_queues(connection) == [(TASK, OTHER)]
    clock.forward(11)
    assert (TASK, OUTPUT) in due_queues(connection)
    assert len(queue.take("x").rows) == 2
    batch = other.take("x")
    assert [row["url"] for row in batch.rows] == [url(number) for number in (*range(CROWD - 2), CROWD - 1)]
    other.finish("x", batch)
    assert rows_waiting(connection) == 2


def test_an_output_gets_the_rows_that_its_condition_admits(connection, worker, tmp_path):
    only = {
        name: OutputOptions(where=RowCondition(keywords=(f"Story {number}",))).to_json()
        for name, number in ((OUTPUT, 1), ("out.jsonl", 2), ("none.jsonl", 9))
    }
    publish(connection, tmp_path, "out.jsonl", "none.jsonl", OUTPUT, OTHER, output_options=only)
    extract(worker, connection, 1, 2, 3)
    assert states(connection, 1, 2, 3) == ["written"] * 3
    Delivery(connection, "d", draining="now").deliver_due()
    assert delivered(tmp_path) == once(1)
    assert delivered(tmp_path, "two") == once(1, 2, 3)
    assert [row["url"] for row in rows(tmp_path)] == [url(2)]
    assert not (tmp_path / "none.jsonl").exists()
    assert Ledger(connection, TASK).counts().left_out == 0
    publish(connection, tmp_path, "out.jsonl", OUTPUT, output_options=only)
    extract(worker, connection, 4)
    assert Ledger(connection, TASK).counts().left_out == 1


def test_waiting_rows_count_for_back_pressure_until_they_are_delivered(connection, worker, tmp_path):
    publish(connection, tmp_path, OUTPUT, OTHER)
    extract(worker, connection, 1, 2)
    load = load_of(connection, TASK)
    assert load.of_task == load.of_all
    assert (load.of_task.pages, load.rows) == (4, 4)
    entries = [
        entry for name in (OUTPUT, OTHER) for entry in connection.lrange(keys.of_task(TASK, f"rows:{name}"), 0, -1)
    ]
    assert load.of_task.size == sum(map(len, entries))
    Delivery(connection, "d", draining="now").deliver_due()
    assert load_of(connection, TASK).of_all.pages == 0


def test_a_forgotten_task_leaves_no_rows(connection, worker, tmp_path):
    publish(connection, tmp_path, OUTPUT, task="another")
    extract(worker, connection, 1, 2)
    worker.extract_pages("another", deliver(connection, {1: news(1)}, task="another"))
    row = RowQueue(connection, TASK, OUTPUT).take("x", "now").rows[0]
    keep_refused(connection, TASK, OUTPUT, [row], {(TASK, row["canonical_url"], 1): "no"})
    forget_task(connection, TASK)
    left = [key for key in connection.scan_iter(f"exemplar:task:{TASK}:*") if not key.endswith(b":counts")]
    assert left == []
    assert all_queues(connection) == [("another", OUTPUT)]
    assert (rows_waiting(connection), connection.exists(keys.REFUSING)) == (1, 0)


# -- batches -----------------------------------------------------------------------------------------------------------


def test_an_interrupted_batch_comes_again_as_it_was(connection, worker, clock):
    extract(worker, connection, 1)
    forget_the_first_week(connection, clock)
    queue = RowQueue(connection, TASK, OUTPUT, OutputOptions(batch_rows=2))
    while queue.take("x", "now"):
        queue.finish("x", queue.take("x", "now"))
    extract(worker, connection, 2, 3, 4)
    first = queue.take("one", "now")
    assert [row["url"] for row in first.rows] == [url(2), url(3)]
    assert first.again == set()
    extract(worker, connection, 5)
    assert queue.take("two", "now") is None  # the lease
    clock.forward(11)
    second = queue.take("two", "now")
    assert (second.id, second.rows) == (first.id, first.rows)
    assert len(second.again) == 2
    assert not queue.renew("one")
    assert not queue.finish("one", first)
    assert queue.renew("two")
    clock.forward(9)
    assert queue.take("one", "now") is None
    assert queue.finish("two", second)
    third = queue.take("one", "now")
    assert third.id != first.id
    assert ([row["url"] for row in third.rows], third.again) == ([url(4), url(5)], set())


def test_rows_of_another_epoch_may_be_there_already(connection, worker, clock):
    extract(worker, connection, 1)
    forget_the_first_week(connection, clock)
    queue = RowQueue(connection, TASK, OUTPUT)
    queue.finish("x", queue.take("x", "now"))
    extract(worker, connection, 2)
    connection.hset(keys.EPOCH, "id", "another")
    assert len(queue.take("x", "now").again) == 1  # queued before Redis may have lost something
    queue.finish("x", queue.take("x", "now"))
    extract(worker, connection, 3)
    assert len(queue.take("x", "now").again) == 1  # extracted a second time, perhaps
    queue.finish("x", queue.take("x", "now"))
    clock.forward(WEEK + 1)
    extract(worker, connection, 4)
    assert queue.take("x", "now").again == set()


def test_a_batch_has_each_key_once(connection, worker, clock):
    extract(worker, connection, 1)
    queue = RowQueue(connection, TASK, OUTPUT)
    row = queue.take("x", "now").rows[0]
    queue.finish("x", queue.take("x"))
    queue.add([{**row, "title": "first"}, {**row, "title": "second"}], again=False)
    assert [own["title"] for own in queue.take("x", "now").rows] == ["second"]


def test_a_failure_is_known_to_all_machines_and_its_pause_grows(connection, worker, delivery, clock, tmp_path):
    publish(connection, tmp_path, OUTPUT, output_options=options(batch_seconds=0))
    away = fault(tmp_path / "one", "away")
    extract(worker, connection, 1)
    elsewhere = Delivery(connection, "elsewhere")
    for pause in (1, 2, 4, 8):
        assert delivery.deliver_due() + elsewhere.deliver_due() == 0
        [state] = queue_states(connection, all_queues(connection))
        assert (state.waiting, state.problem) == (1, f"output unavailable: {tmp_path / 'one'} is away")
        clock.forward(pause - 0.5)
        assert due_queues(connection) == []
        clock.forward(1)
    away.unlink()
    assert elsewhere.deliver_due() == 1
    assert not connection.hexists(keys.of_task(TASK, f"queue:{OUTPUT}"), "failures")
    assert delivered(tmp_path) == once(1)


def test_an_output_is_not_tried_before_the_time_that_its_target_asks_for(connection, worker, delivery, clock, tmp_path):
    publish(connection, tmp_path, OUTPUT, output_options=options(batch_seconds=0))
    extract(worker, connection, 1)
    for asked, pause in (("40", 40), ("0.1", 2), ("-5", 4), ("86400", 3600)):
        fault(tmp_path / "one", "away", asked)
        assert delivery.deliver_due() == 0
        clock.forward(pause - 0.5)
        assert due_queues(connection) == []
        clock.forward(1)
        assert due_queues(connection) == [(TASK, OUTPUT)]


def test_an_unexpected_error_tells_its_type_only(connection, worker, clock, monkeypatch, caplog):
    extract(worker, connection, 1)

    secret = "".join(["pass", "word"])

    def fail(*_):
        raise TypeError(secret)

    monkeypatch.setattr("tests.workers.batch_folder.FolderSink.write", fail)
    Delivery(connection, "d", draining="now").deliver_due()
    [state] = queue_states(connection, all_queues(connection))
    assert "TypeError" in state.problem
    assert secret not in state.problem + caplog.text


def test_rows_of_an_output_that_the_task_has_no_more_are_delivered_or_after_a_day_dropped(
    connection, worker, delivery, clock, tmp_path
):
    publish(connection, tmp_path, OUTPUT, OTHER)
    fault(tmp_path / "two", "away")
    extract(worker, connection, 1)
    publish(connection, tmp_path, "out.jsonl")
    clock.forward(20)
    assert delivery.deliver_due() == 1
    assert delivered(tmp_path) == once(1)
    [state] = queue_states(connection, [(TASK, OTHER)])
    assert state.problem.endswith("task gazette no longer has this output: its rows are dropped after a day")
    for _ in range(2):
        assert all_queues(connection) == [(TASK, OTHER)]
        clock.forward(80_000)
        delivery.deliver_due()
    assert (has_queues(connection), rows_waiting(connection)) == (False, 0)


# -- refused rows ------------------------------------------------------------------------------------------------------


def test_a_refused_row_is_kept_and_never_tried_again_by_itself(connection, worker, tmp_path, clock):
    publish(connection, tmp_path, OUTPUT, OTHER)
    fault(tmp_path / "one", "refuse", "/2.html")
    extract(worker, connection, 1, 2, 3)
    delivery = Delivery(connection, "d", draining="now")
    assert delivery.deliver_due() == 2
    assert delivery.deliver_due() == 0
    assert delivered(tmp_path) == once(1, 3)
    assert delivered(tmp_path, "two") == once(1, 2, 3)
    [note] = refused_rows(connection, TASK)
    assert (note.output, note.url, note.reason) == (OUTPUT, url(2), f"{url(2)} is not wanted")
    assert refused_row(connection, note)["title"] == "Story 2"
    assert retry_refused(connection, note)
    assert not retry_refused(connection, note)
    assert delivery.deliver_due() == 1
    [note] = refused_rows(connection, TASK)  # refused again
    (tmp_path / "one" / "refuse").unlink()
    assert retry_refused(connection, note)
    assert delivery.deliver_due() == 1
    assert delivered(tmp_path) == once(1, 2, 3)
    assert refused_rows(connection, TASK) == []


def test_no_refused_row_is_dropped_if_there_is_no_space_for_another(connection, worker, monkeypatch):
    extract(worker, connection, 1, 2, 3)
    batch = RowQueue(connection, TASK, OUTPUT).take("x", "now")
    first, second, third = ({key_of(row): "not this one"} for row in batch.rows)
    assert keep_refused(connection, TASK, OUTPUT, batch.rows, first) == 1
    assert keep_refused(connection, TASK, OUTPUT, batch.rows, second) == 1
    for limit in ({"items": 2}, {"bytes": 1}, {"items": 1}):
        with monkeypatch.context() as patch:
            patch.setattr(REFUSED_LIMITS, replace(LIMITS, **limit))
            with pytest.raises(SinkUnavailable, match=r"no further .* can be kept; .* last reason: not this one"):
                keep_refused(connection, TASK, OUTPUT, batch.rows, third)
            assert keep_refused(connection, TASK, OUTPUT, batch.rows, first | second) == 2  # delivered again
    monkeypatch.setattr(REFUSED_LIMITS, replace(LIMITS, tasks=1))
    with pytest.raises(SinkUnavailable):
        keep_refused(connection, TASK, OTHER, batch.rows, third)
    assert {note.url for note in refused_rows(connection, TASK)} == {url(1), url(2)}
    assert drop_refused(connection, refused_rows(connection, TASK)[0])
    assert keep_refused(connection, TASK, OUTPUT, batch.rows, third) == 1
    for note in refused_rows(connection, TASK):
        assert drop_refused(connection, note)
    assert refused_count(connection, TASK, OUTPUT) == 0
    assert not connection.exists(keys.REFUSING)


@pytest.fixture
def little_space(monkeypatch):
    """No refused row is kept beside another one, unless they are refused together."""
    monkeypatch.setattr(REFUSED_LIMITS, replace(LIMITS, items=1))


@pytest.mark.usefixtures("little_space")
def test_pages_wait_while_no_further_refused_row_can_be_kept_and_others_are_written(
    connection, worker, tmp_path, clock
):
    publish(connection, tmp_path, "out.jsonl", "out.db")
    extract(worker, connection, 1)
    with refusing(tmp_path / "out.db", 2, 3):
        extract(worker, connection, 2)
        extract(worker, connection, 3, 4)
        assert states(connection, 2, 3, 4) == ["written", "fetched", "written"]
        assert [note.url for note in refused_rows(connection, TASK)] == [url(2)]
        [state] = output_states(connection)
        assert (state.output, state.waiting, state.refused) == ("out.db", 0, 1)
        assert "no further refused rows can be kept" in Ledger(connection, TASK).state_of(url(3))[1]
        assert drop_refused(connection, refused_rows(connection, TASK)[0])
        clock.forward(3600.0)
        worker.extract_pages(TASK, [fingerprint(url(3))])
        assert states(connection, 3) == ["written"]
        assert [note.url for note in refused_rows(connection, TASK)] == [url(3)]


def test_a_row_that_a_database_refuses_is_kept_and_delivered_to_it_after_a_retry(connection, worker, tmp_path, clock):
    publish(connection, tmp_path, "out.jsonl", "out.db")
    extract(worker, connection, 1)
    with refusing(tmp_path / "out.db", 3):
        extract(worker, connection, 2, 3, 4)
        assert states(connection, 2, 3, 4) == ["written"] * 3
        [note] = refused_rows(connection, TASK)
        assert (note.output, note.url, note.reason) == ("out.db", url(3), "refused by a trigger")
    retry_refused(connection, note)
    assert Delivery(connection, "d", draining="now").deliver_due() == 1
    assert in_table(tmp_path) == [url(number) for number in (1, 2, 3, 4)]
    assert len(rows(tmp_path)) == 4


# -- processes ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def server():
    with Server() as server:
        yield server


@pytest.fixture
def supervise(server):
    with supervisors(server.url) as start:
        yield partial(start, delivery_times=QUICK)


HASTY_OPTIONS = {OUTPUT: HASTY.to_json(), OTHER: HASTY.to_json()}
PAGES = range(1, 41)


def test_an_output_that_is_away_or_stalls_does_not_slow_the_other(server, supervise, tmp_path):
    connection = client(server.url)
    publish(connection, tmp_path, "out.jsonl", OUTPUT, OTHER, output_options=HASTY_OPTIONS)
    away, slow = fault(tmp_path / "one", "away"), fault(tmp_path / "two", "slow", "0")
    deliver(connection, {number: news(number) for number in PAGES})
    supervise()
    eventually(lambda: delivered(tmp_path, "two") == once(*PAGES))
    [problem] = eventually(lambda: present_problems(connection))
    assert problem.text == f"output unavailable: {tmp_path / 'one'} is away"
    assert read_rows(tmp_path / "one") == []
    slow.write_text("5")
    away.unlink()
    deliver(connection, {number: news(number) for number in range(41, 49)})
    eventually(lambda: delivered(tmp_path) == once(*range(1, 49)))
    slow.unlink()
    eventually(lambda: not has_queues(connection))
    assert delivered(tmp_path, "two") == once(*range(1, 49))


def test_until_empty_delivers_all_at_once_or_reports_what_is_away(server, supervise, tmp_path, monkeypatch):
    monkeypatch.setattr("workers.worker_processes.supervisor.NO_PROGRESS", 1.0)
    connection = client(server.url)
    publish(connection, tmp_path, OUTPUT, output_options=options(batch_seconds=3600))
    deliver(connection, {1: news(1)})
    first = supervise(until_empty=True)
    first.join(20)
    assert first.exitcode == 0
    assert delivered(tmp_path) == once(1)
    (tmp_path / "one" / "away").touch()
    deliver(connection, {2: news(2)})
    second = supervise(until_empty=True)
    second.join(30)
    assert second.exitcode == 1
    assert rows_waiting(connection) == 1


@pytest.mark.parametrize("binary", BINARIES)
def test_a_full_redis_takes_and_delivers_rows(binary, tmp_path):
    with running(binary, "--maxmemory", str(64 * 2**20), "--maxmemory-policy", "noeviction") as address:
        connection = client(address)
        publish(connection, tmp_path, OUTPUT)
        names = deliver(connection, {number: news(number) for number in range(1, 9)})
        fill(connection)
        worker = ExtractionWorker(connection, "w")
        worker.extract_pages(TASK, names)
        assert states(connection, 1, 8) == ["written", "written"]
        fault(tmp_path / "one", "refuse", "/3.html")
        assert Delivery(connection, "d", draining="now").deliver_due() == 1
        assert delivered(tmp_path) == once(1, 2, 4, 5, 6, 7, 8)
        assert refused_count(connection, TASK, OUTPUT) == 1
        relieve(connection)
        connection.close()


@pytest.fixture
def problems(redis_url, monkeypatch):
    """The problems of a supervisor whose delivery process is replaced after two seconds of silence.

    Its process is also replaced when a target takes a second.
    """
    monkeypatch.setattr(supervised_processes, "SILENCE", 2.0)
    times = DeliveryTimes(look_every=0.02, first_pause=0.1, write_limit=1.0)
    supervisor, problems = Supervisor(redis_url, 0, draining="now", delivery_times=times), []
    thread = threading.Thread(target=supervisor.run, args=(lambda problem, is_over: problems.append(problem.text),))
    thread.start()
    yield problems
    supervisor.stop()
    thread.join()


@pytest.mark.usefixtures("problems")
def test_a_delivery_that_is_silent_is_replaced_and_its_leases_are_freed(connection, worker, tmp_path, caplog):
    fault(tmp_path / "one", "slow", "0.5")
    extract(worker, connection, 1)
    eventually(lambda: read_batches(tmp_path / "one"))
    [process] = multiprocessing.active_children()
    os.kill(process.pid, signal.SIGSTOP)
    eventually(lambda: not has_queues(connection))
    assert "the delivery process reported nothing for 2 s; it is killed" in caplog.text
    assert delivered(tmp_path) == once(1)


def test_a_target_that_does_not_return_is_a_problem_and_its_process_is_replaced(
    connection, worker, problems, tmp_path, caplog
):
    slow = fault(tmp_path / "one", "slow", "60")
    extract(worker, connection, 1)
    eventually(lambda: problems)
    assert problems[0] == f"output unavailable: {OUTPUT} did not accept rows within 1 s"
    slow.unlink()
    eventually(lambda: not has_queues(connection))
    assert delivered(tmp_path) == once(1)
    assert "delivery process" not in caplog.text
