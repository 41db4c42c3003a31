"""Sinks write rows to outputs; `open_sink` chooses by the output's form. The names here are for other packages, too."""

from .appended_files import AppendedFileSink, JsonLinesSink
from .formats import AppendedFormat, RowFormat
from .interface import BatchSink, RowBatch, Sink, SourcePage, WrittenRow
from .kinds import KINDS, Format, Kind, Storage, Target, batch_size, expand, is_queued, kind_of, open_sink, wants_html
from .options import OutputOptions, RowCondition
from .sqlite import PageSink, SqliteSink
from .stores import ObjectStore, StoreAddress

__all__ = [
    "KINDS",
    "AppendedFileSink",
    "AppendedFormat",
    "BatchSink",
    "Format",
    "JsonLinesSink",
    "Kind",
    "ObjectStore",
    "OutputOptions",
    "PageSink",
    "RowBatch",
    "RowCondition",
    "RowFormat",
    "Sink",
    "SourcePage",
    "SqliteSink",
    "Storage",
    "StoreAddress",
    "Target",
    "WrittenRow",
    "batch_size",
    "expand",
    "is_queued",
    "kind_of",
    "open_sink",
    "wants_html",
]
