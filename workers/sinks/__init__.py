"""Sinks write rows to outputs. One file for each kind of output; `open_sink` chooses by the output's form."""

from .interface import BatchSink, ListSink, PageSink, RowBatch, Sink, SourcePage, WrittenRow
from .jsonl import JsonLinesSink
from .kinds import KINDS, Kind, Target, batch_size, expand, is_queued, kind_of, open_sink, wants_html
from .options import OutputOptions, RowCondition
from .sqlite import SqliteSink

__all__ = [
    "KINDS",
    "BatchSink",
    "JsonLinesSink",
    "Kind",
    "ListSink",
    "OutputOptions",
    "PageSink",
    "RowBatch",
    "RowCondition",
    "Sink",
    "SourcePage",
    "SqliteSink",
    "Target",
    "WrittenRow",
    "batch_size",
    "expand",
    "is_queued",
    "kind_of",
    "open_sink",
    "wants_html",
]
