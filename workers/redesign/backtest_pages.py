"""The data for a back-test: the stored pages of a task, and the section of another example."""

import logging
from collections.abc import Sequence
from contextlib import closing

import redis

from extractors import Section, UnusablePage
from extractors.html.decoding import decode
from extractors.html.urls import normalise

from ..extraction.recent_pages import section_pages
from ..extraction_config import ExtractionConfig
from ..page_store import StoredPage
from ..pages.kept_pages import existing_pages
from ..redis_access.redis_clock import clock_of
from .off_template import OffTemplatePages
from .proposals import proposal_of, proposed_page

MOST = 1000  # stored pages that are searched for one

log = logging.getLogger(__name__)


def with_former(page: StoredPage, former: StoredPage | None, method: str = "auto") -> Section:
    """Return the section of a new example, with the former one among its voters.

    Raises `UnusablePage` for the new one.
    """
    section = Section(decode(page.body, page.content_type)[0], page.url, method=method)
    if former is not None:
        try:
            section.learn(former.body, former.url, content_type=former.content_type, former=True)
        except UnusablePage:
            log.info("%s: unusable as former example", former.url)
    return section


def pages_to_test(
    connection: "redis.Redis",
    config: ExtractionConfig,
    off_template: Sequence[tuple[str, StoredPage]] | None = None,
    *,
    most: int,
) -> tuple[list[tuple[str, StoredPage]], str]:
    """Return the newest stored pages of a task, each with its URL, and a description of their origin.

    They are kept pages if this machine has any (`keep_pages`), else the pages off the template and the recent pages.
    `off_template`: the pages off the template, if they are already known.
    """
    kept = _kept(connection, config, most)
    if kept:
        return kept, "kept pages"
    if off_template is None:
        noted = OffTemplatePages(connection, config.task)
        notes = noted.notes()
        off_template = [(notes[name].url, page) for name, page in noted.pages().items() if name in notes]
    voting = section_pages(connection, config.task)
    recent: list[tuple[str, StoredPage]] = []
    if voting is not None:
        pages = [*map(voting.stored, voting.recent), voting.example]
        recent = [(page.url, page) for page in pages]
    return [*list(off_template)[-most:], *recent][:most], "pages off the template and recent pages"


def _kept(connection: "redis.Redis", config: ExtractionConfig, most: int) -> list[tuple[str, StoredPage]]:
    if (kept := existing_pages(config, clock=clock_of(connection).now)) is None:
        return []
    with closing(kept):
        pages = kept.read(kept.newest_of_each_url()[-most:])
    return [(page.url, page.page) for page in pages if page.kind != "list"]


def stored_page(connection: "redis.Redis", config: ExtractionConfig, url: str) -> StoredPage | None:
    """Return the page of a URL (normalised) that is stored somewhere; None if it has to be fetched."""
    proposal = proposal_of(connection, config.task)
    if proposal is not None and url in (normalise(proposal.url), proposal.url):
        return proposed_page(connection, config.task)
    if (kept := existing_pages(config, clock=clock_of(connection).now)) is not None:
        with closing(kept):
            page = kept.find(url)
        if page is not None:
            return page.page
    pages, _ = pages_to_test(connection, config, most=MOST)
    return next((page for known, page in pages if normalise(known) == url), None)
