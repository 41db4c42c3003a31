"""Sinks write rows to outputs. One file a kind of output; `open_sink` chooses by the output's form."""

import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from workers import variables
from workers.durability import Durability
from workers.errors import OutputError
from workers.variables import VariableNotSet

from .interface import ListSink, Sink, WrittenRow
from .jsonl import JsonLinesSink
from .sqlite import SqliteSink

__all__ = ["KINDS", "JsonLinesSink", "ListSink", "Sink", "SqliteSink", "WrittenRow", "expand", "kind_of", "open_sink"]

KINDS: Mapping[str, tuple[str, ...]] = {"jsonl": (".jsonl", ".ndjson"), "sqlite": (".db", ".sqlite", ".sqlite3")}


def kind_of(output: str) -> str | None:
    """Return the kind of an output; None if it is unknown."""
    if output.startswith("sqlite:"):
        return "sqlite"
    if "://" in output:
        return None
    suffix = Path(output).suffix.lower()
    return next((kind for kind, suffixes in KINDS.items() if suffix in suffixes), None)


def expand(output: str, task: str, environ: Mapping[str, str] | None = None) -> str:
    """Replace `{task}` and `${VARIABLES}`. Raises `OutputError` that names a missing variable."""
    try:
        return variables.expand(output.replace("{task}", task), os.environ if environ is None else environ)
    except VariableNotSet as error:
        raise OutputError(f"task {task}: output {output}: {error}") from None


def open_sink(output: str, task: str, folder: Path, durability: Durability = "safe") -> Sink:
    """Return the sink of an output; relative paths are relative to `folder`. Raises `OutputError` if it is invalid."""
    target = expand(output, task)
    kind = kind_of(target)
    if kind is None:
        known = ", ".join(suffix for suffixes in KINDS.values() for suffix in suffixes)
        raise OutputError(f"task {task}: unknown kind of output {output}; use a path that ends in {known}")
    if target.startswith("sqlite:"):
        # sqlite:///relative.db and sqlite:////absolute.db, as SQLAlchemy writes them
        target = unquote(urlsplit(target).path)[1:]
    path = folder / Path(target).expanduser()
    return (JsonLinesSink if kind == "jsonl" else SqliteSink)(path, durability=durability)
