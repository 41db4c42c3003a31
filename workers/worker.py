"""One long-lived extraction worker: an RQ `SimpleWorker` on the one queue of pages.

It does not fork for each job (430 jobs a second instead of 51), so prepared examples stay in memory. Deadlines are
enforced from outside, by `workers.supervisor`.
"""

import logging
import os
import resource
from pathlib import Path
from typing import Any

from rq import Queue, SimpleWorker
from rq.job import Job
from rq.serializers import JSONSerializer

from .connection import client
from .extract import cut_pages, set_this_worker
from .extraction_worker import ExtractionWorker
from .inbox import QUEUE
from .processes import die_with_parent
from .worker_reports import PipeWatch
from .worker_times import WorkerTimes

WORKER_TTL = 60  # seconds without a heartbeat until RQ considers a worker dead
MEMORY_LIMIT = 3 * 2**30  # bytes of address space; a page that asks for more gets MemoryError, its worker is replaced


class WakeUpJob(Job):
    """An RQ job that always runs `cut_pages`: else anyone who can write to Redis could run any function here."""

    @property
    def func(self) -> Any:
        """The one function that a wake-up job runs, whatever function it names."""
        return cut_pages

    @property
    def success_callback(self) -> None:
        """None, whatever callback the job names."""

    @property
    def failure_callback(self) -> None:
        """None, whatever callback the job names."""

    @property
    def stopped_callback(self) -> None:
        """None, whatever callback the job names."""

    def send_webhooks(self, *_: Any, **__: Any) -> None:
        """No-op."""


class PageWorker(SimpleWorker):
    """RQ's worker without results and retries: the ledger keeps the record of each page."""

    def perform_job(self, job: Any, queue: Any) -> bool:
        """Run a wake-up job. If it fails unexpectedly (no Redis, no memory), this worker exits and is replaced."""
        done = bool(super().perform_job(job, queue))
        if not done:
            self._stop_requested = True
        return done

    def handle_job_failure(self, job: Any, queue: Any, started_job_registry: Any = None, exc_string: str = "") -> None:
        """Keep the failed job for a person to look at; its pages are queued again when their leases expire."""
        logging.getLogger(__name__).error("job %s: %s", job.id, exc_string.strip().rsplit("\n", 1)[-1])
        super().handle_job_failure(job, queue, started_job_registry, exc_string)


def work(url: str, name: str, report: int, *, state: Path, parent: int, times: WorkerTimes) -> None:
    """Run one worker until SIGTERM; it finishes the job in hand."""
    os.setsid()  # Ctrl-C reaches the terminal's whole process group; the supervisor alone stops its workers
    die_with_parent(parent=parent)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    logging.getLogger("rq").setLevel(logging.CRITICAL)
    connection = client(url)
    extraction = ExtractionWorker(connection, name, watch=PipeWatch(report), state=state, times=times)
    set_this_worker(extraction)
    how: dict[str, Any] = {"connection": connection, "job_class": WakeUpJob, "serializer": JSONSerializer}
    worker = PageWorker([Queue(QUEUE, **how)], name=name, worker_ttl=WORKER_TTL, **how)
    worker.log.setLevel(logging.CRITICAL)
    try:
        worker.work(with_scheduler=False, logging_level="CRITICAL")
    finally:
        extraction.close()
