"""Sinks write rows to outputs. One file a kind of output; `open_sink` chooses by the output's form."""

from .interface import BatchSink, ListSink, RowBatch, Sink, WrittenRow
from .jsonl import JsonLinesSink
from .kinds import KINDS, Kind, Target, expand, is_queued, kind_of, open_sink
from .options import OutputOptions, RowCondition
from .sqlite import SqliteSink

__all__ = [
    "KINDS",
    "BatchSink",
    "JsonLinesSink",
    "Kind",
    "ListSink",
    "OutputOptions",
    "RowBatch",
    "RowCondition",
    "Sink",
    "SqliteSink",
    "Target",
    "WrittenRow",
    "expand",
    "is_queued",
    "kind_of",
    "open_sink",
]
