"""“Show the explanation”: the reasons for the extraction of a stored page, kept or in quarantine.

A report is the page of `exemplar try --report`: it has one style sheet and no script, and is served with a policy that
allows only this. It is made in a process of its own (`console.report.stored_page`), two at a time.
"""

import os
import subprocess
import sys
import threading
from dataclasses import dataclass
from datetime import UTC, datetime

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from console.report.document import ReportHead, ReportLinkBack, report_policy
from console.report.stored_page import ReportRequest
from console.web.context import task_address, web_of
from console.web.data import ConsoleData, StoredTaskPage
from console.web.pages import article_of
from console.web.sandbox import page_response
from console.web.texts import Language, gettext_noop, language_of, translations
from console.web.views import moment_text
from workers.processes import ended_by, ending_with_parent
from workers.rows import Row

AT_A_TIME = 2
WAIT = 10.0  # seconds for which a request waits for other reports to be made
LIMIT = 90.0  # seconds for one report
OPTIONS = "frame-ancestors 'none'; sandbox allow-same-origin"  # same origin: links keep the login's cookie
NOT_KEPT = gettext_noop("This page is not kept, so its explanation cannot be shown.")
HOW_TO_KEEP = gettext_noop(
    "Set keep_pages: 30d in the task’s settings: pages fetched from then on are kept for 30 days, and their "
    "explanations can be shown here."
)
BUSY = gettext_noop("Two reports are being created at the moment. Load this page again in a few seconds.")

_turns = threading.BoundedSemaphore(AT_A_TIME)


class NoReport(Exception):
    """A report could not be made."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """The request for a report on a page of a task; `back`: the page with the link; `row`: the page's row, if any."""

    task: str
    url: str
    title: str
    back: ReportLinkBack
    row: Row | None = None


async def of_article(request: Request) -> Response:
    """Return the report of an article's kept page."""
    article, row = await run_in_threadpool(article_of, request)
    title = article.title or article.url
    back = ReportLinkBack(f"/articles/{article.id}", title)
    return await _answer(request, _Asked(article.task, article.url, title, back, row))


async def of_url(request: Request) -> Response:
    """Return the report of a stored page of a task by its URL: one that failed or was rejected, too."""
    name, url = request.path_params["name"], request.query_params.get("url", "")
    return await _answer(request, _Asked(name, url, url, ReportLinkBack(task_address(name), name)))


def stored_page(request: Request) -> Response:
    """A stored page by its URL, in the sandbox."""
    page = web_of(request).data.stored_page(request.path_params["name"], request.query_params.get("url", ""))
    return page_response((page.page.body, page.page.content_type) if page else None)


async def _answer(request: Request, asked: _Asked) -> Response:
    web = web_of(request)
    values = {"section": "/", "task_name": asked.task}
    page = await run_in_threadpool(web.data.stored_page, asked.task, asked.url)
    if page is None:
        return web.page(request, "no_report.html", values | {"heading": NOT_KEPT, "text": HOW_TO_KEEP}, 404)
    if request.headers.get("sec-fetch-site") == "cross-site":
        raise HTTPException(403)  # a page of another site could keep this machine busy
    try:
        body = await run_in_threadpool(_request, web.data, language_of(request), asked, page)
        html = await run_in_threadpool(made_report, body)
    except NoReport as error:
        values |= {"heading": gettext_noop("The report could not be created"), "text": str(error)}
        return web.page(request, "no_report.html", values, 503)
    policy = f"{report_policy()}; {OPTIONS}"
    return HTMLResponse(html, headers={"Content-Security-Policy": policy, "Content-Language": language_of(request)})


def _request(data: ConsoleData, language: Language, asked: _Asked, stored: StoredTaskPage) -> bytes:
    voters, method = data.voters(asked.task)
    say = translations(language).gettext
    facts = [(say("Example"), voters.example.url)] if voters is not None else []
    facts += [(say("Task"), asked.task), (say("Fetched"), moment_text(stored.page.fetched_at.timestamp()))]
    if stored.reason:
        facts.append((say("Failed"), stored.reason))
    notes = [say(_about_row(asked.row, voters.version if voters is not None else None))] if asked.row else []
    made = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    wanted = ReportRequest(
        page=stored.page,
        voters=voters,
        method=method,
        language=language,
        head=ReportHead(asked.title, made, tuple(facts), notes=tuple(notes), back=asked.back),
        accepted=stored.accepted,
    )
    return wanted.model_dump_json().encode("utf-8", "replace")


def _about_row(row: Row, version: str | None) -> str:
    """Return a note that compares the report with the written row."""
    if row["section_version"] == version:
        return gettext_noop("The page is extracted once more for this report, with the same voters as for its row.")
    return gettext_noop(
        "The page is extracted once more for this report, with the present example and recent pages; its row was "
        "extracted with other voters, and may differ."
    )


def made_report(body: bytes, *, limit: float = LIMIT) -> str:
    """Return the HTML of a report. `body`: the request, JSON; `limit`: seconds. Raises `NoReport`."""
    if not _turns.acquire(timeout=WAIT):
        raise NoReport(BUSY)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "console.report.stored_page"],
            input=body,
            capture_output=True,
            timeout=limit,
            check=False,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            preexec_fn=ending_with_parent(),
        )
    except subprocess.TimeoutExpired:
        raise NoReport(gettext_noop("The extraction of the page exceeded the time limit.")) from None
    finally:
        _turns.release()
    if done.returncode:
        raise NoReport(_last_words(done))
    return done.stdout.decode("utf-8", "replace")


def _last_words(done: "subprocess.CompletedProcess[bytes]") -> str:
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return f"{ended_by(done.returncode)}" + (f": {lines[-1][:300]}" if lines else "")
