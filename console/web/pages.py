"""The pages that show tasks, articles, alarms, proposed examples, failures, machines and the schedule."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, TypeVar

from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from console.overview import TaskOverview, machines_overview
from console.report.document import shown_html
from console.report.stored_page import kept_page
from console.web.api_types import ArticleQuery
from console.web.article_index import COUNTED_MOST, IndexedArticle
from console.web.context import Web, web_of
from console.web.data import FAILING_TASKS_MOST, HOSTS_MOST
from console.web.sandbox import page_response
from console.web.security import local_target
from console.web.texts import COOKIE, LANGUAGES
from console.web.views import day_chart
from console.web.words import snippet
from crawler.run.run_report import reports
from crawler.task_list.change import is_in_block
from workers.redesign.proposals import proposal_of, proposed_page
from workers.sinks import OutputOptions
from workers.sinks.csv_format import BOM, Csv
from workers.sinks.formats import PlainLines
from workers.sinks.row_html import html_of
from workers.unproposed import unproposed

Item = TypeVar("Item")
Given = TypeVar("Given")
TASKS_A_PAGE = 50
RUNS_MOST = 20  # runs of a task that are shown
ALARMS_MOST = 20  # alarms on the first page
ARTICLES_A_PAGE = 20
ALARMS_LISTED = 200  # alarms on their own page
SCHEDULED_MOST = 200  # tasks that the schedule shows
GROUP_URLS_MOST = 20  # URLs with one reason that are shown
HEALTH_ORDER = ("failing", "attention", "new", "ok", "paused")


def tasks(request: Request) -> Response:
    """All tasks: health, articles a day, last and next run."""
    web = web_of(request)
    snapshot = web.data.snapshot()
    query = request.query_params
    filters = {"q": query.get("q", ""), "health": query.get("health", ""), "sort": query.get("sort", "health")}
    rows = [row for row in snapshot.tasks.values() if _is_wanted(row, filters)]
    rows.sort(key=_order(filters["sort"]))
    shown, numbers = _paged(request, rows, TASKS_A_PAGE)
    return web.page(
        request,
        "tasks.html",
        {
            "section": "/",
            "events": "tasks",
            "rows": [(row, day_chart(snapshot.first_day, row.days)) for row in shown],
            "all_count": len(snapshot.tasks),
            "totals": snapshot.totals(),
            "by_health": Counter(row.health for row in snapshot.tasks.values()),
            "filters": filters,
            "mistakes": snapshot.mistakes,
            "alarms": snapshot.alarms[:ALARMS_MOST],
            "proposals": web.data.open_proposals(),
            **numbers,
            **_engine(web),
        },
    )


def _paged(request: Request, items: Sequence[Item], most: int) -> tuple[Sequence[Item], dict[str, int]]:
    """Return the part of a list that a request asks for, and the numbers of this page and of all pages."""
    pages = max(1, -(-len(items) // most))
    page = min(max(number_of_text(request.query_params.get("page"), 1), 1), pages)
    return items[(page - 1) * most : page * most], {"page": page, "pages": pages}


def _engine(web: Web) -> dict[str, Any]:
    engine, roles = web.engine, web.data.roles()
    is_started = engine is not None and engine.is_running
    is_alive = is_started or bool(roles["crawl"] or roles["run"])
    return {
        "can_start": engine is not None,
        "is_started": is_started,
        "is_alive": is_alive,
        "engine_problem": engine.problem if engine and not is_alive else "",
    }


def _is_wanted(row: TaskOverview, filters: dict[str, str]) -> bool:
    text = filters["q"].strip().casefold()
    if filters["health"] and row.health != filters["health"]:
        return False
    return not text or text in row.name.casefold() or text in row.example.casefold()


def _order(name: str) -> Any:
    late = float("inf")
    return {
        "name": lambda row: row.name,
        "next": lambda row: (row.next_run if row.next_run is not None else late, row.name),
        "articles": lambda row: (-row.counts["written"], row.name),
    }.get(name, lambda row: (HEALTH_ORDER.index(row.health), row.name))


def task(request: Request) -> Response:
    """One task: counts, chart, runs."""
    web, state = task_of(request)
    snapshot = web.data.snapshot()
    chart = day_chart(snapshot.first_day, state.days, height=60)
    runs = reports(web.data.redis, state.name, RUNS_MOST)
    values = {"chart": chart, "runs": runs, "alarms": state.alarms, "events": "tasks"}
    values["closed_host"] = web.data.closed_host(state.name)
    values["proposal"] = proposal_of(web.data.redis, state.name)
    return web.page(request, "task.html", task_values(web, "runs", state) | values)


def task_links(request: Request) -> Response:
    """Return the outcomes of a task's links: open URLs, and those without a row by reason."""
    web, state = task_of(request)
    job = web.jobs.get(request.query_params.get("job", ""))
    values = {
        "links": web.data.links(state.name),
        "urls_most": GROUP_URLS_MOST,
        "job": job,
        "events": f"job {job.id}" if job and not job.done else "",
    }
    return web.page(request, "task_links.html", task_values(web, "links", state) | values)


