"""YAML text → plain values, each with its line and column.

PyYAML composes nodes with line and column. The values are built here, so that duplicate keys, tags, excessive aliases
and invalid keys are all reported together. The library itself raises at the first one.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from yaml.error import MarkedYAMLError
from yaml.nodes import Node
from yaml.reader import ReaderError

from crawler.task_list.mistakes import Mistake, nearest
from workers.redaction import redact

MAX_BYTES = 64 * 2**20  # bytes; a task list of 300,000 tasks is half as large
MAX_REPEATED = 100_000  # values that aliases insert more than once

Path_ = tuple[str | int, ...]
Place = tuple[int, int]  # line and column, from 1
MAX_DEPTH = 40  # levels of nested maps and lists; a task list needs four
TOO_DEEP = "nested too deeply", f"a task list needs no more than {MAX_DEPTH} levels"  # message, hint
_KINDS = {  # of plain scalars, by YAML 1.2; all others are text
    "null": r"~|null|Null|NULL|",
    "bool": r"true|True|TRUE|false|False|FALSE",
    "int": r"[-+]?(?:0b[01_]+|0o?[0-7_]+|[0-9][0-9_]*|0x[0-9a-fA-F_]+)",
    "float": r"[-+]?(?:(?:[0-9][0-9_]*)(?:\.[0-9_]*(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)"
    r"|\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?|\.(?:inf|Inf|INF))|\.(?:nan|NaN|NAN)",
}
_TAG = "tag:yaml.org,2002:"
_LINE_ENDS = re.compile(r"[\x85\u2028\u2029]")  # of YAML 1.1 alone


SYNTAX_HINTS = {  # by words of the parser's message; the first that occur count
    TOO_DEEP[0]: TOO_DEEP[1],
    "mapping values are not allowed": "check the indentation, or put the value in quotes",
    "could not find expected ':'": "write a colon and a space after the key",
    "escape": "put the value in single quotes, within which a backslash is one",
    "a block": "indent all keys of one map alike",
    "duplicate anchor": "give each anchor a name of its own",
    "alias": "put a value that starts with * in quotes",
    "another document": "write one task list in one file, without ---",
    "token": "put the value in quotes",
}


@dataclass
class Source:
    """A YAML file, its text and values. `data` consists of dict, list, str, int, float, bool and None; dates stay text.

    `mistakes`: all invalid parts. `keys` and `values`: the place of each path's key and value. `insides`: the column
    offset of the text in each quoted value; None if it spans lines.
    """

    file: str
    text: str = ""
    data: Any = None
    mistakes: list[Mistake] = field(default_factory=list)
    unread: set[Path_] = field(default_factory=set)  # values that could not be read, each with its mistake
    keys: dict[Path_, Place] = field(default_factory=dict)
    values: dict[Path_, Place] = field(default_factory=dict)
    insides: dict[Path_, int | None] = field(default_factory=dict)

    def resolve(self, path: Path_) -> Path_:
        """Return the part of `path` that exists in the file; steps that the file omits are skipped.

        A single value in place of a list has no `[0]`, and `keep: [a]` has no `keywords`.
        """
        known: Path_ = ()
        for step in path:
            if (*known, step) in self.values:
                known = (*known, step)
        return known

    def value_place(self, path: Path_, offset: int = 0) -> Place:
        """Return the place of the value of `path`, or of its character `offset` if the value is on one line."""
        known = self.resolve(path)
        line, column = self.values.get(known, (1, 1))
        inside = self.insides.get(known, 0)
        return (line, column) if inside is None or not offset else (line, column + inside + offset)

    def key_place(self, path: Path_) -> Place:
        """Return the place of the last key of `path`; for an item of a list, that of the item."""
        known = self.resolve(path)
        return self.keys.get(known) or self.values.get(known, (1, 1))

    def add(
        self, path: Path_, message: str, hint: str = "", *, at_key: bool = False, place: Place | None = None
    ) -> None:
        """Add a mistake; passwords in message and hint are redacted.

        Without a `place` it is that of the value of `path` or, `at_key`, of its key.
        """
        place = place or (self.key_place(path) if at_key else self.value_place(path))
        self.mistakes.append(Mistake(self.file, *place, dotted(path), redact(message), redact(hint)))


def dotted(path: Path_) -> str:
    """Return `tasks.news.start[1]` for a path."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


def read(path: Path) -> Source:
    """Return the values of the file at `path`. Never raises: everything invalid is in `mistakes`."""
    source = Source(str(path))
    text = _text(path, source)
    if text is not None:
        _compose(text, source)
    return source


