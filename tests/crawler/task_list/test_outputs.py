"""`output:` with options: what it may say, what the workers get, and the place of each mistake."""

import json
from pathlib import Path

import jsonschema
import pytest
from ruamel.yaml import YAML

from crawler.task_list.edit import append_tasks
from crawler.task_list.file import load, loads
from crawler.task_list.mistakes import TaskFileError
from crawler.task_list.models import Settings, Task, TaskFile
from crawler.task_list.publication import extraction_config
from docs.site.task_schema import json_schema
from workers.sinks import KINDS, Kind, OutputOptions, RowCondition

TASK = "tasks:\n  news:\n    example: http://h/1\n    pattern: /{id}\n    every: 1h\n    output: "
ALL = """\
      - plain.jsonl
      - to: out/{task}.db
        fields: [url, {body: text}, title, {when: published, by: author}]
        where: {language: [zh, en, zh-Hant, nb], confidence: 0.5, keywords: [央行, 2024]}
"""
QUEUED = Kind("queued", "nowhere:nothing", schemes=("queued",), is_queued=True)


@pytest.fixture
def queued_kind():
    """A kind that takes every option."""
    KINDS[QUEUED.name] = QUEUED
    yield
    del KINDS[QUEUED.name]


def task_of(output: str, folder: Path | None = None) -> Task:
    return loads(TASK + output + "\n", folder=folder).tasks["news"]


def mistakes_of(text: str, folder: Path | None = None) -> list[str]:
    with pytest.raises(TaskFileError) as caught:
        loads(text, folder=folder)
    return str(caught.value).splitlines()


@pytest.mark.parametrize("output", ["a.jsonl", "[a.jsonl]", "{to: a.jsonl}", "{to: a.jsonl, where: {confidence: 0}}"])
def test_an_output_without_options_is_what_it_was_before_there_were_options(output):
    task = task_of(output)
    assert json.loads(TaskFile(tasks={"news": task}).published_form()[1]["news"])["output"] == ["a.jsonl"]
    assert task.output_options() == extraction_config(task, Path("/x"), Settings()).output_options == {}


def test_outputs_that_show_kept_pictures_know_the_way_to_them():
    to_store = "{to: 's3://b/c/', where: {language: zh}, fields: [html]}"
    outputs = f"[a.db, 'out/{{task}}.jsonl', 'md/{{date}}/{{title}}.md', {to_store}]"
    task = task_of(f"{outputs}\n    pictures: keep")
    options = extraction_config(task, Path("/x"), Settings()).output_options
    ways = {output: OutputOptions.from_json(text).pictures for output, text in options.items()}
    assert ways == {"md/{date}/{title}.md": "../pictures/", "s3://b/c/": "../pictures/"}
    assert task.output_options()["s3://b/c/"].where == RowCondition(("zh",))


@pytest.mark.usefixtures("queued_kind")
def test_a_published_list_keeps_the_options(tmp_path):
    options = "fields: [url, {body: text}], where: {keywords: 央行}, batch: {rows: 7, seconds: 0.5}"
    tasks = TaskFile(tasks={"news": task_of("\n" + ALL), "b": task_of(f"{{to: 'queued://h', {options}}}", tmp_path)})
    tasks.tasks["b"] = tasks.tasks["b"].model_copy(update={"name": "b"})
    again = TaskFile.of_published(*tasks.published_form())
    assert again.tasks["news"].output == tasks.tasks["news"].output
    assert again.tasks["b"].output == tasks.tasks["b"].output
    assert again.fingerprint == tasks.fingerprint
    [options] = again.tasks["b"].output_options().values()
    assert (options.batch_rows, options.batch_seconds) == (7, 0.5)


MISTAKES = [
    # (output, column of the mistake, key path below output and words)
    ("{too: a.jsonl}", 14, ".too: unknown key; did you mean 'to'?"),
    ("[[a.jsonl]]", 14, "[0]: must be text, not a list"),
    ("{to: 'a{tsk}.jsonl'}", 20, ".to: unknown placeholder {tsk}; did you mean {task}?"),
    ("'a.jsonl '", 13, ": the output ends with a slash or a space; did you mean a.jsonl?"),
    (r"C:\data\a.csv", 13, ": Windows paths do not exist on this machine"),
    ("'a.jsonl?x=1'", 13, ": the output ends with a query; did you mean a.jsonl?"),
    ("sqlit:///a.db", 13, ": unknown kind of output sqlit:; did you mean sqlite:?"),
    ("'{published:%H}.csv'", 13, ": unknown part %H of a date; write %Y/%m/%d; known"),
    ("'s3://b/{published}/'", 21, ": an output of kind s3 has no {published}; known: {task}, {date}"),
    ("'s3://'", 13, ": no path after s3:; write s3://bucket/path"),
    ("{to: a.jsonl, fields: []}", 35, ".fields: empty; write a list such as"),
    ("{to: a.jsonl, fields: [url, titel]}", 41, ".fields[1]: unknown field 'titel'; did you mean 'title'?"),
    ("{to: a.jsonl, fields: [{text: body}]}", 43, ".fields[0].text: unknown field 'body'; write {body: text}"),
    ("{to: a.jsonl, fields: [{URL: text}, url]}", 49, ".fields[1]: duplicate field 'url'; delete one"),
    ("{to: a.jsonl, fields: [{version: text}]}", 46, ".fields[0].version: 'version' is a field of the row key"),
    ("{to: a.jsonl, fields: [{'a b': text}]}", 44, ".fields[0].a b: 'a b' cannot be the name of a field"),
    ("{to: a.jsonl, fields: [{a: [b]}]}", 40, ".fields[0].a: must be the name of a field, not a list"),
    ("{to: a.jsonl, where: zh}", 34, ".where: must be a map, not 'zh'"),
    ("{to: a.jsonl, where: {language: chinese}}", 45, ".where.language: unknown language 'chinese'; write zh or en"),
    ("{to: a.jsonl, where: {language: [en, xq]}}", 50, ".where.language[1]: unknown language 'xq'; write zh or en"),
    ("{to: a.jsonl, where: {confidence: 50}}", 47, ".where.confidence: must be at most 1, not 50"),
    ("{to: a.jsonl, batch: {rows: 5}}", 34, ".batch: has no effect on an output of the kind jsonl; delete it"),
    ("[a.jsonl, {to: ./a.jsonl, where: {language: zh}}]", 23, "[1]: writes to a.jsonl a second time; delete one"),
    ("[news.db, 'sqlite:///{task}.db']", 23, "[1]: writes to news.db a second time; delete one"),
]


