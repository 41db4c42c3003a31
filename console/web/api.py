"""The JSON API below `/api/`, and its OpenAPI document at `/api/openapi.json`.

An operation is a function; the annotations of its answer and of its body are the types of the API. A request that
changes something has a body of type application/json, which a page of another origin cannot send.
"""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Any, Literal, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from console.web import api_types as types
from console.web.actions import Done
from console.web.article_index import COUNTED_MOST
from console.web.context import web_of
from console.web.openapi import Operation, document
from console.web.pages import article_of, checked, filled_in, task_of
from console.web.texts import translations, worded
from crawler.task_list.mistakes import TaskError
from workers.errors import ExemplarError
from workers.redesign.proposals import Proposal
from workers.rows import Row

OPERATIONS: list[Operation] = []
Function = TypeVar("Function", bound=Callable[..., Any])


def operation(method: Literal["GET", "POST"], path: str, summary: str) -> Callable[[Function], Function]:
    """Make a function an operation of the API. It takes the request, and the `query` or `body` that it annotates."""

    def add(function: Function) -> Function:
        kinds = function.__annotations__
        answer = {Row: None, Done: types.ApiDone}.get(kinds["return"], kinds["return"])
        OPERATIONS.append(Operation(method, path, summary, answer, kinds.get("query"), kinds.get("body"), function))
        return function

    return add


def _handler(one: Operation) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        given: dict[str, types.ApiObject] = {}
        if one.query is not None:
            given["query"] = checked(one.query.model_validate, filled_in(request))
        if one.body is not None:
            given["body"] = checked(one.body.model_validate_json, await _body(request))
        try:
            found = await run_in_threadpool(one.function, request, **given)
        except (ExemplarError, TaskError) as error:
            raise HTTPException(422, str(error)) from None
        if isinstance(found, Done):
            text = " ".join([worded((found.text, found.values), translations("en")), *found.notes])
            found = types.ApiDone(ok=found.ok, text=text)
        return JSONResponse(found.model_dump() if isinstance(found, types.ApiObject) else dict(found))

    return answer


async def _body(request: Request) -> bytes:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, "send the body as application/json")
    return await request.body()


@operation("GET", "/api/tasks", "The tasks")
def tasks(request: Request, query: types.ApiPage) -> types.ApiTasks:
    """Return the tasks by name."""
    rows = [*web_of(request).data.snapshot().tasks.values()]
    return types.ApiTasks.model_validate({"total": len(rows), "tasks": rows[query.place]})


@operation("POST", "/api/tasks", "Add a task")
def add_task(request: Request, body: types.ApiNewTask) -> Done:
    """Add a task to tasks.yaml; a mistake in its keys is an error, and nothing is written."""
    return web_of(request).actions.add_task({"name": body.name, **body.keys})


@operation("GET", "/api/tasks/{name}", "One task")
def task(request: Request) -> types.ApiTask:
    """Return one task."""
    return types.ApiTask.model_validate(task_of(request)[1])


@operation("POST", "/api/tasks/{name}", "Run, pause, resume")
def act_on_task(request: Request, body: types.ApiTaskAction) -> Done:
    """Run a task now, pause it, or end its pause."""
    actions, name = web_of(request).actions, request.path_params["name"]
    return actions.run_now(name) if body.do == "run" else actions.pause(name, paused=body.do == "pause")


@operation("GET", "/api/tasks/{name}/runs", "Its last runs")
def runs(request: Request) -> types.ApiRuns:
    """Return the last runs of a task."""
    web, state = task_of(request)
    reports = web.data.runs(state.name) if state.is_known else []
    return types.ApiRuns.model_validate({"task": state.name, "runs": reports})


@operation("GET", "/api/tasks/{name}/proposal", "Its proposed example")
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


@operation("POST", "/api/tasks/{name}/proposal", "Adopt or dismiss it")
def act_on_proposal(request: Request, body: types.ApiProposalAction) -> Done:
    """Adopt or dismiss the proposed example of a task."""
    web, state = task_of(request)
    return web.actions.decide(state.name, body)


@operation("GET", "/api/proposals", "Proposed examples")
def proposals(request: Request, query: types.ApiPage) -> types.ApiProposals:
    """Return the proposals that wait for a decision, newest first."""
    found = web_of(request).data.open_proposals()
    return types.ApiProposals(total=len(found), proposals=[*map(_proposal, found[query.place])])


@operation("GET", "/api/alarms", "Open alarms")
def alarms(request: Request, query: types.ApiPageOfTask) -> types.ApiAlarms:
    """Return the open alarms by task."""
    found = [alarm for alarm in web_of(request).data.snapshot().alarms if query.task in (None, alarm.task)]
    return types.ApiAlarms.model_validate({"total": len(found), "alarms": found[query.place]})


@operation("POST", "/api/alarms", "Dismiss an alarm")
def act_on_alarm(request: Request, body: types.ApiAlarmAction) -> Done:
    """Dismiss an open alarm."""
    return web_of(request).actions.dismiss_alarm(body)


@operation("GET", "/api/articles", "Search the articles")
def articles(request: Request, query: types.ArticleQuery) -> types.ApiArticles:
    """Search the articles."""
    found = web_of(request).data.index.search(query, query.limit)
    count = min(found.count, COUNTED_MOST)
    shown = {"count": count, "more_than": found.count > COUNTED_MOST, "next": found.after, "articles": found.articles}
    return types.ApiArticles.model_validate(shown)


@operation("GET", "/api/articles/{number}", "The row of an article")
def row(request: Request) -> Row:
    """Return the row of an article from its output."""
    _, found = article_of(request)
    if found is None:
        raise HTTPException(404, "unknown article")
    return found


@operation("GET", "/api/failures", "Failures by reason")
def failures(request: Request, query: types.ApiPageOfTask) -> types.ApiFailureList:
    """Return the failures by task and reason."""
    data = web_of(request).data
    names = data.failing_tasks()
    shown = [name for name in names if query.task in (None, name)][query.place]
    return types.ApiFailureList(total=len(names), tasks=[data.failures(name) for name in shown])


@operation("POST", "/api/failures", "Retry or drop failures")
def act_on_failures(request: Request, body: types.ApiFailureAction) -> Done:
    """Retry or drop failed pages or refused rows."""
    return web_of(request).actions.act_on_failures(body)


def openapi(request: Request) -> Response:
    """Return the OpenAPI document."""
    return JSONResponse(document(OPERATIONS))


def routes() -> list[Route]:
    """Return the routes of the API."""
    found = [
        Route(one.path.replace("{number}", "{number:index}"), _handler(one), methods=[one.method]) for one in OPERATIONS
    ]
    return [*found, Route("/api/openapi.json", openapi, methods=["GET"])]


def _proposal(found: Proposal) -> types.ApiProposal:
    fits_old, fits_new = found.test.fitting()
    test = {"counts": found.test.counts, "text_f1": found.test.mean_f1, "fits_old": fits_old, "fits_new": fits_new}
    return types.ApiProposal.model_validate(asdict(found) | test)
