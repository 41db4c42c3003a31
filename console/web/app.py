"""The application: its routes, the pages for errors and the metrics for Prometheus."""

import os
from pathlib import Path

import redis
from prometheus_client import exposition
from starlette.applications import Starlette
from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from console.metrics import EMBEDDED, ExemplarCollector, registry_of
from console.web import api, changes, pages, reports
from console.web.context import Web, web_of
from console.web.data import UnknownTask
from console.web.security import METRICS, Gatekeeper
from workers.errors import RedisUnavailable
from workers.redis_access.connection import reason

STATIC = Path(__file__).parent / "static"
TITLES = {403: "Not allowed", 404: "Not found", 422: "Invalid request", 429: "Too many attempts"}
NOTHING = "There is nothing at this address."
TEXTS = {"Not Found": NOTHING, "Method Not Allowed": NOTHING}  # of errors that starlette raises


class IndexConvertor(IntegerConvertor):
    """The number of an article or page: at most 18 digits, so that SQLite can hold it."""

    regex = "[0-9]{1,18}"


register_url_convertor("index", IndexConvertor())


def create_app(web: Web) -> ASGIApp:
    """Return the console as an ASGI application."""
    app = Starlette(
        routes=_routes(),
        exception_handlers=dict.fromkeys((HTTPException, UnknownTask, redis.RedisError, RedisUnavailable), _on_error),
    )
    app.state.web = web
    name = web.data.redis_name if "REDIS_URL" in os.environ else EMBEDDED
    app.state.metrics = registry_of(ExemplarCollector(name, web.data.url))
    return Gatekeeper(app, web.config, web.sessions)


def _routes() -> list[BaseRoute]:
    get, post = ["GET"], ["POST"]
    return [
        Route("/", pages.tasks, methods=get),
        Route("/tasks/{name}", pages.task, methods=get),
        Route("/tasks/{name}", changes.task_action, methods=post),
        Route("/tasks/{name}/articles", pages.task_articles, methods=get),
        Route("/tasks/{name}/links", pages.task_links, methods=get),
        Route("/tasks/{name}/links/accept", changes.accept, methods=post),
        Route("/tasks/{name}/try", changes.try_task, methods=post),
        Route("/tasks/{name}/example", pages.example, methods=get),
        Route("/tasks/{name}/example", changes.decide, methods=post),
        Route("/tasks/{name}/example/page", pages.proposed, methods=get),
        Route("/tasks/{name}/report", reports.of_url, methods=get),
        Route("/tasks/{name}/page", reports.page, methods=get),
        Route("/tasks/{name}/settings", changes.settings, methods=["GET", "POST"]),
        Route("/articles", pages.articles, methods=get),
        Route("/articles/export", pages.export, methods=get),
        Route("/articles/{number:index}", pages.article, methods=get),
        Route("/articles/{number:index}/page", pages.article_page, methods=get),
        Route("/articles/{number:index}/report", reports.of_article, methods=get),
        Route("/alarms", pages.alarms, methods=get),
        Route("/alarms", changes.dismiss_alarm, methods=post),
        Route("/failures", pages.failures, methods=get),
        Route("/failures", changes.failure_action, methods=post),
        Route("/machines", pages.machines, methods=get),
        Route("/schedule", pages.schedule, methods=get),
        Route("/add", changes.add_page, methods=get),
        Route("/add", changes.add_start, methods=post),
        Route("/add/{job}", changes.add_preview, methods=get),
        Route("/add/{job}", changes.add_save, methods=post),
        Route("/engine", changes.engine, methods=post),
        Route("/login", changes.login_page, methods=get),
        Route("/login", changes.log_in, methods=post),
        Route("/logout", changes.log_out, methods=post),
        Route("/language/{code}", pages.language, methods=get),
        Route(METRICS, metrics, methods=get),
        *api.routes(),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]


async def _on_error(request: Request, error: Exception) -> Response:
    headers = None
    if isinstance(error, UnknownTask):
        error = HTTPException(404, "There is no such task.")
    if isinstance(error, HTTPException):
        status, detail, headers = error.status_code, error.detail, error.headers
        heading, text = TITLES.get(status, "Not found"), TEXTS.get(detail, detail)
    else:
        heading = "Redis is unavailable"
        text = reason(error) if isinstance(error, redis.RedisError) else str(error)
        status, detail = 503, f"{heading}: {text}"
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": detail}, status, headers)
    values = {"section": "", "heading": heading, "text": text}
    return web_of(request).page(request, "error.html", values, status)


def metrics(request: Request) -> Response:
    """Return the metrics of the cluster, in the requested format."""
    encode, content_type = exposition.choose_encoder(request.headers.get("accept", ""))
    return Response(encode(request.app.state.metrics), headers={"Content-Type": content_type})