def read_text(text: str, file: str = "tasks.yaml") -> Source:
    """Return the values of YAML text."""
    source = Source(file)
    _compose(text, source)
    return source


def _text(path: Path, source: Source) -> str | None:
    try:
        if path.is_file() and path.stat().st_size > MAX_BYTES:
            source.add((), f"larger than {MAX_BYTES // 2**20} MiB", "check that it is the task list")
            return None
        raw = path.read_bytes()
    except FileNotFoundError:
        source.add((), "no such file", _nearest_file(path))
    except (OSError, ValueError) as error:
        source.add((), f"cannot be read: {getattr(error, 'strerror', None) or error}")
    else:
        return _decoded(raw, source)
    return None


def _nearest_file(path: Path) -> str:
    try:
        near = nearest(path.name, [file.name for file in path.parent.glob("*.y*ml")])
    except OSError:
        near = None
    return f"did you mean {path.parent / near}?" if near else "`exemplar init` writes a sample"


def _decoded(raw: bytes, source: Source) -> str | None:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = _place_after(raw[: error.start].decode("utf-8", "replace"))
        source.add((), f"byte {raw[error.start]:#04x} is not UTF-8", "save the file as UTF-8", place=place)
        return None


def _place_after(before: str) -> Place:
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def _compose(text: str, source: Source) -> None:
    source.text = text
    try:
        node = compose(text)
    except MarkedYAMLError as error:
        _syntax_mistake(error, text, source)
    except ReaderError as error:
        place = _place_after(text.encode()[: error.position].decode(errors="ignore"))
        source.add((), f"character {error.character:#x} is not allowed in YAML", "delete it", place=place)
    except (ValueError, TypeError, AttributeError, IndexError, KeyError, AssertionError, NotImplementedError) as error:
        source.add((), f"not YAML: {error}")  # other errors of the parser on unusual input
    else:
        if node is None:
            source.add((), "empty", "write a map of tasks under 'tasks:'")
        else:
            source.data = _Builder(source).build(node)


def _place_of(mark: Any) -> Place:
    return mark.line + 1, mark.column + 1


def _syntax_mistake(error: Any, text: str, source: Source) -> None:
    mark = error.problem_mark or error.context_mark
    lines = text.splitlines()
    tabs = [(n, line) for n, line in enumerate(lines, 1) if re.match(r" *\t\s*[^\s#]", line)]
    for number, line in tabs:
        source.add((), "a tab in the indentation", "indent with spaces", place=(number, line.index("\t") + 1))
    if "quoted scalar" in (error.context or "") and "end of stream" in (error.problem or "") and error.context_mark:
        source.add((), "this quotation mark is not closed", "close it", place=_place_of(error.context_mark))
        return
    place = _place_of(mark) if mark else (1, 1)
    if glued := re.match(r" *[\w-]+:(?=[^\s/])(?!.*: )", "".join(lines[place[0] - 2 : place[0] - 1])):
        place = (place[0] - 1, glued.end() + 1)
        source.add((), "no space after the colon of this key", "add the space", place=place)
    elif place[0] not in {number for number, _ in tabs}:
        problem = " ".join((error.problem or error.context or "not YAML").split())
        hint = _syntax_hint(f"{error.context} {problem}", lines[place[0] - 1 : place[0]])
        source.add((), f"not YAML: {problem}", hint, place=place)


def _syntax_hint(problem: str, line: list[str]) -> str:
    if any(char in "".join(line) for char in "[{") and ("flow" in problem or "expected ','" in problem):
        return "within a list in brackets, put a value with [ ] { } or , in quotes"
    return next((hint for words, hint in SYNTAX_HINTS.items() if words in problem), "")


