"""The function that a wake-up job runs; jobs in Redis hold its name (`workers.inbox.JOB`)."""

import os
import threading
from collections.abc import Sequence

from rq import get_current_job

from ..url_states import Fingerprint
from .extraction_worker import ExtractionWorker


def extract_pages(task: str, names: Sequence[Fingerprint]) -> None:
    """Extract the pages of one wake-up job, inside a worker process."""
    this_worker().extract_pages(task, names)


_here = threading.local()


def this_worker() -> ExtractionWorker:
    """Return this process's worker; a plain `rq worker -S json` process gets one, too."""
    worker: ExtractionWorker | None = getattr(_here, "worker", None)
    if worker is None:
        job = get_current_job()
        if job is None:
            raise RuntimeError("extract_pages runs inside an RQ worker")
        worker = ExtractionWorker(job.connection, f"rq-{os.getpid()}")
        set_this_worker(worker)
    return worker


def set_this_worker(worker: ExtractionWorker) -> None:
    """Set the worker of this process."""
    _here.worker = worker
