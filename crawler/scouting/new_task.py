"""A task made from a survey: its name, its keys, and whether the task list already has it."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from crawler.patterns.pattern import Pattern
from crawler.scouting.survey import Survey
from crawler.task_list.file import SECRET_KEYS, STAND_INS
from crawler.task_list.mistakes import TaskError
from crawler.task_list.models import Task, TaskFile
from extractors.html.urls import normalise, split_web

EVERY, OUTPUT = "1h", "out/{task}.jsonl"  # values if neither the command nor `defaults:` gives others
COMMON = frozenset({"www", "m", "wap", "mobile", "ac", "co", "com", "edu", "gov", "net", "org"})  # parts of many hosts
NAME_MOST = 60  # characters


def entry_of(
    survey: Survey,
    defaults: Mapping[str, Any],
    names: Collection[str],
    *,
    name: str | None = None,
    every: str | None = None,
    output: str | None = None,
) -> dict[str, Any]:
    """Return the keys of the task for tasks.yaml, `name` among them."""
    entry: dict[str, Any] = {
        "name": name or name_of(survey, names),
        "example": survey.example,
        "pattern": survey.pattern,
        "start": survey.starts[0] if len(survey.starts) == 1 else list(survey.starts),
    }
    if survey.lone:
        entry["depth"] = 0
    if survey.insist:
        entry["articles"] = True
    if every or "every" not in defaults:
        entry["every"] = every or EVERY
    if output or "output" not in defaults:
        entry["output"] = output or OUTPUT
    return entry


def task_by_defaults(defaults: Mapping[str, Any], urls: Sequence[str]) -> Task | None:
    """Return a task with the delay, headers, login and so on for fetching pages of new sections; None if invalid.

    If there are several sites, the headers and secrets of `defaults:` are not sent to any of them.
    """
    of_one_site = len({parts and parts.netloc for parts in map(split_web, urls)}) == 1
    keys = {key: value for key, value in defaults.items() if of_one_site or key not in SECRET_KEYS}
    try:
        host = urljoin(urls[0], "/")
        return Task.model_validate({**STAND_INS, **keys, "name": "new", "example": host, "pattern": host})
    except ValueError:  # an invalid URL, or what pydantic refuses
        return None


def name_of(survey: Survey, names: Collection[str]) -> str:
    """Return an unused name for a task, from the host and a section's folder: `news-example-harbour`."""
    host = urlsplit(survey.example).hostname or "site"
    folder = _folder(survey) if survey.scope == "section" else ""
    plain = "-".join(filter(None, (_site(host), folder)))
    base = re.sub(r"[^\w.-]+", "-", plain).strip("-.")[:NAME_MOST] or "site"
    number = 1
    while (numbered := base if number == 1 else f"{base}-{number}") in names:
        number += 1
    return numbered


def known_as(tasks: TaskFile, url: str) -> str | None:
    """Return the name of the task whose example or article a URL is; None if there is none."""
    for name, task in tasks.tasks.items():
        if normalise(task.example) == normalise(url) or task.pattern.match(url):
            return name
    return None


def refuse_known(tasks: TaskFile, survey: Survey) -> None:
    """Raise `TaskError` if a task already has the section that was found."""
    for name, task in tasks.tasks.items():
        if task.pattern.regex == Pattern.parse(survey.pattern, survey.example).regex:
            raise TaskError(f"task {name} already covers this section ({survey.pattern}); nothing was written")


def _site(host: str) -> str:
    labels = [label for label in re.split(r"[.:]", host) if label and label not in COMMON]
    return "-".join(labels[:-1] if len(labels) > 1 and not labels[-1].isdigit() else labels)


def _folder(survey: Survey) -> str:
    """Return the last folder that all articles have in common, or that of the section's list page."""
    prefixes = Pattern.parse(survey.pattern, survey.example).prefixes()
    for url in (*prefixes[:1], *survey.starts):
        segments = [part for part in unquote(urlsplit(url).path).split("/") if part and "." not in part]
        if segments:
            return segments[-1]
    return ""
