"""Edits tasks.yaml as text, so that the rest of the file, its comments and its layout stay unchanged.

Tasks are added and renamed, and a task's example is replaced. The places are those of the parser's nodes; the new text
is read again, and refused if its tasks are not those that are meant, as in a file of an unusual layout.
"""

import codecs
import json
import os
import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from yaml.nodes import CollectionNode, MappingNode, Node

from crawler.task_list.file import Reader, loads, task_file_of
from crawler.task_list.identity import CONTACT
from crawler.task_list.mistakes import Mistake, TaskError, TaskFileError
from crawler.task_list.models import Task, TaskFile
from crawler.task_list.yaml_source import Path_, Source, block_lines, compose, read, written
from workers.sinks.durability import write_file


@dataclass(frozen=True)
class ExistingList:
    """A task list before tasks are added, which may be empty: its tasks with their settings, and its defaults."""

    tasks: TaskFile = field(default_factory=lambda: TaskFile(tasks={}))
    defaults: dict[str, Any] = field(default_factory=dict)


def existing_list(tasks_yaml: Path) -> ExistingList:
    """Read a task list. The file may be missing or have no tasks yet. Raises `TaskFileError` with its mistakes."""
    if not tasks_yaml.exists():
        return ExistingList()
    source = read(tasks_yaml)
    if source.mistakes:
        raise TaskFileError(source.mistakes)
    return _known(source, tasks_yaml.parent)


def create(tasks_yaml: Path, contact: str = "") -> None:
    """Write a task list without tasks, and its JSON Schema. `contact` may be empty."""
    from crawler.task_list.schema import MODELINE, NO_CONTACT, SCHEMA_BESIDE_TASKS, write_schema

    contact_line = f"contact: {written(contact)}" if contact else NO_CONTACT
    tasks_yaml.parent.mkdir(parents=True, exist_ok=True)
    write_schema(tasks_yaml.parent / SCHEMA_BESIDE_TASKS)
    tasks_yaml.write_text(
        f"{MODELINE}\ntasks:\n\n"
        f"settings:\n  # Goes into the User-Agent so that a site's owner can reach you; required for public hosts.\n"
        f"  {contact_line}\n",
        "utf-8",
    )


def add_task(tasks_yaml: Path, entry: Mapping[str, Any], contact: str = "") -> bool:
    """Add one task to a list, as `append_tasks`; return whether it is new. A missing list is made with the task.

    `contact`: written into a list without one; a list that is made has it, or that of this process's environment.
    """
    is_made = not tasks_yaml.exists()
    if is_made:
        create(tasks_yaml, contact or os.environ.get(CONTACT, ""))
    try:
        return bool(append_tasks(tasks_yaml, {1: entry}, contact))
    except BaseException:
        if is_made:
            tasks_yaml.unlink(missing_ok=True)
        raise


def append_tasks(
    tasks_yaml: Path, entries: Mapping[int, Mapping[str, Any]], contact: str = "", sheet: str = "new task"
) -> list[str]:
    """Add `entries` (a task's keys and its `name` each), and a contact if there is none; return the names added.

    `sheet`: the file in whose rows the entries stand, by number; mistakes name it.
    Entries that the file already has unchanged are skipped. All or nothing: on any mistake `TaskFileError` is raised
    and the file is unchanged. The file is replaced in one step.
    """
    source = read(tasks_yaml)
    existing = _known(source, tasks_yaml.parent)
    new = _new_entries(entries, sheet, existing)
    if not new:
        return []
    text, settings = _with_tasks(source.text, [entry for entry, _ in new.values()]), existing.tasks.settings
    if contact and not settings.contact:
        text, settings = (
            with_value(text, ("settings", "contact"), contact),
            settings.model_copy(update={"contact": contact}),
        )
    wanted = TaskFile(tasks=existing.tasks.tasks | {name: task for name, (_, task) in new.items()}, settings=settings)
    _check(text, tasks_yaml, wanted, "tasks cannot be added to a file of this layout; add them by hand")
    replace_text(tasks_yaml, text)
    return [*new]


