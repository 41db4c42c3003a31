"""The kinds of outputs: how each is recognised, what opens it, and which extra it needs.

Most are made of two parts that know nothing of each other: a `Format` makes bytes of rows, a `Storage` puts bytes into
a place. The others are a transaction of their own with a file or a server. A part is imported when an output needs it,
so that unused libraries are not loaded. Other packages add kinds, formats and storages by entry points of the group
`exemplar.outputs`; they are looked for when an output is not one of ours, since that takes time.
"""

import logging
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote, urlsplit

from workers.addresses import shown
from workers.errors import OutputError
from workers.rows import Row
from workers.variables import AmbiguousAddress, VariableNotSet, expand_address

from .interface import BatchSink, Sink
from .options import BATCH_ROWS, BATCH_SECONDS, OutputOptions

ENTRY_POINTS = "exemplar.outputs"
OBJECT_ROWS = 5000  # rows of a batch; many small objects are slow to read
Place = str | Callable[..., Any]  # a function, or `module:function`, which is imported when it is needed

log = logging.getLogger(__name__)


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
    options: OutputOptions = field(default_factory=OutputOptions)

    def opened(self, place: Place, extra: str, *arguments: object) -> Any:
        """Return the result of a function. Raises `OutputError` if the extra that it needs is not installed."""
        try:
            if isinstance(place, str):
                module, _, name = place.partition(":")
                place = cast(Callable[..., Any], getattr(import_module(module, "workers.sinks"), name))
            return place(*arguments)
        except ModuleNotFoundError as error:
            if not extra:
                raise
            raise OutputError(
                f"task {self.task}: output {shown(self.label)} needs {error.name}; "
                f"run pip install 'exemplar-crawler[{extra}]'"
            ) from None


@dataclass(frozen=True, slots=True)
class Format:
    """A format of rows. `opens`: from the `OutputOptions` to a `RowFormat` (`workers.sinks.formats`).

    `suffixes`: of its paths and addresses. `appends`: it is an `AppendedFormat`, so a path is a file to which rows are
    appended; else it is a folder of objects. `reads`: as of `Kind`. `day_folder`: the name of the folder of a day.
    """

    name: str
    opens: Place
    suffixes: tuple[str, ...]
    extra: str = ""
    appends: bool = False
    reads: Place = ""
    day_folder: str = "{date}"
    batch_seconds: float = 60.0


