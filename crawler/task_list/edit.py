"""Edits tasks.yaml as text, so that the rest of the file, its comments and its layout stay unchanged.

Tasks are added and renamed, and a task's example is replaced.
"""

import json
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crawler.task_list.file import Reader, loads, task_file_of
from crawler.task_list.identity import CONTACT
from crawler.task_list.mistakes import Mistake, TaskError, TaskFileError
from crawler.task_list.models import Task, TaskFile
from crawler.task_list.yaml_source import Source, read, read_text

_URL_SCALAR = re.compile(r"""https?://[^\s'",{}\[\]]*[^\s'",{}\[\]:]|"https?://[^"\\\s]*"|'https?://[^'\s]*'""")


class SectionCells(dict[str, Any]):
    """A task's keys, `name` among them, with the cells that they were read from. `row` and `columns` count from 1."""

    def __init__(self, keys: Mapping[str, Any], file: str, row: int, columns: Mapping[str, int]) -> None:
        super().__init__(keys)
        self.file, self.row, self.columns = file, row, columns


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

    contact_line = f"contact: {_scalar(contact)}" if contact else NO_CONTACT
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
        return bool(append_tasks(tasks_yaml, [entry], contact))
    except BaseException:
        if is_made:
            tasks_yaml.unlink(missing_ok=True)
        raise


def append_tasks(tasks_yaml: Path, entries: Sequence[Mapping[str, Any]], contact: str = "") -> list[str]:
    """Add `entries` (a task's keys and its `name` each), and a contact if there is none; return the names added.

    Comments and layout of the file are kept; entries that the file already has unchanged are skipped. All or nothing:
    on any mistake `TaskFileError` is raised and the file is unchanged. The file is replaced in one step.
    """
    source = read(tasks_yaml)
    existing = _known(source, tasks_yaml.parent)
    new = _new_entries(entries, existing)
    if not new:
        return []
    if contact:
        source = _with_contact(source, contact)
    changed = _with_tasks(source, new)
    _check_result(changed, tasks_yaml, existing.tasks.tasks, new)
    replace_text(tasks_yaml, changed)
    return [entry["name"] for entry in new]


def _with_contact(source: Source, contact: str) -> Source:
    """Return the list with a contact in its settings, if they have none. Raises `TaskError` if that is impossible."""
    before, settings = source.data, source.data.get("settings") or {}
    if settings.get("contact"):
        return source
    columns = [column for path, (_, column) in source.keys.items() if path[:1] == ("settings",) and len(path) == 2]
    added = [f"{' ' * (min(columns, default=3) - 1)}contact: {_scalar(contact)}"]
    if "settings" in before:
        text = _inserted(source.text, source.keys[("settings",)][0], added)
    else:
        text = _inserted(source.text, len(source.text.splitlines()), ["settings:", *added])
    changed = read_text(text, source.file)
    if changed.data != {**before, "settings": {**settings, "contact": contact}}:
        raise TaskError(f"{source.file}: the contact cannot be added to a file of this layout; add it to `settings:`")
    return changed


def replace_example(tasks_yaml: Path, name: str, example: str) -> None:
    """Replace the example of a task in the file; the rest of it is kept. The file is replaced in one step.

    Raises `TaskFileError` for a file with mistakes, `TaskError` if the value is not written out on one line of the
    task itself, or the task would not be valid.
    """
    source = read(tasks_yaml)
    before = _known(source, tasks_yaml.parent).tasks.tasks
    refused = TaskError(f"{tasks_yaml}: the example of task {name} cannot be replaced; set it to {example} by hand")
    if name not in before or ("tasks", name, "example") not in source.keys:
        raise refused
    changed = _with_scalar(source.text, source.values["tasks", name, "example"], _scalar(example))
    if changed is None:
        raise refused
    try:
        after = loads(changed, str(tasks_yaml), tasks_yaml.parent).tasks
    except TaskFileError:
        raise refused from None
    if not _same(after, {**before, name: before[name].model_copy(update={"example": example})}):
        raise refused
    replace_text(tasks_yaml, changed)


