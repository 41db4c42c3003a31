"""tasks.yaml → `TaskFile`, or all of its mistakes at once, each with line, column and a suggestion."""

import re
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from crawler.patterns.pattern import PatternError
from crawler.task_list.mistakes import BadValueError, TaskFileError, nearest, show, suggest
from crawler.task_list.models import Filter, Settings, Task, TaskFile
from crawler.task_list.outputs import BatchSize, OutputCondition, OutputEntry, target_of
from crawler.task_list.validators import DEFAULTS_EXAMPLE
from crawler.task_list.yaml_source import Path_, Source, read, read_text
from workers.addresses import shown
from workers.sinks.kinds import kind_of

TASKS_FILE = "tasks.yaml"  # its name in the working directory
TOP_KEYS = ("defaults", "tasks", "settings")
TASK_KEYS = tuple(name for name in Task.model_fields if name != "name")
REQUIRED = tuple(name for name, field in Task.model_fields.items() if field.is_required() and name != "name")
# Valid values for the required keys, used when `defaults:` are checked alone.
STAND_INS = {
    "name": "defaults", "example": DEFAULTS_EXAMPLE, "pattern": DEFAULTS_EXAMPLE, "every": "1d", "output": "a.jsonl",
}  # fmt: skip
TYPES = {
    "string_type": "text", "int_type": "a whole number", "int_from_float": "a whole number", "float_type": "a number",
    "bool_type": "true or false", "dict_type": "a map", "model_type": "a map", "model_attributes_type": "a map",
    "date_type": "a day", "is_instance_of": "text",
}  # fmt: skip
BOUNDS = {  # words, and the name of the bound in pydantic's errors
    "greater_than": ("more than", "gt"), "greater_than_equal": ("at least", "ge"),
    "less_than": ("less than", "lt"), "less_than_equal": ("at most", "le"),
}  # fmt: skip
SECRET_KEYS = frozenset({"auth", "cookies", "headers", "proxy"})  # keys whose values are not shown in messages
TYPE_HINTS = {
    "bool_type": "write true or false", "string_type": "put it in quotes", "date_type": "write it as 2024-12-31",
}  # fmt: skip
MAP_HINTS = {  # by key
    "auth": "write {user: reader, password: ${READER_PASSWORD}}", "headers": "write {Accept-Language: zh-CN}",
    "cookies": "write {session: ${SESSION}}", "where": "write {language: zh}",
    "batch": "write {rows: 500, seconds: 10}", "pressure": "write {pages: 500}",
    "settings": "write its keys below it, indented", "defaults": "write its keys below it, indented",
}  # fmt: skip


def load(path: Path) -> TaskFile:
    """Return the task list at `path`. Raises `TaskFileError` with all mistakes, or if the file is missing."""
    return task_file_of(read(path), path.parent)


def loads(text: str, file: str = "tasks.yaml", folder: Path | None = None) -> TaskFile:
    """Return the task list in `text`; `file` is the name in mistakes. Raises `TaskFileError`."""
    return task_file_of(read_text(text, file), folder or Path())


def task_file_of(source: Source, folder: Path) -> TaskFile:
    """Return the task list of a file that was read from `folder`. Raises `TaskFileError`."""
    tasks = Reader(source).task_file(folder) if source.data is not None or not source.mistakes else None
    if source.mistakes or tasks is None:
        raise TaskFileError(source.mistakes)
    return tasks


