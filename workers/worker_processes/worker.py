"""One long-lived extraction worker: an RQ `SimpleWorker` on the one queue of pages.

It does not fork for each job (430 jobs a second instead of 51), so prepared examples stay in memory. Deadlines are
enforced from outside, by `workers.worker_processes.supervisor`.
"""

import logging
import os
import sys
import time
import traceback
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import redis
from rq import Queue, SimpleWorker
from rq.exceptions import NoSuchJobError
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.utils import now
from rq.worker import WorkerStatus

from ..extract import cut_pages, set_this_worker
from ..inbox import QUEUE, description_of
from ..processes import die_with_parent, limit_memory
from ..redis_access.connection import client
from ..redis_access.full_redis import ALLOWED_WHEN_FULL, is_full_error
from ..reporting.worker_reports import PipeWatch
from ..reporting.worker_times import WorkerTimes
from ..url_states import Fingerprint
from .draining import Draining
from .extraction_worker import ExtractionWorker

WORKER_TTL = 60  # seconds without a heartbeat until RQ considers a worker dead
HEARTBEAT_EVERY = 5.0  # seconds between two of its heartbeats
WAITING_LEAST = 8  # jobs that wait before a worker takes another one at once, so that each worker finds some
SUSPENSION_EVERY = 1.0  # seconds between two checks whether `rq suspend` was called
LONGEST_PAUSE = 3.0  # seconds between two attempts to reach an unavailable Redis
EXIT_WITHOUT_REDIS = 3  # exit code of a worker that lost Redis in the middle of a job: none of its pages is to blame
_REDIS_ERROR = "redis.exceptions."  # beginning of the last line of the traceback of such an error
MEMORY_LIMIT = 3 * 2**30  # bytes of address space; if a page needs more, MemoryError is raised and its worker replaced

_TAKE_JOB = (
    ALLOWED_WHEN_FULL
    + """
-- Take the first waiting job and delete its record. KEYS: queue. ARGV: beginning of the keys of jobs, the description
-- that the job must have (''  for any), how many jobs must wait
-- -> its id and its record (flat), or false if no such job is the first
if redis.call('LLEN', KEYS[1]) < tonumber(ARGV[3]) then return false end
while true do
  if ARGV[2] ~= '' then
    local first = redis.call('LINDEX', KEYS[1], 0)
    if not first or redis.call('HGET', ARGV[1] .. first, 'description') ~= ARGV[2] then return false end
  end
  local id = redis.call('LPOP', KEYS[1])
  if not id then return false end
  local record = redis.call('HGETALL', ARGV[1] .. id)
  redis.call('DEL', ARGV[1] .. id)
  if #record > 0 then return {id, record} end
end
"""
)


class WakeUpJob(Job):
    """An RQ job that always runs `cut_pages`: otherwise anyone who can write to Redis could run any function here."""

    @property
    def func(self) -> Any:
        """The one function that every wake-up job runs, also if it names another."""
        return cut_pages

    @property
    def success_callback(self) -> None:
        """Always None, also if the job names a callback."""

    @property
    def failure_callback(self) -> None:
        """Always None, also if the job names a callback."""

    @property
    def stopped_callback(self) -> None:
        """Always None, also if the job names a callback."""

    def send_webhooks(self, *_: Any, **__: Any) -> None:
        """No-op."""


