"""The pages that change something: login, runs, failures, settings, alarms, proposals, adding a task."""

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from console.report.document import web_address
from console.web import api_types as types
from console.web.actions import ConsoleActions, Done, RequestedAction
from console.web.context import Web, acted, task_address, text_of, texts_of, web_of
from console.web.pages import task_values
from console.web.security import local_target
from console.web.surveys import CorrectedPattern, Job, TooManyJobs, corrected, with_pattern
from crawler.patterns.pattern import PatternError
from crawler.task_list.change import task_block
from crawler.task_list.mistakes import TaskError
from crawler.task_list.validators import check_contact

START_WAIT = 20.0  # seconds until a task that was just saved is in force
CHANGED = (
    "The task has been changed in the meantime, so nothing is saved. Below your text are its present keys: save again "
    "to replace them, or load the page again."
)
FORGOTTEN = "This preview is no longer kept. Enter the URL of the article again."
BUSY = "Two surveys are running already; wait until one is done."


# Login


def login_page(request: Request) -> Response:
    """Return the form for the password."""
    web = web_of(request)
    target = local_target(request.query_params.get("next", "/"))
    if request.scope["session"].logged_in:
        return RedirectResponse(target, 303)
    return web.page(request, "login.html", {"target": target, "wrong": False})


async def log_in(request: Request) -> Response:
    """Check the password, and begin a session."""
    web = web_of(request)
    form = await request.form(max_files=0, max_fields=10)
    target = local_target(text_of(form, "next"))
    if not web.sessions.is_password(text_of(form, "password"), request.client.host if request.client else ""):
        return web.page(request, "login.html", {"target": target, "wrong": True}, 401)
    response = RedirectResponse(target, 303)
    response.headers.append("Set-Cookie", web.sessions.header(web.sessions.new(logged_in=True), request))
    return response


async def log_out(request: Request) -> Response:
    """End the session."""
    web = web_of(request)
    await web.form(request)
    web.sessions.end(request.scope["session"])
    response = RedirectResponse("/login", 303)
    response.delete_cookie(web.sessions.cookie, httponly=True, samesite="strict")
    return response


# Tasks


async def engine(request: Request) -> Response:
    """Start or stop the tasks on this machine."""
    local_run = web_of(request).engine

    def act(form: Mapping[str, str]) -> Done:
        if local_run is None:
            raise HTTPException(404)
        if form["do"] == "stop":
            local_run.stop()
            return Done("The tasks are stopped. Nothing is lost.")
        local_run.start()
        return Done("The tasks run on this machine while the console is open.")

    return await acted(request, act, "/")


async def task_action(request: Request) -> Response:
    """Run a task now, pause it, or end its pause; to run one, the tasks are started."""
    web, name = web_of(request), request.path_params["name"]

    def act(form: Mapping[str, str]) -> Done:
        wanted = types.ApiTaskAction.model_validate(form)
        if wanted.do == "run":
            _start_engine(web, name)
        return web.actions.act_on_task(name, wanted)

    return await acted(request, act, task_address(name))


def _start_engine(web: Web, name: str) -> None:
    """Start the tasks on this machine if no crawl worker is alive, and wait until the task is in force."""
    if web.engine is None or web.engine.is_running or web.data.roles()["crawl"]:
        return
    web.engine.start()
    limit = time.monotonic() + START_WAIT
    while time.monotonic() < limit and web.engine.is_running:
        web.data.expire()
        if web.data.task(name).state != "unpublished" and web.data.roles()["crawl"]:
            return
        time.sleep(0.3)


async def settings(request: Request) -> Response:
    """Show the keys of a task, or save them."""
    web, name = web_of(request), request.path_params["name"]
    is_post = request.method == "POST"
    mistakes: list[str] = []
    present = ""
    state = await run_in_threadpool(web.data.task, name)
    form = await web.form(request) if is_post else FormData()
    block, seen = (text_of(form, part).replace("\r\n", "\n") + "\n" for part in ("text", "seen"))
    try:
        present = await run_in_threadpool(task_block, web.config.tasks, name)
        if is_post:
            if present.strip() not in (seen.strip(), block.strip()):
                raise TaskError(CHANGED)
            done = await run_in_threadpool(web.actions.save_settings, name, block)
            return web.done(request, done, task_address(name, "/settings"))
    except TaskError as error:
        mistakes = str(error).splitlines()
    shown = {"block": block if is_post else present, "present": present, "mistakes": mistakes}
    values = task_values(web, "settings", state) | shown
    return web.page(request, "task_settings.html", values, 422 if mistakes and is_post else 200)


async def try_task(request: Request) -> Response:
    """Start a trial of a task: its lists are read, nothing is written."""
    web, name = web_of(request), request.path_params["name"]
    await web.form(request)
    try:
        job = web.jobs.start("trial", name, ["try", name, *_tasks(web)])
    except TooManyJobs:
        return web.done(request, Done(BUSY, ok=False), task_address(name, "/links"))
    return RedirectResponse(task_address(name, f"/links?job={job.id}"), 303)


