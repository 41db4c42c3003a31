"""The kinds of outputs: how each is recognised, what opens it, and which extra it needs.

A kind's module is imported when an output of the kind is opened, so that nobody loads libraries that no task uses.
"""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import cast

from workers import variables
from workers.addresses import shown
from workers.durability import Durability
from workers.errors import OutputError
from workers.variables import VariableNotSet

from .interface import BatchSink, Sink
from .options import OutputOptions


@dataclass(frozen=True, slots=True)
class Target:
    """What opens a sink. `address`: the output with `{task}` and `${VARIABLES}` replaced; it may hold secrets.

    `label`: the output as in tasks.yaml, for messages. Relative paths are relative to `folder`.
    """

    address: str
    label: str
    task: str
    folder: Path
    durability: Durability = "safe"
    options: OutputOptions = field(default_factory=OutputOptions)


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of output. `opens`: `module:function` within `workers.sinks`, from a `Target` to a sink.

    `schemes`: of its addresses, "" for a path. `suffixes`: one of which it ends in; none: any. `extra`: what to install
    with it, `exemplar-crawler[extra]`. `is_queued`: it opens a `BatchSink`; its rows are queued and delivered in
    batches.
    """

    name: str
    opens: str
    schemes: tuple[str, ...] = ("",)
    suffixes: tuple[str, ...] = ()
    extra: str = ""
    is_queued: bool = False

    def open(self, target: Target) -> Sink | BatchSink:
        """Return the sink of a target. Raises `OutputError` if it is invalid or its extra is not installed."""
        module, function = self.opens.split(":")
        try:
            opener = getattr(import_module(f"workers.sinks.{module}"), function)
        except ModuleNotFoundError as error:
            if not self.extra:
                raise
            raise OutputError(
                f"task {target.task}: output {shown(target.label)} needs {error.name}; "
                f"run pip install 'exemplar-crawler[{self.extra}]'"
            ) from None
        return cast(Callable[[Target], Sink | BatchSink], opener)(target)


WEBHOOK_SCHEMES = ("https", "http", "webhook+https", "webhook+http")
SEARCH_SCHEMES = tuple(
    f"{product}+{scheme}" for product in ("elasticsearch", "opensearch") for scheme in ("http", "https")
)
_STORE_KINDS = {  # by extra
    "azure": ("az", "abfs", "abfss"),
    "gcs": ("gs", "gcs"),
    "s3": ("s3", "s3a", "memory"),
    "sftp": ("sftp",),
}
_STORES = ("file", *(scheme for schemes in _STORE_KINDS.values() for scheme in schemes))
_MYSQL = ("mysql", "mysql+pymysql", "mariadb", "mariadb+pymysql")
_POSTGRESQL = ("postgresql", "postgresql+psycopg", "postgres")

KINDS: Mapping[str, Kind] = {  # of several that fit, the first
    kind.name: kind
    for kind in (
        Kind("jsonl", "jsonl:open_jsonl", suffixes=(".jsonl", ".ndjson")),
        Kind("jsonl.gz", "compressed_jsonl:open_gzip", suffixes=(".jsonl.gz", ".ndjson.gz")),
        Kind("jsonl.zst", "compressed_jsonl:open_zstd", suffixes=(".jsonl.zst", ".ndjson.zst")),
        Kind("csv", "csv_files:open_csv", suffixes=(".csv", ".tsv")),
        Kind("markdown", "markdown:open_markdown", suffixes=(".md",)),
        Kind("parquet", "parquet:open_parquet", ("", *_STORES), (".parquet",), "parquet", is_queued=True),
        Kind("file", "store:open_store", schemes=("file",), is_queued=True),
        *(Kind(name, "store:open_store", schemes, (), name, is_queued=True) for name, schemes in _STORE_KINDS.items()),
        Kind("mysql", "sql:open_sql", _MYSQL, (), "sql", is_queued=True),
        Kind("postgresql", "sql:open_sql", _POSTGRESQL, (), "sql", is_queued=True),
        Kind("sqlite", "sqlite:open_sqlite", suffixes=(".db", ".sqlite", ".sqlite3")),
        Kind("warc", "warc:open_warc", suffixes=(".warc.gz",), extra="warc"),
        Kind("sqlite address", "sqlite:open_sqlite", schemes=("sqlite",)),
        Kind("webhook", "webhook:open_webhook", schemes=WEBHOOK_SCHEMES, is_queued=True),
        Kind("search", "search:open_search", schemes=SEARCH_SCHEMES, is_queued=True),
        Kind("atom", "feeds:open_atom", suffixes=(".atom",), is_queued=True),
        Kind("json feed", "feeds:open_json_feed", suffixes=(".feed.json",), is_queued=True),
    )
}
_SCHEME = re.compile(r"([a-z][a-z0-9]+(?:\+[a-z0-9]+)?):", re.IGNORECASE)  # two letters at least: C: is a drive
_OPTION = re.compile(r"\?items=\d+$")  # of the path of a feed


def kind_of(output: str) -> Kind | None:
    """Return the kind of an output; None if it is unknown."""
    match = _SCHEME.match(output)
    scheme = match[1].lower() if match else ""
    path = output[match.end() :].partition("?")[0] if match else _OPTION.sub("", output)
    return next(
        (
            kind
            for kind in KINDS.values()
            if scheme in kind.schemes and (not kind.suffixes or path.lower().endswith(kind.suffixes))
        ),
        None,
    )


def expand(output: str, task: str, environ: Mapping[str, str] | None = None) -> str:
    """Replace `{task}` and `${VARIABLES}`. Raises `OutputError` that names a missing variable."""
    try:
        return variables.expand(output.replace("{task}", task), os.environ if environ is None else environ)
    except VariableNotSet as error:
        raise OutputError(f"task {task}: output {shown(output)}: {error}") from None


def open_sink(
    output: str, task: str, folder: Path, durability: Durability = "safe", options: OutputOptions | None = None
) -> Sink | BatchSink:
    """Return the sink of an output; relative paths are relative to `folder`. Raises `OutputError` if it is invalid."""
    address = expand(output, task)
    kind = kind_of(address)
    if kind is None:
        known = ", ".join(suffix for kind in KINDS.values() for suffix in kind.suffixes)
        raise OutputError(f"task {task}: unknown kind of output {shown(output)}; use a path that ends in {known}")
    return kind.open(Target(address, output, task, folder, durability, options or OutputOptions()))


def is_queued(output: str, task: str) -> bool:
    """Whether the rows of an output are queued. Raises `OutputError` if a variable that decides it is missing."""
    kind = kind_of(output if _SCHEME.match(output) else expand(output, task))
    return kind is not None and kind.is_queued