@dataclass(frozen=True, slots=True)
class Storage:
    """A store of whole objects. `opens`: from a `StoreAddress` to an `ObjectStore` (`workers.sinks.stores`).

    `schemes`: of its addresses; all mean the same as the first. `options`: names of those after `?`. `has_bucket`: an
    address begins with a bucket, not with a host.
    """

    name: str
    opens: Place
    schemes: tuple[str, ...]
    extra: str = ""
    options: tuple[str, ...] = ()
    has_bucket: bool = False


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of output. `opens`: from a `Target` to a sink; if it has a `format`, also from the opened format.

    `schemes`: of its addresses, "" for a path. `suffixes`: its addresses end with one of them; none: with any. `extra`:
    the extra of `exemplar-crawler` that it needs. `is_queued`: it opens a `BatchSink`; its rows are queued and
    delivered in batches. `takes`: the options of an output that have an effect, besides `batch`, which queued kinds
    have. `placeholders`: those that its addresses may contain besides `{task}`. `reads`: from a `Target` to the rows
    that the output has, oldest first; empty if they cannot be read. `shows_html`: it writes the article's HTML, or what
    is derived from it. `has_folder`: its files or objects are in a folder that can have kept pictures, too.
    `is_of_one_task`: tasks cannot share it, since each would remove rows of the others. `batch_rows`, `batch_seconds`:
    the size and age at which a batch is delivered, unless the output's options differ.
    """

    name: str
    opens: Place
    schemes: tuple[str, ...] = ("",)
    suffixes: tuple[str, ...] = ()
    extra: str = ""
    is_queued: bool = False
    takes: tuple[str, ...] = ("fields", "where")
    placeholders: tuple[str, ...] = ()
    reads: Place = ""
    shows_html: bool = False
    has_folder: bool = False
    is_of_one_task: bool = False
    batch_rows: int = BATCH_ROWS
    batch_seconds: float = BATCH_SECONDS
    format: Format | None = None

    def open(self, target: Target) -> Sink | BatchSink:
        """Return the sink of a target. Raises `OutputError` if it is invalid or its extra is not installed."""
        parts = [target.opened(self.format.opens, self.extra, target.options)] if self.format else []
        return cast(Sink | BatchSink, target.opened(self.opens, self.extra, target, *parts))

    def rows(self, target: Target) -> Iterator[Row]:
        """Yield the rows that a target has, oldest first.

        Raises `OutputError` if the kind cannot be read, the target is invalid or its extra is not installed, and
        `SinkUnavailable`.
        """
        if not self.reads:
            raise OutputError(f"task {target.task}: rows cannot be read from {shown(target.label)}")
        return cast(Iterator[Row], target.opened(self.reads, self.extra, target))

    def options(self) -> tuple[str, ...]:
        """Return the options of tasks.yaml that have an effect."""
        return (*self.takes, "batch") if self.is_queued else self.takes

    def fits(self, scheme: str, path: str) -> bool:
        """Whether an address is of this kind."""
        return scheme in self.schemes and (not self.suffixes or path.lower().endswith(self.suffixes))


READ_LINES, READ_TABLE = ".reading:jsonl_rows", ".reading:sqlite_rows"
_DATED, _DATES = ("date",), ("date", "published")
WEBHOOK_SCHEMES = ("https", "http", "webhook+https", "webhook+http")
SEARCH_SCHEMES = tuple(
    f"{product}+{scheme}" for product in ("elasticsearch", "opensearch") for scheme in ("http", "https")
)
FORMATS = (
    Format("jsonl", ".formats:PlainLines", (".jsonl", ".ndjson"), appends=True, reads=READ_LINES),
    Format("jsonl.gz", ".formats:GzipLines", (".jsonl.gz", ".ndjson.gz"), appends=True, reads=READ_LINES),
    Format("jsonl.zst", ".formats:ZstdLines", (".jsonl.zst", ".ndjson.zst"), appends=True, reads=READ_LINES),
    Format("csv", ".csv_format:Csv", (".csv",), appends=True),
    Format("tsv", ".csv_format:Tsv", (".tsv",), appends=True),
    Format("parquet", ".parquet:Parquet", (".parquet",), "parquet", day_folder="day={date}", batch_seconds=300.0),
)
STORAGES = (
    Storage("file", ".stores:FolderStore", ("file",)),
    Storage("azure", ".cloud_stores:open_azure", ("az",), "azure", ("account",), has_bucket=True),
    Storage("gcs", ".cloud_stores:open_gcs", ("gs", "gcs"), "gcs", ("endpoint",), has_bucket=True),
    Storage("s3", ".cloud_stores:open_s3", ("s3", "s3a"), "s3", ("endpoint", "region"), has_bucket=True),
    Storage("sftp", ".sftp_store:SftpStore", ("sftp",), "sftp", ("key", "known_hosts")),
)
_FEED = Kind("", ".feeds:FeedSink", is_queued=True, shows_html=True, is_of_one_task=True)
TRANSACTIONS = (
    Kind(
        "markdown",
        ".markdown:open_markdown",
        suffixes=(".md",),
        placeholders=(*_DATES, "title", "id", "version"),
        shows_html=True,
        has_folder=True,
    ),
    Kind("mysql", ".sql:SqlSink", ("mysql", "mysql+pymysql", "mariadb", "mariadb+pymysql"), (), "sql", is_queued=True),
    Kind("postgresql", ".sql:SqlSink", ("postgresql", "postgresql+psycopg", "postgres"), (), "sql", is_queued=True),
    Kind("sqlite", ".sqlite:open_sqlite", suffixes=(".db", ".sqlite", ".sqlite3"), reads=READ_TABLE),
    Kind("warc", ".warc:open_warc", suffixes=(".warc.gz",), extra="warc", takes=("where",), placeholders=_DATED),
    Kind("sqlite address", ".sqlite:open_sqlite", schemes=("sqlite",), reads=READ_TABLE),
    Kind("webhook", ".webhook:WebhookSink", WEBHOOK_SCHEMES, is_queued=True),
    Kind("search", ".search:SearchSink", SEARCH_SCHEMES, is_queued=True, placeholders=_DATED),
    replace(_FEED, name="atom", suffixes=(".atom",)),
    replace(_FEED, name="json feed", suffixes=(".feed.json",)),
)


# The kinds that formats and storages give, without what is their own
_FILES = Kind("", ".appended_files:open_appended", placeholders=_DATES, has_folder=True)
_OBJECTS = Kind(
    "",
    ".store_sink:open_objects",
    is_queued=True,
    placeholders=("date", "batch"),
    has_folder=True,
    batch_rows=OBJECT_ROWS,
    batch_seconds=60.0,
)


def kinds_of(parts: Iterable[object]) -> Iterator[Kind]:
    """Yield the kinds that some parts give: formats, storages, and kinds themselves."""
    for part in parts:
        if isinstance(part, Kind):
            yield part
        elif isinstance(part, Storage):
            yield replace(_OBJECTS, name=part.name, schemes=part.schemes, extra=part.extra)
        elif isinstance(part, Format):
            kind = replace(
                _FILES if part.appends else _OBJECTS, name=part.name, suffixes=part.suffixes, extra=part.extra
            )
            if part.appends:
                yield replace(kind, reads=part.reads, format=part)
            else:
                schemes = ("", *(scheme for storage in STORAGES for scheme in storage.schemes))
                yield replace(kind, schemes=schemes, batch_seconds=part.batch_seconds)
        else:
            log.warning("%r is no kind of output, format or storage", part)


# If several fit an output, the first one is used
KINDS: dict[str, Kind] = {kind.name: kind for kind in kinds_of((*FORMATS, *STORAGES, *TRANSACTIONS))}


@cache
def added() -> tuple[Any, ...]:
    """Return the kinds, formats and storages that other packages add. One that cannot be loaded is left out."""
    parts = []
    for entry in entry_points(group=ENTRY_POINTS):
        try:
            parts.append(entry.load())
        except Exception as error:  # another program's
            log.warning("output %s (%s) cannot be used: %r", entry.name, entry.value, error)
    return tuple(parts)


def formats() -> tuple[Format, ...]:
    """Return all formats."""
    return (*FORMATS, *(part for part in added() if isinstance(part, Format)))


def storage_of(scheme: str) -> Storage | None:
    """Return the storage of a scheme; None if it is unknown."""
    storages = (*STORAGES, *(part for part in added() if isinstance(part, Storage)))
    return next((storage for storage in storages if scheme in storage.schemes), None)


def _all_kinds() -> tuple[Kind, ...]:
    return (*KINDS.values(), *kinds_of(added()))


_SCHEME = re.compile(r"([a-z][a-z0-9]+(?:\+[a-z0-9]+)?):", re.IGNORECASE)  # two letters at least: C: is a drive
FEED_OPTIONS = re.compile(r"\?items=(.*)$", re.DOTALL)  # at the end of the path of a feed


def scheme_of(output: str) -> str:
    """Return the scheme of an output in lower case; empty for a path."""
    match = _SCHEME.match(output)
    return match[1].lower() if match else ""


def file_path(output: str) -> str:
    """Return the path of an output that is a file; an address such as sqlite:///a%20b.data has one, too."""
    return unquote(urlsplit(output).path.removeprefix("/")) if scheme_of(output) == "sqlite" else output


