"""YAML text → plain values, each with the place where it stands.

ruamel.yaml composes the nodes (they know line and column); the values are built here, so that duplicate keys, tags,
aliases that multiply and unusable keys are all reported at once instead of the first one being raised.
"""

import codecs
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crawler.redaction import redact
from crawler.task_list.mistakes import Mistake, nearest

MAX_BYTES = 64 * 2**20  # a task list of 300,000 tasks has half of it
MAX_DEPTH = 40  # maps in maps; a task list needs four
MAX_REPEATED = 100_000  # values that come in by an alias more than once

Path_ = tuple[str | int, ...]
Place = tuple[int, int]  # line and column, from 1


@dataclass
class Source:
    """A YAML file as values. `data` is made of dict, list, str, int, float, bool and None; dates stay text.

    `keys` and `values` hold the place of each path's key and value; `mistakes` what could not be read.
    """

    file: str
    data: Any = None
    mistakes: list[Mistake] = field(default_factory=list)
    keys: dict[Path_, Place] = field(default_factory=dict)
    values: dict[Path_, Place] = field(default_factory=dict)
    unread: set[Path_] = field(default_factory=set)  # values that couldn't be built, each with its mistake
    insides: dict[Path_, int | None] = field(default_factory=dict)  # where the text begins in a quoted or folded value

    def resolve(self, path: Path_) -> Path_:
        """Return the part of `path` that is there; steps that the file leaves out are skipped.

        A single value where a list may stand has no `[0]`, and `keep: [a]` no `keywords`.
        """
        found: Path_ = ()
        for step in path:
            if (*found, step) in self.values:
                found = (*found, step)
        return found

    def value_place(self, path: Path_, offset: int = 0) -> Place:
        """Return where the value of `path` starts, or its character `offset` if the value stands on one line."""
        found = self.resolve(path)
        line, column = self.values.get(found, (1, 1))
        inside = self.insides.get(found, 0)
        return (line, column) if inside is None or not offset else (line, column + inside + offset)

    def key_place(self, path: Path_) -> Place:
        """Return where the last key of `path` stands; of an item of a list, where the item does."""
        found = self.resolve(path)
        return self.keys.get(found) or self.values.get(found, (1, 1))

    def add(self, place: Place, path: Path_, message: str, hint: str = "") -> None:
        """Note a mistake; a password in the value it quotes isn't shown."""
        self.mistakes.append(Mistake(self.file, *place, dotted(path), redact(message), redact(hint)))