def task_articles(request: Request) -> Response:
    """Return the articles of one task."""
    web, state = task_of(request)
    values = task_values(web, "articles", state) | _search(web, request, state.name)
    return web.page(request, "task_articles.html", values)


def task_of(request: Request) -> tuple[Web, TaskOverview]:
    """Return the console and the task that a request names. Raises `UnknownTask`, which is answered with 404."""
    web = web_of(request)
    return web, web.data.task(request.path_params["name"])


def task_values(web: Web, tab: str, state: TaskOverview) -> dict[str, Any]:
    """Return the values that all pages of a task have."""
    return {"section": "/", "tab": tab, "task": state, "can_change": is_in_block(web.config.tasks, state.name)}


def articles(request: Request) -> Response:
    """Full-text search in the articles of all tasks."""
    web = web_of(request)
    names = [*web.data.snapshot().tasks]
    return web.page(request, "articles.html", {"section": "/articles", "names": names} | _search(web, request))


def _search(web: Web, request: Request, task_name: str = "") -> dict[str, Any]:
    query = query_of(request, task_name)
    found = web.data.index.search(query, ARTICLES_A_PAGE)
    return {
        "found": [(article, snippet(str(article.row["text"]), query.text)) for article in found.articles],
        "count": found.count,
        "counted_most": COUNTED_MOST,
        "after": found.after,
        "search": query,
        "languages_found": web.data.index.languages(),
    }


def query_of(request: Request, task_name: str = "") -> ArticleQuery:
    """Return the search for articles that a request asks for; `task_name`: of this task only. Raises as `checked`."""
    given = filled_in(request)
    return checked(ArticleQuery.model_validate, given | ({"task": task_name} if task_name else {}))


def filled_in(request: Request) -> dict[str, str]:
    """Return the parameters of a request's query that are filled in."""
    return {name: text for name, text in request.query_params.items() if text}


def checked(read: Callable[[Given], Item], given: Given) -> Item:
    """Return what a model reads from a request. Raises `HTTPException` 422 that names the first mistake."""
    try:
        return read(given)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise HTTPException(422, f"{place or 'body'}: {first['msg'].removeprefix('Value error, ')}") from None


def article_of(request: Request) -> IndexedArticle:
    """Return the article that a request names. Raises `HTTPException` 404."""
    found = next(web_of(request).data.index.read([request.path_params["number"]]), None)
    if found is None:
        raise HTTPException(404, "There is no such article, or its output no longer has it.")
    return found


def article(request: Request) -> Response:
    """One article next to its page."""
    web, found = web_of(request), article_of(request)
    kept = kept_page(web.data.redis, found.task, found.url) is not None
    values = {"section": "/articles", "article": found, "row": found.row, "kept": kept}
    values["shown"] = shown_html(html_of(found.row))
    return web.page(request, "article.html", values)


def article_page(request: Request) -> Response:
    """Return the kept page of an article, for the sandbox next to it."""
    found = article_of(request)
    kept = kept_page(web_of(request).data.redis, found.task, found.url)
    return page_response((kept.page.body, kept.page.content_type) if kept else None)


