"""The parts that all pages share: config, sessions, data, actions, background jobs."""

import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from console.web.actions import ConsoleActions, Done
from console.web.data import ConsoleData, UnknownTask
from console.web.security import MOST_FORM, Sessions, is_same, local_target
from console.web.surveys import Jobs, LocalRun
from console.web.texts import language_of
from console.web.views import environment
from crawler.task_list.mistakes import TaskError
from workers.errors import ExemplarError

NOTICES_MOST = 200
UNKNOWN = Done("There is no such task.", ok=False)


class Web:
    """The parts of the console. `engine`: None without the embedded Redis."""

    def __init__(self, data: ConsoleData, engine: LocalRun | None = None):
        self.config, self.data, self.engine = data.config, data, engine
        self.sessions, self.actions, self.jobs = Sessions(data.config), ConsoleActions(data), Jobs()
        self._notices: dict[str, Done] = {}  # by session, each shown once

    def page(self, request: Request, template: str, values: Mapping[str, Any], status: int = 200) -> Response:
        """Return a page; a notice that waits for this session is shown on it.

        Every template has the request's path, the form token and the language.
        """
        language, session = language_of(request), request.scope["session"]
        shared = {
            "path": request.url.path,
            "here": request.url.path + (f"?{request.url.query}" if request.url.query else ""),
            "query": request.query_params,
            "csrf": self.sessions.form_token(session),
            "can_log_out": self.config.needs_login and session.logged_in,
            "logged_in": session.logged_in,
            "now": time.time(),
            "notice": self._notices.pop(session.id, "") if request.method == "GET" else "",
        }
        text = environment(language).get_template(template).render({**shared, **values})
        return HTMLResponse(text, status, {"Content-Language": language, "Vary": "Accept-Language, Cookie"})

    def done(self, request: Request, done: Done, address: str) -> Response:
        """Go to a page, which shows the result of an action; if it is not shown, the next page of the session does."""
        while len(self._notices) >= NOTICES_MOST:
            del self._notices[next(iter(self._notices))]
        self._notices[request.scope["session"].id] = done
        return RedirectResponse(address, 303)

    async def form(self, request: Request) -> FormData:
        """Return the form of a request. Raises `HTTPException` 403 if it lacks the token of its session."""
        form = await request.form(max_files=0, max_fields=5000, max_part_size=MOST_FORM)
        token = form.get("csrf")
        if not isinstance(token, str) or not is_same(token, self.sessions.form_token(request.scope["session"])):
            raise HTTPException(403, "The form has expired. Load the page again and repeat the step.")
        return form


def web_of(request: Request) -> Web:
    """Return the console's parts."""
    web: Web = request.app.state.web
    return web


async def acted(request: Request, act: Callable[[Mapping[str, str]], Done], default: str) -> Response:
    """Do what a form asks for, and return to the page that it names, which shows the result.

    An unknown task or one that cannot be changed is a result, too. `act` gets the fields that are filled in; one that
    it needs and that is missing or invalid is answered with 404.
    """
    web = web_of(request)
    form = await web.form(request)
    fields = {name: text for name in form if name != "csrf" and (text := text_of(form, name))}
    address = local_target(fields.pop("next", default))
    try:
        done = await run_in_threadpool(act, fields)
    except UnknownTask:
        done = UNKNOWN
    except (ExemplarError, TaskError) as error:
        done = Done(str(error), ok=False)
    except (KeyError, ValidationError):
        raise HTTPException(404) from None
    return web.done(request, done, address)


def text_of(form: FormData, name: str) -> str:
    """Return a field of a form as text; empty if it is missing."""
    value = form.get(name)
    return value.strip() if isinstance(value, str) else ""


def texts_of(form: FormData, name: str) -> list[str]:
    """Return all values of a field."""
    return [value for value in form.getlist(name) if isinstance(value, str)]


def task_address(name: str, part: str = "") -> str:
    """Return the address of a task's page."""
    return f"/tasks/{quote(name, safe='')}{part}"
