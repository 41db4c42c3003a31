"""The pages of alarms, and of examples that are proposed after a redesign, with actions on them."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from console.web.api_types import ApiAlarmAction, ApiProposalAction
from console.web.context import acted, task_address, web_of
from console.web.pages import task_of, task_values
from console.web.sandbox import page_response
from workers.redesign.proposals import proposed_page

ALARMS_MOST = 200


def alarms(request: Request) -> Response:
    """All open alarms with evidence and advice, and all proposed examples."""
    web = web_of(request)
    snapshot = web.data.snapshot()
    values = {
        "section": "/alarms",
        "events": "tasks",
        "alarms": snapshot.alarms[:ALARMS_MOST],
        "left": max(0, len(snapshot.alarms) - ALARMS_MOST),
        "proposals": web.data.open_proposals(),
        "has_tasks": bool(snapshot.tasks),
    }
    return web.page(request, "alarms.html", values)


async def dismiss_alarm(request: Request) -> Response:
    """Dismiss one alarm of a task."""
    actions = web_of(request).actions
    return await acted(
        request, lambda form: actions.dismiss_alarm(ApiAlarmAction.model_validate({"do": "dismiss", **form})), "/alarms"
    )


def example(request: Request) -> Response:
    """Return the example of a task, and the one that is proposed: evidence, back-test, the page."""
    web, state = task_of(request)
    values: dict[str, Any] = {"proposal": web.data.proposal(state.name), "is_page_kept": False, "unproposed": ""}
    alarms = [alarm for alarm in web.data.snapshot().alarms if alarm.task == state.name and alarm.unproposed]
    if alarms or (values["proposal"] is None and state.is_known):
        values["unproposed"] = web.data.unproposed(state.name)
    if values["proposal"] is not None:
        values["is_page_kept"] = _page_of(request) is not None
    return web.page(request, "task_example.html", task_values(web, "example", state) | values)


async def decide(request: Request) -> Response:
    """Adopt or dismiss the proposed example that a person saw."""
    actions, name = web_of(request).actions, request.path_params["name"]
    back = task_address(name, "/example")
    return await acted(request, lambda form: actions.decide(name, ApiProposalAction.model_validate(form)), back)


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
