"""A survey or a trial in a process of its own, since Scrapy's reactor runs once in a process.

Reads a request as JSON from standard input, and prints lines of JSON: each page when it was read, then the result.

    {"survey": URL, "scope": …, "insist": …, "contact": …, "tasks": FILE}
                                    → {"read": URL} … {"survey": {…}} or {"error": …, …}
    {"trial": TASK, "tasks": FILE}  → {"read": URL} … {"trial": {…}} or {"error": …, …}
"""

import base64
import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from workers.errors import ExemplarError
from workers.inbox import StoredPage
from workers.redaction import redact

LINKS_MOST = 300  # links of each kind in the result
PAGE_MOST = 2 * 2**20  # bytes of a page that is shown beside its text


def main() -> int:
    """Handle the request on standard input."""
    request = json.loads(sys.stdin.readline())
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # other output goes to standard error

    def tell(message: dict[str, Any]) -> None:
        out.write(json.dumps(message, ensure_ascii=True) + "\n")
        out.flush()

    try:
        tell({"survey": _survey(request, tell)} if "survey" in request else {"trial": _trial(request, tell)})
    except (ExemplarError, ValueError, OSError) as error:
        tell(_refusal(error))
        return 1
    return 0


def _refusal(error: Exception) -> dict[str, Any]:
    """Return an error as a message; without its advice where that names an option of the command line."""
    overruled = getattr(error, "may_be_overruled", False)
    text = getattr(error, "why", "") if overruled else str(error)
    proposals = [list(pair) for pair in getattr(error, "proposals", ())]
    return {"error": redact(text), "proposals": proposals, "may_be_overruled": overruled}


def _survey(request: dict[str, Any], tell: Any) -> dict[str, Any]:
    from console.survey_text import extraction_json
    from crawler.fetching.single_pages import run_survey
    from crawler.scouting.new_task import entry_of, known_as, refuse_known
    from crawler.scouting.survey import survey
    from crawler.task_list.edit import existing_list
    from crawler.task_list.mistakes import TaskError

    existing = existing_list(Path(request["tasks"]))
    url, scope, insist = request["survey"], request.get("scope", "auto"), bool(request.get("insist"))
    if known := known_as(existing.tasks, url):
        raise TaskError(f"task {known} already covers {url}")
    pages: dict[str, StoredPage] = {}

    def on_page(page_url: str, answer: StoredPage | str) -> None:
        tell({"read": redact(page_url), "problem": redact(answer) if isinstance(answer, str) else ""})
        if not isinstance(answer, str):
            pages[answer.url] = answer

    contact = request.get("contact") or existing.settings.contact
    settings = existing.settings.model_copy(update={"contact": contact})
    result = run_survey(lambda fetch: survey(fetch, url, scope, insist), settings, on_page=on_page)
    refuse_known(existing.tasks, result)
    names = existing.tasks.tasks if existing.tasks else ()
    entry = entry_of(result, existing.defaults, names)
    links = result.inference
    return {
        "entry": entry,
        "scope": result.scope,
        "why": result.why,
        "lists": [{"url": page.url, "why": page.why, "taken": page.matched} for page in result.lists],
        "taken": [_link(link) for link in links.matched[:LINKS_MOST]],
        "left": [_link(link) | {"reason": reason} for link, reason in links.rejected[:LINKS_MOST]],
        "doubtful": list(links.doubtful),
        "warnings": list(result.warnings),
        "samples": [
            extraction_json(sample) | _shown(pages.get(result.example), pages.get(sample.url), result.insist)
            for sample in (result.sample_of_example, *result.samples)
        ],
    }


def _trial(request: dict[str, Any], tell: Any) -> dict[str, Any]:
    from console.survey_text import extraction_json
    from crawler.fetching.single_pages import run_survey
    from crawler.scouting.trial import trial
    from crawler.task_list.file import load

    listed = load(Path(request["tasks"]))
    task = listed[request["trial"]]

    def on_page(page_url: str, answer: StoredPage | str) -> None:
        tell({"read": redact(page_url), "problem": redact(answer) if isinstance(answer, str) else ""})

    today = datetime.now(UTC).date()
    result = run_survey(lambda fetch: trial(fetch, task, today), listed.settings, task=task, on_page=on_page)
    return {
        "pattern": result.pattern,
        "lists": [
            {
                "url": page.url,
                "kind": page.kind,
                "reason": page.reason,
                "taken": page.taken,
                "links": [
                    {
                        "url": judged.link.url,
                        "text": judged.link.text[:200],
                        "taken": judged.taken,
                        "reason": judged.reason,
                    }
                    for judged in sorted(page.judged, key=lambda judged: not judged.taken)[:LINKS_MOST]
                ],
            }
            for page in result.lists
        ],
        "found": result.found,
        "samples": [extraction_json(sample) for sample in (result.example, *result.samples)],
        "problems": list(result.problems),
        "warnings": list(result.warnings),
    }


def _link(link: Any) -> dict[str, Any]:
    return {"url": link.url, "text": link.text[:200], "pages": link.pages, "paginates": link.paginates}


def _shown(example: StoredPage | None, page: StoredPage | None, insist: bool) -> dict[str, Any]:
    """Return text and bytes of a page, which are shown beside each other."""
    from extractors import Article, Section

    if example is None or page is None:
        return {"text": "", "body": "", "type": ""}
    result = Section(example.body, example.url).extract(
        page.body, page.url, content_type=page.content_type, refuse="never" if insist else "sure"
    )
    body = page.body if len(page.body) <= PAGE_MOST else b""
    text = result.text if isinstance(result, Article) else ""
    return {"text": text, "body": base64.b64encode(body).decode(), "type": page.content_type}


if __name__ == "__main__":
    sys.exit(main())
