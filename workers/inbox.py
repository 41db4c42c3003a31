"""The inbox, through which fetched pages reach the workers: it stores them (`workers.page_store`) and queues wake-up
jobs.

Page, the ledger's change of state and the RQ job go to Redis in one MULTI: no page is stored without a job, and no job
is queued without its pages. The ledger is the queue of record; a job only names pages. So the pages of a lost job are
queued again (`sweep`), and a superfluous job has no effect. Jobs are JSON, never pickle: someone who can write to
Redis must not be able to run code in a worker.
"""

import re
import time
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, cast

import redis
from rq import Queue
from rq.serializers import JSONSerializer

from . import keys
from .ledger import Ledger, with_pages
from .page_store import LARGEST_PAGE, StoredPage, pack
from .redis_access.full_redis import is_full_error
from .redis_access.redis_clock import clock_of
from .reporting.presence import alive
from .url_states import Fingerprint

__all__ = ["JOB", "LARGEST_PAGE", "PAGES_A_JOB", "QUEUE", "Inbox", "StoredPage"]

QUEUE = "exemplar-pages"
JOB = "workers.worker_processes.page_job.extract_pages"  # the function of wake-up jobs; those in Redis hold its name
PAGES_A_JOB = 30  # RQ takes a job in about 18 requests; larger jobs would leave other workers without one for longer
FIRST = "first-"  # the beginning of the id of a job that was queued before all others
_QUEUED_AT = re.compile(r"(\d{13})-")  # the beginning of the id of any other job: Redis' time in milliseconds
FIRST_MOST = 100  # jobs at the head of the queue that are examined for one that was queued in its turn
PRUNE_EVERY = 600.0  # seconds
JOB_KEPT = 3600  # seconds for which a failed job is kept for inspection; its pages do not depend on it


class Inbox:
    """Stores pages and queues wake-up jobs for them. Safe for any number of processes."""

    def __init__(self, connection: "redis.Redis"):
        self.redis = connection
        self.clock = clock_of(connection).now
        self._pruned = float("-inf")
        self.queue = Queue(QUEUE, connection=connection, serializer=JSONSerializer, default_timeout=-1)

    def deliver(self, ledger: Ledger, pages: Mapping[Fingerprint, StoredPage]) -> None:
        """Store pages, change their state to fetched and queue jobs for them, in one transaction.

        `pages`: by the fingerprint of the URL that was leased.
        """
        if not pages:
            return
        pipe = self.redis.pipeline(transaction=True)
        pipe.sadd(keys.FETCHED, ledger.task)
        for name, page in pages.items():
            ledger.arrive(name, pack(page), pipe)
        self._add_jobs(ledger.task, list(pages), pipe)
        pipe.execute()

    def wake(self, task: str, names: Sequence[Fingerprint], *, first: bool = False) -> None:
        """Queue jobs for pages that are already stored; `first`: before all other jobs.

        A full Redis takes no jobs; workers then take the pages from the ledger (`workers.worker_processes.worker`).
        """
        if not names:
            return
        pipe = self.redis.pipeline(transaction=True)
        self._add_jobs(task, names, pipe, first=first)
        try:
            pipe.execute()
        except redis.ResponseError as error:
            if not is_full_error(error):
                raise

    def sweep(self) -> int:
        """Queue again the pages whose job or worker was lost; return their number. Call it every few seconds.

        The pages of a worker that died are queued before all others, because they have already waited. Only tasks that
        have fetched pages are examined: of 100,000 tasks few have any.
        """
        requeued = 0
        now = time.monotonic()
        if now - self._pruned >= PRUNE_EVERY:
            self._pruned = now
            alive(self.redis)  # removes the heartbeats of processes that died long ago
        oldest = self.oldest_job()
        for task in with_pages(self.redis):
            ledger = Ledger(self.redis, task)
            abandoned, lapsed = ledger.lapsed(oldest_job=oldest)
            self.wake(task, abandoned, first=True)
            self.wake(task, lapsed)
            requeued += len(abandoned) + len(lapsed)
            if not abandoned and not lapsed:
                ledger.drop_if_idle()
        return requeued

    def waiting_jobs(self) -> int:
        """Return how many jobs no worker has begun yet."""
        return int(self.redis.llen(self.queue.key))

    def oldest_job(self) -> float | None:
        """Return when the oldest waiting job was queued, in Unix seconds; None if none waits.

        Jobs that were queued before all others do not count: they give no information on the jobs after them.
        """
        head = cast(list[bytes], self.redis.lrange(self.queue.key, 0, FIRST_MOST - 1))
        oldest = next((name for raw in head if not (name := raw.decode()).startswith(FIRST)), None)
        if oldest is None:
            return 0.0 if len(head) == FIRST_MOST else None
        at = _QUEUED_AT.match(oldest)
        return int(at[1]) / 1000 if at else 0.0

    def pages_waiting(self) -> int:
        """Return how many pages of all tasks are fetched and not settled."""
        return sum(Ledger(self.redis, task).counts().states["fetched"] for task in with_pages(self.redis))

    def _add_jobs(self, task: str, names: Sequence[Fingerprint], pipe: Any, *, first: bool = False) -> None:
        head = f"{FIRST if first else ''}{self.clock() * 1000:013.0f}"  # RQ's own time is that of this machine
        jobs = [
            Queue.prepare_data(
                JOB,
                args=(task, list(names[start : start + PAGES_A_JOB])),
                timeout=-1,  # the supervisor enforces each page's deadline; an alarm cannot interrupt lxml
                result_ttl=0,
                failure_ttl=JOB_KEPT,
                description=f"pages of {task}",
                job_id=f"{head}-{uuid.uuid4().hex}",
                at_front=first,
            )
            for start in range(0, len(names), PAGES_A_JOB)
        ]
        self.queue.enqueue_many(jobs, pipeline=pipe)
