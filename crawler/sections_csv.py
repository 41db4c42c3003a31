"""Tasks from a spreadsheet: a CSV of sections, added to tasks.yaml without touching what stands there.

The first row names the columns, in English or Chinese; empty cells are keys left to `defaults:`. Several values in one
cell stand on lines of their own or have a `;` between them; URLs may also be apart by white space.
"""

import csv
import io
import json
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from crawler.mistakes import Mistake, TaskError, TaskFileError, show, suggest
from crawler.task_file import TASK_KEYS, Reader, loads
from crawler.task_model import Task, TaskFile
from crawler.yaml_source import Source, read_text

CHINESE = {
    "名称": "name", "示例": "example", "规律": "pattern", "周期": "every", "输出": "output", "起始": "start",
    "跟进": "follow", "深度": "depth", "上限": "limit", "方法": "method", "暂停": "paused", "保留": "keep",
    "丢弃": "drop", "间隔": "delay", "超时": "timeout", "重试": "retries", "跳过": "skip",
    "近重": "near_duplicates", "复查": "revisit", "遗忘": "forget",
    "代理": "proxy", "并发": "concurrency", "渲染": "render",
}  # fmt: skip
MAPS = ("headers", "cookies", "auth")  # no cell holds these
COLUMNS = ("name", *(key for key in TASK_KEYS if key not in MAPS))
NEEDED = ("name", "example", "pattern")
DELIMITERS = (",", ";", "\t")
BOOLEANS = {
    "true": True, "yes": True, "1": True, "是": True, "false": False, "no": False, "0": False, "否": False,
}  # fmt: skip
URL_BREAK = re.compile(r"\s+|[;；](?=https?://|/|re:|\s|$)")  # a ; inside a URL stays
BREAK = re.compile(r"\s*[\r\n;；]\s*")


class Section(dict[str, Any]):
    """A task's keys, `name` among them, that remember their cells: `row` and `columns` count from 1."""

    def __init__(self, keys: Mapping[str, Any], file: str, row: int, columns: Mapping[str, int]) -> None:
        super().__init__(keys)
        self.file, self.row, self.columns = file, row, columns


def read_sections(csv_path: Path) -> list[dict[str, Any]]:
    """Return each row's keys (as tasks.yaml would have them, plus `name`), empty rows left out.

    UTF-8 with or without byte order mark, UTF-16, or GB18030 as Excel saves in China; comma, semicolon or tab.
    Raises `TaskFileError` with all mistakes of the file, the place being row and column.
    """
    file = str(csv_path)
    rows = _rows(_text(csv_path), file)
    header = _header(rows[0], file)
    sections: list[dict[str, Any]] = []
    mistakes: list[Mistake] = []
    for number, cells in enumerate(rows[1:], 2):
        if any(cell.strip() for cell in cells):
            section, wrong = _section(cells, header, file, number)
            sections.append(section)
            mistakes += wrong
    if mistakes:
        raise TaskFileError(mistakes)
    if not sections:
        raise TaskFileError([Mistake(file, 1, 1, "", "no rows below the header")])
    return sections