class Reader:
    """Checks the values of a source, section by section, and adds the mistakes to the source.

    `defaults`: what tasks have that do not set it, after `task_file`.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.defaults: dict[str, Any] = {}

    def task_file(self, folder: Path, *, may_be_empty: bool = False) -> TaskFile | None:
        """Return the whole list, or None if there is any mistake; no task is one unless the list `may_be_empty`."""
        data = self.source.data
        if not isinstance(data, dict):
            self.source.add((), f"must be a map, not {show(data)}", "start with 'tasks:'")
            return None
        if not data.keys() <= {*TOP_KEYS}:
            self._unknown_top_keys(data)
            return None
        settings = self._settings(data)
        self.defaults = {"delay": settings.delay if settings else 1.0} | self._defaults(data)
        tasks = {} if may_be_empty and not data.get("tasks", True) else self._tasks(data)
        self._outputs(tasks)
        self._former_names(tasks)
        if self.source.mistakes or settings is None:
            return None
        return TaskFile(tasks=tasks, settings=settings, folder=folder)

    def _unknown_top_keys(self, data: dict[str, Any]) -> None:
        for key in data:
            if key in TOP_KEYS:
                continue
            hint = suggest(key, TOP_KEYS)
            if not nearest(key, TOP_KEYS):
                if key in TASK_KEYS:
                    hint = "it belongs under a task or under 'defaults:'"
                elif key in Settings.model_fields:
                    hint = "it belongs under 'settings:'"
                elif isinstance(data[key], dict) and "example" in data[key]:
                    hint = "a task belongs under 'tasks:'"
            self.source.add((key,), "unknown key", hint, at_key=True)

    def _settings(self, data: dict[str, Any]) -> Settings | None:
        given = self._map_of(data, "settings")
        try:
            return Settings.model_validate(given)
        except ValidationError as errors:
            self._note(errors, ("settings",), given, Settings)
            return None

    def _defaults(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return the defaults as given, including invalid ones, so that each mistake is reported once, here."""
        given = self._map_of(data, "defaults")
        try:
            Task.model_validate({**STAND_INS, **given, "name": "defaults"})
        except ValidationError as errors:
            self._note(errors, ("defaults",), given, Task)
        if "name" in given:
            self.source.add(("defaults", "name"), "unknown key", at_key=True)
        return given

    def _tasks(self, data: dict[str, Any]) -> dict[str, Task]:
        if "tasks" not in data:
            self.source.add((), "'tasks' is missing", "write a map of tasks under 'tasks:'", place=(1, 1))
            return {}
        given = data["tasks"]
        if not isinstance(given, dict) or not given:
            what = "empty" if not given else f"must be a map of tasks by name, not {show(given)}"
            self.source.add(("tasks",), what, "write a task's name and its keys", at_key=True)
            return {}
        tasks = {name: self.task(name, keys, self.defaults) for name, keys in given.items()}
        return {name: task for name, task in tasks.items() if task}

    def task(self, name: str, given: Any, defaults: dict[str, Any]) -> Task | None:
        """Return the task made of `defaults`, overridden by `given`; None if there is any mistake."""
        path = ("tasks", name)
        if path in self.source.unread:
            return None
        if not isinstance(given, dict):
            what = "empty" if given is None else f"must be a map, not {show(given)}"
            self.source.add(path, what, f"a task needs {', '.join(REQUIRED)}", at_key=True)
            return None
        if "name" in given:
            self.source.add((*path, "name"), "unknown key", "the task's name is the key above", at_key=True)
        try:
            return Task.model_validate({**defaults, **given, "name": name})
        except ValidationError as errors:
            self._note(errors, path, given, Task, defaults)
            return None

    def _outputs(self, tasks: dict[str, Task]) -> None:
        """Check the outputs together: tasks that share a file."""
        writers: dict[str, tuple[str, OutputEntry]] = {}
        for task in tasks.values():
            for place, output in enumerate(task.output):
                first, other = writers.setdefault(target_of(output.to, task.name), (task.name, output))
                if first != task.name and (mistake := _mistake_of_sharing(first, other, output)):
                    self.source.add(self._output_path(task.name, place), *mistake)

    def _former_names(self, tasks: dict[str, Task]) -> None:
        """Check that no task has the former name of another one: their rows could not be distinguished."""
        for task in tasks.values():
            for name in tasks.keys() & {*task.formerly}:
                at = ("tasks", task.name, "formerly")
                self.source.add(at, f"has the name of task {name}", "rename that task")

    def _output_path(self, task: str, place: int) -> Path_:
        """Return the path of one output of a task in the file: its own, or that of `defaults:`."""
        path: Path_ = ("tasks", task, "output")
        path = path if path in self.source.values else ("defaults", "output")
        return self.source.resolve((*path, place))

    def _map_of(self, data: dict[str, Any], key: str) -> dict[str, Any]:
        """Return the map under `key`: an empty one if the value is missing; any other value is a mistake."""
        value = data.get(key)
        if value is None or isinstance(value, dict):
            return value or {}
        self.source.add((key,), f"must be a map, not {show(value)}", MAP_HINTS[key])
        return {}

    def _note(
        self,
        errors: ValidationError,
        path: Path_,
        given: dict[str, Any],
        model: type[BaseModel],
        defaults: dict[str, Any] | None = None,
    ) -> None:
        """Turn pydantic's errors about the map at `path` into mistakes."""
        keys = [key for key in model.model_fields if key != "name"]
        meant = {nearest(key, keys) for key in given if key not in keys}
        for error in errors.errors(include_url=False):
            first, *rest = error["loc"] or ("",)
            if error["type"] == "missing" and not rest:
                where = " here and in 'defaults:'" if first in ("every", "output") else ""
                if first not in meant:
                    self.source.add(path, f"{first!r} is missing{where}", _missing_hint(str(first)), at_key=True)
            elif first == "name" and not rest:
                self._value(path, error, at_key=True)
            elif first in given:
                self._value((*path, first, *rest), error, known=keys if not rest else None)
            elif defaults and first in defaults and "example" in str(_cause(error)):
                message, hint, _ = _wording(error, None)  # other mistakes are reported under `defaults:`
                self.source.add(path, f"the {first} from 'defaults:' {message}", hint, at_key=True)

    def _value(self, path: Path_, error: Any, *, known: list[str] | None = None, at_key: bool = False) -> None:
        cause = _cause(error)
        inner = cause.inner if isinstance(cause, BadValueError) else ()
        at = self.source.resolve((*path, *inner))
        if at in self.source.unread:
            return
        message, hint, offset = _wording(error, known or _inner_keys(path))
        is_key = at_key or error["type"] == "extra_forbidden" or message == "unknown key"
        place = self.source.key_place(at) if is_key else self.source.value_place(at, offset)
        self.source.add(at, message, hint, place=place)


