"""Completion values for the shell: names of tasks, of methods, and kinds of outputs.

The module reads tasks.yaml and opens no connection.
"""

import re
from collections.abc import Iterable
from pathlib import Path

import click
from click.shell_completion import CompletionItem

_KEY = re.compile(r"(?P<indent>\s*)(?P<quote>['\"]?)(?P<name>[^\s'\"#:][^'\"#]*?)(?P=quote)\s*:(\s|$)")


def task_names(file: Path) -> list[str]:
    """Return the names of the tasks in a task list, found by its lines; none if it is unreadable.

    A task list of 100,000 tasks would take seconds to read as YAML, while a person waits for the completion.
    """
    try:
        lines = file.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    names: list[str] = []
    inside, indent = False, None
    for line in lines:
        key = _KEY.match(line)
        if key is None:
            continue
        if not key["indent"]:
            inside, indent = key["name"] == "tasks", None
        elif inside and (indent is None or key["indent"] == indent):
            indent = key["indent"]
            names.append(key["name"])
    return names


def complete_tasks(context: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the name of a task of the task list that the command names, or of tasks.yaml in the present folder."""
    return _matching(task_names(context.params.get("tasks") or Path("tasks.yaml")), incomplete)


def complete_tasks_or_files(context: click.Context, option: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete tasks, and paths of task lists."""
    return [*complete_tasks(context, option, incomplete), CompletionItem(incomplete, type="file")]


def complete_methods(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the name of a method."""
    from extractors.registry import METHODS

    return _matching(METHODS, incomplete)


def complete_outputs(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the kind of an output: the scheme of its address, else a path."""
    from workers.sinks.kinds import known_schemes

    schemes = _matching((f"{scheme}:" for scheme in sorted(known_schemes())), incomplete)
    return [*(schemes if incomplete else ()), CompletionItem(incomplete, type="file")]


def _matching(words: Iterable[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(word) for word in words if word.startswith(incomplete)]
