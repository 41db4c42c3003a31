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
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workers.errors import ExemplarError
from workers.inbox import StoredPage
from workers.redaction import redact

if TYPE_CHECKING:
    from crawler.scouting.trial import ReadList

LINKS_MOST = 300  # links of each kind in the result
TEXT_MOST = 200  # characters of a link's text in the result
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
    from console.survey_text import extraction_json, shown_json
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
        _tell_read(tell, page_url, answer)
        if not isinstance(answer, str):
            pages[answer.url] = answer

    contact = request.get("contact") or existing.tasks.settings.contact
    settings = existing.tasks.settings.model_copy(update={"contact": contact})
    result = run_survey(lambda fetch: survey(fetch, url, scope, insist), settings, on_page=on_page)
    refuse_known(existing.tasks, result)
    found = shown_json(result, entry_of(result, existing.defaults, existing.tasks.tasks))
    return found | {
        "taken": [_shortened(link) for link in found["taken"][:LINKS_MOST]],
        "left": [_shortened(link) for link in found["left"][:LINKS_MOST]],
        "samples": [
            extraction_json(sample) | _shown(pages.get(result.example), pages.get(sample.url), result.insist)
            for sample in (result.sample_of_example, *result.samples)
        ],
    }


def _trial(request: dict[str, Any], tell: Any) -> dict[str, Any]:
    from crawler.fetching.single_pages import run_survey
    from crawler.scouting.trial import trial
    from crawler.task_list.file import load

    listed = load(Path(request["tasks"]))
    task = listed[request["trial"]]
    today = task.day_at(datetime.now(UTC))
    result = run_survey(
        lambda fetch: trial(fetch, task, today), listed.settings, task=task, on_page=partial(_tell_read, tell)
    )
    lists = [
        {"url": page.url, "reason": page.reason, "taken": page.taken, "links": _judged(page)} for page in result.lists
    ]
    return {"lists": lists, "problems": list(result.problems), "warnings": list(result.warnings)}


def _tell_read(tell: Any, url: str, answer: StoredPage | str) -> None:
    tell({"read": redact(url), "problem": redact(answer) if isinstance(answer, str) else ""})


def _judged(page: "ReadList") -> list[dict[str, Any]]:
    """Return the links of a list page, those that are taken first."""
    return [
        _shortened({"url": one.link.url, "text": one.link.text, "taken": one.taken, "reason": one.reason})
        for one in sorted(page.judged, key=lambda judged: not judged.taken)[:LINKS_MOST]
    ]


def _shortened(link: dict[str, Any]) -> dict[str, Any]:
    return link | {"text": link["text"][:TEXT_MOST]}


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
