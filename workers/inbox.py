"""How fetched pages reach the workers: the page store, and the wake-up jobs that name pages in it.

Body, the ledger's change of state and the RQ job go to Redis in one MULTI: no page is stored without a job, and no job
is queued without its pages. The ledger is the queue of record; a job only names pages. So the pages of a lost job are
queued again (`sweep`), and a superfluous job finds nothing to do. Jobs are JSON, never pickle: someone who can write to
Redis must not be able to run code in a worker.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Any, cast

import redis
import zstandard
from rq import Queue
from rq.job import Job
from rq.serializers import JSONSerializer

from . import keys
from .ledger import Ledger, with_pages
from .url_states import Fingerprint
from .usage_rights import Headers

QUEUE = "exemplar-pages"
JOB = "workers.extract.cut_pages"  # the function that a wake-up job runs; jobs in Redis hold this name
PAGES_A_JOB = 10  # 0.06 ms of worker CPU a page; 50 a job saves another third, but some jobs then take long
ZSTD_LEVEL = 1  # 0.12 ms for 80 KB; level 3 takes 0.16 and makes 2% less of a generated page
JOB_KEPT = 3600  # seconds a failed job is kept for a person to look at; its pages do not depend on it
LARGEST_PAGE = 32 * 2**20  # bytes


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A page as the spider delivers it. `url`: after redirects; `body`: the raw bytes.

    `headers`: those that declare how the page may be used (`workers.usage_rights`).
    """

    fingerprint: Fingerprint
    url: str
    body: bytes
    content_type: str
    status: int
    fetched_at: datetime
    headers: Headers = field(default_factory=dict)
    parts: tuple["StoredPage", ...] = ()  # the article's further pages, in order
    missing: tuple[str, ...] = ()  # URLs of further pages that are unavailable


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page as a worker reads it from the page store."""

    url: str
    body: bytes
    content_type: str
    fetched_at: datetime
    headers: Headers = field(default_factory=dict)
    parts: tuple["StoredPage", ...] = ()
    missing: tuple[str, ...] = ()


class Inbox:
    """Stores pages and queues wake-up jobs for them. Safe for any number of processes."""

    def __init__(self, connection: "redis.Redis"):
        self.redis = connection
        self.queue = Queue(QUEUE, connection=connection, serializer=JSONSerializer, default_timeout=-1)

    def deliver(self, ledger: Ledger, pages: Sequence[FetchedPage]) -> None:
        """Store pages, change their state to fetched and queue jobs for them, in one transaction."""
        if not pages:
            return
        pipe = self.redis.pipeline(transaction=True)
        pipe.sadd(keys.FETCHED, ledger.task)
        for page in pages:
            ledger.arrive(page.fingerprint, _packed(page), pipe)
        self._add_jobs(ledger.task, [page.fingerprint for page in pages], pipe)
        pipe.execute()

    def wake(self, task: str, names: Sequence[Fingerprint]) -> None:
        """Queue jobs for pages that are already stored."""
        pipe = self.redis.pipeline(transaction=True)
        self._add_jobs(task, names, pipe)
        pipe.execute()

    def sweep(self, tasks: Iterable[str] | None = None) -> int:
        """Queue again the pages whose job or worker was lost; return their number. Call it every few seconds.

        Only tasks that have fetched pages are examined: of 100,000 tasks few have any.
        """
        requeued = 0
        oldest = self.oldest_job()
        for task in with_pages(self.redis) if tasks is None else tasks:
            ledger = Ledger(self.redis, task)
            names = ledger.lapsed(oldest_job=oldest)
            if not names:
                ledger.drop_if_idle()
            else:
                self.wake(task, names)
                requeued += len(names)
        return requeued

    def waiting_jobs(self) -> int:
        """Return how many jobs no worker has begun yet."""
        return int(self.redis.llen(self.queue.key))

    def oldest_job(self) -> float | None:
        """Return when the oldest waiting job was queued, in Unix seconds; None if none waits."""
        first = cast("bytes | None", self.redis.lindex(self.queue.key, 0))
        if first is None:
            return None
        enqueued = cast("bytes | None", self.redis.hget(Job.key_for(first.decode()), "enqueued_at"))
        return datetime.fromisoformat(enqueued.decode()).timestamp() if enqueued else 0.0

    def pages_waiting(self) -> int:
        """Return how many pages of all tasks are fetched and not settled."""
        return sum(Ledger(self.redis, task).counts().states["fetched"] for task in with_pages(self.redis))

    def _add_jobs(self, task: str, names: Sequence[Fingerprint], pipe: Any) -> None:
        jobs = [
            Queue.prepare_data(
                JOB,
                args=(task, list(names[start : start + PAGES_A_JOB])),
                timeout=-1,  # the supervisor enforces each page's deadline; an alarm cannot interrupt lxml
                result_ttl=0,
                failure_ttl=JOB_KEPT,
                description=f"pages of {task}",
            )
            for start in range(0, len(names), PAGES_A_JOB)
        ]
        self.queue.enqueue_many(jobs, pipeline=pipe)


def unpack(page: Mapping[str, bytes]) -> StoredPage:
    """Return the page of a stored form. Raises `ValueError` if it is damaged."""
    try:
        at = datetime.fromtimestamp(float(page["at"]), UTC)
        return StoredPage(
            url=page["url"].decode(),
            body=unpack_body(page["body"]),
            content_type=page["type"].decode("latin-1"),
            fetched_at=at,
            headers=json.loads(page.get("headers", b"{}")),
            parts=tuple(_unpack_part(page, number, at) for number in range(1, int(page.get("parts", 0)) + 1)),
            missing=tuple(json.loads(page.get("missing", b"[]"))),
        )
    except (KeyError, ValueError, OverflowError, OSError, zstandard.ZstdError) as error:
        raise ValueError(f"stored page is damaged: {error!r}") from None


def _unpack_part(page: Mapping[str, bytes], number: int, at: datetime) -> StoredPage:
    body, url, kind = (page[f"{name}:{number}"] for name in ("body", "url", "type"))
    return StoredPage(url.decode(), unpack_body(body), kind.decode("latin-1"), at)


def unpack_body(packed: bytes, dictionary: zstandard.ZstdCompressionDict | None = None) -> bytes:
    """Return the raw body. Raises `ValueError` or `zstandard.ZstdError` if it is damaged or too large."""
    if zstandard.frame_content_size(packed) > LARGEST_PAGE:  # the limit below is for frames that don't state their size
        raise ValueError(f"larger than {LARGEST_PAGE} bytes")
    return zstandard.ZstdDecompressor(dict_data=dictionary).decompress(packed, max_output_size=LARGEST_PAGE)


def pack_body(body: bytes) -> bytes:
    """Return the compressed form in which bodies are stored in Redis."""
    return _compressor().compress(body)


@cache
def _compressor() -> zstandard.ZstdCompressor:
    """Return one compressor for the process, to set it up once; only one thread may use it, and a spider has one."""
    return zstandard.ZstdCompressor(level=ZSTD_LEVEL)


def _packed(page: FetchedPage) -> dict[str, bytes | str | float]:
    packed: dict[str, bytes | str | float] = {
        "body": pack_body(page.body),
        "url": page.url,
        "type": page.content_type.encode("latin-1", "replace"),
        "status": page.status,
        "at": page.fetched_at.timestamp(),
    }
    for number, part in enumerate(page.parts, 1):
        packed[f"body:{number}"] = pack_body(part.body)
        packed[f"url:{number}"] = part.url
        packed[f"type:{number}"] = part.content_type.encode("latin-1", "replace")
    if page.parts:
        packed["parts"] = len(page.parts)
    if page.missing:
        packed["missing"] = json.dumps(page.missing)
    if page.headers:
        packed["headers"] = json.dumps(page.headers)
    return packed
