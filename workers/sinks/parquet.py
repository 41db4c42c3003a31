"""Parquet files, one for each batch and day, in folders that query engines read as one table partitioned by day.

    out/{task}.parquet               out/{task}/day=2026-11-22/<batch>.parquet
    s3://bucket/{task}.parquet       the same in any store

`fetched_at` is a timestamp in UTC; `keywords` and other lists are lists, `blocks` is a list of structs. `published` and
`modified` are text, since a page gives a day or a time, with or without a zone. A later version may add columns, never
change or remove one.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from workers.rows import KEY, Row, encodable, with_texts

from .formats import RowFormat
from .row_schema import FIELDS, type_of

GROUP_ROWS = 5000  # rows of a row group
COMPRESSION_LEVEL = 3

_TEXT, _TEXTS = pa.string(), pa.list_(pa.string())
_LINK = pa.struct([("text", _TEXT), ("url", _TEXT)])
_BLOCK = pa.struct(
    [("kind", _TEXT), ("text", _TEXT), ("level", pa.int8()), ("links", pa.list_(_LINK)), ("images", _TEXTS)]
)
_TYPES: Mapping[str, pa.DataType] = {
    "string": _TEXT,
    "number": pa.float64(),
    "integer": pa.int32(),
    "boolean": pa.bool_(),
    "array": _TEXTS,
    "time": pa.timestamp("us", tz="UTC"),
}
# Of all fields of a row; any other is JSON in a text column
COLUMNS: Mapping[str, pa.DataType] = {field: _TYPES[type_of(field)] for field in FIELDS} | {"blocks": pa.list_(_BLOCK)}


class Parquet(RowFormat):
    """Typed columns, zstd. The footer is at the end: an incomplete file cannot be read at all."""

    def encode(self, rows: Sequence[Row], header: bytes = b"") -> bytes:
        """Return a file with the rows in order, in row groups of limited size."""
        shaped = [self.options.shaped(row, with_key=True) for row in rows]
        schema = self._schema(shaped)
        columns = [pa.array([_value(row.get(one.name), one.type) for row in shaped], one.type) for one in schema]
        buffer = pa.BufferOutputStream()
        pq.write_table(
            pa.Table.from_arrays(columns, schema=schema),
            buffer,
            row_group_size=GROUP_ROWS,
            compression="zstd",
            compression_level=COMPRESSION_LEVEL,
        )
        data: bytes = buffer.getvalue().to_pybytes()
        return data

    def rows(self, file: BinaryIO) -> Iterator[Row]:
        """Yield the rows, with the columns of the key and the content hash only."""
        names = {field: self.options.name_of(field) for field in (*KEY, "content_hash")}
        try:
            table = pq.ParquetFile(file)
            stored = table.read([name for name in names.values() if name in table.schema_arrow.names]).to_pylist()
        except pa.ArrowInvalid:  # damaged: no reader of the folder gets these rows either
            return
        yield from ({field: row.get(name) for field, name in names.items()} for row in stored)

    def _schema(self, rows: Sequence[Mapping[str, Any]]) -> pa.Schema:
        """Return the columns: the chosen fields, or all known ones and then any others of these rows."""
        sources = dict(self.options.fields) or {name: name for name in COLUMNS}
        others = {name: name for name in sorted({name for row in rows for name in row} - {*sources})}
        return pa.schema([(name, COLUMNS.get(source, _TEXT)) for name, source in (sources | others).items()])


def _value(value: Any, of_type: pa.DataType) -> Any:
    """Return a value in the form for its column: lone surrogates become "?".

    A value that a text column cannot store becomes JSON.
    """
    if value is None:
        return None
    if pa.types.is_timestamp(of_type):
        return datetime.fromisoformat(value).astimezone(UTC)
    if of_type == _TEXT and not isinstance(value, str):
        value = json.dumps(value, ensure_ascii=False)
    return with_texts(value, encodable)
