"""The page store: a fetched page, the form in which Redis keeps it until a worker has extracted it, and that of pages
which are kept for longer: a line of JSON with their record, then their bodies.

A page that waits is one hash: `body` (zstd), `url`, `type`, `at` (Unix seconds), and where the page has them `headers`
and `missing` (JSON), `run`, `parts` (their number) and for each part `body:N`, `url:N`, `type:N`. The ledger's `take`
adds `takes`. Fields of other versions are ignored; 0.2.0 wrote a `status`.
"""

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import accumulate, pairwise
from typing import Any

import zstandard

from .usage_rights import Headers

ZSTD_LEVEL = 1  # 0.12 ms for 80 KB; level 3 takes 0.16 ms, and a generated page becomes 2% smaller
ZSTD_LEVEL_LONG = 9  # slow, for the few pages that are kept for a long time
LARGEST_PAGE = 32 * 2**20  # bytes


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A fetched page, as a spider delivers it and a worker reads it.

    `url`: after redirects. `body`: the raw bytes. `headers`: those that declare how the page may be used
    (`workers.usage_rights`). `parts`: the article's further pages, in order; they have no parts themselves. `missing`:
    the URLs of further pages that are unavailable. `run`: the id of the run that fetched it, for the log.
    """

    url: str
    body: bytes
    content_type: str
    fetched_at: datetime
    headers: Headers = field(default_factory=dict)
    parts: tuple["StoredPage", ...] = ()
    missing: tuple[str, ...] = ()
    run: str = field(default="", compare=False)


def pack(page: StoredPage) -> dict[str, bytes | str | float]:
    """Return the stored form of a page: the fields of its hash."""
    packed: dict[str, bytes | str | float] = {
        "body": pack_body(page.body),
        "url": page.url,
        "type": page.content_type.encode("latin-1", "replace"),
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
    if page.run:
        packed["run"] = page.run
    return packed


def unpack(stored: Mapping[str, bytes]) -> StoredPage:
    """Return the page of a stored form. Raises `ValueError` if it is damaged."""
    try:
        at = datetime.fromtimestamp(float(stored["at"]), UTC)
        return StoredPage(
            url=stored["url"].decode(),
            body=unpack_body(stored["body"]),
            content_type=stored["type"].decode("latin-1"),
            fetched_at=at,
            headers=json.loads(stored["headers"]) if "headers" in stored else {},
            parts=tuple(_unpack_part(stored, number, at) for number in range(1, int(stored.get("parts", 0)) + 1)),
            missing=tuple(json.loads(stored["missing"])) if "missing" in stored else (),
            run=stored.get("run", b"").decode(),
        )
    except (KeyError, ValueError, OverflowError, OSError, zstandard.ZstdError) as error:
        raise ValueError(f"stored page is damaged: {error!r}") from None


def _unpack_part(stored: Mapping[str, bytes], number: int, at: datetime) -> StoredPage:
    body, url, content_type = (stored[f"{name}:{number}"] for name in ("body", "url", "type"))
    return StoredPage(url.decode(), unpack_body(body), content_type.decode("latin-1"), at)


def pack_body(body: bytes) -> bytes:
    """Return the compressed form in which bodies are stored in Redis."""
    return _of_thread.compressor.compress(body)


def unpack_body(
    packed: bytes, dictionary: zstandard.ZstdCompressionDict | None = None, *, largest: int = LARGEST_PAGE
) -> bytes:
    """Return the raw body. Raises `ValueError` or `zstandard.ZstdError` if it is damaged or above `largest` bytes."""
    if zstandard.frame_content_size(packed) > largest:  # the limit below is for frames that do not state their size
        raise ValueError(f"larger than {largest} bytes")
    decompressor = _of_thread.decompressor if dictionary is None else zstandard.ZstdDecompressor(dict_data=dictionary)
    return decompressor.decompress(packed, max_output_size=largest)


def record_of(page: StoredPage) -> dict[str, Any]:
    """Return what a page has beside its bodies, as JSON types; `sizes`: the bytes of each body."""
    more: dict[str, Any] = {"headers": dict(page.headers), "missing": page.missing}
    more["parts"] = [{"url": part.url, "type": part.content_type} for part in page.parts]
    sizes = [len(page.body), *(len(part.body) for part in page.parts)]
    record = {"url": page.url, "type": page.content_type, "fetched_at": page.fetched_at.isoformat(), "sizes": sizes}
    return record | {name: value for name, value in more.items() if value}


def bodies_of(page: StoredPage) -> bytes:
    """Return the bodies of a page and of its parts."""
    return b"".join([page.body, *(part.body for part in page.parts)])


def page_of(record: Mapping[str, Any], bodies: bytes) -> StoredPage:
    """Return the page of a record. Raises `ValueError` or `KeyError` if it is damaged."""
    body, *others = (bodies[first:end] for first, end in pairwise(accumulate(record["sizes"], initial=0)))
    at, parts = datetime.fromisoformat(record["fetched_at"]), record.get("parts", ())
    return StoredPage(
        record["url"],
        body,
        record["type"],
        at,
        record.get("headers", {}),
        tuple(StoredPage(part["url"], other, part["type"], at) for part, other in zip(parts, others, strict=True)),
        tuple(record.get("missing", ())),
    )


def with_note(page: StoredPage, **note: Any) -> bytes:
    """Return a page as Redis keeps it for long: a line with its record and a note, then its bodies (zstd)."""
    line = json.dumps(record_of(page) | note, ensure_ascii=False).encode("utf-8", "replace")
    return line + b"\n" + zstandard.ZstdCompressor(level=ZSTD_LEVEL_LONG).compress(bodies_of(page))


def note_of(kept: bytes) -> dict[str, Any]:
    """Return the record of a page that is kept, with the note on it. Raises `ValueError` if it is damaged."""
    note: dict[str, Any] = json.loads(kept.partition(b"\n")[0])
    return note


def noted_page(kept: bytes) -> StoredPage:
    """Return a page that is kept. Raises `ValueError` if it is damaged."""
    try:
        return page_of(note_of(kept), unpack_body(kept.partition(b"\n")[2]))
    except (zstandard.ZstdError, KeyError) as error:
        raise ValueError(str(error)) from None


class _OfThread(threading.local):
    """What one thread compresses and decompresses with: the set-up takes longer than a page."""

    def __init__(self) -> None:
        self.compressor = zstandard.ZstdCompressor(level=ZSTD_LEVEL)
        self.decompressor = zstandard.ZstdDecompressor()


_of_thread = _OfThread()
