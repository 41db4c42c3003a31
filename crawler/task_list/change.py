"""Changes one task of tasks.yaml as text; the rest of the file, its comments and its layout stay unchanged.

A person changes its keys; the examples that are adopted in Redis are written into the file if that is the task list in
force. Copies of the file on other machines are not edited: a person has to copy the new file, as after any edit.
"""

import re
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import redis
from yaml.nodes import MappingNode

from crawler.task_list.edit import existing_list, last_line, pair_at, replace_example, replace_text
from crawler.task_list.file import loads
from crawler.task_list.mistakes import TaskError, TaskFileError, unknown_task
from crawler.task_list.publication import edition, origin_of
from crawler.task_list.yaml_source import compose, read_text
from workers.extraction_config import adopted_examples

_values_of = lru_cache(maxsize=1)(read_text)  # the values of a thousand tasks take most of a second to read


def task_block(tasks_yaml: Path, name: str) -> str:
    """Return the text of a task's keys, without indentation. Raises `TaskError`."""
    _, lines, (first, last, indent) = _place(tasks_yaml, name)
    return "".join(line[indent:] if line[:indent] == " " * indent else line.lstrip(" \t") for line in lines[first:last])


def is_in_block(tasks_yaml: Path, name: str) -> bool:
    """Whether a task's keys are on lines of their own, so that they can be changed. Reads no values: it is quick."""
    try:
        text = tasks_yaml.read_text("utf-8-sig", errors="replace")
    except OSError:
        return False
    return bool(re.search(rf"^[ ]+(['\"]?){re.escape(name)}\1[ ]*:(?![ ]*[{{*])", text, re.MULTILINE))


def changed_task(tasks_yaml: Path, name: str, block: str) -> bool:
    """Replace the keys of a task by `block`, which has no indentation; return whether the file changed.

    Raises `TaskFileError` with the mistakes of the new list, and `TaskError` if another task would change; then the
    file is unchanged. Mistakes in the new keys have the place in `block`, and the task's name as that of the file.
    """
    text, lines, (first, last, indent) = _place(tasks_yaml, name)
    newline = "\r\n" if "\r\n" in text else "\n"
    new = [f"{' ' * indent}{line}{newline}" if line.strip() else newline for line in block.rstrip().splitlines()]
    changed = "".join([*lines[:first], *new, *lines[last:]])
    if changed == text:
        return False
    before = loads(text, str(tasks_yaml), tasks_yaml.parent)
    try:
        after = loads(changed, str(tasks_yaml), tasks_yaml.parent)
    except TaskFileError as error:
        own = range(first, first + len(new) + 1)  # the line of the name, and those of the keys
        raise TaskFileError(
            replace(found, file=name, line=max(1, found.line - first), column=max(1, found.column - indent))
            if found.line in own
            else found
            for found in error.mistakes
        ) from None
    same = all(after.tasks.get(other) == task for other, task in before.tasks.items() if other != name)
    if not same or [*after.tasks] != [*before.tasks] or after.settings != before.settings:
        raise TaskError(f"only the keys of task {name} can be changed here")
    replace_text(tasks_yaml, changed)
    return True


def _place(tasks_yaml: Path, name: str) -> tuple[str, list[str], tuple[int, int, int]]:
    """Return the file's text, its lines, and of the task's keys the first line, the line after them, their indent."""
    try:
        text = tasks_yaml.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise TaskError(f"{tasks_yaml} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    source = _values_of(text, str(tasks_yaml))
    if source.mistakes:
        raise TaskFileError(source.mistakes)
    tasks = source.data.get("tasks") if isinstance(source.data, dict) else None
    if not isinstance(tasks, dict) or name not in tasks:
        raise unknown_task(name, [*tasks] if isinstance(tasks, dict) else [])
    found = pair_at(compose(text), ("tasks", name))
    if found is None or not isinstance(found[1], MappingNode) or found[1].flow_style:
        raise TaskError(f"task {name} is written in braces or has no keys; change it by hand")
    first = found[1].value[0][0].start_mark
    return text, text.splitlines(keepends=True), (first.line, last_line(text, found[1], first.column - 1), first.column)


def unwritten_examples(connection: "redis.Redis", tasks_yaml: Path) -> dict[str, str]:
    """Return, by task, the adopted examples that the file should contain but does not.

    Empty if the list in force came from another file. Raises `TaskFileError` for a file with mistakes.
    """
    adopted = adopted_examples(connection)
    current = edition(connection) if adopted else None
    if current is None or current.origin != origin_of(tasks_yaml) or not tasks_yaml.exists():
        return {}
    known = existing_list(tasks_yaml).tasks
    return {
        name: example.url
        for name, example in adopted.items()
        if name in known.tasks and known.tasks[name].example == example.instead_of
    }


def write_examples(tasks_yaml: Path, examples: dict[str, str]) -> list[str]:
    """Write examples into the file, by task; return the problems, a sentence each."""
    problems = []
    for name, url in examples.items():
        try:
            replace_example(tasks_yaml, name, url)
        except (TaskError, OSError) as error:
            problems.append(f"the example of task {name} is adopted, but only in Redis: {error}")
    return problems