def _mistake_of_sharing(first: str, other: OutputEntry, output: OutputEntry) -> tuple[str, str] | None:
    """Return why a task cannot write to this output of the task `first`, and a hint; None if it can."""
    kind = kind_of(output.to)
    if kind is not None and kind.is_of_one_task:
        what = f"task {first} writes to {shown(other.to)}, too, and an output of the kind {kind.name} is for one task"
        return what, "name another path, or write {task} in it"
    if other.fields != output.fields:
        what = f"task {first} writes to the same output with other fields"
        return what, "write the same `fields` for both, or name another output"
    return None


def _cause(error: Any) -> Exception | None:
    cause = error.get("ctx", {}).get("error")
    return cause if isinstance(cause, Exception) else None


def _wording(error: Any, known: list[str] | None) -> tuple[str, str, int]:
    """Return message, hint and offset for one of pydantic's errors."""
    cause, kind, context = _cause(error), error["type"], error.get("ctx", {})
    if isinstance(cause, BadValueError | PatternError):
        return cause.message, cause.hint, cause.offset
    if kind == "missing":
        *above, key = map(str, error["loc"])
        return f"{key!r} is missing", MAP_HINTS.get("".join(above[-1:]), f"write {{{key}: …}}"), 0
    if kind == "extra_forbidden":
        return "unknown key", suggest(str(error["loc"][-1]), known) if known else "", 0
    if kind == "string_type" and isinstance(error["input"], list):
        return f"must be text, not {_shown(error)}", "write a single value, without brackets or dashes", 0
    if kind in TYPES:
        hints = MAP_HINTS if TYPES[kind] == "a map" else {}
        hint = hints.get(str(error["loc"][-1]), TYPE_HINTS.get(kind, ""))
        return f"must be {TYPES[kind]}, not {_shown(error)}", hint, 0
    if kind in BOUNDS:
        words, name = BOUNDS[kind]
        return f"must be {words} {context[name]:.10g}, not {show(error['input'])}", "", 0
    if kind == "literal_error":
        choices = re.findall("'([^']*)'", context["expected"])
        near = nearest(str(error["input"]), choices)
        is_meant = f"did you mean {near!r}?" if near else ""
        return f"{show(error['input'])} is not one of {', '.join(choices)}", is_meant, 0
    if kind in ("too_short", "string_too_short"):
        return "empty", "", 0
    if kind == "string_pattern_mismatch":
        return f"{show(error['input'])} is not a product name", "write one word such as Exemplar or OurCrawler/1.0", 0
    return str(error["msg"]), "", 0


def _shown(error: Any) -> str:
    """Return the value as shown in a message, or only its type if it may be a secret."""
    is_secret = isinstance(error["input"], str) and error["loc"] and error["loc"][0] in SECRET_KEYS
    return "text" if is_secret else show(error["input"])


def _missing_hint(key: str) -> str:
    examples = Task.model_fields[key].examples or []
    return f"for instance {key}: {examples[0]}" if examples else ""


def _inner_keys(path: Path_) -> list[str] | None:
    """Return the known keys of a map within a task's key, if the last key of `path` is one of its keys; else None."""
    names = [step for step in path[:-1] if isinstance(step, str)]
    models: dict[str, type[BaseModel]] = {
        "keep": Filter,
        "drop": Filter,
        "output": OutputEntry,
        "where": OutputCondition,
        "batch": BatchSize,
    }
    model = models.get(names[-1]) if len(names) > 1 else None
    return [*model.model_fields] if model else None


__all__ = ["TASK_KEYS", "Reader", "load", "loads", "task_file_of"]
