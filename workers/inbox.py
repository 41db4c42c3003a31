"""The door by which pages come in: how a page waits for a worker, and the doorbell that wakes one.

Body, the ledger's change of state and the RQ job go to Redis in one MULTI: no page without a doorbell, no doorbell
without a page. The ledger is the queue of record; a job only says "look at these pages", so a lost job is rung again
(`sweep`) and a job too many finds nothing to do. Jobs are JSON, never pickle: whoever can write to Redis must not be
able to run code in a worker.
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
JOB = "workers.extract.cut_pages"  # the function that answers the doorbell
PAGES_A_JOB = 10  # 0.06 ms of worker CPU a page; 50 a job saves another third and makes stragglers
ZSTD_LEVEL = 1  # 0.12 ms for 80 KB; level 3 takes 0.16 and makes 2% less of a generated page
JOB_KEPT = 3600  # seconds a failed doorbell is kept for a person to look at; its pages do not depend on it
LARGEST_PAGE = 32 * 2**20  # bytes


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A page as the spider hands it in. `url` is where it was found after redirects, `body` the raw bytes.

    `headers`: those that say what may be done with the page (`workers.usage_rights`).
    """

    fingerprint: Fingerprint
    url: str
    body: bytes
    content_type: str
    status: int
    fetched_at: datetime
    headers: Headers = field(default_factory=dict)
    parts: tuple["StoredPage", ...] = ()  # the article's further pages, in order
    missing: tuple[str, ...] = ()  # further pages that could not be had


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page as a worker takes it out."""

    url: str
    body: bytes
    content_type: str
    fetched_at: datetime
    headers: Headers = field(default_factory=dict)
    parts: tuple["StoredPage", ...] = ()
    missing: tuple[str, ...] = ()


class Inbox:
    """Takes pages in and rings for workers. Any number of processes may hold one."""

    def __init__(self, connection: "redis.Redis"):
        self.redis = connection
        self.queue = Queue(QUEUE, connection=connection, serializer=JSONSerializer, default_timeout=-1)

    def deliver(self, ledger: Ledger, pages: Sequence[FetchedPage]) -> None:
        """Store pages, change their state to fetched and ring, in one transaction."""
        if not pages:
            return
        pipe = self.redis.pipeline(transaction=True)
        pipe.sadd(keys.FETCHED, ledger.task)
        for page in pages:
            ledger.arrive(page.fingerprint, _packed(page), pipe)
        self._ring(ledger.task, [page.fingerprint for page in pages], pipe)
        pipe.execute()

    def ring(self, task: str, names: Sequence[Fingerprint]) -> None:
        """Ring for pages that are stored already."""
        pipe = self.redis.pipeline(transaction=True)
        self._ring(task, names, pipe)
        pipe.execute()

    def sweep(self, tasks: Iterable[str] | None = None) -> int:
        """Ring again for pages whose doorbell or worker was lost; says for how many. Call it every few seconds.

        Only tasks that have pages are looked at: of 100,000 few have any.
        """
        rung = 0
        oldest = self.oldest_bell()
        for task in with_pages(self.redis) if tasks is None else tasks:
            ledger = Ledger(self.redis, task)
            names = ledger.lapsed(oldest_bell=oldest)
            if not names:
                ledger.is_cut()
            else:
                self.ring(task, names)
                rung += len(names)
        return rung

    def waiting_jobs(self) -> int:
        """Doorbells that no worker has answered yet."""
        return int(self.redis.llen(self.queue.key))

    def oldest_bell(self) -> float | None:
        """When the oldest doorbell that still waits was rung, in Unix seconds; None if none waits."""
        first = cast("bytes | None", self.redis.lindex(self.queue.key, 0))
        if first is None:
            return None
        rung = cast("bytes | None", self.redis.hget(Job.key_for(first.decode()), "enqueued_at"))
        return datetime.fromisoformat(rung.decode()).timestamp() if rung else 0.0

    def pages_waiting(self) -> int:
        """Pages of all tasks that are fetched and not settled."""
        return sum(Ledger(self.redis, task).counts().states["fetched"] for task in with_pages(self.redis))

    def _ring(self, task: str, names: Sequence[Fingerprint], pipe: Any) -> None:
        jobs = [
            Queue.prepare_data(
                JOB,
                args=(task, list(names[start : start + PAGES_A_JOB])),
                timeout=-1,  # the supervisor knows each page's deadline; an alarm cannot interrupt lxml
                result_ttl=0,
                failure_ttl=JOB_KEPT,
                description=f"pages of {task}",
            )
            for start in range(0, len(names), PAGES_A_JOB)
        ]
        self.queue.enqueue_many(jobs, pipeline=pipe)


def unpack(page: Mapping[str, bytes]) -> StoredPage:
    """The stored form back to a page. Raises `ValueError` if it is damaged."""
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
    """The body as it came. Raises `ValueError` or `zstandard.ZstdError` if it is damaged or too large."""
    if zstandard.frame_content_size(packed) > LARGEST_PAGE:  # the limit below is for frames that don't say
        raise ValueError("larger than a page may be")
    return zstandard.ZstdDecompressor(dict_data=dictionary).decompress(packed, max_output_size=LARGEST_PAGE)


def pack_body(body: bytes) -> bytes:
    """The compressed form in which bodies wait in Redis."""
    return _compressor().compress(body)


@cache
def _compressor() -> zstandard.ZstdCompressor:
    """One for the process, which spares its set-up; it may be used by one thread at a time, and a spider has one."""
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