def replace_example(tasks_yaml: Path, name: str, example: str) -> None:
    """Replace the example of a task in the file. The file is replaced in one step.

    Raises `TaskFileError` for a file with mistakes, `TaskError` if other tasks would change, too, or the task would not
    be valid.
    """
    source = read(tasks_yaml)
    before = _known(source, tasks_yaml.parent).tasks
    wanted = before.tasks | {name: before[name].model_copy(update={"example": example})}
    text = with_value(source.text, ("tasks", name, "example"), example)
    refused = f"the example of task {name} cannot be replaced; set it to {example} by hand"
    _check(text, tasks_yaml, before.model_copy(update={"tasks": wanted}), refused)
    replace_text(tasks_yaml, text)


def renamed_task(tasks_yaml: Path, old: str, new: str, *, has_run: bool = False, keeps_outputs: bool = False) -> str:
    """Return the file's text with another name of a task; one that already has the new name keeps it.

    Nothing else changes but this: with `has_run` the former name is added to `formerly`; with `keeps_outputs` it takes
    the place of `{task}` in the outputs. Raises `TaskError` if that is impossible.
    """
    source = read(tasks_yaml)
    before = task_file_of(source, tasks_yaml.parent)
    present = old if old in before.tasks else new
    task, keys, changes = before[present], source.data["tasks"][present], dict[str, Any]()
    earlier = dict.fromkeys((old, *task.formerly) if has_run else task.formerly)
    formerly = tuple(name for name in earlier if name != new)
    update: dict[str, Any] = {"name": new, "formerly": formerly}
    if keeps_outputs:
        named = keys["output"] if "output" in keys else source.data["defaults"]["output"]
        changes["output"] = json.loads(json.dumps(named).replace("{task}", old))
        update["output"] = tuple(
            output.model_copy(update={"to": output.to.replace("{task}", old)}) for output in task.output
        )
    if formerly != task.formerly:
        changes["formerly"] = [*formerly]
    text = source.text
    for key, value in changes.items():
        text = with_value(text, ("tasks", present, key), value)
    if found := pair_at(compose(text), ("tasks", present)):
        text = text[: found[0].start_mark.index] + written(new) + text[_end(found[0]) :]
    tasks = {new if name == present else name: each for name, each in before.tasks.items()}
    wanted = before.model_copy(update={"tasks": tasks | {new: task.model_copy(update=update)}})
    outputs = ", ".join(wanted[new].outputs())
    by_hand = (
        f"{old} cannot be renamed in a file of this layout; by hand, give it the name {new}, the key "
        f"formerly: [{', '.join(formerly)}] and the outputs {outputs}; then repeat the command"
    )
    _check(text, tasks_yaml, wanted, by_hand)
    return text


# Which entries are new, and whether they are valid


def _known(source: Source, folder: Path) -> ExistingList:
    """Return the list in a file, which may have no task yet. Raises `TaskFileError`."""
    reader = Reader(source)
    tasks = reader.task_file(folder, may_be_empty=True) if source.data is not None else None
    if tasks is None:
        raise TaskFileError(source.mistakes)
    return ExistingList(tasks, reader.defaults)


def _new_entries(
    entries: Mapping[int, Mapping[str, Any]], sheet: str, before: ExistingList
) -> dict[str, tuple[dict[str, Any], Task]]:
    """Return the entries that are not in the list yet and their tasks, by name. Raises `TaskFileError`."""
    mistakes: list[Mistake] = []
    new: dict[str, tuple[dict[str, Any], Task]] = {}
    for row, entry in entries.items():
        source, name = Source(sheet), str(entry.get("name", ""))
        path = ("tasks", name)
        for place in [("tasks",), path, *((*path, key) for key in entry)]:
            source.values[place], source.insides[place] = (row, 1), None
        keys = {key: value for key, value in entry.items() if key != "name"}
        task = Reader(source).task(name, keys, before.defaults)
        existing = before.tasks.tasks.get(name)
        if name in new:
            source.add(path, "duplicate name", "give each task its own name", at_key=True)
        elif existing and task and not _same({name: existing}, {name: task}):
            source.add(path, "already exists with different keys", "give the new task another name", at_key=True)
        elif task and not existing:
            new[name] = {name: keys}, task
        mistakes += source.mistakes
    if mistakes:
        raise TaskFileError(mistakes)
    return new


def _same(a: Mapping[str, Task], b: Mapping[str, Task]) -> bool:
    """Return whether tasks are the same in writing: patterns without a host are, also if the hosts differ."""
    return a.keys() == b.keys() and all(
        a[name].model_dump(mode="json") == b[name].model_dump(mode="json") for name in a
    )