def append_tasks(tasks_yaml: Path, entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """Add `entries` (a task's keys and its `name` each) to the file and return the names added.

    Comments and layout of the file stay; entries that are there already, word for word, are passed over. All or
    nothing: with any mistake `TaskFileError` is raised and the file is as it was. The file changes in one step.
    """
    try:
        raw = tasks_yaml.read_bytes()
        text = raw.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise TaskFileError(_mistakes_of(tasks_yaml)) from None
    source = read_text(text, str(tasks_yaml))
    known, defaults = _known_tasks(source, tasks_yaml.parent)
    new = _new_entries(entries, known, defaults)
    if not new:
        return []
    changed = _inserted(text, source, new)
    _check_result(changed, tasks_yaml, known, new)
    _replace(tasks_yaml, changed.encode("utf-8-sig" if raw.startswith(b"\xef\xbb\xbf") else "utf-8"))
    return [entry["name"] for entry in new]


# Reading the spreadsheet


def _text(path: Path) -> str:
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise TaskFileError([Mistake(str(path), 1, 1, "", f"can't be read: {error.strerror}")]) from None
    if raw.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        raise TaskFileError([Mistake(str(path), 1, 1, "", "a workbook, not CSV", "save it as CSV UTF-8")])
    encodings = ["utf-16"] if raw.startswith((b"\xff\xfe", b"\xfe\xff")) else ["utf-8-sig", "gb18030"]
    for encoding in encodings:
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise TaskFileError([Mistake(str(path), 1, 1, "", "neither UTF-8 nor GB18030", "save it as CSV UTF-8")])


def _rows(text: str, file: str) -> list[list[str]]:
    first = text.partition("\n")[0]
    delimiter = max(DELIMITERS, key=lambda each: sum(_key(cell) in COLUMNS for cell in first.split(each)))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[list[str]] = []
    try:
        rows.extend(reader)
    except csv.Error as error:
        raise TaskFileError([Mistake(file, len(rows) + 1, 1, "", f"not CSV: {error}", "check the quotes")]) from None
    if not rows:
        raise TaskFileError([Mistake(file, 1, 1, "", "empty", f"the first row names columns: {', '.join(NEEDED)} …")])
    return rows


def _key(cell: str) -> str:
    name = cell.strip().strip('"').strip().lower()
    return CHINESE.get(name, name)


def _header(cells: Sequence[str], file: str) -> list[str]:
    """Return the key of each column, "" for one without a name."""
    keys = [_key(cell) for cell in cells]
    mistakes = []
    for column, (key, cell) in enumerate(zip(keys, cells, strict=True), 1):
        if key and key not in COLUMNS:
            known = [*CHINESE, *COLUMNS] if not cell.isascii() else COLUMNS
            mistakes.append(Mistake(file, 1, column, cell.strip(), "unknown column", suggest(key, known)))
        elif key in keys[: column - 1] and key:
            mistakes.append(Mistake(file, 1, column, cell.strip(), "this column comes twice", "delete one"))
    meant = " ".join(mistake.hint for mistake in mistakes)
    missing = [key for key in NEEDED if key not in keys and repr(key) not in meant]
    chinese = {key: name for name, key in CHINESE.items()}
    mistakes += [
        Mistake(file, 1, 1, "", f"the column {key!r} is missing", f"also called {chinese[key]}") for key in missing
    ]
    if mistakes:
        raise TaskFileError(mistakes)
    return keys


def _section(cells: Sequence[str], header: Sequence[str], file: str, row: int) -> tuple[Section, list[Mistake]]:
    keys: dict[str, Any] = {}
    mistakes: list[Mistake] = []
    for column, cell in enumerate(cells, 1):
        key = header[column - 1] if column <= len(header) else ""
        if not cell.strip():
            continue
        if not key:
            mistakes.append(Mistake(file, row, column, show(cell), "a cell in a column without a name"))
            continue
        keys[key] = _value(key, cell.strip())
    if "name" not in keys:
        mistakes.append(Mistake(file, row, header.index("name") + 1, "name", "empty", "each task needs a name"))
    columns = {key: column for column, key in enumerate(header, 1) if key}
    return Section(keys, file, row, columns), mistakes


def _value(key: str, cell: str) -> Any:
    """Return a cell as tasks.yaml would have it; what doesn't fit stays text and is refused with the rest."""
    match key:
        case "paused" | "robots" | "render":
            return BOOLEANS.get(cell.lower(), cell)
        case "depth" | "limit" | "retries" | "delay" | "timeout" | "concurrency":
            return _number(cell)
        case "start" | "follow":
            return _one_or_list([each for each in URL_BREAK.split(cell) if each])
        case "output" | "keep" | "drop" | "skip":
            return _one_or_list([each for each in BREAK.split(cell) if each])
    return cell


def _number(cell: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(cell)
        except ValueError:
            continue
    return cell


def _one_or_list(values: list[str]) -> str | list[str]:
    return values[0] if len(values) == 1 else values


# What is new, and whether it is right


def _mistakes_of(path: Path) -> list[Mistake]:
    from crawler.yaml_source import read

    return read(path).mistakes


def _known_tasks(source: Source, folder: Path) -> tuple[TaskFile | None, dict[str, Any]]:
    """Return the list as it is (None if it has no task yet) and its defaults. Raises `TaskFileError`."""
    data = source.data if isinstance(source.data, dict) else {}
    found = Reader(source).task_file(folder) if source.data is not None else None
    no_tasks = "tasks" in data and not data["tasks"]
    mistakes = [mistake for mistake in source.mistakes if not (no_tasks and mistake.key_path == "tasks")]
    if mistakes:
        raise TaskFileError(mistakes)
    settings = data.get("settings") or {}
    return found, {"delay": settings.get("delay", 1.0)} | (data.get("defaults") or {})


def _new_entries(
    entries: Sequence[Mapping[str, Any]], known: TaskFile | None, defaults: dict[str, Any]
) -> list[dict[str, Any]]:
    """Return the entries that aren't in the list yet. Raises `TaskFileError` for those that can't be added."""
    mistakes: list[Mistake] = []
    new: dict[str, dict[str, Any]] = {}
    for number, entry in enumerate(entries, 1):
        source, name = _source_of(entry, number), str(entry.get("name", ""))
        path = ("tasks", name)
        keys = {key: value for key, value in entry.items() if key != "name"}
        task = Reader(source).task(name, keys, defaults)
        there = known.tasks.get(name) if known else None
        if name in new:
            source.add(source.key_place((*path, "name")), path, "the name comes twice", "give each task its own")
        elif there and task and not _same(there, task):
            source.add(
                source.key_place((*path, "name")), path, "exists already and is different", "give it another name"
            )
        elif not there:
            new[name] = {"name": name, **keys}
        mistakes += source.mistakes
    if mistakes:
        raise TaskFileError(mistakes)
    return list(new.values())


def _same(a: Task, b: Task) -> bool:
    return a.model_dump(mode="json") == b.model_dump(mode="json")


def _source_of(entry: Mapping[str, Any], number: int) -> Source:
    """Return the entry's cells as places, so that mistakes name row and column."""
    row, columns, file = number, {}, "new task"
    if isinstance(entry, Section):
        row, columns, file = entry.row, dict(entry.columns), entry.file
    source = Source(file)
    task = ("tasks", str(entry.get("name", "")))
    for path in [task, *((*task, key) for key in {*entry, *columns})]:
        place = (row, columns.get(str(path[-1]), columns.get("name", 1)) if len(path) > 2 else columns.get("name", 1))
        source.values[path] = source.keys[path] = place
        source.insides[path] = None  # a place is a cell; there are no characters to count in it
    source.values[("tasks",)] = (row, 1)
    return source


# Writing


def _inserted(text: str, source: Source, entries: Sequence[Mapping[str, Any]]) -> str:
    """Return `text` with the entries after its last task, indented as its tasks are."""
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines(keepends=True)
    at, indent, step = _insertion_point(source, lines)
    if lines[at - 1 : at] and not lines[at - 1].endswith("\n"):
        lines[at - 1] += newline
    block: list[str] = []
    for entry in entries:
        block.append(" " * indent + _scalar(entry["name"], key=True) + ":")
        keys = {key: value for key, value in entry.items() if key != "name"}
        block += [" " * (indent + step) + line for line in _map_lines(keys, step)]
    return "".join([*lines[:at], *(line + newline for line in block), *lines[at:]])


def _insertion_point(source: Source, lines: Sequence[str]) -> tuple[int, int, int]:
    """Return the line after which to insert, the tasks' indentation and the step to their keys'."""
    data = source.data["tasks"]
    key_line = source.keys[("tasks",)][0]
    if not data:
        if lines[key_line - 1].partition("#")[0].rstrip().endswith("tasks:"):
            return key_line, 2, 2
        raise TaskFileError([Mistake(source.file, key_line, 1, "tasks", "not an empty block", "write just 'tasks:'")])
    first = next(iter(data))
    line, column = source.keys[("tasks", first)]
    if line == key_line or source.values[("tasks",)] != (line, column):
        place = source.values[("tasks",)]
        raise TaskFileError(
            [
                Mistake(
                    source.file, *place, "tasks", "written in braces or as an alias", "write one task under the other"
                )
            ]
        )
    keys = [source.keys[("tasks", first, key)] for key in data[first] if ("tasks", first, key) in source.keys]
    step = keys[0][1] - column if keys and keys[0][0] > line else 2
    return _last_line(lines, line, column - 1), column - 1, max(step, 1)


def _last_line(lines: Sequence[str], first: int, indent: int) -> int:
    """Return the last line (from 1) of the block that starts at line `first`: up to the next key further left."""
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
            lines += [f"{name}:", *(f"{' ' * step}- {_scalar(each)}" for each in value)]
        else:
            lines.append(f"{name}: {_scalar(value)}")
    return lines


def _scalar(value: Any, key: bool = False) -> str:
    """Return `value` as YAML on one line, in quotes only where it would be read as something else."""
    if value is None or isinstance(value, bool | int | float):
        return json.dumps(value)
    text = str(value)
    read_back = read_text(f"{text}: 1" if key else f"k: {text}")
    wanted: Any = {text: 1} if key else {"k": text}
    if text == text.strip() and text.isprintable() and not read_back.mistakes and read_back.data == wanted:
        return text
    return '"' + "".join(map(_quoted, text)) + '"'


def _quoted(char: str) -> str:
    """Return one character as it stands in YAML's double quotes."""
    if char in '"\\':
        return "\\" + char
    return char if char.isprintable() else f"\\U{ord(char):08X}"


def _check_result(text: str, path: Path, known: TaskFile | None, new: Sequence[Mapping[str, Any]]) -> None:
    """Read the new text back; what stood there has to be the same, and the new has to be there."""
    result = loads(text, str(path), path.parent)
    before = known.tasks if known else {}
    kept = all(name in result.tasks and _same(result.tasks[name], task) for name, task in before.items())
    if not kept or set(result.tasks) != {*before, *(entry["name"] for entry in new)}:
        raise TaskError(f"{path}: its layout is unusual and tasks can't be added to it; add them by hand")


def _replace(path: Path, content: bytes) -> None:
    """Write `content` so that a reader sees the old file or the new one, never a part."""
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
