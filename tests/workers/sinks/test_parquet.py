"""Parquet: the suite of batch sinks on local files, types, and what readers of the folder see."""

import json
from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq

from tests.workers.batch_sink_suite import OlderForm, batch
from tests.workers.naughty import naughty_rows
from tests.workers.sink_suite import row
from tests.workers.sinks.test_stores import FolderOutput
from workers.sinks import OutputOptions, open_sink


def rows_of(table):
    """The rows of a table, times as the sink got them."""
    times = [None if one is None else one.isoformat() for one in table["fetched_at"].to_pylist()]
    return [
        {**one, "fetched_at": time} for one, time in zip(table.drop(["fetched_at"]).to_pylist(), times, strict=True)
    ]


class TestParquet(FolderOutput, OlderForm):
    def open(self, place):
        return open_sink("deep/{task}.parquet", "t", place)

    def table(self, place):
        schemas = [*map(pq.read_schema, self.files(place)), pa.schema([("day", pa.string())])]
        schema = pa.unify_schemas(schemas)
        return pyarrow.dataset.dataset(place / "deep/t", schema=schema, partitioning="hive").to_table()

    def read(self, place):
        return rows_of(self.table(place)) if self.files(place) else []

    def make_older(self, place):
        for path in self.files(place):
            pq.write_table(pq.read_table(path, partitioning=None).drop(["listed_on"]), path)

    def test_files_stand_in_folders_by_day_and_the_day_is_a_column(self, sink, place):
        sink.write(batch(1, row(1), row(2, fetched_at="2026-03-13T00:00:00+00:00")))
        names = [str(path.relative_to(place)) for path in self.files(place)]
        assert names == [f"deep/t/day=2026-03-{day}/{1:032x}.parquet" for day in (12, 13)]
        assert self.table(place)["day"].to_pylist() == ["2026-03-12", "2026-03-13"]

    def test_a_complete_row_comes_back_with_its_types(self, sink, place):
        given = next(iter(naughty_rows()))
        given = {
            **given,
            "published": "2026-03-12",
            "modified": "2026-03-12T08:00:00+01:00",
            "keywords": ["a", "字"],
            "tdm_reservation": True,
            "article_probability": 0.25,
            "parts_missing": ["http://a.example/2"],
            "blocks": [
                {"kind": "heading", "text": "One", "level": 2},
                {
                    "kind": "paragraph",
                    "text": "Two",
                    "links": [{"text": "x", "url": "http://x/"}],
                    "images": ["http://i/"],
                },
            ],
        }
        sink.write(batch(1, given))
        table = self.table(place)
        [found] = rows_of(table)
        absent = {"level": None, "links": None, "images": None}
        assert found.pop("day")
        assert found == {**given, "blocks": [{**absent, **block} for block in given["blocks"]]}
        assert table.schema.field("fetched_at").type == pa.timestamp("us", tz="UTC")
        assert table["fetched_at"][0].as_py() == datetime.fromisoformat(given["fetched_at"]).astimezone(UTC)

    def test_unknown_fields_are_text_and_chosen_fields_keep_their_types(self, place):
        options = OutputOptions(fields=(("when", "fetched_at"), ("tags", "keywords"), ("new", "new")))
        sink = open_sink("deep/t.parquet", "t", place, options=options)
        sink.write(batch(1, row(1, keywords=["a"], new={"x": 1})))
        sink.write(batch(2, row(1), again=True))
        table = self.table(place)
        assert table.schema.names == ["when", "tags", "new", "canonical_url", "task", "version", "day"]
        assert table.schema.field("when").type == pa.timestamp("us", tz="UTC")
        [found] = table.to_pylist()
        assert (found["tags"], json.loads(found["new"]), found["version"]) == (["a"], {"x": 1}, 1)