class PageWorker(SimpleWorker):
    """RQ's worker without results, retries and records of executions: the ledger keeps the record of each page.

    RQ takes a job in about 18 requests to Redis. While jobs wait, this worker takes one in a single request, which also
    deletes the job's record; if the job is lost then, its pages are queued again. RQ's own way is used only to wait for
    a job.
    """

    max_connection_wait_time = LONGEST_PAUSE
    lost_redis = False  # whether Redis was lost in the middle of a job
    was_full = False  # whether Redis refused a command because it is full

    def __init__(self, *args: Any, **options: Any):
        self._is_busy = False  # whether it takes or runs a job
        self._beat = self._asked = float("-inf")  # the last heartbeat, and the last check for a suspension
        super().__init__(*args, **options)
        self._take_job = self.connection.register_script(_TAKE_JOB)

    def dequeue_job_and_maintain_ttl(self, *args: Any, **options: Any) -> Any:
        """Return a waiting job and its queue. If none waits, as in RQ, which ends the worker at any error."""
        with self._full_noted():
            if (job := self._waiting_job("", 1)) is not None:
                return job, self.queues[0]
            if self._stop_requested:
                return None
            taken = super().dequeue_job_and_maintain_ttl(*args, **options)
            if taken is not None:
                self._remove(*taken)
            return taken

    def execute_job(self, job: Any, queue: Any) -> None:
        """Run a wake-up job. If it fails unexpectedly (no Redis, no memory), this worker exits and is replaced."""
        self._is_busy = True
        job.started_at = now()
        try:
            with self._full_noted():
                job.func(*job.args, **job.kwargs)
        except Exception as error:
            self._stop_requested = True
            job.ended_at = now()
            with self._full_noted():
                self.handle_job_failure(job, queue, exc_string="".join(traceback.format_exception(error)))
        finally:
            self._is_busy = False

    def get_state(self) -> str:
        """As in RQ, which finishes a job before it ends a worker that is busy."""
        return WorkerStatus.BUSY if self._is_busy else super().get_state()

    def heartbeat(self, timeout: int | None = None, pipeline: Any = None) -> None:
        """As in RQ, but only every few seconds."""
        if pipeline is not None or timeout is not None or time.monotonic() - self._beat >= HEARTBEAT_EVERY:
            super().heartbeat(timeout, pipeline)
            self._beat = time.monotonic()

    def check_for_suspension(self, burst: bool) -> None:
        """As in RQ, but only once a second."""
        if time.monotonic() - self._asked >= SUSPENSION_EVERY:
            super().check_for_suspension(burst)
            self._asked = time.monotonic()

    def teardown(self) -> None:
        """As in RQ; a full Redis refuses to record the worker's end, and the record expires."""
        try:
            with self._full_noted():
                super().teardown()  # type: ignore[no-untyped-call]
        except redis.ResponseError:
            if not self.was_full:
                raise
            self.unsubscribe()  # type: ignore[no-untyped-call]

    def further_pages(self, task: str) -> list[Fingerprint]:
        """Take the first job during another one if it is of the same task and many jobs wait; return its pages."""
        if self._stop_requested:
            return []
        job = self._waiting_job(description_of(task), WAITING_LEAST)
        return list(job.args[1]) if job is not None else []

    def _waiting_job(self, description: str, least: int) -> Job | None:
        """Take the first job, if it has this description ("" for any) and at least so many jobs wait; else None.

        A signal to stop then waits for the job.
        """
        was_busy, self._is_busy = self._is_busy, True
        try:
            args: list[str | int] = [Job.key_for(""), description, least]
            while answer := self._take_job(keys=[self.queues[0].key], args=args):
                name, record = answer
                job = self.job_class(name.decode(), connection=self.connection, serializer=self.serializer)
                with suppress(NoSuchJobError):  # its record is damaged
                    job.restore(dict(zip(record[::2], record[1::2], strict=True)))
                    return job
        finally:
            self._is_busy = was_busy
        return None

    def _remove(self, job: Job, queue: Queue) -> None:
        """Delete the record of a job that RQ took."""
        pipe = self.connection.pipeline(transaction=False)
        pipe.lrem(queue.intermediate_queue_key, 1, job.id)
        pipe.delete(job.key)
        pipe.execute()

    @contextmanager
    def _full_noted(self) -> Iterator[None]:
        try:
            yield
        except redis.ResponseError as error:
            self.was_full = self.was_full or is_full_error(error)
            raise

    def handle_job_failure(self, job: Any, queue: Any, started_job_registry: Any = None, exc_string: str = "") -> None:
        """Keep the failed job for a person to look at; its pages are queued again when their leases expire."""
        error = exc_string.strip().rsplit("\n", 1)[-1]
        self.lost_redis = error.startswith(_REDIS_ERROR)
        if not self.lost_redis:  # otherwise the supervisor reports it, once for all its workers
            logging.getLogger(__name__).error("job %s: %s", job.id, error)
        super().handle_job_failure(job, queue, started_job_registry, exc_string)


def work(url: str, name: str, report: int, *, parent: int, times: WorkerTimes) -> None:
    """Run one worker until SIGTERM; it finishes the present job."""
    os.setsid()  # Ctrl-C reaches the whole process group of the terminal, but only the supervisor stops workers
    die_with_parent(parent=parent)
    limit_memory(MEMORY_LIMIT)
    logging.getLogger("rq").setLevel(logging.CRITICAL)
    connection = client(url)
    extraction = ExtractionWorker(connection, name, watch=PipeWatch(report), times=times)
    set_this_worker(extraction)
    how: dict[str, Any] = {"connection": connection, "job_class": WakeUpJob, "serializer": JSONSerializer}
    draining = Draining(connection, extraction)
    try:
        while draining.run():
            # RQ refuses the name of an earlier worker whose end it could not record.
            worker = PageWorker(
                [Queue(QUEUE, **how)], name=f"{name}.{uuid.uuid4().hex[:4]}", worker_ttl=WORKER_TTL, **how
            )
            if not _listen(worker, extraction):
                break
    finally:
        extraction.close()


def _listen(worker: PageWorker, extraction: ExtractionWorker) -> bool:
    """Run wake-up jobs until SIGTERM or an error. Return whether it ended because Redis is full."""
    worker.log.setLevel(logging.CRITICAL)
    extraction.further_pages = worker.further_pages
    try:
        worker.work(with_scheduler=False, logging_level="CRITICAL")
    except redis.RedisError as error:
        worker.was_full = worker.was_full or is_full_error(error)
        worker.lost_redis = True
    finally:
        extraction.further_pages = None
    if worker.lost_redis and not worker.was_full:
        sys.exit(EXIT_WITHOUT_REDIS)
    return worker.was_full
