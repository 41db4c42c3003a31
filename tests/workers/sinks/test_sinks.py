import pytest

from workers.errors import OutputError
from workers.sinks import AppendedFileSink, SqliteSink, expand, kind_of, open_sink


@pytest.mark.parametrize(
    ("output", "kind"),
    [
        ("out.jsonl", "jsonl"),
        ("a/b.NDJSON", "jsonl"),
        ("out.db", "sqlite"),
        ("out.sqlite3", "sqlite"),
        ("sqlite:///out.data", "sqlite address"),
        ("out.txt", None),
        ("out", None),
        ("http://a.example/out.jsonl", "webhook"),
        ("", None),
    ],
)
def test_the_kind_of_an_output_is_seen_in_how_it_is_written(output, kind):
    recognised = kind_of(output)
    assert (recognised.name if recognised else None) == kind


def test_variables_and_the_task_s_name_are_filled_in():
    assert expand("${DIR}/{task}.jsonl", "news", {"DIR": "/data"}) == "/data/news.jsonl"


def test_a_variable_may_have_a_default():
    assert expand("${DIR:-out}/a.db", "news", {}) == "out/a.db"
    assert expand("${DIR:-out}/a.db", "news", {"DIR": ""}) == "out/a.db"
    assert expand("${DIR:-out}/a.db", "news", {"DIR": "data"}) == "data/a.db"


def test_variables_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("EXEMPLAR_TEST_DIR", "here")
    assert expand("${EXEMPLAR_TEST_DIR}/a.db", "news") == "here/a.db"


def test_a_missing_variable_is_named_with_its_task():
    with pytest.raises(OutputError, match=r"task news: .*NOT_SET_ANYWHERE is not set"):
        expand("${NOT_SET_ANYWHERE}/a.db", "news", {})


def test_a_value_is_not_expanded_again():
    assert expand("${A}.db", "news", {"A": "${B}", "B": "x"}) == "${B}.db"


def test_relative_paths_begin_at_the_task_s_folder(tmp_path):
    sink = open_sink("out/{task}.jsonl", "news", tmp_path)
    assert isinstance(sink, AppendedFileSink)
    assert sink.path == tmp_path / "out" / "news.jsonl"


def test_absolute_paths_stay(tmp_path):
    assert open_sink(str(tmp_path / "a.db"), "news", tmp_path / "elsewhere").path == tmp_path / "a.db"


@pytest.mark.parametrize(
    ("output", "path"),
    [("sqlite:///a%20b.data", "/base/a b.data"), ("sqlite:////abs/a.data", "/abs/a.data")],
)
def test_a_database_may_be_written_as_sqlalchemy_does(output, path, tmp_path):
    sink = open_sink(output, "news", tmp_path)
    assert isinstance(sink, SqliteSink)
    assert str(sink.path) == path.replace("/base", str(tmp_path))


def test_an_output_of_no_known_kind_is_refused_with_the_known_ones():
    with pytest.raises(OutputError, match=r"unknown kind of output out\.txt; use a path that ends in \.jsonl"):
        open_sink("out.txt", "news", None)