def _with_scalar(text: str, place: tuple[int, int], value: str) -> str | None:
    """Return the text with another value in place of the URL at a place; None if no URL is written out there."""
    lines = text.splitlines(keepends=True)
    number, column = place[0] - 1, place[1] - 1
    found = _URL_SCALAR.match(lines[number], column)
    if found is None:
        return None
    lines[number] = lines[number][:column] + value + lines[number][found.end() :]
    return "".join(lines)


def renamed_task(tasks_yaml: Path, old: str, new: str, *, has_run: bool = False, keeps_outputs: bool = False) -> str:
    """Return the file's text with another name of a task; one that already has the new name keeps it.

    Nothing else changes but this: with `has_run` the former name is added to `formerly`; with `keeps_outputs` it takes
    the place of `{task}` in the outputs. Raises `TaskError` if that is impossible.
    """
    source = read(tasks_yaml)
    before = task_file_of(source, tasks_yaml.parent)
    present = old if old in before.tasks else new
    line, column = source.keys[("tasks", present)]
    lines = source.text.splitlines(keepends=True)
    start, rest = lines[line - 1][: column - 1], lines[line - 1][column - 1 :]
    written = next((form for form in (present, f'"{present}"', f"'{present}'") if rest.startswith(form)), None)
    if written is None:
        place = f"{tasks_yaml}:{line}:{column}"
        raise TaskError(f"{place}: the name {present} is written in an unusual form; rename it by hand")
    lines[line - 1] = f"{start}{_scalar(new, key=True)}{rest.removeprefix(written)}"
    wanted = before[present].model_copy(update={"name": old if keeps_outputs else new})
    paths = {key: ("tasks", present, key) for key in source.data["tasks"][present]}
    places = {key: source.keys[path] for key, path in paths.items() if path in source.keys}
    added: dict[str, Any] = {}
    if keeps_outputs and "output" in places:
        begin = places["output"][0]
        end = min((at for at, _ in places.values() if at > begin), default=last_line(lines, line, column) + 1)
        lines[begin - 1 : end - 1] = [part.replace("{task}", old) for part in lines[begin - 1 : end - 1]]
    elif keeps_outputs:
        added["output"] = json.loads(json.dumps(source.data["defaults"]["output"]).replace("{task}", old))
    earlier = dict.fromkeys((old, *wanted.formerly) if has_run else wanted.formerly)
    formerly = tuple(name for name in earlier if name != new)
    first_line, first_column = min(places.values())
    if formerly != wanted.formerly:
        added["formerly"] = formerly
        if "formerly" in places and first_line > line:
            del lines[places["formerly"][0] - 1 : last_line(lines, *places["formerly"])]
    if first_line == line:
        keys = "".join(f"{key}: {json.dumps(value, ensure_ascii=False)}, " for key, value in added.items())
        lines[line - 1] = lines[line - 1].replace("{", f"{{{keys}", 1)
        changed = "".join(lines)
    else:
        indent = " " * (first_column - 1)
        changed = _inserted("".join(lines), line, [indent + key_line for key_line in _map_lines(added, 2)])
    try:
        after = loads(changed, str(tasks_yaml), tasks_yaml.parent)
    except TaskFileError:
        after = before
    names = [new if name == present else name for name in before.tasks]
    if [*after.tasks] != names or after[new].formerly != formerly or after[new].outputs() != wanted.outputs():
        raise TaskError(
            f"{tasks_yaml}: {old} cannot be renamed in a file of this layout; by hand, give it the name {new}, the key "
            f"formerly: [{', '.join(formerly)}] and the outputs {', '.join(wanted.outputs())}; then repeat the command"
        )
    return changed


# Which entries are new, and whether they are valid


