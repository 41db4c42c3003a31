"""An adopted example: it stays in force whoever publishes the list, and is written into the file that is in force."""

import json
from pathlib import Path

import pytest
import redis

from crawler.scheduling.scheduler import Scheduler
from crawler.task_list.change import unwritten_examples, write_examples
from crawler.task_list.edit import replace_example
from crawler.task_list.file import load
from crawler.task_list.mistakes import TaskError
from crawler.task_list.publication import publish, published_task
from workers import keys
from workers.extraction_config import config_of

OLD, NEW, OTHER = (f"http://127.0.0.1/a/{number}.html" for number in (1, 2, 3))
TEXT = f"""\
# our sections
tasks:
  news:  # the most important one
    example: {OLD}   # chosen by hand
    pattern: /a/{{id}}.html
    every: 1h
    output: out.jsonl
  other: {{example: "{OLD}", pattern: "/a/{{id}}.html", every: 1d, output: b.jsonl}}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "tasks.yaml"
    path.write_text(TEXT, "utf-8")
    return path


def adopted(connection: "redis.Redis", task: str = "news", url: str = NEW, instead_of: str = OLD) -> None:
    connection.hset(keys.EXAMPLES, task, json.dumps({"url": url, "instead_of": instead_of}))


def in_force(connection: "redis.Redis", task: str = "news") -> tuple[str, str]:
    config = config_of(connection, task)
    assert config is not None
    return published_task(connection, task)[task].example, config.example


def test_an_example_is_replaced_and_the_rest_of_the_file_is_kept(file: Path) -> None:
    replace_example(file, "news", NEW)
    assert file.read_text("utf-8") == TEXT.replace(f"example: {OLD} ", f"example: {NEW} ", 1)
    replace_example(file, "other", NEW)
    assert [task.example for task in load(file).tasks.values()] == [NEW, NEW]


@pytest.mark.parametrize(
    ("text", "url"),
    [
        (TEXT, "http://127.0.0.1/b/1.html"),  # not of the pattern
        (TEXT.replace(f"example: {OLD}   #", f"example: &it {OLD}   #").replace(f'"{OLD}"', "*it"), NEW),
    ],
)
def test_a_file_of_another_layout_is_left_as_it_is(file: Path, text: str, url: str) -> None:
    file.write_text(text, "utf-8")
    load(file)
    with pytest.raises(TaskError, match="by hand"):
        replace_example(file, "news", url)
    assert file.read_text("utf-8") == text


def test_a_publication_keeps_an_adopted_example_until_the_file_has_another(
    connection: "redis.Redis", file: Path
) -> None:
    publish(connection, load(file), file)
    adopted(connection)
    file.write_text(TEXT.replace("every: 1h", "every: 2h"), "utf-8")
    publish(connection, load(file), file)
    assert in_force(connection) == (NEW, NEW)
    assert in_force(connection, "other") == (OLD, OLD)
    file.write_text(TEXT.replace(OLD, OTHER, 1), "utf-8")
    publish(connection, load(file), file)
    assert in_force(connection) == (OTHER, OTHER)
    assert not connection.exists(keys.EXAMPLES)


def test_the_scheduler_writes_an_adopted_example_into_its_file(
    connection: "redis.Redis", file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crawler.scheduling.scheduler.LOOK_AT_FILE", 0.0)
    scheduler = Scheduler(connection, file)
    scheduler.start()
    adopted(connection)
    scheduler.tick()
    assert load(file)["news"].example == NEW
    assert in_force(connection) == (NEW, NEW)
    assert not connection.exists(keys.EXAMPLES)
    assert "chosen by hand" in file.read_text("utf-8")


def test_a_copy_on_another_machine_is_not_edited(connection: "redis.Redis", file: Path, tmp_path: Path) -> None:
    publish(connection, load(file), file)
    adopted(connection)
    copy = tmp_path / "copy.yaml"
    copy.write_text(TEXT, "utf-8")
    assert unwritten_examples(connection, copy) == {}
    assert unwritten_examples(connection, file) == {"news": NEW}
    text = TEXT.replace(f"example: {OLD}   #", f"example: &it {OLD}   #").replace(f'"{OLD}"', "*it")
    file.write_text(text, "utf-8")
    [problem] = write_examples(file, unwritten_examples(connection, file))
    assert "only in Redis" in problem
