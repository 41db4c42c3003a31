"""The report of a page that a task has stored, made in a process of its own.

An extraction may hang or crash on a page, as on some failed pages; it then has no effect on the process that shows the
report, and it has limits of time and memory. The request on standard input is a `ReportRequest` as JSON; the answer on
standard output is HTML.
"""

import os
import resource
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict

from console.inputs import PageIn
from console.locale import ReportWording
from console.report.document import ReportHead, render_report
from console.report.gathering import Explainer
from workers.processes import limit_memory

if TYPE_CHECKING:
    from extractors import Section
    from workers.extraction.recent_pages import SectionPages
    from workers.page_store import StoredPage
MEMORY = 3 * 2**30  # bytes of address space
SECONDS = 60  # seconds of CPU time


class ReportRequest(BaseModel):
    """A page, and the pages that vote on it: the example, and recent ones with whether they have a former template."""

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    page: PageIn
    example: PageIn | None
    recent: list[tuple[PageIn, bool]]
    method: str
    refuse: Literal["never", "sure"]
    language: str
    head: ReportHead


def report_request(
    page: "StoredPage",
    voters: "SectionPages | None",
    head: ReportHead,
    *,
    method: str,
    language: str,
    accepted: bool = False,
) -> ReportRequest:
    """Return the request for a page. `accepted`: a person accepted it as an article, so it is not refused.

    Raises `ValueError` if a page that votes is damaged.
    """
    example = voters.example if voters is not None else None
    recent = [
        (PageIn(voter.url, voter.body(voters.example), voter.url, voter.content_type), voter.former)
        for voter in voters.recent
    ] if voters is not None else []  # fmt: skip
    further = (*(part.url for part in page.parts), *page.missing)
    return ReportRequest(
        page=PageIn(page.url, page.body, page.url, page.content_type, page.fetched_at, further=further),
        example=PageIn(example.url, example.body, example.url, example.content_type, role="example")
        if example
        else None,
        recent=recent,
        method=method,
        refuse="never" if accepted else "sure",
        language=language,
        head=head,
    )


def requested_report(request: ReportRequest) -> str:
    """Return the report as HTML. Runs in the process of its own."""
    explainer = Explainer(_section(request), request.example, request.refuse)
    return render_report(request.head, [explainer.page(request.page)], ReportWording(request.language))


def _section(request: ReportRequest) -> "Section":
    """Return the section prepared as in a worker: the example and the recent pages vote."""
    from extractors import Section, UnusablePage
    from extractors.html.decoding import decode

    example, method = request.example, request.method
    try:
        if example is None:
            return Section(None, method=method)
        section = Section(decode(example.body, example.content_type or "")[0], example.url, method=method)
    except (UnusablePage, ValueError):  # as in a worker
        return Section(None, method="density")
    for page, is_former in request.recent:
        with suppress(UnusablePage):  # an unusable page does not vote
            section.learn(page.body, page.url, content_type=page.content_type, former=is_former)
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
