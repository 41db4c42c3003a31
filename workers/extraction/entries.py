"""A list page, or a thread, as rows: one row per entry or post, each once per task.

An entry's row is that of a small article whose text is its title: `url` and `canonical_url` are the entry's own,
`listed_on` is the list page, `page_type` is "list". A post's row has the post's author, time and text and the thread's
title; its URL is the thread's with the post's anchor as fragment, and `listed_on` is the page that has it. The key is
(task, canonical URL, version 1). The ledger records which of them have a row, so a page that is read again, or that
shares an entry with another one, adds only new rows.
"""

from collections.abc import Sequence
from dataclasses import replace

from extractors import Article, Entry, Listing
from extractors.html.urls import normalise

from ..extraction_config import ExtractionConfig
from ..page_store import StoredPage
from ..rows import Row, row_of
from ..usage_rights import Usage
from .filters import of_other_days, unwanted


def joined_lists(first: Listing, further: Sequence[Listing]) -> Listing:
    """Return the list of all pages of a paginated list, in order."""
    if not further:
        return first
    pages = (first, *further)
    return replace(
        first,
        entries=tuple(entry for page in pages for entry in page.entries),
        text="\n\n".join(page.text for page in pages),
        blocks=tuple(block for page in pages for block in page.blocks),
        confidence=min(page.confidence for page in pages),
    )


def wanted(
    articles: Sequence[Article], config: ExtractionConfig, days: Sequence[str | None] | None
) -> dict[str, Article]:
    """Return the entries or posts that pass the task's filters by canonical URL; `days`: of a back-fill."""
    found: dict[str, Article] = {}
    for article in articles:
        if not unwanted(article, config) and not (days and of_other_days(article, days)):
            found.setdefault(article.canonical_url or "", article)
    return found


def entries_of(listing: Listing) -> tuple[Article, ...]:
    """Return the entries of a list that have a URL, as small articles."""
    return tuple(_as_article(listing, entry) for entry in listing.entries if entry.url)


def _as_article(listing: Listing, entry: Entry) -> Article:
    return Article(
        text=entry.title,
        blocks=(),
        method=listing.method,
        confidence=listing.confidence,
        reason=listing.reason,
        url=entry.url,
        canonical_url=normalise(entry.url),
        title=entry.title,
        published=entry.published,
        language=listing.language,
        site_name=listing.site_name,
        page_type="list",
        article_probability=listing.article_probability,
    )


def entry_row(
    article: Article, canonical: str, page: StoredPage, config: ExtractionConfig, version: str | None, usage: Usage
) -> Row:
    """Return the row of an entry or a post of `page`; `version` is the section's."""
    return row_of(
        article,
        task=config.task,
        url=article.url or canonical,
        canonical_url=canonical,
        fetched_at=page.fetched_at,
        section_version=version,
        listed_on=page.url,
        usage=usage,
    )
