"""The report of a page that a task has stored, made in a process of its own.

An extraction may hang or crash on a page, as on some failed pages; it then has no effect on the process that shows the
report, and it has limits of time and memory. The request on standard input is a `ReportRequest` as JSON; the answer on
standard output is HTML.
"""

import os
import resource
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from console.inputs import PageIn
from console.locale import translator_of
from console.report.document import ReportHead, render_report
from console.report.gathering import Explainer
from workers.extraction.recent_pages import SectionPages
from workers.page_store import StoredPage
from workers.processes import limit_memory

if TYPE_CHECKING:
    from extractors import Section
MEMORY = 3 * 2**30  # bytes of address space
SECONDS = 60  # seconds of CPU time


class ReportRequest(BaseModel):
    """A stored page, and the pages that vote on it. `accepted`: by a person as an article, so it is not refused."""

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    page: StoredPage
    voters: SectionPages | None
    method: str
    language: str
    head: ReportHead
    accepted: bool = False


def requested_report(request: ReportRequest) -> str:
    """Return the report as HTML. Runs in the process of its own."""
    page, example = request.page, request.voters.example if request.voters is not None else None
    explainer = Explainer(
        _section(request),
        PageIn(example.url, example.body, example.url, example.content_type, role="example") if example else None,
        "never" if request.accepted else "sure",
    )
    shown = PageIn(page.url, page.body, page.url, page.content_type, page.fetched_at)
    return render_report(request.head, [explainer.page(shown)], translator_of(request.language))


def _section(request: ReportRequest) -> "Section":
    """Return the section prepared as in a worker: the example and the recent pages vote."""
    from extractors import Section, UnusablePage
    from extractors.html.decoding import decode

    voters, method = request.voters, request.method
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
    out.write(requested_report(ReportRequest.model_validate_json(sys.stdin.buffer.read())))
    out.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