def _known(source: Source, folder: Path) -> ExistingList:
    """Return the list in a file, which may have no task yet. Raises `TaskFileError`."""
    reader = Reader(source)
    tasks = reader.task_file(folder, may_be_empty=True) if source.data is not None else None
    if tasks is None:
        raise TaskFileError(source.mistakes)
    return ExistingList(tasks, reader.defaults)


def _new_entries(entries: Sequence[Mapping[str, Any]], before: ExistingList) -> list[dict[str, Any]]:
    """Return the entries that are not in the list yet. Raises `TaskFileError` for those that cannot be added."""
    mistakes: list[Mistake] = []
    new: dict[str, dict[str, Any]] = {}
    for number, entry in enumerate(entries, 1):
        source, name = _source_of(entry, number), str(entry.get("name", ""))
        path = ("tasks", name)
        keys = {key: value for key, value in entry.items() if key != "name"}
        task = Reader(source).task(name, keys, before.defaults)
        existing = before.tasks.tasks.get(name)
        if name in new:
            source.add(path, "duplicate name", "give each task its own name", at_key=True)
        elif existing and task and not _same({name: existing}, {name: task}):
            source.add(path, "already exists with different keys", "give the new task another name", at_key=True)
        elif not existing:
            new[name] = {"name": name, **keys}
        mistakes += source.mistakes
    if mistakes:
        raise TaskFileError(mistakes)
    return list(new.values())


def _same(a: Mapping[str, Task], b: Mapping[str, Task]) -> bool:
    """Return whether tasks are the same in writing: patterns without a host are, also if the hosts differ."""
    return a.keys() == b.keys() and all(
        a[name].model_dump(mode="json") == b[name].model_dump(mode="json") for name in a
    )


def _source_of(entry: Mapping[str, Any], number: int) -> Source:
    """Return a source whose places are the entry's cells, so that mistakes give row and column."""
    row, columns, file = number, {}, "new task"
    if isinstance(entry, SectionCells):
        row, columns, file = entry.row, dict(entry.columns), entry.file
    source = Source(file)
    task = ("tasks", str(entry.get("name", "")))
    for path in [task, *((*task, key) for key in {*entry, *columns})]:
        place = (row, columns.get(str(path[-1]), columns.get("name", 1)) if len(path) > 2 else columns.get("name", 1))
        source.values[path] = source.keys[path] = place
        source.insides[path] = None  # a place is a cell, without an offset within it
    source.values[("tasks",)] = (row, 1)
    return source


# Writing


def _inserted(text: str, position: int, new: Sequence[str]) -> str:
    """Return a text with new lines after line `position`, which end as its own lines do."""
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines(keepends=True)
    if lines[position - 1 : position] and not lines[position - 1].endswith("\n"):
        lines[position - 1] += newline
    return "".join([*lines[:position], *(line + newline for line in new), *lines[position:]])


def _with_tasks(source: Source, entries: Sequence[Mapping[str, Any]]) -> str:
    """Return the text with the entries after its last task, indented as its tasks are."""
    position, indent, step = _insertion_point(source, source.text.splitlines(keepends=True))
    block: list[str] = []
    for entry in entries:
        block.append(" " * indent + _scalar(entry["name"], key=True) + ":")
        keys = {key: value for key, value in entry.items() if key != "name"}
        block += [" " * (indent + step) + line for line in _map_lines(keys, step)]
    return _inserted(source.text, position, block)


