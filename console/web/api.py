"""The JSON API below `/api/`: the commands' data, in the form of their `--json`, and their actions.

An operation is a function of the request; one that changes something also gets its body, of type application/json,
which a page of another origin cannot send.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from console.overview import TaskOverview
from console.problems import Group
from console.proposal_decisions import proposal_json
from console.status_table import task_json
from console.terminal import moment
from console.web import api_types as types
from console.web.actions import Done
from console.web.article_index import COUNTED_MOST
from console.web.context import web_of
from console.web.data import TaskFailures
from console.web.pages import GROUP_URLS_MOST, RUNS_MOST, article_of, checked, filled_in, query_of, task_of
from crawler.logs import json_line
from crawler.run.run_report import reports
from crawler.task_list.mistakes import TaskError
from workers.errors import ExemplarError
from workers.redesign.proposals import proposal_of
from workers.rows import Row
from workers.unproposed import unproposed

Body = type[types.ApiAction] | None


def _handler(function: Callable[..., Any], body: Body) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        given = [checked(body.model_validate_json, await _body(request))] if body is not None else []
        try:
            found = await run_in_threadpool(function, request, *given)
        except (ExemplarError, TaskError) as error:
            raise HTTPException(422, str(error)) from None
        if isinstance(found, Done):
            found = {"ok": found.ok, "text": " ".join([found.text, *found.notes])}
        return Response(json_line(found), media_type="application/json")

    return answer


async def _body(request: Request) -> bytes:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, "send the body as application/json")
    return await request.body()


def _part(request: Request, name: str, found: Sequence[Any], form: Callable[[Any], Any]) -> dict[str, Any]:
    """Return the part of a list that a request asks for; `form`: of one of its items as JSON."""
    place = checked(types.ApiPage.model_validate, filled_in(request)).place
    return {"total": len(found), name: [form(one) for one in found[place]]}


def tasks(request: Request) -> Any:
    """Return the tasks by name."""
    return _part(request, "tasks", [*web_of(request).data.snapshot().tasks.values()], _task)


def add_task(request: Request, body: types.ApiNewTask) -> Done:
    """Add a task to tasks.yaml; a mistake in its keys is an error, and nothing is written."""
    return web_of(request).actions.add_task({"name": body.name, **body.keys})


def task(request: Request) -> Any:
    """Return one task."""
    return _task(task_of(request)[1])


def act_on_task(request: Request, body: types.ApiTaskAction) -> Done:
    """Run a task now, pause it, or end its pause."""
    actions, name = web_of(request).actions, request.path_params["name"]
    return actions.run_now(name) if body.do == "run" else actions.pause(name, paused=body.do == "pause")


def runs(request: Request) -> Any:
    """Return the last runs of a task, newest first."""
    web, state = task_of(request)
    return {"task": state.name, "runs": reports(web.data.redis, state.name, RUNS_MOST)}


def proposal(request: Request) -> Any:
    """Return the newest proposal of a task with its back-test, decided on or not, or why there is none."""
    web, state = task_of(request)
    found = proposal_of(web.data.redis, state.name)
    why = unproposed(web.data.redis, [state.name]).get(state.name, "")
    return {"task": state.name, "proposal": found and proposal_json(found), "unproposed": why}


def act_on_proposal(request: Request, body: types.ApiProposalAction) -> Done:
    """Adopt or dismiss the proposed example of a task."""
    web, state = task_of(request)
    return web.actions.decide(state.name, body)


def proposals(request: Request) -> Any:
    """Return the proposals that wait for a decision, newest first."""
    return _part(request, "proposals", web_of(request).data.open_proposals(), proposal_json)


def alarms(request: Request) -> Any:
    """Return the open alarms by task."""
    chosen = request.query_params.get("task")
    found = [alarm for alarm in web_of(request).data.snapshot().alarms if chosen in (None, alarm.task)]
    return _part(request, "alarms", found, lambda alarm: alarm.to_dict())


def articles(request: Request) -> Any:
    """Search the articles. `more_than`: there are more than `count`; `next`: the id `before` which the next page is."""
    query = query_of(request)
    found = web_of(request).data.index.search(query, query.limit)
    return {
        "count": min(found.count, COUNTED_MOST),
        "more_than": found.count > COUNTED_MOST,
        "next": found.after,
        "articles": [
            {name: getattr(one, name) for name in ("id", "task", "url", "title", "language", "confidence", "method")}
            | {"published": one.published or None, "fetched_at": moment(one.fetched_at)}
            for one in found.articles
        ],
    }


def row(request: Request) -> Row:
    """Return the row of an article from its output."""
    return article_of(request).row


def failures(request: Request) -> Any:
    """Return the failures by task and reason."""
    data, chosen = web_of(request).data, request.query_params.get("task")
    names = [name for name in data.failing_tasks() if chosen in (None, name)]
    return _part(request, "tasks", names, lambda name: _failures(data.failures(name)))


OPERATIONS: tuple[tuple[str, str, Callable[..., Any], Body], ...] = (
    ("GET", "/api/tasks", tasks, None),
    ("POST", "/api/tasks", add_task, types.ApiNewTask),
    ("GET", "/api/tasks/{name}", task, None),
    ("POST", "/api/tasks/{name}", act_on_task, types.ApiTaskAction),
    ("GET", "/api/tasks/{name}/runs", runs, None),
    ("GET", "/api/tasks/{name}/proposal", proposal, None),
    ("POST", "/api/tasks/{name}/proposal", act_on_proposal, types.ApiProposalAction),
    ("GET", "/api/proposals", proposals, None),
    ("GET", "/api/alarms", alarms, None),
    ("POST", "/api/alarms", lambda request, body: web_of(request).actions.dismiss_alarm(body), types.ApiAlarmAction),
    ("GET", "/api/articles", articles, None),
    ("GET", "/api/articles/{number:index}", row, None),
    ("GET", "/api/failures", failures, None),
    (
        "POST",
        "/api/failures",
        lambda request, body: web_of(request).actions.act_on_failures(body),
        types.ApiFailureAction,
    ),
)


def routes() -> list[Route]:
    """Return the routes of the API."""
    return [Route(path, _handler(function, body), methods=[method]) for method, path, function, body in OPERATIONS]


def _task(state: TaskOverview) -> dict[str, Any]:
    return task_json(state) | {
        name: getattr(state, name) for name in ("health", "reasons", "example", "pattern", "days")
    }


def _failures(found: TaskFailures) -> dict[str, Any]:
    def form(group: Group) -> dict[str, Any]:
        facts = {"reason": group.label, "key": group.key, "number": group.number, "urls": group.urls[:GROUP_URLS_MOST]}
        return facts | {"last": moment(group.last) if group.last is not None else None}

    lists = {"pages": [*map(form, found.pages)], "rows": [*map(form, found.rows)]}
    return {"task": found.task, "failed": found.failed, **lists}