def suffixes_at(scheme: str) -> tuple[str, ...]:
    """Return the suffixes of the kinds at a scheme, "" for paths; none if any will do, or the scheme is unknown."""
    kinds = [kind for kind in _all_kinds() if scheme in kind.schemes]
    any_will_do = any(not kind.suffixes for kind in kinds)
    return () if any_will_do else tuple(dict.fromkeys(suffix for kind in kinds for suffix in kind.suffixes))


def known_schemes() -> tuple[str, ...]:
    """Return the schemes of all kinds, without paths."""
    return tuple(dict.fromkeys(scheme for kind in _all_kinds() for scheme in kind.schemes if scheme))


def known_kinds() -> str:
    """Return the known outputs, for messages: all suffixes, and the usual scheme of each kind."""
    schemes = dict.fromkeys(scheme for kind in _all_kinds() for scheme in kind.schemes[:1] if scheme)
    return (
        f"use an address that begins with {', '.join(f'{scheme}:' for scheme in schemes)}, or a path that ends in "
        f"{', '.join(suffixes_at(''))}"
    )


def kind_of(output: str) -> Kind | None:
    """Return the kind of an output; None if it is unknown."""
    match = _SCHEME.match(output)
    scheme = match[1].lower() if match else ""
    path = output[match.end() :].partition("?")[0] if match else FEED_OPTIONS.sub("", output)
    known = next((kind for kind in KINDS.values() if kind.fits(scheme, path)), None)
    return known or next((kind for kind in kinds_of(added()) if kind.fits(scheme, path)), None)


def expand(output: str, task: str, environ: Mapping[str, str] | None = None) -> str:
    """Replace `{task}` and `${VARIABLES}`. Raises `OutputError` that names a missing variable."""
    try:
        return expand_address(output.replace("{task}", task), os.environ if environ is None else environ)
    except (VariableNotSet, AmbiguousAddress) as error:
        raise OutputError(f"task {task}: output {shown(output)}: {error}") from None


def open_sink(output: str, task: str, folder: Path, options: OutputOptions | None = None) -> Sink | BatchSink:
    """Return the sink of an output; relative paths are relative to `folder`. Raises `OutputError` if it is invalid."""
    address = expand(output, task)
    kind = kind_of(address)
    if kind is None:
        raise OutputError(f"task {task}: unknown kind of output {shown(output)}; {known_kinds()}")
    return kind.open(Target(address, output, task, folder, options or OutputOptions()))


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