def _insertion_point(source: Source, lines: Sequence[str]) -> tuple[int, int, int]:
    """Return the line after which to insert, the tasks' indentation and the step to their keys'."""
    data = source.data["tasks"]
    key_line = source.keys[("tasks",)][0]
    if not data:
        if lines[key_line - 1].partition("#")[0].rstrip().endswith("tasks:"):
            return key_line, 2, 2
        source.add(("tasks",), "is not an empty block", "write just 'tasks:'", place=(key_line, 1))
        raise TaskFileError(source.mistakes)
    first = next(iter(data))
    line, column = source.keys[("tasks", first)]
    if line == key_line or source.values[("tasks",)] != (line, column):
        source.add(("tasks",), "is written in braces or as an alias", "write one task below the other")
        raise TaskFileError(source.mistakes)
    keys = [source.keys[("tasks", first, key)] for key in data[first] if ("tasks", first, key) in source.keys]
    step = keys[0][1] - column if keys and keys[0][0] > line else 2
    return last_line(lines, line, column - 1), column - 1, max(step, 1)


def last_line(lines: Sequence[str], first: int, indent: int) -> int:
    """Return the last line (from 1) of the block that starts at line `first`; the next key further left ends it."""
    last = first
    for number, line in enumerate(lines[first:], first + 1):
        bare = line.strip()
        depth = len(line) - len(line.lstrip())
        if bare in ("---", "...") or (bare and not bare.startswith("#") and depth < indent):
            break
        if bare and (not bare.startswith("#") or depth > indent):
            last = number
    return last


def _map_lines(keys: Mapping[str, Any], step: int) -> list[str]:
    lines: list[str] = []
    for key, value in keys.items():
        name = _scalar(key, key=True)
        if isinstance(value, Mapping):
            lines += [f"{name}:", *(" " * step + line for line in _map_lines(value, step))]
        elif isinstance(value, list | tuple):
            lines += [f"{name}:", *(" " * step + line for item in value for line in _item_lines(item, step))]
        else:
            lines.append(f"{name}: {_scalar(value)}")
    return lines


def _item_lines(item: Any, step: int) -> list[str]:
    """Return an item of a list; the lines of a map are indented below its first key."""
    lines = _map_lines(item, step) if isinstance(item, Mapping) else [_scalar(item)]
    return [f"- {lines[0]}", *(f"  {line}" for line in lines[1:])] if lines else ["- {}"]


def _scalar(value: Any, key: bool = False) -> str:
    """Return `value` as YAML on one line, in quotes only if it would be read as another value without them."""
    if value is None or isinstance(value, bool | int | float):
        return json.dumps(value)
    text = str(value)
    read_back = read_text(f"{text}: 1" if key else f"k: {text}")
    wanted: Any = {text: 1} if key else {"k": text}
    if text == text.strip() and text.isprintable() and not read_back.mistakes and read_back.data == wanted:
        return text
    return '"' + "".join(map(_quoted, text)) + '"'


def _quoted(char: str) -> str:
    """Return one character in the form for YAML's double quotes."""
    if char in '"\\':
        return "\\" + char
    return char if char.isprintable() else f"\\U{ord(char):08X}"


def _check_result(text: str, path: Path, before: Mapping[str, Task], new: Sequence[Mapping[str, Any]]) -> None:
    """Read the new text: the earlier tasks must be unchanged, and the new ones present. Raises `TaskError`."""
    result, names = loads(text, str(path), path.parent).tasks, {entry["name"] for entry in new}
    if not result.keys() >= names or not _same(before, {name: result[name] for name in result.keys() - names}):
        raise TaskError(f"{path}: tasks cannot be added to a file of this layout; add them by hand")


def replace_text(path: Path, text: str) -> None:
    """Replace the file's text in one step; its byte order mark is kept. Raises `TaskError` if it cannot be written."""
    try:
        with path.open("rb") as file:
            marked = file.read(3) == b"\xef\xbb\xbf"
        replace_file(path, text.encode("utf-8-sig" if marked else "utf-8"))
    except OSError as error:
        raise TaskError(f"{path} cannot be written: {error.strerror or error}") from None


def replace_file(path: Path, content: bytes) -> None:
    """Replace the file's content in one step: a reader gets the old file or the new one, never a part."""
    target = path.resolve()
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(target.stat().st_mode & 0o777)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
