"""OpenSearch and Elasticsearch, by a strict double of their bulk interface."""

import json
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.certificates import own_authority
from tests.workers.batch_sink_suite import OlderForm, RefusedRows, batch, keys
from tests.workers.http_receiver import IMPATIENT, LIMITS, answering, sending, stalling
from tests.workers.search_double import SearchDouble
from tests.workers.sink_suite import row
from workers.errors import OutputError, RowsRefused, SinkUnavailable
from workers.rows import key_of
from workers.sinks.kinds import Target
from workers.sinks.options import OutputOptions
from workers.sinks.search import SearchSink
from workers.sinks.webhook import row_id

PASSWORD = "ge/heim+pass"


def open_sink(server, index="news", query="", *, login="", limits=LIMITS, options=None):
    address = f"opensearch+http://{login}127.0.0.1:{server.port}/{index}{query}"
    target = Target(address, address, "t", Path("/nowhere"), options=options or OutputOptions())
    return SearchSink(target, limits=limits)


@pytest.fixture
def server():
    with SearchDouble() as server:
        yield server
        assert server.auto_created == []


def documents(server, index=None):
    return [
        document
        for name, stored in server.documents.items()
        for _, document in stored.values()
        if index in (None, name)
    ]


class TestSearch(RefusedRows, OlderForm):
    @pytest.fixture
    def place(self):
        with SearchDouble(login=f"anna:{PASSWORD}") as server:
            yield server
            assert server.auto_created == []

    def open(self, place, password=PASSWORD):
        return open_sink(place, login=f"anna:{quote(password, safe='')}@")

    def read(self, place):
        return documents(place)

    def take_away(self, place):
        place.stop()

    def bring_back(self, place):
        place.start()

    def refuse(self, place, refused):
        place.refused |= {row_id(key_of(one)) for one in refused}

    def make_older(self, place):
        del place.indices["news"]["listed_on"]
        for stored in place.documents["news"].values():
            del stored[1]["listed_on"]

    def secrets(self, place):
        return PASSWORD, quote(PASSWORD, safe="")

    def failing(self, place):
        yield self.open(place, password=f"{PASSWORD}x")


def test_an_index_is_created_with_types_and_an_analyzer_for_chinese(server):
    open_sink(server).check()
    properties = server.indices["news"]
    assert properties["title"] == properties["text"] == {"type": "text", "analyzer": "cjk"}
    assert {properties[name]["type"] for name in ("published", "modified", "fetched_at")} == {"date"}
    assert properties["canonical_url"] == {"type": "keyword", "ignore_above": 8191}
    assert properties["blocks"] == {"type": "object", "enabled": False}
    open_sink(server, query="?analyzer=standard", index="other").check()
    assert server.indices["other"]["title"]["analyzer"] == "standard"
    with pytest.raises(OutputError, match="the server did not create the index third: 400 mapper_parsing_exception"):
        open_sink(server, query="?analyzer=none", index="third").check()


def test_chosen_fields_keep_their_types_under_their_names(server):
    options = OutputOptions(fields=(("headline", "title"), ("day", "published")))
    open_sink(server, options=options).write(batch(1, row(1, published="2026-03-12")))
    properties = server.indices["news"]
    assert {name: kind["type"] for name, kind in properties.items()} == {
        "headline": "text", "day": "date", "task": "keyword", "canonical_url": "keyword", "version": "integer",
    }  # fmt: skip
    assert documents(server) == [
        {"headline": "题 1", "day": "2026-03-12", "task": "t", "canonical_url": row(1)["canonical_url"], "version": 1}
    ]


def test_rows_go_into_the_index_of_their_month_and_stay_there(server):
    april = "2026-04-01T00:00:00+00:00"
    sink = open_sink(server, "rows-{date:%Y.%m}")
    sink.write(batch(1, row(1), row(2, fetched_at=april)))
    assert {name: len(stored) for name, stored in server.documents.items()} == {"rows-2026.03": 1, "rows-2026.04": 1}
    sink.write(batch(2, row(1, fetched_at=april), row(3, fetched_at=april), again=True))
    assert {name: len(stored) for name, stored in server.documents.items()} == {"rows-2026.03": 1, "rows-2026.04": 2}
    by_day = open_sink(server, "{date}")
    by_day.write(batch(3, row(4)))
    assert "2026-03-12" in server.documents


