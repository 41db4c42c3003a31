"""“Show the explanation”: the reasons for the extraction of a stored page, kept or in quarantine.

A report is the page of `exemplar try --report`: it has one style sheet and no script, and is served with a policy that
allows only this. It is made in a process of its own (`console.report.stored_page`), two at a time.
"""

import json
import os
import subprocess
import sys
import threading

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from console.report.document import report_policy
from console.report.stored_page import stored_page
from console.web.context import web_of
from console.web.pages import article_of
from console.web.sandbox import page_response
from console.web.texts import language_of
from workers.processes import ended_by, ending_with_parent

AT_A_TIME = 2
WAIT = 10.0  # seconds for which a request waits for other reports to be made
LIMIT = 90.0  # seconds for one report
OPTIONS = "frame-ancestors 'none'; sandbox allow-same-origin"  # same origin: links keep the login's cookie
NOT_KEPT = "This page is not kept, so its explanation cannot be shown."
HOW_TO_KEEP = (
    "Set keep_pages: 30d in the task’s settings: pages fetched from then on are kept for 30 days, and their "
    "explanations can be shown here."
)
BUSY = "Two reports are being created at the moment. Load this page again in a few seconds."

_turns = threading.BoundedSemaphore(AT_A_TIME)


class NoReport(Exception):
    """A report could not be made."""


async def of_article(request: Request) -> Response:
    """Return the report of an article's kept page."""
    article = await run_in_threadpool(article_of, request)
    return await _answer(request, article.task, article.url, article.title or article.url)


async def of_url(request: Request) -> Response:
    """Return the report of a stored page of a task by its URL: one that failed or was rejected, too."""
    name, url = request.path_params["name"], request.query_params.get("url", "")
    return await _answer(request, name, url, url)


def page(request: Request) -> Response:
    """A stored page by its URL, in the sandbox."""
    task, url = request.path_params["name"], request.query_params.get("url", "")
    found = stored_page(web_of(request).data.redis, task, url)
    return page_response((found.page.body, found.page.content_type) if found else None)


async def _answer(request: Request, task: str, url: str, title: str) -> Response:
    web = web_of(request)
    values = {"section": "/", "task_name": task}
    if await run_in_threadpool(stored_page, web.data.redis, task, url) is None:
        return web.page(request, "no_report.html", values | {"heading": NOT_KEPT, "text": HOW_TO_KEEP}, 404)
    if request.headers.get("sec-fetch-site") == "cross-site":
        raise HTTPException(
            403, "Open the explanation from the console."
        )  # a page of another site could keep this machine busy
    try:
        html = await run_in_threadpool(made_report, web.data.url, task, url, title, language_of(request))
    except NoReport as error:
        values |= {"heading": "The report could not be created", "text": str(error)}
        return web.page(request, "no_report.html", values, 503)
    policy = f"{report_policy()}; {OPTIONS}"
    return HTMLResponse(html, headers={"Content-Security-Policy": policy, "Content-Language": language_of(request)})


def made_report(*wanted: str, limit: float = LIMIT) -> str:
    """Return the HTML of a report. `wanted`: as in `console.report.stored_page`. Raises `NoReport`."""
    if not _turns.acquire(timeout=WAIT):
        raise NoReport(BUSY)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "console.report.stored_page"],
            input=json.dumps(wanted).encode(),
            capture_output=True,
            timeout=limit,
            check=False,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            preexec_fn=ending_with_parent(),
        )
    except subprocess.TimeoutExpired:
        raise NoReport("The extraction of the page exceeded the time limit.") from None
    finally:
        _turns.release()
    if done.returncode:
        raise NoReport(_last_words(done))
    return done.stdout.decode("utf-8", "replace")


def _last_words(done: "subprocess.CompletedProcess[bytes]") -> str:
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return f"{ended_by(done.returncode)}" + (f": {lines[-1][:300]}" if lines else "")
