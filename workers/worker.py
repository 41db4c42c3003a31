"""One long-lived extraction worker: an RQ `SimpleWorker` on the one queue of pages.

No fork per job (430 jobs a second instead of 51), so prepared examples stay warm. What could take the process down is
bounded from outside, by `workers.supervisor`.
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
from .extract import Station, cut_pages, use
from .inbox import QUEUE
from .processes import die_with_parent
from .worker_reports import PipeWatch

WORKER_TTL = 60  # seconds until RQ takes a silent worker for dead
MEMORY_LIMIT = 3 * 2**30  # bytes of address space; a page that asks for more gets MemoryError, its worker is replaced


class Doorbell(Job):
    """An RQ job that can only ring: what it names is not called, or who writes to Redis could run any function here."""

    @property
    def func(self) -> Any:
        """The one function a doorbell stands for, whatever the job says."""
        return cut_pages

    @property
    def success_callback(self) -> None:
        """None, whatever the job says."""

    @property
    def failure_callback(self) -> None:
        """None, whatever the job says."""

    @property
    def stopped_callback(self) -> None:
        """None, whatever the job says."""

    def send_webhooks(self, *_: Any, **__: Any) -> None:
        """Nobody is told."""


class PageWorker(SimpleWorker):
    """RQ's worker, reduced to what a doorbell needs: our ledger keeps the record, so no result, no retry."""

    def perform_job(self, job: Any, queue: Any) -> bool:
        """Answer a doorbell. If that fails unexpectedly (Redis away, no memory), this worker ends and is replaced."""
        done = bool(super().perform_job(job, queue))
        if not done:
            self._stop_requested = True
        return done

    def handle_job_failure(self, job: Any, queue: Any, started_job_registry: Any = None, exc_string: str = "") -> None:
        """Keep the failed doorbell for a person; its pages are rung for again when their lease runs out."""
        logging.getLogger(__name__).error("job %s: %s", job.id, exc_string.strip().rsplit("\n", 1)[-1])
        super().handle_job_failure(job, queue, started_job_registry, exc_string)


def work(url: str, name: str, report: int, *, state: Path, parent: int) -> None:
    """Run one worker until SIGTERM; it finishes the job in hand."""
    os.setsid()  # Ctrl-C reaches a terminal's whole group; here the supervisor alone decides
    die_with_parent(parent=parent)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    logging.getLogger("rq").setLevel(logging.CRITICAL)
    connection = client(url)
    place = Station(connection, name, watch=PipeWatch(report), state=state)
    use(place)
    how: dict[str, Any] = {"connection": connection, "job_class": Doorbell, "serializer": JSONSerializer}
    worker = PageWorker([Queue(QUEUE, **how)], name=name, worker_ttl=WORKER_TTL, **how)
    worker.log.setLevel(logging.CRITICAL)
    try:
        worker.work(with_scheduler=False, logging_level="CRITICAL")
    finally:
        place.close()