@pytest.mark.parametrize("index", ["", "News", "_news", "a,b", "a%20b", "a*b", "x" * 256, "{date:%A}"])
def test_an_invalid_name_of_an_index_is_an_error_of_the_task(server, index):
    with pytest.raises(OutputError, match="is an invalid index name"):
        open_sink(server, index)


def test_an_api_key(tmp_path):
    authority, tls = own_authority(tmp_path)
    with SearchDouble(api_key="a1B2==", tls=tls) as server:
        address = f"elasticsearch+https://127.0.0.1:{server.port}/news?api_key=a1B2==&ca={authority}"
        SearchSink(Target(address, address, "t", tmp_path), limits=LIMITS).write(batch(1, row(1)))
        assert len(documents(server)) == 1
        wrong = address.replace("a1B2", "a1Bx")
        with pytest.raises(SinkUnavailable, match="401 security_exception") as unavailable:
            SearchSink(Target(wrong, wrong, "t", tmp_path), limits=LIMITS).check()
        assert "a1Bx" not in str(unavailable.value)
        assert "check the user, password or key" in str(unavailable.value)


def test_rows_for_which_the_server_is_too_busy_are_tried_again(server):
    sink = open_sink(server)
    server.busy = 5
    rows = [row(number) for number in range(10)]
    with pytest.raises(SinkUnavailable, match="429 es_rejected_execution_exception: rejected"):
        sink.write(batch(1, *rows))
    sink.write(batch(1, *rows, again=True))
    assert len(documents(server)) == 10


def test_an_index_of_somebody_else_with_other_types(server):
    server.indices["news"] = {"title": {"type": "integer"}}
    server.documents["news"] = {}
    sink = open_sink(server)
    sink.check()
    assert server.indices["news"]["title"] == {"type": "integer"}
    assert server.indices["news"]["text"]["type"] == "text"
    with pytest.raises(RowsRefused) as refused:
        sink.write(batch(1, row(1)))
    assert "failed to parse field [title] of type [integer]" in refused.value.reasons[key_of(row(1))]


def test_an_index_that_is_removed_meanwhile_is_created_again(server):
    sink = open_sink(server)
    sink.write(batch(1, row(1)))
    del server.indices["news"], server.documents["news"]
    sink.write(batch(2, row(2)))
    assert server.indices["news"]["text"]["analyzer"] == "cjk"
    assert len(documents(server)) == 1


def test_a_request_that_is_too_large_is_halved(server):
    server.most_bytes = 3000
    rows = [row(number) for number in range(20)]
    with pytest.raises(RowsRefused) as refused:
        open_sink(server).write(batch(1, *rows, row(21, text="x" * 4000)))
    assert [*refused.value.reasons] == [key_of(row(21))]
    assert refused.value.reasons[key_of(row(21))] == "413 content_too_long: too large"
    assert keys(documents(server)) == keys(rows)


@pytest.mark.parametrize(
    "answer",
    [
        stalling,
        sending(b"garbage"),
        answering(200, b"[" * 100_000),
        answering(200, b"<html>"),
        answering(200, b"{}"),
        answering(200, b"[]"),
        answering(200, json.dumps({"items": [{"index": {"_id": "other", "status": 200}}]}).encode()),
        answering(200, json.dumps({"items": [{"index": {"status": "x"}}, 7]}).encode()),
        sending(b'HTTP/1.1 200 x\r\nContent-Length: 999\r\n\r\n{"items": ['),
        answering(302, b"", Location="http://elsewhere.example/"),
        answering(502, b"<html>bad gateway"),
    ],
)
def test_an_answer_that_is_not_understood_counts_for_nothing(server, answer):
    sink = open_sink(server, limits=IMPATIENT if answer is stalling else LIMITS)
    sink.write(batch(1, row(1)))
    server.interfere = answer
    for server.interfered in ("", "_bulk"):
        with pytest.raises(SinkUnavailable):
            sink.write(batch(2, row(2)))
    server.interfere = None
    sink.write(batch(2, row(2), again=True))
    assert len(documents(server)) == 2
