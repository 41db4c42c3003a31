"""A row: an article, or an entry of a list, with the fields of its run, as sinks write it."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any

import re2

from extractors import Article, Post
from extractors.html.urls import normalise

from .usage_rights import NOTHING_DECLARED, Usage

Row = Mapping[str, Any]  # JSON-ready
RowKey = tuple[str, str, int]  # the values of `KEY`
_OWN = frozenset(
    {"url", "canonical_url", "robots_meta", "tdm_meta", "blocks"}
)  # fields of an article that a row has in another form
ON_REQUEST = frozenset(
    {"html", "markdown", "comments"}
)  # fields of an output that names them; a row never has `markdown`
KEY = ("task", "canonical_url", "version")  # a row is written once for each value of these


def row_of(
    article: Article,
    *,
    task: str,
    url: str,
    canonical_url: str,
    fetched_at: datetime,
    version: int = 1,
    section_version: str | None = None,
    near_duplicate_of: str | None = None,
    listed_on: str | None = None,
    parts: int = 1,
    parts_missing: Sequence[str] = (),
    usage: Usage = NOTHING_DECLARED,
    html: bool = False,
    comments: Sequence[Post] | None = None,
) -> Row:
    """Return the row of an article, or of a list's entry in the form of an article.

    `listed_on`: the list page of an entry, None for an article. `section_version` names the pages that voted on it
    (`workers.extraction.recent_pages`), None without an example. `parts`: how many pages it was joined from;
    `parts_missing`: the URLs of further pages that are unavailable.
    `html`: whether the row has the article's HTML, for outputs that show it; `comments`: those of readers, for outputs
    that name them.
    """
    extracted = article.to_dict()
    return {
        "task": task,
        "url": url,
        "canonical_url": canonical_url,
        **{name: value for name, value in extracted.items() if name not in _OWN},
        "robots_directives": list(usage.directives),
        "tdm_reservation": usage.tdm_reservation,
        "fetched_at": fetched_at.isoformat(timespec="seconds"),
        "content_hash": content_hash(article),
        "version": version,
        "section_version": section_version,
        "near_duplicate_of": near_duplicate_of,
        "listed_on": listed_on,
        "parts": parts,
        "parts_missing": list(parts_missing),
        "blocks": extracted.get("blocks", []),
        **({"html": article.html} if html else {}),
        **({} if comments is None else {"comments": [comment.to_dict() for comment in comments]}),
    }


def content_hash(article: Article) -> str:
    """Return the SHA-256 of an article's or list's title and text, in hexadecimal digits."""
    return content_hash_of(article.title, article.text)


def content_hash_of(title: str | None, text: str) -> str:
    """Return the SHA-256 of a title and a text, in hexadecimal digits."""
    return sha256(f"{title or ''}\n{text}".encode("utf-8", "replace")).hexdigest()


def key_of(row: Row) -> RowKey:
    """Return the row key, which is unique in a sink."""
    return row["task"], row["canonical_url"], row["version"]


def encodable(text: str) -> str:
    """Return a text without lone surrogates, which UTF-8 cannot encode: they become "?"."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def with_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return a JSON value in which each text is replaced by the result of a function."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, (list, tuple)):
        return [with_texts(item, change) for item in value]
    if isinstance(value, dict):
        return {change(name): with_texts(item, change) for name, item in value.items()}
    return value


def canonical_url(article: Article, final_url: str, requested: str, url_regex: str) -> str:
    """Return the article's canonical link, its URL after redirects, or the one requested.

    The first of these that matches `url_regex`, the task's pattern: some canonical links name the home page or another
    host.
    """
    pattern = re2.compile(url_regex)
    for url in (article.canonical_url, final_url):
        if url and pattern.fullmatch(normalise(url)):
            return normalise(url)
    return requested