def dotted(path: Path_) -> str:
    """Return `tasks.news.start[1]` for a path."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


def read(path: Path) -> Source:
    """Return the values of the file at `path`; whatever is wrong with it is among `mistakes`. Never raises."""
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
            source.add((1, 1), (), f"larger than {MAX_BYTES // 2**20} MiB", "is this the task list?")
            return None
        raw = path.read_bytes()
    except FileNotFoundError:
        source.add((1, 1), (), "no such file", _nearest_file(path))
    except IsADirectoryError:
        source.add((1, 1), (), "a folder, not a file", f"did you mean {path / 'tasks.yaml'}?")
    except (OSError, ValueError) as error:
        source.add((1, 1), (), f"can't be read: {getattr(error, 'strerror', None) or error}")
    else:
        return _decoded(raw, source)
    return None


def _nearest_file(path: Path) -> str:
    try:
        near = nearest(path.name, [each.name for each in path.parent.glob("*.y*ml")])
    except OSError:
        near = None
    return f"did you mean {path.parent / near}?" if near else "`exemplar init` writes a sample"


def _decoded(raw: bytes, source: Source) -> str | None:
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        source.add((1, 1), (), "not UTF-8 but UTF-16", "save it as UTF-8")
        return None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-8", "replace")
        place = (before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)
        source.add(place, (), f"byte {raw[error.start]:#04x} is not UTF-8", "save the file as UTF-8")
        return None


def _compose(text: str, source: Source) -> None:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an anchor used twice is allowed
            node = YAML(typ="rt", pure=True).compose(text)
    except MarkedYAMLError as error:
        _syntax_mistake(error, text, source)
    except YAMLError as error:
        at = getattr(error, "position", 0) or 0
        code = getattr(error, "character", 0)
        place = (text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1) + 1)
        source.add(place, (), f"character {code:#x} can't stand in YAML" if code else "not YAML", "delete it")
    except RecursionError:
        source.add((1, 1), (), "nested too deeply", f"a task list needs no more than {MAX_DEPTH} levels")
    except (ValueError, TypeError, AttributeError, IndexError, KeyError, AssertionError, NotImplementedError) as error:
        source.add((1, 1), (), f"not YAML: {error}")  # the parser's own slips on odd input
    else:
        if node is None:
            source.add((1, 1), (), "empty", "it needs a map of tasks under 'tasks:'")
        else:
            source.data = _Builder(source).build(node)


def _syntax_mistake(error: Any, text: str, source: Source) -> None:
    mark = error.problem_mark or error.context_mark
    lines = text.splitlines()
    tabs = [(n, line) for n, line in enumerate(lines, 1) if re.match(r" *\t\s*[^\s#]", line)]
    for number, line in tabs:
        source.add((number, line.index("\t") + 1), (), "a tab in the indentation", "YAML wants spaces")
    place = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    if glued := re.match(r" *[\w-]+:(?=[^\s/])(?!.*: )", "".join(lines[place[0] - 2 : place[0] - 1])):
        source.add((place[0] - 1, glued.end() + 1), (), "a key without a space after its colon", "add the space")
    elif place[0] not in {number for number, _ in tabs}:
        problem = " ".join((error.problem or error.context or "not YAML").split())
        source.add(place, (), f"not YAML: {problem}", _syntax_hint(problem, lines[place[0] - 1 : place[0]]))


def _syntax_hint(problem: str, line: list[str]) -> str:
    if "mapping values are not allowed" in problem:
        return "check the indentation, or put the value in quotes"
    if "could not find expected ':'" in problem:
        return "a colon and a space belong after the key"
    if "block end" in problem or "block mapping" in problem:
        return "keys of one map start in the same column"
    if "undefined alias" in problem or "alias" in problem:
        return "put a value that starts with * in quotes"
    if any(char in "".join(line) for char in "[{") and ("flow" in problem or "expected ','" in problem):
        return "put a value with [ ] { } or , in quotes when it stands in a list in brackets"
    if "another document" in problem:
        return "one file holds one task list, without ---"
    return "put the value in quotes" if "token" in problem else ""


class _Builder:
    """Turns nodes into values, noting each one's place."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.open: set[int] = set()  # nodes that are being built, to see an alias of a node inside itself
        self.built: set[int] = set()
        self.repeated = 0

    def build(self, node: Any, path: Path_ = ()) -> Any:
        place = (node.start_mark.line + 1, node.start_mark.column + 1)
        self.source.values[path] = place
        if problem := self.problem(node, path):
            self.source.unread.add(path)
            if problem[0]:
                self.source.add(place, path, *problem)
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
            return "nested too deeply", f"a task list needs no more than {MAX_DEPTH} levels"
        self.repeated += id(node) in self.built
        if self.repeated == MAX_REPEATED:
            return f"aliases repeat more than {MAX_REPEATED} values", "write the values out"
        return ("", "") if self.repeated > MAX_REPEATED and node.id != "scalar" else None

    def scalar(self, node: Any, path: Path_) -> Any:
        tag = node.tag or ""
        if node.style:
            one_line = node.style in ("'", '"') and node.start_mark.line == node.end_mark.line
            self.source.insides[path] = 1 if one_line else None
        if not tag.startswith("tag:yaml.org,2002:"):
            self.source.add(self.source.values[path], path, f"a tag ({tag}) has no meaning here", "leave it out")
        return _scalar(tag.rpartition(":")[2], node.value)

    def sequence(self, node: Any, path: Path_) -> list[Any]:
        return [self.build(child, (*path, index)) for index, child in enumerate(node.value)]

    def mapping(self, node: Any, path: Path_) -> dict[str, Any]:
        built: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        for key, child in node.value:
            place = (key.start_mark.line + 1, key.start_mark.column + 1)
            if (key.tag or "").endswith(":merge"):
                for name, value in self.merge(child, path):
                    merged.setdefault(name, value)
            elif key.id != "scalar" or not key.value.strip():
                self.source.add(place, path, "a key must be a word", "put it in quotes")
            elif key.value in built:
                first = self.source.keys[(*path, key.value)][0]
                self.source.add(place, (*path, key.value), f"duplicate key, first on line {first}", "delete one")
            else:
                self.source.keys[(*path, key.value)] = place
                built[key.value] = self.build(child, (*path, key.value))
                if child.id == "scalar" and not child.value and not child.style:
                    self.source.values[(*path, key.value)] = place  # nothing there: the parser is a line ahead
        return built | {name: value for name, value in merged.items() if name not in built}

    def merge(self, node: Any, path: Path_) -> Iterator[tuple[str, Any]]:
        """Yield what `<<: *anchor` brings in. Places of keys that are written out stay theirs."""
        nodes = node.value if node.id == "sequence" else [node]
        for each in nodes:
            keys, values = dict(self.source.keys), dict(self.source.values)
            value = self.build(each, path)
            self.source.keys |= keys
            self.source.values |= values
            if isinstance(value, dict):
                yield from value.items()
            else:
                place = (each.start_mark.line + 1, each.start_mark.column + 1)
                self.source.add(place, path, "<< wants a map", "write <<: *name")


def _scalar(kind: str, text: str) -> Any:
    """Return the value of a YAML 1.2 scalar; numbers that Python can't read stay text."""
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
