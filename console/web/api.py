"""The JSON API below `/api/`, and its OpenAPI document at `/api/openapi.json`.

An operation is a function; the annotations of its answer and of its body are the types of the API. A request that
changes something has a body of type application/json, which a page of another origin cannot send.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from typing import Any, Literal, TypeVar

from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from console.web import api_types as types
from console.web.actions import Done
from console.web.article_index import COUNTED_MOST
from console.web.context import web_of
from console.web.openapi import Operation, Parameter, document
from console.web.pages import article_of, number_of_text, query_of, task_of
from console.web.texts import translations, worded
from crawler.task_list.mistakes import TaskError
from workers.errors import ExemplarError
from workers.redesign.proposals import Proposal
from workers.rows import Row

MOST = 200  # tasks, articles or failures in one response
USUAL = 50
_OF_TASK = Parameter("task", "string", "Only those of this task.")
_PAGE = (
    Parameter("offset", "integer", "How many to leave out."),
    Parameter("limit", "integer", f"How many to return, at most {MOST}."),
)
_NAME = Parameter("name", "string", "Name of the task.", place="path")
_ID = Parameter("number", "integer", "Id of the article.", place="path")
_SEARCH = (
    Parameter("q", "string", "Words, “phrases”, and -words that must not occur."),
    Parameter("task", "string", "Only articles of this task."),
    Parameter("language", "string", "Only articles in this language."),
    Parameter("since", "string", "First day of fetching, as 2026-11-22."),
    Parameter("until", "string", "Last day of fetching."),
    Parameter("before", "integer", "Only articles before this id: `next` of the previous page."),
    Parameter("limit", "integer", f"How many to return, at most {MOST}."),
)


OPERATIONS: list[Operation] = []
Function = TypeVar("Function", bound=Callable[..., Any])
_ANSWERS: Mapping[Any, Any] = {Row: None, Done: types.ApiDone}  # the types of answers that are not objects of the API


def operation(
    method: Literal["GET", "POST"], path: str, summary: str, *parameters: Parameter
) -> Callable[[Function], Function]:
    """Make a function an operation of the API. One that changes something takes the request and its body."""

    def add(function: Function) -> Function:
        kinds = function.__annotations__
        answer, body = _ANSWERS.get(kinds["return"], kinds["return"]), kinds.get("body")
        handler = _reading(function) if body is None else _changing(function, body)
        OPERATIONS.append(Operation(method, path, summary, answer, parameters, body, handler))
        return function

    return add


def _reading(function: Callable[[Request], Any]) -> Callable[[Request], Response]:
    def answer(request: Request) -> Response:
        found = function(request)
        return JSONResponse(found.model_dump() if isinstance(found, types.ApiObject) else dict(found))

    return answer


def _changing(
    function: Callable[[Request, Any], Done], kind: type[types.ApiObject]
) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        body = await _body(request, kind)
        try:
            done = await run_in_threadpool(function, request, body)
        except (ExemplarError, TaskError) as error:
            raise HTTPException(422, str(error)) from None
        text = " ".join([worded((done.text, done.values), translations("en")), *done.notes])
        return JSONResponse(types.ApiDone(ok=done.ok, text=text).model_dump())

    return answer


async def _body(request: Request, kind: type[types.ApiObject]) -> types.ApiObject:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, "send the body as application/json")
    raw = await request.body()
    try:
        return kind.model_validate_json(raw)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise HTTPException(422, f"{place or 'body'}: {first['msg']}") from None


@operation("GET", "/api/tasks", "The tasks", *_PAGE)
def tasks(request: Request) -> types.ApiTasks:
    """Return the tasks by name."""
    rows = [*web_of(request).data.snapshot().tasks.values()]
    return types.ApiTasks.model_validate({"total": len(rows), "tasks": rows[_place(request)]})


@operation("POST", "/api/tasks", "Add a task")
def add_task(request: Request, body: types.ApiNewTask) -> Done:
    """Add a task to tasks.yaml; a mistake in its keys is an error, and nothing is written."""
    return web_of(request).actions.add_task({"name": body.name, **body.keys})


@operation("GET", "/api/tasks/{name}", "One task", _NAME)
def task(request: Request) -> types.ApiTask:
    """Return one task."""
    return types.ApiTask.model_validate(task_of(request)[1])


@operation("POST", "/api/tasks/{name}", "Run, pause, resume", _NAME)
def act_on_task(request: Request, body: types.ApiTaskAction) -> Done:
    """Run a task now, pause it, or end its pause."""
    actions, name = web_of(request).actions, request.path_params["name"]
    return actions.run_now(name) if body.do == "run" else actions.pause(name, paused=body.do == "pause")


@operation("GET", "/api/tasks/{name}/runs", "Its last runs", _NAME)
def runs(request: Request) -> types.ApiRuns:
    """Return the last runs of a task."""
    web, state = task_of(request)
    reports = web.data.runs(state.name) if state.is_known else []
    return types.ApiRuns.model_validate({"task": state.name, "runs": reports})


@operation("GET", "/api/tasks/{name}/proposal", "Its proposed example", _NAME)
def proposal(request: Request) -> types.ApiTaskProposal:
    """Return the newest proposal of a task with its back-test, decided on or not."""
    web, state = task_of(request)
    found = web.data.proposal(state.name)
    return types.ApiTaskProposal(
        task=state.name,
        proposal=_proposal(found) if found is not None else None,
        pages=[types.ApiComparedPage.model_validate(asdict(page)) for page in (found.test.pages if found else ())],
        unproposed=web.data.unproposed(state.name) if state.is_known else "",
    )


@operation("POST", "/api/tasks/{name}/proposal", "Adopt or dismiss it", _NAME)
def act_on_proposal(request: Request, body: types.ApiProposalAction) -> Done:
    """Adopt or dismiss the proposed example of a task."""
    web, state = task_of(request)
    return web.actions.decide(state.name, body)


@operation("GET", "/api/proposals", "Proposed examples", *_PAGE)
def proposals(request: Request) -> types.ApiProposals:
    """Return the proposals that wait for a decision, newest first."""
    found = web_of(request).data.open_proposals()
    return types.ApiProposals(total=len(found), proposals=[*map(_proposal, found[_place(request)])])


@operation("GET", "/api/alarms", "Open alarms", _OF_TASK, *_PAGE)
def alarms(request: Request) -> types.ApiAlarms:
    """Return the open alarms by task."""
    chosen = request.query_params.get("task")
    found = [alarm for alarm in web_of(request).data.snapshot().alarms if chosen in (None, alarm.task)]
    return types.ApiAlarms.model_validate({"total": len(found), "alarms": found[_place(request)]})


@operation("POST", "/api/alarms", "Dismiss an alarm")
def act_on_alarm(request: Request, body: types.ApiAlarmAction) -> Done:
    """Dismiss an open alarm."""
    return web_of(request).actions.dismiss_alarm(body)


@operation("GET", "/api/articles", "Search the articles", *_SEARCH)
def articles(request: Request) -> types.ApiArticles:
    """Search the articles."""
    place = _place(request)
    found = web_of(request).data.index.search(query_of(request), place.stop - place.start)
    count = min(found.count, COUNTED_MOST)
    shown = {"count": count, "more_than": found.count > COUNTED_MOST, "next": found.after, "articles": found.articles}
    return types.ApiArticles.model_validate(shown)


@operation("GET", "/api/articles/{number}", "The row of an article", _ID)
def row(request: Request) -> Row:
    """Return the row of an article from its output."""
    _, found = article_of(request)
    if found is None:
        raise HTTPException(404, "unknown article")
    return found


@operation("GET", "/api/failures", "Failures by reason", _OF_TASK, *_PAGE)
def failures(request: Request) -> types.ApiFailureList:
    """Return the failures by task and reason."""
    data, place = web_of(request).data, _place(request)
    names, chosen = data.failing_tasks(), request.query_params.get("task")
    shown = [name for name in names if name == chosen] if chosen else names[place]
    return types.ApiFailureList(total=len(names), tasks=[data.failures(name) for name in shown])


@operation("POST", "/api/failures", "Retry or drop failures")
def act_on_failures(request: Request, body: types.ApiFailureAction) -> Done:
    """Retry or drop failed pages or refused rows."""
    return web_of(request).actions.act_on_failures(body)


@operation("GET", "/api/machines", "Processes and problems")
def machines(request: Request) -> types.ApiMachines:
    """Return processes and present problems."""
    state = web_of(request).data.machines()
    processes = [
        _process(beat, alive=alive) for alive in (True, False) for beat in (state.living if alive else state.dead)
    ]
    return types.ApiMachines(processes=processes, problems=[problem.text for problem in state.problems])


@operation("GET", "/api/schedule", "The schedule")
def schedule(request: Request) -> types.ApiSchedule:
    """Return the running tasks and the next runs."""
    return web_of(request).data.schedule()


def openapi(request: Request) -> Response:
    """Return the OpenAPI document."""
    return JSONResponse(document(OPERATIONS))


def routes() -> list[Route]:
    """Return the routes of the API."""
    found = [
        Route(one.path.replace("{number}", "{number:index}"), one.handler, methods=[one.method]) for one in OPERATIONS
    ]
    return [*found, Route("/api/openapi.json", openapi, methods=["GET"])]


def _place(request: Request) -> slice:
    """Return the part of a list that a request asks for."""
    start, most = _number(request, "offset", 0), _number(request, "limit", USUAL)
    return slice(start, start + min(max(most, 1), MOST))


def _number(request: Request, name: str, usual: int) -> int:
    text = request.query_params.get(name) or str(usual)
    number = number_of_text(text, -1)
    if number < 0:
        raise HTTPException(422, f"{name}: {text!r} is not a number from 0 to 99999999")
    return number


def _proposal(found: Proposal) -> types.ApiProposal:
    fits_old, fits_new = found.test.fitting()
    test = {"counts": found.test.counts, "text_f1": found.test.mean_f1, "fits_old": fits_old, "fits_new": fits_new}
    return types.ApiProposal.model_validate(asdict(found) | test)


def _process(beat: Mapping[str, Any], *, alive: bool) -> types.ApiProcess:
    node = str(beat.get("node") or beat.get("host") or "")
    return types.ApiProcess.model_validate(
        {"version": None, "task": None} | dict(beat) | {"node": node, "alive": alive}
    )
