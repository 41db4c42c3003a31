"""Pages that benchmarks hand to extraction workers without a spider: of the sample site, or of stored sites."""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import redis

from workers import keys
from workers.extraction_config import ExtractionConfig, keep_example
from workers.inbox import Inbox
from workers.ledger import Ledger
from workers.page_store import StoredPage
from workers.url_states import Found, fingerprint

SAMPLE_SITE = "http://paper.example"
FETCHED_AT = datetime(2026, 11, 20, 9, tzinfo=UTC)


def stored(url: str, body: bytes) -> StoredPage:
    """Return a page as a spider stores it."""
    return StoredPage(url, body, "text/html", FETCHED_AT)


def publish_config(connection: "redis.Redis", config: ExtractionConfig, example: bytes) -> None:
    """Publish a config to extraction workers, and keep its example page."""
    connection.hset(keys.CONFIGS, config.task, config.to_json())
    keep_example(connection, config.task, stored(config.example, example), config.example)


def deliver(ledger: Ledger, inbox: Inbox, pages: Sequence[StoredPage], **info: object) -> list[str]:
    """Add URLs, with what is known of them, and deliver their pages together; return their fingerprints."""
    ledger.add([Found(page.url, info=info) for page in pages])
    named = {fingerprint(page.url): page for page in pages}
    inbox.deliver(ledger, named)
    return list(named)


def articles_of(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield file and content of the articles of a stored site, which its truth.jsonl names."""
    for line in (folder / "truth.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["kind"] == "article":
            yield row["file"], (folder / row["file"]).read_bytes()
