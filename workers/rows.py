"""A row: an article as the sinks get it, with what the run adds to it."""

from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any

from extractors import Article

from .usage import NOTHING_SAID, Usage

Row = Mapping[str, Any]  # JSON-ready
_OWN = frozenset({"url", "canonical_url", "robots_meta", "tdm_meta", "blocks"})  # what the row says in its own way
KEY = ("task", "canonical_url", "version")  # a row is written once for each value of these


def row_of(
    article: Article,
    *,
    task: str,
    url: str,
    canonical_url: str,
    fetched_at: datetime,
    version: int = 1,
    usage: Usage = NOTHING_SAID,
) -> Row:
    """The row of an article. `content_hash` is the SHA-256 of its title and text, in hexadecimal digits."""
    extracted = article.to_dict()
    return {
        "task": task,
        "url": url,
        "canonical_url": canonical_url,
        **{name: value for name, value in extracted.items() if name not in _OWN},
        "robots_directives": list(usage.directives),
        "tdm_reservation": usage.tdm_reservation,
        "fetched_at": fetched_at.isoformat(timespec="seconds"),
        "content_hash": sha256(f"{article.title or ''}\n{article.text}".encode("utf-8", "replace")).hexdigest(),
        "version": version,
        "blocks": extracted.get("blocks", []),
    }


def key_of(row: Row) -> tuple[Any, ...]:
    """What makes the row unique in a sink."""
    return tuple(row[name] for name in KEY)
