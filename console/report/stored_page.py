"""The stored pages of a task, and their reports, each made in a process of its own.

An extraction may hang or crash on a page, as on some failed pages; it then has no effect on the process that shows the
report, and it has limits of time and memory. Standard input is a list in JSON: the address of Redis, the task, the
page's URL, the title of the report, its language. The answer on standard output is HTML.
"""

import json
import os
import resource
import sys
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime

import redis

from console.inputs import PageIn
from console.locale import translator_of
from console.report.document import ReportHead, render_report
from console.report.gathering import Explainer
from extractors import Section, UnusablePage
from extractors.html.decoding import decode
from workers.extraction.recent_pages import SectionPages, section_pages
from workers.extraction_config import config_of
from workers.page_store import StoredPage
from workers.pages.kept_pages import KeptPage, existing_pages
from workers.pages.quarantine import kept_page as quarantined_page
from workers.processes import limit_memory
from workers.redis_access.connection import connect
from workers.redis_access.redis_clock import clock_of
from workers.url_states import fingerprint

MEMORY = 3 * 2**30  # bytes of address space
SECONDS = 60  # seconds of CPU time


@dataclass(frozen=True, slots=True)
class StoredTaskPage:
    """A stored page of a task. `accepted`: by a person as an article, so it is not refused."""

    page: StoredPage
    accepted: bool = False


def kept_page(connection: "redis.Redis", task: str, url: str) -> KeptPage | None:
    """Return the kept page of an article; None if the task keeps no pages or the page is no longer kept."""
    config = config_of(connection, task)
    kept = existing_pages(config, clock=clock_of(connection).now) if config is not None else None
    if kept is None:
        return None
    with closing(kept) as pages:
        return pages.find(url)


def stored_page(connection: "redis.Redis", task: str, url: str) -> StoredTaskPage | None:
    """Return the stored page of a URL: a kept one, else one in quarantine; None if there is none."""
    if kept := kept_page(connection, task, url):
        return StoredTaskPage(kept.page, accepted=bool(kept.info.get("accepted")))
    try:
        found = quarantined_page(connection, task, fingerprint(url))
    except ValueError:  # the page is damaged
        return None
    if found is None:
        return None
    note, body = found
    return StoredTaskPage(StoredPage(note.url, body, note.type, datetime.fromisoformat(note.fetched_at)))


def requested_report(connection: "redis.Redis", task: str, url: str, title: str, language: str) -> str:
    """Return the report as HTML; example and recent pages vote as in a worker. Runs in the process of its own."""
    stored, voters = stored_page(connection, task, url), section_pages(connection, task)
    config = config_of(connection, task)
    if stored is None:
        raise LookupError("the page is no longer stored")
    page, example = stored.page, voters.example if voters is not None else None
    explainer = Explainer(
        _section(voters, config.method if config else "auto"),
        PageIn(example.url, example.body, example.url, example.content_type, role="example") if example else None,
        "never" if stored.accepted else "sure",
    )
    shown = PageIn(page.url, page.body, page.url, page.content_type, page.fetched_at)
    return render_report(ReportHead(title), [explainer.page(shown)], translator_of(language))


def _section(voters: SectionPages | None, method: str) -> Section:

    try:
        if voters is None:
            return Section(None, method=method)
        section = Section(
            decode(voters.example.body, voters.example.content_type)[0], voters.example.url, method=method
        )
    except (UnusablePage, ValueError):  # as in a worker
        return Section(None, method="density")
    for page in voters.recent:
        with suppress(UnusablePage, ValueError):  # an unusable or damaged page does not vote
            section.learn(page.body(voters.example), page.url, content_type=page.content_type, former=page.former)
    return section


def main() -> int:
    """Make the report that is requested on standard input."""
    limit_memory(MEMORY)
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8", errors="replace")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # other output goes to standard error
    url, *wanted = json.load(sys.stdin.buffer)
    out.write(requested_report(connect(url), *wanted))
    out.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
