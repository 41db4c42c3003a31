import json
from datetime import date

import pytest

from workers.extraction_config import ExtractionConfig, RowFilter, example_fetched, example_of, keep_example
from workers.page_store import StoredPage
from workers.sinks import OutputOptions, RowCondition

from .helpers import FETCHED_AT

PAGE = StoredPage("http://a.example/1", "<p>例".encode("gb18030"), "text/html; charset=gbk", FETCHED_AT)
CONFIG = ExtractionConfig(
    "新闻", "http://a.example/1", r"http://a\.example/\d+", ("${DSN}", "out.jsonl"), "/data", "density",
    keep=RowFilter(("港", "b"), date(2026, 1, 1)), drop=RowFilter(until=date(2020, 1, 1)),
    output_options={"out.jsonl": OutputOptions((("标题", "title"),)).to_json()},
)  # fmt: skip


@pytest.mark.parametrize("config", [CONFIG, ExtractionConfig("t", "e", "r", (), "")])
def test_a_config_survives_json(config):
    assert ExtractionConfig.from_json(config.to_json()) == config
    assert ExtractionConfig.from_json(config.to_json().encode()) == config


def test_a_config_is_readable_and_holds_no_secret():
    shown = json.loads(CONFIG.to_json())
    assert (shown["outputs"][0], shown["keep"]["since"]) == ("${DSN}", "2026-01-01")


def test_a_kept_example_comes_back_as_it_was(connection):
    keep_example(connection, "t", PAGE, "http://a.example/asked")
    assert example_of(connection, "t") == PAGE
    assert example_fetched(connection, "t")[0] == "http://a.example/asked"


@pytest.mark.parametrize(
    "options",
    [
        OutputOptions(),
        OutputOptions((("标题", "title"), ("url", "url")), RowCondition(("zh",), 0.5, ("港", "x")), 20, 2.5),
    ],
)
def test_options_survive_json(options):
    assert OutputOptions.from_json(options.to_json()) == options


def test_a_config_of_an_earlier_version_has_no_output_options():
    earlier = json.loads(CONFIG.to_json())
    del earlier["output_options"]
    assert ExtractionConfig.from_json(json.dumps(earlier)).output_options == {}


def test_options_of_a_later_version_are_read_as_far_as_they_are_known():
    later = json.loads(OutputOptions(batch_rows=7).to_json())
    assert "batch_seconds" not in later
    later |= {"shape": "round"}
    later["where"] |= {"colour": "red"}
    assert OutputOptions.from_json(json.dumps(later)) == OutputOptions(batch_rows=7)
