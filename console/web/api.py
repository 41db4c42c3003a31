"""The JSON API below `/api/`, and its OpenAPI document at `/api/openapi.json`.

A request that changes something has a body of type application/json, which a page of another origin cannot send.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from console.web import api_types as types
from console.web.actions import Done
from console.web.article_index import COUNTED_MOST, ArticleQuery, IndexedArticle
from console.web.context import Web, in_thread, web_of
from console.web.data import ReasonGroup, TaskFailures, UnknownTask, iso
from console.web.openapi import Operation, Parameter, document
from console.web.pages import day_of_text, number_of_text
from console.web.security import MOST_FORM
from console.web.snapshot import TaskState
from console.web.texts import translations, worded
from crawler.task_list.mistakes import TaskError
from workers.errors import ExemplarError
from workers.redesign.backtest import PageComparison
from workers.redesign.proposals import Proposal

Body = TypeVar("Body")
Kind = TypeVar("Kind")
TIMES = frozenset({"at", "since", "opened", "last", "next_run"})  # Unix seconds, ISO 8601 in the API
MOST = 200  # tasks, articles or failures in one response
USUAL = 50
_OF_TASK = Parameter("task", "string", "Only those of this task.")
_PAGE = (
    Parameter("offset", "integer", "How many to leave out."),
    Parameter("limit", "integer", f"How many to return, at most {MOST}."),
)
_NAME = Parameter("name", "string", "Name of the task.", place="path")


@dataclass(frozen=True, slots=True)
class ApiRoute:
    """One operation and the function that handles it."""

    operation: Operation
    answer: Callable[[Request], Response] | Callable[[Request], Awaitable[Response]]


def tasks(request: Request) -> Response:
    """Return the tasks by name."""
    rows = [*web_of(request).data.snapshot().tasks.values()]
    start, size = _place(request)
    return _answer(types.ApiTasks(len(rows), [_task(row) for row in rows[start : start + size]]))


def task(request: Request) -> Response:
    """Return one task."""
    return _answer(_task(_state(request)))


def runs(request: Request) -> Response:
    """Return the last runs of a task."""
    state = _state(request)
    reports = web_of(request).data.runs(state.name) if state.is_known else []
    return _answer(types.ApiRuns(state.name, [_run(report) for report in reports]))


def articles(request: Request) -> Response:
    """Search the articles."""
    query = request.query_params
    before = query.get("before")
    wanted = ArticleQuery(
        query.get("q", "")[:500],
        query.get("task", ""),
        query.get("language", ""),
        day_of_text(query.get("since")),
        day_of_text(query.get("until")),
        int(before) if before and before.isascii() and before.isdigit() and len(before) < 19 else None,
    )
    found = web_of(request).data.index.search(wanted, _place(request)[1])
    rows = [_article(article) for article in found.articles]
    count = min(found.count, COUNTED_MOST)
    return _answer(types.ApiArticles(count, found.count > COUNTED_MOST, found.after, rows))


def row(request: Request) -> Response:
    """Return the row of an article from its output."""
    found = web_of(request).data.index.get(request.path_params["number"])
    if found is None or found[1] is None:
        raise HTTPException(404, "unknown article")
    return JSONResponse(dict(found[1]))


def failures(request: Request) -> Response:
    """Return the failures by task and reason."""
    data = web_of(request).data
    names = data.failing_tasks()
    chosen = request.query_params.get("task")
    start, size = _place(request)
    shown = [name for name in names if name == chosen] if chosen else names[start : start + min(size, USUAL)]
    return _answer(types.ApiFailureList(len(names), [_failures(data.failures(name)) for name in shown]))


def alarms(request: Request) -> Response:
    """Return the open alarms by task."""
    chosen = request.query_params.get("task")
    found = [alarm for alarm in web_of(request).data.snapshot().alarms if chosen in (None, alarm.task)]
    start, size = _place(request)
    return _answer(types.ApiAlarms(len(found), [_of(types.ApiAlarm, alarm) for alarm in found[start : start + size]]))


def proposals(request: Request) -> Response:
    """Return the proposals that wait for a decision, newest first."""
    found = web_of(request).data.open_proposals()
    start, size = _place(request)
    return _answer(types.ApiProposals(len(found), [_proposal(one) for one in found[start : start + size]]))


def proposal(request: Request) -> Response:
    """Return the newest proposal of a task with its back-test, decided on or not."""
    data, state = web_of(request).data, _state(request)
    found = data.proposal(state.name)
    reason = data.unproposed(state.name) if state.is_known else ""
    if found is None:
        return _answer(types.ApiTaskProposal(state.name, None, [], reason))
    return _answer(types.ApiTaskProposal(state.name, _proposal(found), [*map(_compared, found.test.pages)], reason))


def machines(request: Request) -> Response:
    """Return processes and present problems."""
    state = web_of(request).data.machines()
    processes = [_process(beat, alive=True) for beat in state.living]
    processes += [_process(beat, alive=False) for beat in state.dead]
    return _answer(types.ApiMachines(processes, [problem.text for problem in state.problems]))


def schedule(request: Request) -> Response:
    """Return the running tasks and the next runs."""
    view = web_of(request).data.schedule()
    following = [_of(types.ApiScheduled, run) for run in view.next]
    return _answer(_of(types.ApiSchedule, view, next=following))


async def act_on_task(request: Request) -> Response:
    """Run a task now, pause it, or end its pause."""
    web, name = web_of(request), request.path_params["name"]
    do = (await _body(request, types.ApiTaskAction)).do
    if do == "run":
        return await _done(web, lambda: web.actions.run_now(name))
    return await _done(web, lambda: web.actions.pause(name, paused=do == "pause"))


async def act_on_alarm(request: Request) -> Response:
    """Dismiss an open alarm."""
    web, body = web_of(request), await _body(request, types.ApiAlarmAction)

    def dismiss() -> Done:
        return web.actions.dismiss_alarm(web.data.task(body.task).name, body.kind)

    return await _done(web, dismiss)


async def act_on_proposal(request: Request) -> Response:
    """Adopt or dismiss the proposed example of a task."""
    web, name = web_of(request), request.path_params["name"]
    body = await _body(request, types.ApiProposalAction)

    def decide() -> Done:
        task = web.data.task(name).name
        return web.actions.adopt(task, body.url) if body.do == "adopt" else web.actions.dismiss(task, body.url)

    return await _done(web, decide)


async def act_on_failures(request: Request) -> Response:
    """Retry or drop failed pages or refused rows."""
    web, body = web_of(request), await _body(request, types.ApiFailureAction)
    give_up = body.do == "drop"
    if body.what == "rows":
        return await _done(web, lambda: web.actions.retry_rows(body.task, body.key, give_up=give_up))
    return await _done(web, lambda: web.actions.retry_failed(body.task, key=body.key, url=body.url, give_up=give_up))


async def add_task(request: Request) -> Response:
    """Add a task to tasks.yaml; a mistake in its keys is an error, and nothing is written."""
    web, body = web_of(request), await _body(request, types.ApiNewTask)
    return await _done(web, lambda: web.actions.add_task({"name": body.name, **body.keys}))


def openapi(request: Request) -> Response:
    """Return the OpenAPI document."""
    return JSONResponse(openapi_document())


def openapi_document() -> dict[str, Any]:
    """Return the OpenAPI document of the API."""
    return document([route.operation for route in ROUTES])


_SEARCH = (
    Parameter("q", "string", "Words, “phrases”, and -words that must not occur."),
    Parameter("task", "string", "Only articles of this task."),
    Parameter("language", "string", "Only articles in this language."),
    Parameter("since", "string", "First day of fetching, as 2026-11-22."),
    Parameter("until", "string", "Last day of fetching."),
    Parameter("before", "integer", "Only articles before this id: `next` of the previous page."),
    Parameter("limit", "integer", f"How many to return, at most {MOST}."),
)
ROUTES = (
    ApiRoute(Operation("GET", "/api/tasks", "The tasks", types.ApiTasks, _PAGE), tasks),
    ApiRoute(Operation("POST", "/api/tasks", "Add a task", types.ApiDone, body=types.ApiNewTask), add_task),
    ApiRoute(Operation("GET", "/api/tasks/{name}", "One task", types.ApiTask, (_NAME,)), task),
    ApiRoute(
        Operation("POST", "/api/tasks/{name}", "Run, pause, resume", types.ApiDone, (_NAME,), types.ApiTaskAction),
        act_on_task,
    ),
    ApiRoute(Operation("GET", "/api/tasks/{name}/runs", "Its last runs", types.ApiRuns, (_NAME,)), runs),
    ApiRoute(
        Operation("GET", "/api/tasks/{name}/proposal", "Its proposed example", types.ApiTaskProposal, (_NAME,)),
        proposal,
    ),
    ApiRoute(
        Operation(
            "POST", "/api/tasks/{name}/proposal", "Adopt or dismiss it", types.ApiDone, (_NAME,),
            types.ApiProposalAction,
        ),
        act_on_proposal,
    ),
    ApiRoute(Operation("GET", "/api/proposals", "Proposed examples", types.ApiProposals, _PAGE), proposals),
    ApiRoute(
        Operation(
            "GET", "/api/alarms", "Open alarms", types.ApiAlarms,
            (_OF_TASK, *_PAGE),
        ),
        alarms,
    ),
    ApiRoute(
        Operation("POST", "/api/alarms", "Dismiss an alarm", types.ApiDone, body=types.ApiAlarmAction), act_on_alarm
    ),
    ApiRoute(Operation("GET", "/api/articles", "Search the articles", types.ApiArticles, _SEARCH), articles),
    ApiRoute(
        Operation(
            "GET",
            "/api/articles/{number}",
            "The row of an article",
            None,
            (Parameter("number", "integer", "Id of the article.", place="path"),),
        ),
        row,
    ),
    ApiRoute(
        Operation(
            "GET", "/api/failures", "Failures by reason", types.ApiFailureList,
            (_OF_TASK, *_PAGE),
        ),
        failures,
    ),
    ApiRoute(
        Operation("POST", "/api/failures", "Retry or drop failures", types.ApiDone, body=types.ApiFailureAction),
        act_on_failures,
    ),
    ApiRoute(Operation("GET", "/api/machines", "Processes and problems", types.ApiMachines), machines),
    ApiRoute(Operation("GET", "/api/schedule", "The schedule", types.ApiSchedule), schedule),
)  # fmt: skip


def routes() -> list[Route]:
    """Return the routes of the API."""
    typed = {"/api/articles/{number}": "/api/articles/{number:index}"}
    found = [
        Route(typed.get(one.operation.path, one.operation.path), one.answer, methods=[one.operation.method])
        for one in ROUTES
    ]
    return [*found, Route("/api/openapi.json", openapi, methods=["GET"])]


def _answer(value: Any, status: int = 200) -> JSONResponse:
    return JSONResponse(asdict(value), status)


async def _body(request: Request, kind: type[Body]) -> Body:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, "send the body as application/json")
    raw = await request.body()
    if len(raw) > MOST_FORM:
        raise HTTPException(413, "request body too large")
    try:
        return TypeAdapter(kind).validate_json(raw)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise HTTPException(422, f"{place or 'body'}: {first['msg']}") from None


async def _done(web: Web, act: Callable[[], Done]) -> Response:
    try:
        done = await in_thread(act)
    except UnknownTask:
        raise HTTPException(404, "unknown task") from None
    except (ExemplarError, TaskError) as error:
        raise HTTPException(422, str(error)) from None
    return _answer(types.ApiDone(done.ok, worded((done.text, done.values), translations("en"))))


def _place(request: Request) -> tuple[int, int]:
    start = number_of_text(request.query_params.get("offset"), 0)
    return start, min(max(number_of_text(request.query_params.get("limit"), USUAL), 1), MOST)


def _state(request: Request) -> TaskState:
    try:
        return web_of(request).data.task(request.path_params["name"])
    except UnknownTask:
        raise HTTPException(404, "unknown task") from None


def _of(kind: type[Kind], source: Any, **values: Any) -> Kind:
    """Return an object of the API: the values of the same names, times in ISO 8601, with those that are named."""
    for one in fields(kind):  # type: ignore[arg-type]
        if one.name not in values:
            value = getattr(source, one.name)
            value = iso(value) if one.name in TIMES else value
            values[one.name] = list(value) if isinstance(value, tuple) else value
    return kind(**values)


def _task(state: TaskState) -> types.ApiTask:
    reasons = [worded(reason, translations("en")) for reason in state.reasons]
    return _of(types.ApiTask, state, reasons=reasons, last_run=_run(state.last_run) if state.last_run else None)


def _run(report: Mapping[str, Any]) -> types.ApiRun:
    values: dict[str, Any] = {
        name: int(report.get(name, 0)) for name in ("lists", "found", "new", "fetched", "rejected", "failed")
    }
    values |= {name: list(report.get(name, ())) for name in ("problems", "remarks")}
    return types.ApiRun(started=report["started"], ended=report.get("ended", ""), outcome=report["outcome"], **values)


def _article(found: IndexedArticle) -> types.ApiArticle:
    return _of(types.ApiArticle, found, published=found.published or None, fetched_at=iso(found.fetched_at) or "")


def _failures(found: TaskFailures) -> types.ApiFailures:
    pages, rows = ([_reason(group) for group in groups] for groups in (found.pages, found.rows))
    return _of(types.ApiFailures, found, pages=pages, rows=rows)


def _reason(group: ReasonGroup) -> types.ApiReason:
    return _of(types.ApiReason, group, reason=group.label)


def _proposal(found: Proposal) -> types.ApiProposal:
    fits_old, fits_new = found.test.fitting()
    counts = {str(kind): number for kind, number in found.test.counts.items()}
    f1 = found.test.mean_f1
    return _of(types.ApiProposal, found, counts=counts, text_f1=f1, fits_old=fits_old, fits_new=fits_new)


def _compared(page: PageComparison) -> types.ApiComparedPage:
    return _of(types.ApiComparedPage, page, old=asdict(page.old), new=asdict(page.new))


def _process(beat: Mapping[str, Any], *, alive: bool) -> types.ApiProcess:
    node = str(beat.get("node") or beat.get("host") or "")
    return types.ApiProcess(
        beat["role"], node, int(beat["pid"]), alive, iso(beat["at"]), beat.get("version"), beat.get("task")
    )
