"""The RQ worker of pages: it takes a waiting job in one request, and keeps a failed one for a person to look at."""

import pytest
from rq import Queue
from rq.job import Job
from rq.registry import FailedJobRegistry
from rq.serializers import JSONSerializer
from rq.worker import WorkerStatus

from workers.extract import set_this_worker
from workers.inbox import QUEUE, Inbox
from workers.worker_processes.worker import WAITING_LEAST, PageWorker, WakeUpJob


class Extraction:
    """In place of the extraction: notes the pages of each job."""

    def __init__(self):
        self.jobs = []
        self.during = lambda: None

    def extract_pages(self, task, names):
        self.jobs.append((task, names))
        self.during()


@pytest.fixture
def extraction():
    extraction = Extraction()
    set_this_worker(extraction)
    yield extraction
    set_this_worker(None)


@pytest.fixture
def worker(connection):
    how = {"connection": connection, "job_class": WakeUpJob, "serializer": JSONSerializer}
    return PageWorker([Queue(QUEUE, **how)], name="w", **how)


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
    assert not worker.lost_redis


def test_a_worker_is_busy_during_a_job_so_that_a_stop_waits(connection, worker, extraction):
    seen = []
    extraction.during = lambda: seen.append(worker.get_state())
    Inbox(connection).wake("news", ["1"])
    worker.work(burst=True)
    assert seen == [WorkerStatus.BUSY]
    assert worker.get_state() != WorkerStatus.BUSY


def test_while_many_jobs_wait_a_job_of_the_same_task_is_taken_at_once(connection, worker, extraction):
    inbox = Inbox(connection)
    for number in range(WAITING_LEAST):
        inbox.wake("news" if number < 2 else "sport", [str(number)])
    assert worker.further_pages("sport") == []  # another task is first
    assert worker.further_pages("news") == ["0"]
    assert worker.further_pages("news") == []  # too few are left for the other workers
    assert inbox.waiting_jobs() == WAITING_LEAST - 1
    assert worker.get_state() != WorkerStatus.BUSY
