"""The report of a page that a task has stored, made in a process of its own.

An extraction may hang or crash on a page, as on some failed pages; it then has no effect on the process that shows the
report, and it has limits of time and memory. The request on standard input is JSON: the page and the pages that vote on
it, their bytes in base64, and the header of the report. The answer on standard output is HTML.

    {"page": …, "example": … or null, "recent": […], "method", "refuse", "language", "head": {"title", "made", …}}
"""

import base64
import json
import os
import resource
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from console.locale import wording_of
from console.report.document import ReportHead, ReportLinkBack, render_report
from console.report.gathering import Explainer, PageToExplain
from workers.processes import limit_memory

if TYPE_CHECKING:
    from extractors import Section
    from workers.extraction.recent_pages import SectionPages
    from workers.page_store import StoredPage
MEMORY = 3 * 2**30  # bytes of address space
SECONDS = 60  # seconds of CPU time


def report_request(
    page: "StoredPage",
    voters: "SectionPages | None",
    head: ReportHead,
    *,
    method: str,
    language: str,
    accepted: bool = False,
) -> dict[str, Any]:
    """Return the request for a page. `accepted`: a person accepted it as an article, so it is not refused.

    Raises `ValueError` if a page that votes is damaged.
    """
    recent = [
        _encoded(voter.body(voters.example), voter.url, voter.content_type) | {"former": voter.former}
        for voter in voters.recent
    ] if voters is not None else []  # fmt: skip
    further = [*(part.url for part in page.parts), *page.missing]
    return {
        "page": _encoded(page.body, page.url, page.content_type)
        | {"fetched_at": page.fetched_at.isoformat(), "further": further},
        "example": _of_stored(voters.example) if voters is not None else None,
        "recent": recent,
        "method": method,
        "refuse": "never" if accepted else "sure",
        "language": language,
        "head": {name: value for name, value in asdict(head).items() if name != "lists"},
    }


def requested_report(request: Mapping[str, Any]) -> str:
    """Return the report as HTML. Runs in the process of its own."""
    example = _page(request["example"], "example") if request["example"] else None
    explainer = Explainer(_section(request, example), example, request["refuse"])
    head = request["head"]
    back = ReportLinkBack(**head["back"]) if head["back"] else None
    facts = tuple((name, value) for name, value in head["facts"])
    shown = ReportHead(head["title"], head["made"], facts, (), tuple(head["notes"]), back=back)
    return render_report(shown, [explainer.page(_page(request["page"], "page"))], wording_of(request["language"]))


def _section(request: Mapping[str, Any], example: PageToExplain | None) -> "Section":
    """Return the section prepared as in a worker: the example and the recent pages vote."""
    from extractors import Section, UnusablePage
    from extractors.html.decoding import decode

    method = request["method"]
    try:
        if example is None:
            return Section(None, method=method)
        section = Section(decode(example.body, example.content_type or "")[0], example.url, method=method)
    except (UnusablePage, ValueError):  # as in a worker
        return Section(None, method="density")
    for voter in request["recent"]:
        page = _page(voter, "page")
        with suppress(UnusablePage):  # an unusable page does not vote
            section.learn(page.body, page.url, content_type=page.content_type, former=voter["former"])
    return section


def _of_stored(page: "StoredPage") -> dict[str, Any]:
    return _encoded(page.body, page.url, page.content_type)


def _encoded(body: bytes, url: str, content_type: str) -> dict[str, Any]:
    return {"body": base64.b64encode(body).decode(), "url": url, "type": content_type}


def _page(encoded: Mapping[str, Any], role: str) -> PageToExplain:
    fetched_at = datetime.fromisoformat(encoded["fetched_at"]) if "fetched_at" in encoded else None
    body = base64.b64decode(encoded["body"])
    further = tuple(encoded.get("further", ()))
    return PageToExplain(encoded["url"], body, encoded["url"], encoded["type"], fetched_at, role, further=further)


def main() -> int:
    """Make the report that is requested on standard input."""
    limit_memory(MEMORY)
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8", errors="replace")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # other output goes to standard error
    out.write(requested_report(json.load(sys.stdin.buffer)))
    out.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
