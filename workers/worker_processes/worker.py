"""One long-lived extraction worker: an RQ `SimpleWorker` on the one queue of pages.

It does not fork for each job (430 jobs a second instead of 51), so prepared examples stay in memory. RQ takes a job in
about 18 requests, so a job names up to `workers.inbox.PAGES_A_JOB` pages. Deadlines are enforced from outside, by
`workers.worker_processes.supervisor`. `rq worker -S json exemplar-pages` runs the same jobs, without these deadlines.

While Redis is full, RQ's commands are refused, so a worker takes fetched pages from the ledger itself. Settling a page
frees its memory. When enough is free, or no page is left, the worker waits for wake-up jobs again; the jobs of pages
that were settled meanwhile have no effect.
"""

import logging
import random
import signal
import sys
import time
from typing import Any

import redis
from rq import SimpleWorker
from rq.exceptions import AbandonedJobError
from rq.job import Job
from rq.serializers import JSONSerializer

from ..inbox import PAGES_A_JOB, QUEUE
from ..ledger import Ledger, with_pages
from ..processes import limit_memory
from ..redis_access.connection import client
from ..redis_access.full_redis import memory_of
from ..reporting.worker_reports import Watch, WorkerTimes
from .extraction_worker import ExtractionWorker
from .page_job import extract_pages, set_this_worker

WORKER_TTL = 60  # seconds without a heartbeat until RQ considers a worker dead
LONGEST_PAUSE = 3.0  # seconds between two attempts to reach an unavailable Redis
EXIT_WITHOUT_REDIS = 3  # exit code of a worker that lost Redis, or whose Redis is full: none of its pages is to blame
MEMORY_LIMIT = 3 * 2**30  # bytes of address space; if a page needs more, MemoryError is raised and its worker replaced
DRAINED = 0.9  # share of the memory below which wake-up jobs are used again
CHOSEN_FROM = 200  # pages of a task to choose from, so that several workers rarely try the same ones
PAUSE = 0.5  # seconds until a full Redis without fetched pages is checked again

log = logging.getLogger(__name__)


class WakeUpJob(Job):
    """An RQ job that always runs `extract_pages`: otherwise whoever can write to Redis could run any function here."""

    func = property(lambda job: extract_pages)  # also if the job names another one, or callbacks
    success_callback = failure_callback = stopped_callback = property(lambda job: None)

    def send_webhooks(self, *_: Any, **__: Any) -> None:
        """No-op."""


class PageWorker(SimpleWorker):
    """RQ's worker that does not fork, for wake-up jobs."""

    job_class = WakeUpJob
    max_connection_wait_time = LONGEST_PAUSE


def work(url: str, name: str, watch: Watch, *, times: WorkerTimes) -> None:
    """Run one worker until SIGTERM; it finishes the present job."""
    limit_memory(MEMORY_LIMIT)
    connection = client(url)
    extraction = ExtractionWorker(connection, name, watch=watch, times=times)
    set_this_worker(extraction)
    try:
        if Draining(connection, extraction).run():
            run_jobs(page_worker(connection, name), extraction)
    finally:
        extraction.close()


def page_worker(connection: "redis.Redis", name: str) -> PageWorker:
    """Return a worker that runs wake-up jobs; it ends after a job that failed."""
    return PageWorker(
        [QUEUE],
        name=name,
        connection=connection,
        serializer=JSONSerializer,
        worker_ttl=WORKER_TTL,
        exception_handlers=[_end_after],
    )


def _end_after(job: Job, _: type[BaseException], error: BaseException, *__: Any) -> None:
    """End this worker as by SIGTERM after a job that failed unexpectedly (no Redis, no memory); it is replaced.

    RQ keeps the failed job for a person to look at; its pages are queued again when their leases expire. A job that a
    killed worker left behind is found by another one, which goes on.
    """
    if isinstance(error, AbandonedJobError):
        return
    if not isinstance(error, redis.RedisError):  # otherwise the supervisor reports it, once for all its workers
        log.error("job %s: %s: %s", job.id, type(error).__name__, error)
    signal.raise_signal(signal.SIGTERM)


def run_jobs(worker: PageWorker, extraction: ExtractionWorker) -> None:
    """Run wake-up jobs until SIGTERM or an error; exit if Redis was lost, or is full."""
    try:
        worker.work(logging_level="CRITICAL")
    except redis.RedisError:  # RQ could not record the worker's end
        sys.exit(EXIT_WITHOUT_REDIS)
    if isinstance(extraction.failure, redis.RedisError):
        sys.exit(EXIT_WITHOUT_REDIS)


class Draining:
    """The extraction of one worker while Redis is full."""

    def __init__(self, connection: "redis.Redis", extraction: ExtractionWorker):
        self.redis, self.extraction = connection, extraction
        self.stopping = False

    def run(self) -> bool:
        """If Redis is full, extract pages until it is not, or until `stop`.

        Return whether the worker is to continue.
        """
        if not memory_of(self.redis).is_full:
            return True
        before = signal.signal(signal.SIGTERM, self.stop)
        log.warning("Redis is full; pages are taken from the ledger, without wake-up jobs")
        try:
            while not self.stopping and self._is_needed():
                if not self.extract_some():
                    time.sleep(PAUSE)
        finally:
            signal.signal(signal.SIGTERM, before)
        return not self.stopping

    def stop(self, *_: Any) -> None:
        """Return from `run` after the present pages. Safe in a signal handler."""
        self.stopping = True

    def extract_some(self) -> int:
        """Extract a few pages of each task that has any; return how many were tried."""
        tried = 0
        for task in with_pages(self.redis):
            if self.stopping:
                break
            names = Ledger(self.redis, task).fetched_names(CHOSEN_FROM)
            chosen = random.sample(names, min(PAGES_A_JOB, len(names)))
            if chosen:
                self.extraction.extract_pages(task, chosen)
            tried += len(chosen)
        return tried

    def _is_needed(self) -> bool:
        memory = memory_of(self.redis)
        return memory.is_full or (memory.share >= DRAINED and bool(with_pages(self.redis)))
