"""The kinds of outputs: how each is recognised, what opens it, and which extra it needs.

A kind's module is imported when an output of the kind is opened, so that unused libraries are not loaded.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from workers.addresses import shown
from workers.errors import OutputError
from workers.rows import Row
from workers.sinks.durability import Durability
from workers.variables import AmbiguousAddress, VariableNotSet, expand_address

from .interface import BatchSink, Sink
from .options import BATCH_ROWS, BATCH_SECONDS, OutputOptions


@dataclass(frozen=True, slots=True)
class Target:
    """The data for opening a sink. `address`: the output with `{task}` and `${VARIABLES}` replaced; it may contain
    secrets.

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

    `schemes`: of its addresses, "" for a path. `suffixes`: its addresses end with one of them; none: with any. `extra`:
    the extra of `exemplar-crawler` that it needs. `is_queued`: it opens a `BatchSink`; its rows are queued and
    delivered in batches. `takes`: the options of an output that have an effect, besides `batch`, which queued kinds
    have. `placeholders`: those that its addresses may contain besides `{task}`. `reads`: `module:function` within
    `workers.sinks`, from a `Target` to the rows that the output has, oldest first; empty if they cannot be read.
    `shows_html`: it writes the article's HTML, or what is derived from it.
    `batch_rows`, `batch_seconds`: the size and age at which a batch is delivered, unless the output's options differ.
    """

    name: str
    opens: str
    schemes: tuple[str, ...] = ("",)
    suffixes: tuple[str, ...] = ()
    extra: str = ""
    is_queued: bool = False
    takes: tuple[str, ...] = ("fields", "where")
    placeholders: tuple[str, ...] = ()
    reads: str = ""
    shows_html: bool = False
    batch_rows: int = BATCH_ROWS
    batch_seconds: float = BATCH_SECONDS

    def open(self, target: Target) -> Sink | BatchSink:
        """Return the sink of a target. Raises `OutputError` if it is invalid or its extra is not installed."""
        return cast(Callable[[Target], Sink | BatchSink], self._imported(self.opens, target))(target)

    def rows(self, target: Target) -> Iterator[Row]:
        """Yield the rows that a target has, oldest first.

        Raises `OutputError` if the kind cannot be read, the target is invalid or its extra is not installed, and
        `SinkUnavailable`.
        """
        if not self.reads:
            raise OutputError(f"task {target.task}: rows cannot be read from {shown(target.label)}")
        return cast(Callable[[Target], Iterator[Row]], self._imported(self.reads, target))(target)

    def options(self) -> tuple[str, ...]:
        """Return the options of tasks.yaml that have an effect."""
        return (*self.takes, "batch") if self.is_queued else self.takes

    def _imported(self, place: str, target: Target) -> Any:
        """Return a function of a sink's module. Raises `OutputError` if the kind's extra is not installed."""
        module, function = place.split(":")
        try:
            return getattr(import_module(f"workers.sinks.{module}"), function)
        except ModuleNotFoundError as error:
            if not self.extra:
                raise
            raise OutputError(
                f"task {target.task}: output {shown(target.label)} needs {error.name}; "
                f"run pip install 'exemplar-crawler[{self.extra}]'"
            ) from None


WEBHOOK_SCHEMES = ("https", "http", "webhook+https", "webhook+http")
SEARCH_SCHEMES = tuple(
    f"{product}+{scheme}" for product in ("elasticsearch", "opensearch") for scheme in ("http", "https")
)
_STORE_KINDS = {  # kinds of stores, by extra
    "azure": ("az", "abfs", "abfss"),
    "gcs": ("gs", "gcs"),
    "s3": ("s3", "s3a", "memory"),
    "sftp": ("sftp",),
}
_STORES = ("file", *(scheme for schemes in _STORE_KINDS.values() for scheme in schemes))
_MYSQL = ("mysql", "mysql+pymysql", "mariadb", "mariadb+pymysql")
_POSTGRESQL = ("postgresql", "postgresql+psycopg", "postgres")
OBJECT_ROWS = 5000  # rows of a batch; many small objects are slow to read
_DATED, _DATES, _IN_STORES = ("date",), ("date", "published"), ("date", "batch")
_BY_TEMPLATE = ("fields", "where", "template")
_LINES, _TABLE = "reading:jsonl_rows", "reading:sqlite_rows"

KINDS: dict[str, Kind] = {  # if several fit an output, the first one is used
    kind.name: kind
    for kind in (
        Kind("jsonl", "jsonl:open_jsonl", suffixes=(".jsonl", ".ndjson"), placeholders=_DATES, reads=_LINES),
        *(
            Kind(f"jsonl.{end}", opens, ("",), (f".jsonl.{end}", f".ndjson.{end}"), placeholders=_DATES, reads=_LINES)
            for end, opens in (("gz", "compressed_jsonl:open_gzip"), ("zst", "compressed_jsonl:open_zstd"))
        ),
        Kind("csv", "csv_files:open_csv", suffixes=(".csv", ".tsv"), placeholders=_DATES),
        Kind(
            "markdown",
            "markdown:open_markdown",
            suffixes=(".md",),
            takes=_BY_TEMPLATE,
            placeholders=(*_DATES, "title", "id", "version"),
            shows_html=True,
        ),
        Kind(
            "parquet",
            "parquet:open_parquet",
            ("", *_STORES),
            (".parquet",),
            "parquet",
            is_queued=True,
            placeholders=_IN_STORES,
            batch_rows=OBJECT_ROWS,
            batch_seconds=300.0,
        ),
        *(
            Kind(
                name,
                "store:open_store",
                schemes,
                extra=extra,
                is_queued=True,
                placeholders=_IN_STORES,
                batch_rows=OBJECT_ROWS,
                batch_seconds=60.0,
            )
            for name, schemes, extra in (
                ("file", ("file",), ""),
                *((name, schemes, name) for name, schemes in _STORE_KINDS.items()),
            )
        ),
        Kind("mysql", "sql:open_sql", _MYSQL, (), "sql", is_queued=True),
        Kind("postgresql", "sql:open_sql", _POSTGRESQL, (), "sql", is_queued=True),
        Kind("sqlite", "sqlite:open_sqlite", suffixes=(".db", ".sqlite", ".sqlite3"), reads=_TABLE),
        Kind("warc", "warc:open_warc", suffixes=(".warc.gz",), extra="warc", takes=("where",), placeholders=("date",)),
        Kind("sqlite address", "sqlite:open_sqlite", schemes=("sqlite",), reads=_TABLE),
        Kind("webhook", "webhook:open_webhook", schemes=WEBHOOK_SCHEMES, is_queued=True),
        Kind("search", "search:open_search", schemes=SEARCH_SCHEMES, is_queued=True, placeholders=_DATED),
        *(
            Kind(name, opens, suffixes=(suffix,), is_queued=True, takes=_BY_TEMPLATE, shows_html=True)
            for name, opens, suffix in (
                ("atom", "feeds:open_atom", ".atom"),
                ("json feed", "feeds:open_json_feed", ".feed.json"),
            )
        ),
    )
}
_SCHEME = re.compile(r"([a-z][a-z0-9]+(?:\+[a-z0-9]+)?):", re.IGNORECASE)  # two letters at least: C: is a drive
FEED_OPTIONS = re.compile(r"\?((?:items|url)=.*)$", re.DOTALL)  # at the end of the path of a feed


def scheme_of(output: str) -> str:
    """Return the scheme of an output in lower case; empty for a path."""
    match = _SCHEME.match(output)
    return match[1].lower() if match else ""


def suffixes_at(scheme: str) -> tuple[str, ...]:
    """Return the suffixes of the kinds at a scheme, "" for paths; none if any will do, or the scheme is unknown."""
    kinds = [kind for kind in KINDS.values() if scheme in kind.schemes]
    any_will_do = any(not kind.suffixes for kind in kinds)
    return () if any_will_do else tuple(dict.fromkeys(suffix for kind in kinds for suffix in kind.suffixes))


def known_schemes() -> tuple[str, ...]:
    """Return the schemes of all kinds, without paths."""
    return tuple(dict.fromkeys(scheme for kind in KINDS.values() for scheme in kind.schemes if scheme))


def known_kinds() -> str:
    """Return the known outputs, for messages: all suffixes, and the usual scheme of each kind."""
    schemes = dict.fromkeys(scheme for kind in KINDS.values() for scheme in kind.schemes[:1] if scheme)
    return (
        f"use a path that ends in {', '.join(suffixes_at(''))}, or an address that begins with "
        f"{', '.join(f'{scheme}:' for scheme in schemes)}"
    )


def kind_of(output: str) -> Kind | None:
    """Return the kind of an output; None if it is unknown."""
    match = _SCHEME.match(output)
    scheme = match[1].lower() if match else ""
    path = output[match.end() :].partition("?")[0] if match else FEED_OPTIONS.sub("", output)
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
        return expand_address(output.replace("{task}", task), os.environ if environ is None else environ)
    except (VariableNotSet, AmbiguousAddress) as error:
        raise OutputError(f"task {task}: output {shown(output)}: {error}") from None


def open_sink(
    output: str, task: str, folder: Path, durability: Durability = "safe", options: OutputOptions | None = None
) -> Sink | BatchSink:
    """Return the sink of an output; relative paths are relative to `folder`. Raises `OutputError` if it is invalid."""
    address = expand(output, task)
    kind = kind_of(address)
    if kind is None:
        raise OutputError(f"task {task}: unknown kind of output {shown(output)}; {known_kinds()}")
    return kind.open(Target(address, output, task, folder, durability, options or OutputOptions()))


def is_queued(output: str, task: str) -> bool:
    """Whether the rows of an output are queued. Raises `OutputError` if a variable that decides it is missing."""
    kind = _kind_for(output, task)
    return kind is not None and kind.is_queued


def wants_html(output: str, task: str, options: OutputOptions) -> bool:
    """Whether an output needs the HTML of articles. Raises `OutputError` as `is_queued`."""
    kind = _kind_for(output, task)
    return options.wants_html or (kind is not None and kind.shows_html)


def _kind_for(output: str, task: str) -> Kind | None:
    return kind_of(output if _SCHEME.match(output) else expand(output, task))


def batch_size(output: str, task: str, options: OutputOptions) -> tuple[int, float]:
    """Return rows and seconds after which a batch of an output is delivered: from its options, else from its kind."""
    rows, seconds = options.batch_rows, options.batch_seconds
    if rows is None or seconds is None:
        kind = None
        with suppress(OutputError):  # a variable that decides the kind is not set in this process
            kind = _kind_for(output, task)
        rows = (kind.batch_rows if kind else BATCH_ROWS) if rows is None else rows
        seconds = (kind.batch_seconds if kind else BATCH_SECONDS) if seconds is None else seconds
    return max(1, rows), seconds