# Writing


def with_value(text: str, path: Path_, value: Any) -> str:
    """Return a list's text with another value at a path, or with a new key there, written on one line."""
    root = compose(text)
    above, found = pair_at(root, path[:-1]), pair_at(root, path)
    if above is None:
        return with_value(text, path[:-1], {path[-1]: value})
    key, node = above
    braces = isinstance(node, MappingNode) and bool(node.flow_style)
    entry = f"{written(path[-1])}: {written(value, braces)}"
    if found and isinstance(found[1], CollectionNode):
        return text[: found[0].start_mark.index] + entry + text[_end(found[1]) :]
    if found:
        return text[: found[1].start_mark.index] + written(value, braces) + text[_end(found[1]) :]
    if not isinstance(node, MappingNode):
        return _inserted(text, key.start_mark.line + 1, [" " * (key.start_mark.column + 2) + entry])
    first = node.value[0][0].start_mark if node.value else None
    at = node.start_mark.index + 1 if braces or not first else first.index
    after = "" if not first else ", " if braces else _newline(text) + " " * first.column
    return text[:at] + entry + after + text[at:]


def pair_at(root: Node | None, path: Path_) -> tuple[Node, Node] | None:
    """Return the nodes of the key and of the value at a path of maps; None if there are none."""
    pair = (root, root) if root is not None else None
    for step in path:
        pairs = pair[1].value if pair and isinstance(pair[1], MappingNode) else []
        pair = next(((key, value) for key, value in pairs if key.value == step), None)
    return pair


def _end(node: Node) -> int:
    """Return where a node's text ends; a block ends with its last value, not with the comments after it."""
    if isinstance(node, CollectionNode) and node.value and not node.flow_style:
        last = node.value[-1]
        return _end(last[1] if isinstance(node, MappingNode) else last)
    return int(node.end_mark.index)


def last_line(text: str, node: Node, indent: int) -> int:
    """Return the last line of a block, from 1, with the comments after it that are indented by more than `indent`."""
    lines, last = text.splitlines(), len(text[: _end(node)].rstrip().splitlines())
    while last < len(lines) and re.match(rf" {{{indent + 1},}}#", lines[last]):
        last += 1
    return last


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _inserted(text: str, position: int, new: Sequence[str]) -> str:
    """Return a text with new lines after line `position`, which end as its own lines do."""
    newline, lines = _newline(text), text.splitlines(keepends=True)
    if lines[position - 1 : position] and not lines[position - 1].endswith("\n"):
        lines[position - 1] += newline
    return "".join([*lines[:position], *(line + newline for line in new), *lines[position:]])


def _with_tasks(text: str, entries: Sequence[dict[str, Any]]) -> str:
    """Return the text with the entries, `{name: keys}` each, after its last task, indented as its tasks are."""
    found = pair_at(compose(text), ("tasks",))
    if found is None:
        return text
    key, tasks = found
    indent, step, position = 2, 2, key.start_mark.line + 1
    if tasks.value:
        name, first = tasks.value[0]
        indent = name.start_mark.column
        step = first.start_mark.column - indent if first.start_mark.line > name.start_mark.line else step
        position = last_line(text, tasks, indent)
    block = [" " * indent + line for entry in entries for line in block_lines(entry, step)]
    return _inserted(text, position, block)


def _check(text: str, path: Path, wanted: TaskFile, refused: str) -> None:
    """Read the new text. Raises `TaskError` if it is not the list that is wanted."""
    try:
        result = loads(text, str(path), path.parent)
    except TaskFileError:
        result = TaskFile(tasks={})
    if not _same(result.tasks, wanted.tasks) or result.settings != wanted.settings:
        raise TaskError(f"{path}: {refused}")


def replace_text(path: Path, text: str) -> None:
    """Replace the file's text in one step: a reader gets the old file or the new one; its byte order mark is kept.

    Raises `TaskError` if it cannot be written.
    """
    target = path.resolve()
    temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
    try:
        mark = codecs.BOM_UTF8 if target.read_bytes().startswith(codecs.BOM_UTF8) else b""
        write_file(temporary, mark + text.encode())
        temporary.chmod(target.stat().st_mode & 0o777)
        temporary.replace(target)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise TaskError(f"{path} cannot be written: {error.strerror or error}") from None
