"""The JSON API below `/api/`: the commands' data, in the form of their `--json`, and their actions.

What reads is a function of the request; what changes something gets its body, of type application/json, which a page
of another origin cannot send.
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
from console.web.actions import ConsoleActions, RequestedAction
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


def _answering(function: Callable[[Request], Any]) -> Callable[[Request], Response]:
    return lambda request: Response(json_line(function(request)), media_type="application/json")


def _acting(act: RequestedAction, body: type[types.ApiAction]) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        wanted = checked(body.model_validate_json, await _body(request))
        task = request.path_params.get("name", "")
        try:
            done = await run_in_threadpool(act, web_of(request).actions, task, wanted)
        except (ExemplarError, TaskError) as error:
            raise HTTPException(422, str(error)) from None
        found = {"ok": done.ok, "text": " ".join([done.text, *done.notes])}
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


def task(request: Request) -> Any:
    """Return one task."""
    return _task(task_of(request)[1])


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


READ: dict[str, Callable[[Request], Any]] = {
    "/api/tasks": tasks,
    "/api/tasks/{name}": task,
    "/api/tasks/{name}/runs": runs,
    "/api/tasks/{name}/proposal": proposal,
    "/api/proposals": proposals,
    "/api/alarms": alarms,
    "/api/articles": articles,
    "/api/articles/{number:index}": row,
    "/api/failures": failures,
}
CHANGED: dict[str, tuple[RequestedAction, type[types.ApiAction]]] = {
    "/api/tasks": (ConsoleActions.add_new_task, types.ApiNewTask),
    "/api/tasks/{name}": (ConsoleActions.act_on_task, types.ApiTaskAction),
    "/api/tasks/{name}/proposal": (ConsoleActions.decide, types.ApiProposalAction),
    "/api/alarms": (ConsoleActions.dismiss_alarm, types.ApiAlarmAction),
    "/api/failures": (ConsoleActions.act_on_failures, types.ApiFailureAction),
}


def routes() -> list[Route]:
    """Return the routes of the API."""
    read = [Route(path, _answering(function), methods=["GET"]) for path, function in READ.items()]
    return read + [Route(path, _acting(*action), methods=["POST"]) for path, action in CHANGED.items()]


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
