import pytest

from workers.errors import OutputError
from workers.sinks import RowCondition, expand, kind_of, open_sink


@pytest.mark.parametrize(
    ("output", "kind", "is_queued"),
    [
        ("out.jsonl", "jsonl", False),
        ("a/b.NDJSON", "jsonl", False),
        ("out/{task}.warc.gz", "warc", False),
        ("out.db", "sqlite", False),
        ("sqlite:///out.data", "sqlite address", False),
        ("http://a.example/out.jsonl", "webhook", True),
        ("https://a.example/x", "webhook", True),
        ("opensearch+https://a.example/x", "search", True),
        ("a/news.atom", "atom", True),
        ("News.ATOM?items=10", "atom", True),
        ("news.atom?other=1", None, False),
        ("out.txt", None, False),
        ("", None, False),
    ],
)
def test_the_kind_of_an_output_is_seen_in_how_it_is_written(output, kind, is_queued):
    recognised = kind_of(output)
    found = (recognised.name, recognised.is_queued) if recognised else (None, False)
    assert found == (kind, is_queued)


@pytest.mark.parametrize(
    ("text", "variables", "expanded"),
    [
        ("${DIR}/{task}.jsonl", {"DIR": "/data"}, "/data/news.jsonl"),
        ("${DIR:-out}/a.db", {}, "out/a.db"),
        ("${DIR:-out}/a.db", {"DIR": ""}, "out/a.db"),
        ("${DIR:-out}/a.db", {"DIR": "data"}, "data/a.db"),
        ("${A}.db", {"A": "${B}", "B": "x"}, "${B}.db"),  # a value is not expanded again
    ],
)
def test_variables_their_defaults_and_the_task_s_name_are_filled_in(text, variables, expanded):
    assert expand(text, "news", variables) == expanded


def test_a_missing_variable_is_named_with_its_task():
    with pytest.raises(OutputError, match=r"task news: .*NOT_SET_ANYWHERE is not set"):
        expand("${NOT_SET_ANYWHERE}/a.db", "news", {})


def test_an_output_of_no_known_kind_is_refused_with_the_known_ones():
    with pytest.raises(OutputError, match=r"unknown kind of output out\.txt; .*a path that ends in \.jsonl"):
        open_sink("out.txt", "news", None)


@pytest.mark.parametrize(
    ("languages", "admitted"),
    [
        (("zh",), ["zh", "zh-Hant"]),
        (("zh-Hant",), ["zh-Hant"]),
        (("en", "de"), ["en", "de"]),
        ((), ["zh", "zh-Hant", "en", "de", None]),
    ],
)
def test_a_language_admits_its_own_scripts_and_a_script_only_itself(languages, admitted):
    rows = [{"language": tag} for tag in ("zh", "zh-Hant", "en", "de", None)]
    assert [row["language"] for row in rows if RowCondition(languages).admits(row)] == admitted
