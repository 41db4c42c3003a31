"""The RQ worker of pages: it runs nothing but wake-up jobs, and keeps a failed one for a person to look at."""

import signal

import pytest
import redis
from rq.job import Callback, Job
from rq.registry import FailedJobRegistry, StartedJobRegistry
from rq.serializers import JSONSerializer

from workers.inbox import QUEUE, Inbox
from workers.processes import STOP_SIGNALS
from workers.worker_processes.extraction_worker import ExtractionWorker
from workers.worker_processes.page_job import set_this_worker
from workers.worker_processes.worker import EXIT_WITHOUT_REDIS, page_worker, run_jobs


class Extraction(ExtractionWorker):
    """Notes the pages of each job, and extracts nothing."""

    def __init__(self, connection):
        super().__init__(connection, "w")
        self.jobs = []
        self.during = lambda: None

    def _extract_pages(self, task, names):
        self.jobs.append((task, names))
        self.during()


@pytest.fixture
def extraction(connection):
    extraction = Extraction(connection)
    set_this_worker(extraction)
    yield extraction
    set_this_worker(None)


@pytest.fixture
def worker(connection):
    before = {number: signal.getsignal(number) for number in STOP_SIGNALS}
    yield page_worker(connection, "w")
    for number, handler in before.items():  # RQ sets its own
        signal.signal(number, handler)


def keys_of_rq(connection):
    return {key.decode() for key in connection.scan_iter("rq:*")} - {"rq:queues", "rq:workers", f"rq:workers:{QUEUE}"}


def test_waiting_jobs_are_run_in_their_order_and_leave_nothing(connection, worker, extraction):
    inbox = Inbox(connection)
    inbox.wake("news", ["1", "2"])
    inbox.wake("news", ["3"])
    inbox.wake("sport", ["4"], first=True)
    worker.work(burst=True)
    assert extraction.jobs == [("sport", ["4"]), ("news", ["1", "2"]), ("news", ["3"])]
    assert {key for key in keys_of_rq(connection) if not key.startswith(("rq:worker:", "rq:clean"))} == set()


def test_a_job_without_a_usable_record_is_skipped(connection, worker, extraction):
    inbox = Inbox(connection)
    inbox.wake("news", ["1"])
    inbox.wake("news", ["2"])
    inbox.wake("news", ["3"])
    first, second, _ = connection.lrange(inbox.queue.key, 0, -1)
    connection.delete(Job.key_for(first.decode()))
    connection.hdel(Job.key_for(second.decode()), "data")
    worker.work(burst=True)
    assert extraction.jobs == [("news", ["3"])]


def test_a_job_that_fails_is_kept_and_the_worker_ends(connection, worker, extraction):
    def fail():
        raise ZeroDivisionError("a mistake of ours")

    extraction.during = fail
    inbox = Inbox(connection)
    inbox.wake("news", ["1"])
    inbox.wake("news", ["2"])
    worker.work(burst=True)
    assert extraction.jobs == [("news", ["1"])]
    assert inbox.waiting_jobs() == 1
    [name] = FailedJobRegistry(queue=inbox.queue).get_job_ids()
    kept = Job.fetch(name, connection=connection, serializer=JSONSerializer)
    assert (kept.args, kept.get_status()) == (["news", ["1"]], "failed")
    assert "ZeroDivisionError: a mistake of ours" in kept.latest_result().exc_string
    assert isinstance(extraction.failure, ZeroDivisionError)


def test_a_job_of_a_killed_worker_ends_no_other_worker(connection, worker, extraction, caplog):
    inbox = Inbox(connection)
    inbox.wake("news", ["1"])
    [left] = inbox.queue.job_ids
    inbox.queue.remove(left)
    started = StartedJobRegistry(queue=inbox.queue)
    connection.zadd(started.key, {f"{left}:1": 1.0})  # the time of its last heartbeat is long ago
    inbox.wake("news", ["2"])
    inbox.wake("news", ["3"])
    worker.work(burst=True)
    assert extraction.jobs == [("news", ["2"]), ("news", ["3"])]
    assert started.get_job_ids(cleanup=False) == []
    assert not [record for record in caplog.records if record.name.startswith("workers")]


def test_a_job_runs_the_function_of_wake_up_jobs_whichever_it_names(connection, worker, extraction):
    inbox = Inbox(connection)
    inbox.queue.enqueue("os.mkdir", "news", ["1"], on_success=Callback("os.getcwd"), on_failure=Callback("os.getcwd"))
    worker.work(burst=True)
    assert extraction.jobs == [("news", ["1"])]
    assert FailedJobRegistry(queue=inbox.queue).get_job_ids() == []


@pytest.mark.parametrize("error", [redis.ConnectionError("gone"), redis.ResponseError("OOM command not allowed")])
def test_a_worker_that_lost_redis_in_a_job_says_so_by_its_exit_code(connection, worker, extraction, error):
    def lose():
        raise error

    extraction.during = lose
    inbox = Inbox(connection)
    inbox.wake("news", ["1"])
    inbox.wake("news", ["2"])
    with pytest.raises(SystemExit) as end:
        run_jobs(worker, extraction)
    assert end.value.code == EXIT_WITHOUT_REDIS
    assert extraction.jobs == [("news", ["1"])]


def test_a_worker_whose_end_redis_refuses_to_record_says_so_by_its_exit_code(connection, worker, extraction):
    def fill():
        connection.config_set("maxmemory", 1)

    extraction.during = fill
    Inbox(connection).wake("news", ["1"])
    try:
        with pytest.raises(SystemExit) as end:
            run_jobs(worker, extraction)
    finally:
        connection.config_set("maxmemory", 0)
        worker.unsubscribe()
    assert end.value.code == EXIT_WITHOUT_REDIS
    assert extraction.failure is None