def export(request: Request) -> Response:
    """Return all rows of a search as the outputs write them, JSON lines or CSV; CSV begins with a byte order mark."""
    web = web_of(request)
    as_csv = request.query_params.get("format") == "csv"
    name = f"articles.{'csv' if as_csv else 'jsonl'}"
    batches = web.data.index.rows(query_of(request))
    form = Csv(OutputOptions()) if as_csv else PlainLines(OutputOptions())
    header = form.encode([])
    return StreamingResponse(
        chain([BOM + header if as_csv else header], (form.encode(rows, header) for rows in batches)),
        media_type="text/csv; charset=utf-8" if as_csv else "application/x-ndjson",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def failures(request: Request) -> Response:
    """Failed pages and refused rows, by task and reason."""
    web = web_of(request)
    names = web.data.failing_tasks()
    chosen = request.query_params.get("task", "")
    shown, numbers = _paged(request, names, FAILING_TASKS_MOST)
    rows = [web.data.failures(name) for name in ([chosen] if chosen in names else shown)]
    values = {"section": "/failures", "events": "tasks", "rows": rows, "names": names, "chosen": chosen}
    numbers["urls_most"] = GROUP_URLS_MOST if chosen else 5
    return web.page(request, "failures.html", values | numbers)


def alarms(request: Request) -> Response:
    """All open alarms with evidence and advice, and all proposed examples."""
    web = web_of(request)
    snapshot = web.data.snapshot()
    values = {
        "section": "/alarms",
        "events": "tasks",
        "alarms": snapshot.alarms[:ALARMS_LISTED],
        "left": max(0, len(snapshot.alarms) - ALARMS_LISTED),
        "proposals": web.data.open_proposals(),
        "has_tasks": bool(snapshot.tasks),
    }
    return web.page(request, "alarms.html", values)


def example(request: Request) -> Response:
    """Return the example of a task, and the one that is proposed: evidence, back-test, the page."""
    web, state = task_of(request)
    proposal = proposal_of(web.data.redis, state.name)
    values: dict[str, Any] = {"proposal": proposal, "is_page_kept": False, "unproposed": ""}
    if proposal is None or any(alarm.unproposed for alarm in state.alarms):
        values["unproposed"] = unproposed(web.data.redis, [state.name]).get(state.name, "")
    if proposal is not None:
        values["is_page_kept"] = _page_of(request) is not None
    return web.page(request, "task_example.html", task_values(web, "example", state) | values)


def proposed(request: Request) -> Response:
    """Return the page that is proposed as example, in the sandbox."""
    return page_response(_page_of(request))


def _page_of(request: Request) -> tuple[bytes, str] | None:
    """Return bytes and content type of the proposed page; None if it is not kept, or damaged."""
    web, state = task_of(request)
    try:
        page = proposed_page(web.data.redis, state.name)
    except ValueError:
        return None
    return (page.body, page.content_type) if page is not None else None


def machines(request: Request) -> Response:
    """Processes, present problems, outputs, hosts, Redis."""
    web = web_of(request)
    values = {
        "section": "/machines",
        "events": "time",
        "machines": machines_overview(web.data.redis),
        "outputs": web.data.snapshot().outputs,
        "redis_name": web.data.redis_name,
        "hosts_most": HOSTS_MOST,
    }
    return web.page(request, "machines.html", values)


def schedule(request: Request) -> Response:
    """Return the running and the due tasks, and the next runs."""
    web = web_of(request)
    snapshot = web.data.snapshot()
    tasks = snapshot.tasks.values()
    planned = sorted((row.next_run, row.name) for row in tasks if row.next_run is not None)
    values = {
        "section": "/schedule",
        "events": "tasks",
        "running": [row.name for row in tasks if row.state == "running"],
        "due": snapshot.due[:SCHEDULED_MOST],
        "next_runs": [snapshot.tasks[name] for _, name in planned[:SCHEDULED_MOST]],
        "scheduled": len(planned),
        "paused": sum(row.state == "paused" for row in tasks),
    }
    return web.page(request, "schedule.html", values)


def language(request: Request) -> Response:
    """Choose the language of the pages."""
    response = RedirectResponse(local_target(request.query_params.get("next", "/")), 303)
    if request.path_params["code"] in LANGUAGES:
        response.set_cookie(COOKIE, request.path_params["code"], max_age=365 * 86400, httponly=True, samesite="lax")
    return response


def number_of_text(text: str | None, otherwise: int) -> int:
    """Return a number of a query; `otherwise` for any other text."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 9 else otherwise
