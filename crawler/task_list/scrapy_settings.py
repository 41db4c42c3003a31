"""Scrapy's settings that a person may set, in `settings.scrapy` of tasks.yaml or in a settings module of their own.

All are allowed, except those by which the guard, the secrets of tasks, the pace and the ledger would lose their effect.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from crawler.task_list.mistakes import BadValueError
from crawler.task_list.validators import check_variables

COMPONENTS = ("DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES", "EXTENSIONS")  # class → place, added to this program's
OWN = "crawler."  # this program's components begin so
SECRETS_FROM = 700  # the place of the middleware that adds a task's secrets to requests; the gates follow
REMOTE = ("scrapy.extensions.telnet.TelnetConsole", "scrapy.extensions.remote_control.RemoteControl")

_GUARD = "it decides which addresses may be contacted"
_COST = "it limits what a response may cost"
_PROCESS = "all runs of a process share it"
_REMOTE = "it executes code that is sent to a port"
_LEDGER = "the ledger has the URLs and counts the attempts"
_REASONS = {
    _GUARD: (
        "DOWNLOAD_HANDLERS", "DOWNLOAD_HANDLERS_BASE", "DOWNLOADER", "HTTPPROXY_ENABLED",
        "TWISTED_DNS_RESOLVER", "DNS_RESOLVER", "DOWNLOADER_MIDDLEWARES_BASE", "SPIDER_MIDDLEWARES_BASE",
        "EXTENSIONS_BASE", "REDIRECT_ENABLED", "METAREFRESH_ENABLED", "HTTPERROR_ALLOW_ALL",
    ),
    _COST: ("DOWNLOAD_MAXSIZE", "COMPRESSION_ENABLED", "CONCURRENT_ITEMS"),
    _PROCESS: (
        "TWISTED_REACTOR", "TWISTED_REACTOR_ENABLED", "ASYNCIO_EVENT_LOOP", "REACTOR_THREADPOOL_MAXSIZE",
        "FORCE_CRAWLER_PROCESS", "SPIDER_LOADER_CLASS", "MEMUSAGE_ENABLED",
    ),
    _REMOTE: ("TELNETCONSOLE_ENABLED", "REMOTE_CONTROL_ENABLED"),
    _LEDGER: ("RETRY_ENABLED", "RETRY_TIMES", "JOBDIR", "DUPEFILTER_CLASS", "SCHEDULER"),
    "set `user_agent` in `settings`": ("USER_AGENT", "ROBOTSTXT_USER_AGENT"),
    "set `robots` of the task": ("ROBOTSTXT_OBEY",),
    "set `timeout` of the task": ("DOWNLOAD_TIMEOUT",),
    "set `cookies` of the task": ("COOKIES_ENABLED",),
    "set `concurrency` of the task": ("CONCURRENT_REQUESTS", "CONCURRENT_REQUESTS_PER_DOMAIN"),
    "set `delay`, which holds for all machines": (
        "DOWNLOAD_DELAY", "DOWNLOAD_DELAY_JITTER", "RANDOMIZE_DOWNLOAD_DELAY",
    ),
}  # fmt: skip
REFUSED = {name: reason for reason, names in _REASONS.items() for name in names}


def refusal(name: str, value: object) -> str:
    """Return why a setting may not have a value; "" if it may."""
    if name in REFUSED:
        return REFUSED[name]
    if name in COMPONENTS and isinstance(value, Mapping):
        for component, place in value.items():
            if why := _refusal_of(name, component if isinstance(component, str) else component.__module__, place):
                return f"{component}: {why}"
    return ""


def _refusal_of(name: str, component: str, place: object) -> str:
    if component.startswith(OWN):
        return "this program needs it where it is"
    if component in REMOTE and place is not None:
        return _REMOTE
    if place is not None and not isinstance(place, int | float):
        return f"its place {place!r} is no number"
    if name == "DOWNLOADER_MIDDLEWARES" and place is not None and place >= SECRETS_FROM:
        return f"from {SECRETS_FROM} on requests contain the secrets of tasks; choose a smaller number"
    return ""


def check_scrapy(values: dict[str, Any]) -> dict[str, Any]:
    """Accept settings that a person may set."""
    for name, value in values.items():
        if not re.fullmatch(r"[A-Z][A-Z0-9_]*", name):
            raise BadValueError(f"{name} is no name of a setting of Scrapy", "write it in capital letters")
        if name in COMPONENTS and not isinstance(value, dict):
            raise BadValueError(f"{name} is not a map", "write the path of each class, and its number")
        if why := refusal(name, value):
            raise BadValueError(f"{name} cannot be set here", why)
        mapped(value, check_variables)
    return values


def mapped(value: Any, change: Callable[[str], Any]) -> Any:
    """Return a value with all its texts changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {name: mapped(each, change) for name, each in value.items()}
    return [mapped(each, change) for each in value] if isinstance(value, list) else value
