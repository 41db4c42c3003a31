"""The parts that all pages share: config, sessions, data, actions, background jobs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import quote

from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from console.web.actions import ConsoleActions, Done
from console.web.config import ConsoleConfig
from console.web.data import ConsoleData, UnknownTask
from console.web.engine import LocalRun
from console.web.security import Sessions, checked_form, local_target
from console.web.surveys import Jobs
from console.web.texts import gettext_noop
from console.web.views import render
from crawler.task_list.mistakes import TaskError
from workers.errors import ExemplarError

Result = TypeVar("Result")
NOTICES_MOST = 200
UNKNOWN = Done(gettext_noop("There is no such task."), {}, ok=False)


@dataclass
class Web:
    """The parts of the console. `engine`: None without the embedded Redis. `notices`: by session, shown once."""

    config: ConsoleConfig
    sessions: Sessions
    data: ConsoleData
    actions: ConsoleActions
    jobs: Jobs
    engine: LocalRun | None = None
    notices: dict[str, Done] = field(default_factory=dict)
    is_stopping: Callable[[], bool] = lambda: False

    def page(self, request: Request, template: str, values: Mapping[str, Any], status: int = 200) -> Response:
        """Return a page; a notice that waits for this session is shown on it."""
        notice = self.notices.pop(request.scope["session"].id, "") if request.method == "GET" else ""
        return render(request, self.sessions, template, {"notice": notice, **values}, status)

    def note(self, request: Request, done: Done) -> None:
        """Show the result of an action on the next page of this session."""
        while len(self.notices) >= NOTICES_MOST:
            del self.notices[next(iter(self.notices))]
        self.notices[request.scope["session"].id] = done

    def back(self, request: Request, form: FormData, default: str = "/") -> Response:
        """Return to the page that a form names in `next`."""
        target = form.get("next")
        return RedirectResponse(local_target(target if isinstance(target, str) else default), 303)

    async def form(self, request: Request) -> FormData:
        """Return the form of a request, its token checked."""
        return await checked_form(request, self.sessions)


def web_of(request: Request) -> Web:
    """Return the console's parts."""
    web: Web = request.app.state.web
    return web


async def in_thread(work: Callable[[], Result]) -> Result:
    """Call a function that waits for Redis, files or locks in a thread, so that the event loop does not block."""
    return await run_in_threadpool(work)


async def acted(request: Request, act: Callable[[Mapping[str, str]], Done], default: str) -> Response:
    """Do what a form asks for, and return to the page that it names, which shows the result.

    An unknown task or one that cannot be changed is a result, too. `act` gets the fields that are filled in; one that
    it needs and that is missing or invalid is answered with 404.
    """
    web = web_of(request)
    form = await web.form(request)
    fields = {name: text for name in form if (text := text_of(form, name))}
    try:
        done = await in_thread(lambda: act(fields))
    except UnknownTask:
        done = UNKNOWN
    except (ExemplarError, TaskError) as error:
        done = Done("%(text)s", {"text": str(error)}, ok=False)
    except (KeyError, ValidationError):
        raise HTTPException(404) from None
    web.note(request, done)
    return web.back(request, form, default)


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
