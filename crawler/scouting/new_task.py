"""A task out of a survey: its name, its keys, and whether the list has it already."""

import ipaddress
import re
from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from crawler.patterns.pattern import Pattern
from crawler.scouting.survey import Survey
from crawler.task_list.mistakes import TaskError
from crawler.task_list.models import TaskFile
from extractors.html.urls import normalise

EVERY, OUTPUT = "1h", "out/{task}.jsonl"  # where neither the person nor `defaults:` says otherwise
SECOND_LEVEL = frozenset({"ac", "co", "com", "edu", "gov", "net", "org"})  # below these come names: example.com.cn
COMMON = frozenset({"www", "m", "wap", "mobile"})
NAME_MOST = 60  # characters


def entry_of(
    found: Survey,
    defaults: Mapping[str, Any],
    names: Collection[str],
    *,
    name: str | None = None,
    every: str | None = None,
    output: str | None = None,
) -> dict[str, Any]:
    """Return the keys of the task, `name` among them, as tasks.yaml wants them."""
    entry: dict[str, Any] = {
        "name": name or name_of(found, names),
        "example": found.example,
        "pattern": found.pattern,
        "start": found.starts[0] if len(found.starts) == 1 else list(found.starts),
    }
    if found.lone:
        entry["depth"] = 0
    if every or "every" not in defaults:
        entry["every"] = every or EVERY
    if output or "output" not in defaults:
        entry["output"] = output or OUTPUT
    return entry


def name_of(found: Survey, names: Collection[str]) -> str:
    """Return a name that no task has yet, from the host and a section's folder: `news-example-harbour`."""
    host = urlsplit(found.example).hostname or "site"
    folder = _folder(found) if found.scope == "section" else ""
    plain = "-".join(filter(None, (_site(host), folder)))
    base = re.sub(r"[^\w.-]+", "-", plain).strip("-.")[:NAME_MOST] or "site"
    number = 1
    while (numbered := base if number == 1 else f"{base}-{number}") in names:
        number += 1
    return numbered


def known_as(tasks: TaskFile | None, url: str) -> str | None:
    """Return the name of the task that takes a URL already; None if there is none."""
    for name, task in (tasks.tasks if tasks else {}).items():
        if normalise(task.example) == normalise(url) or task.pattern.match(url):
            return name
    return None


def refuse_known(tasks: TaskFile | None, found: Survey) -> None:
    """Raise `TaskError` if a task has the section that was found."""
    for name, task in (tasks.tasks if tasks else {}).items():
        if task.pattern.regex == Pattern.parse(found.pattern, found.example).regex:
            raise TaskError(f"task {name} has this section already ({found.pattern}); nothing was written")


def _site(host: str) -> str:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        pass
    else:
        return re.sub(r"[.:]+", "-", host).strip("-")
    labels = [label for label in host.split(".") if label not in COMMON]
    del labels[max(1, len(labels) - 1) :]
    if len(labels) > 1 and labels[-1] in SECOND_LEVEL:
        del labels[-1]
    return "-".join(labels)


def _folder(found: Survey) -> str:
    """Return the last folder that all articles share, or that of the section's list page."""
    prefixes = Pattern.parse(found.pattern, found.example).prefixes()
    for url in (*prefixes[:1], *found.starts):
        segments = [each for each in unquote(urlsplit(url).path).split("/") if each and "." not in each]
        if segments:
            return segments[-1]
    return ""