@pytest.mark.usefixtures("queued_kind")
@pytest.mark.parametrize(("output", "column", "words"), MISTAKES, ids=[mistake[0] for mistake in MISTAKES])
def test_each_mistake_has_its_place(output, column, words, tmp_path):
    found = mistakes_of(TASK + output, tmp_path)
    assert any(line.startswith(f"tasks.yaml:6:{column}: tasks.news.output{words}") for line in found), found


@pytest.mark.usefixtures("queued_kind")
def test_a_mistake_in_the_defaults_is_reported_there_alone():
    text = TASK.partition("    output:")[0] + "defaults: {output: {to: a.jsonl, fields: [titel]}}\n"
    assert [line.split()[0:2] for line in mistakes_of(text)] == [["tasks.yaml:6:43:", "defaults.output.fields[0]:"]]


TWO = TASK + "{to: all.jsonl, fields: [url, title]}\n" + TASK.partition("\n")[2].replace("news", "more")


def test_two_tasks_may_share_a_file_if_their_rows_have_the_same_fields():
    assert len(loads(TWO + "{to: ./all.jsonl, fields: [url, title], where: {language: zh}}").tasks) == 2
    for other in ("all.jsonl", "{to: all.jsonl, fields: [title, url]}"):
        [line] = mistakes_of(TWO + other)
        assert line.startswith("tasks.yaml:11:13: tasks.more.output: task news writes to the same output with other")


@pytest.mark.parametrize("kind", ["atom", "feed.json"])
def test_a_feed_is_of_one_task(kind):
    first = TASK + f"feeds/all.{kind}\n" + TASK.partition("\n")[2].replace("news", "more")
    name = {"atom": "atom", "feed.json": "json feed"}[kind]
    for other in (f"feeds/all.{kind}", f"./feeds/all.{kind}?items=9", f"{{to: feeds/all.{kind}, fields: [title]}}"):
        [line] = mistakes_of(first + other)
        assert line.startswith(
            f"tasks.yaml:11:13: tasks.more.output: task news writes to feeds/all.{kind}, too, and an output of the "
            f"kind {name} is for one task; name another path"
        )
    assert len(loads(first + f"feeds/{{task}}.{kind}").tasks) == 2


def test_no_message_shows_a_password():
    for output in (
        "mysqll://u:hunter2@h/d",
        "[{to: 'sqlite:///a.db?password=hunter2'}, 'sqlite:///a.db?password=hunter2']",
    ):
        assert "hunter2" not in "\n".join(mistakes_of(TASK + output))


def test_the_schema_accepts_what_is_accepted_and_refuses_what_is_not():
    validator = jsonschema.Draft7Validator(json_schema())
    for output in ("a.jsonl", "[a.jsonl]", "\n" + ALL, "{to: a.jsonl, where: {language: zh, keywords: 央行}}"):
        validator.validate(YAML(typ="safe").load(TASK + output))
    for output in ("7", "[]", "{fields: [url]}", "{to: a, feilds: [url]}", "{to: a, fields: [titel]}",
                   "{to: a, where: {confidence: 2}}", "{to: a, where: zh}"):  # fmt: skip
        with pytest.raises(jsonschema.ValidationError):
            validator.validate(YAML(typ="safe").load(TASK + output))


def test_a_task_with_options_can_be_added_to_a_file(tmp_path):
    file = tmp_path / "tasks.yaml"
    file.write_text(TASK + "a.jsonl\n", "utf-8")
    outputs = YAML(typ="safe").load("output:\n" + ALL)["output"]
    entry = {"name": "more", "example": "http://h/m/1", "pattern": "/m/{id}", "every": "1h", "output": outputs}
    assert append_tasks(file, {1: entry}) == ["more"]
    before = file.read_text("utf-8")
    assert load(file).tasks["more"].output == task_of("\n" + ALL).output
    assert append_tasks(file, {1: entry}) == []
    assert file.read_text("utf-8") == before
    single = {**entry, "name": "one", "output": {"to": "one.jsonl", "fields": ["url", {"body": "text"}]}}
    append_tasks(file, {1: single})
    assert load(file).tasks["one"].output_options()["one.jsonl"].fields == (("url", "url"), ("body", "text"))