def _acting(act: RequestedAction, form: type[types.ApiAction], back: str) -> Callable[[Request], Awaitable[Response]]:
    """Return the handler of a form. `back`: the address to return to, with `{}` for that of the task."""

    async def handler(request: Request) -> Response:
        web, name = web_of(request), request.path_params.get("name", "")
        address = back.format(task_address(name))
        return await acted(request, lambda fields: act(web.actions, name, form.model_validate(fields)), address)

    return handler


failure_action = _acting(ConsoleActions.act_on_failures, types.ApiFailureAction, "/failures")
accept = _acting(ConsoleActions.accept, types.ApiAcceptance, "{}/links")
dismiss_alarm = _acting(ConsoleActions.dismiss_alarm, types.ApiAlarmAction, "/alarms")
decide = _acting(ConsoleActions.decide, types.ApiProposalAction, "{}/example")


# Adding a task


def add_page(request: Request) -> Response:
    """Return the form for the URL of an article."""
    return _add_form(web_of(request), request, request.query_params)


def _add_form(web: Web, request: Request, given: Mapping[str, str], problem: str = "") -> Response:
    values = {"section": "/", "given": given, "problem": problem, "lacks_contact": web.actions.lacks_contact()}
    return web.page(request, "add.html", values, 422 if problem else 200)


def _problem_of(web: Web, url: str, contact: str) -> str:
    """Return why no survey can start with the values of the form; empty if it can."""
    if not web_address(url):
        return "A URL begins with https:// or http://."
    if not contact:
        lacking = "Enter a contact: without one, public sites are not read."
        return lacking if web.actions.lacks_contact(url) else ""
    try:
        check_contact(contact)
    except ValueError:
        return "The contact is neither a URL nor an e-mail address."
    return ""


async def add_start(request: Request) -> Response:
    """Start a survey."""
    web = web_of(request)
    form = await web.form(request)
    given = {name: text_of(form, name) for name in ("url", "contact", "scope", "insist")}
    url, contact, scope, insist = given.values()
    if problem := await run_in_threadpool(_problem_of, web, url, contact):
        return await run_in_threadpool(_add_form, web, request, given, problem)
    options = [f"--{scope}"] if scope in ("section", "site") else []
    options += ["--article"] if insist == "1" else []
    try:
        job = web.jobs.start("survey", url, ["add", url, "--dry-run", *options, *_tasks(web)], contact)
    except TooManyJobs:
        return await run_in_threadpool(_add_form, web, request, given, BUSY)
    return RedirectResponse(f"/add/{job.id}", 303)


def add_preview(request: Request) -> Response:
    """Return the progress of a survey, then its result."""
    web = web_of(request)
    return _preview(web, request, _job_of(web, request))


async def add_save(request: Request) -> Response:
    """Correct the pattern by the marked links, or write the task into tasks.yaml."""
    web = web_of(request)
    job = _job_of(web, request)
    form = await web.form(request)
    if job.result is None:
        raise HTTPException(404, FORGOTTEN)
    entry = dict(job.result["task"])
    entry |= {key: value for key in ("name", "pattern", "every", "output") if (value := text_of(form, key))}
    for key in ("every", "output"):
        if key in form and not text_of(form, key):  # as in defaults
            entry.pop(key, None)
    if text_of(form, "do") == "correct":
        return await run_in_threadpool(_corrected, web, request, job, entry, texts_of(form, "belongs"))
    try:
        if text_of(form, "do") == "match":
            job.result = with_pattern({**job.result, "task": entry}, entry["pattern"])
            return _preview(web, request, job)
        done = await run_in_threadpool(web.actions.add_task, entry, job.contact)
    except (TaskError, PatternError) as error:
        job.result = {**job.result, "task": entry}
        return _preview(web, request, job, mistakes=str(error).splitlines(), status=422)
    return web.done(request, done, task_address(entry["name"]))


def _tasks(web: Web) -> list[str]:
    return ["--tasks", str(web.config.tasks)]


def _job_of(web: Web, request: Request) -> Job:
    job = web.jobs.get(request.path_params["job"])
    if job is None:
        raise HTTPException(404, FORGOTTEN)
    return job


def _corrected(web: Web, request: Request, job: Job, entry: dict[str, Any], belongs: list[str]) -> Response:
    assert job.result is not None
    links = {link["url"]: link["text"] for link in (*job.result["taken"], *job.result["left"])}
    marked = [url for url in belongs if url in links]
    others = {url: text for url, text in links.items() if url not in marked and url != entry["example"]}
    correction = corrected(entry["example"], marked, others)
    if correction.pattern:
        job.result = with_pattern({**job.result, "task": entry}, correction.pattern)
    return _preview(web, request, job, correction=correction)


def _preview(
    web: Web,
    request: Request,
    job: Job,
    *,
    mistakes: list[str] | None = None,
    correction: CorrectedPattern | None = None,
    status: int = 200,
) -> Response:
    values = {
        "section": "/",
        "job": job,
        "events": "" if job.done else f"job {job.id}",
        "mistakes": mistakes or [],
        "correction": correction,
    }
    return web.page(request, "preview.html", values, status)