class _Builder:
    """Turns nodes into values and records the place of each."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.open: set[int] = set()  # nodes that are being built, to detect an alias of a node inside itself
        self.built: set[int] = set()
        self.repeated = 0

    def build(self, node: Any, path: Path_ = ()) -> Any:
        self.source.values[path] = _place_of(node.start_mark)
        if problem := self.problem(node, path):
            self.source.unread.add(path)
            if problem[0]:
                self.source.add(path, *problem)
            return None
        self.open.add(id(node))
        value = {"scalar": self.scalar, "sequence": self.sequence, "mapping": self.mapping}[node.id](node, path)
        self.open.discard(id(node))
        self.built.add(id(node))
        return value

    def problem(self, node: Any, path: Path_) -> tuple[str, str] | None:
        if id(node) in self.open:
            return "an alias of a value inside itself", "write the value out"
        if len(path) > MAX_DEPTH:
            return TOO_DEEP
        self.repeated += id(node) in self.built
        if self.repeated == MAX_REPEATED:
            return f"aliases repeat more than {MAX_REPEATED} values", "write the values out"
        return ("", "") if self.repeated > MAX_REPEATED and node.id != "scalar" else None

    def scalar(self, node: Any, path: Path_) -> Any:
        tag = node.tag or ""
        if node.style:
            one_line = node.style in ("'", '"') and node.start_mark.line == node.end_mark.line
            self.source.insides[path] = 1 if one_line else None
        if not tag.startswith(_TAG):
            self.source.add(path, f"tags are not supported: {tag}", "delete it")
        return scalar_value(tag.rpartition(":")[2], node.value)

    def sequence(self, node: Any, path: Path_) -> list[Any]:
        return [self.build(child, (*path, index)) for index, child in enumerate(node.value)]

    def mapping(self, node: Any, path: Path_) -> dict[str, Any]:
        built: dict[str, Any] = {}
        for key, child in node.value:
            place = _place_of(key.start_mark)
            if key.id != "scalar" or not key.value.strip():
                self.source.add(path, "a key must be text", "put it in quotes", place=place)
            elif key.value in built:
                first = self.source.keys[(*path, key.value)][0]
                self.source.add((*path, key.value), f"duplicate key, first on line {first}", "delete one", place=place)
            else:
                self.source.keys[(*path, key.value)] = place
                built[key.value] = self.build(child, (*path, key.value))
                if child.id == "scalar" and not child.value and not child.style:
                    self.source.values[(*path, key.value)] = place  # for an empty value the parser gives the next line
        return built


def compose(text: str) -> Node | None:
    """Return the root of the only document, None without one. Raises `yaml.YAMLError`."""
    root: Node | None = yaml.compose(text, Loader=_Loader)
    return root


def written(value: Any, is_in_braces: bool = False) -> str:
    """Return a value as YAML on one line."""
    is_flow = is_in_braces or isinstance(value, dict | list)
    return _dumped([value], is_flow=True)[1:-2] if is_flow else _dumped([value])[2:-1]


def block_lines(value: dict[str, Any], step: int) -> list[str]:
    """Return a map as YAML lines, each level indented by `step`."""
    return _dumped(value, indent=max(step, 2)).splitlines()


def _dumped(value: Any, is_flow: bool = False, indent: int = 2) -> str:
    text: str = yaml.dump(
        value,
        Dumper=_Dumper,
        default_flow_style=is_flow,
        indent=indent,
        width=MAX_BYTES,
        allow_unicode=True,
        sort_keys=False,
    )
    return text


def scalar_value(kind: str, text: str) -> Any:
    """Return the value of a YAML 1.2 scalar; numbers that Python cannot parse stay text."""
    try:
        match kind:
            case "null":
                return None
            case "bool":
                return text.lower() == "true"
            case "int":
                plain = text.replace("_", "").lower()
                return int(plain, 0) if re.match(r"[+-]?0[xob]", plain) else int(plain)
            case "float":
                return float(text.replace("_", "").lower().replace(".inf", "inf").replace(".nan", "nan"))
    except ValueError:
        return text
    return text


class _Loader(yaml.CBaseLoader):  # type: ignore[misc]
    """Composes nodes whose plain scalars have the tags of YAML 1.2. libyaml ends the process on deep nesting."""

    depth = 0

    def descend_resolver(self, current_node: Node | None, current_index: Any) -> None:
        """Refuse a node that is nested too deeply."""
        self.depth += 1
        if self.depth > MAX_DEPTH + 2:
            raise MarkedYAMLError(problem=TOO_DEEP[0], problem_mark=current_node and current_node.start_mark)

    def ascend_resolver(self) -> None:
        """Leave a node."""
        self.depth -= 1


class _Dumper(yaml.SafeDumper):  # type: ignore[misc]
    """Quotes what YAML 1.1 or 1.2 would not read as text; writes each value out."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Indent lists below their keys."""
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:
        """Return True."""
        return True


def _text_node(dumper: _Dumper, text: str) -> Node:
    """Return a text as a node; the line ends of YAML 1.1 are written as escapes, since YAML 1.2 keeps them."""
    style = '"' if _LINE_ENDS.search(text) else None
    return dumper.represent_scalar(f"{_TAG}str", text, style)


_Dumper.add_representer(str, _text_node)
for _kind, _form in _KINDS.items():
    for _class in (_Loader, _Dumper):
        _class.add_implicit_resolver(_TAG + _kind, re.compile(f"(?:{_form})$"), None)
