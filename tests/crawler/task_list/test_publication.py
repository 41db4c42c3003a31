"""One task list in force for the whole cluster, and who may change it."""

from pathlib import Path

import pytest
import redis

from crawler.task_list import publication
from crawler.task_list.file import load
from crawler.task_list.mistakes import TaskError
from crawler.task_list.outputs import OutputEntry
from crawler.task_list.publication import (
    DivergentCopy,
    edition,
    environment_problems,
    publish,
    published,
    published_names,
    published_periods,
    published_task,
)
from tests.crawler.task_lists import task_file
from workers import keys
from workers.extraction_config import config_of

HERE, THERE = Path("/here/tasks.yaml"), Path("/there/tasks.yaml")


@pytest.fixture
def news_in_force(connection):
    """A list with the task `news` is in force, published from HERE."""
    publish(connection, task_file("news"), HERE)


def test_secrets_are_published_unexpanded(connection, monkeypatch):
    monkeypatch.setenv("KEY", "hush")
    publish(connection, task_file("news", headers="{X-Key: '${KEY}'}"), HERE)
    assert not [key for key in connection.keys("*") if b"hush" in connection.dump(key)]
    assert published(connection)["news"].headers == {"X-Key": "${KEY}"}


def test_workers_get_a_brief_of_each_task_with_what_to_skip_and_by_which_name_sites_address_us(connection):
    publish(connection, task_file("news", skip="[noai, tdm-reservation]"), HERE)
    config = config_of(connection, "news")
    assert (config.outputs, config.folder) == (("out/news.jsonl",), "/here")
    assert (config.skip, config.product) == (("noai", "tdm-reservation"), "Exemplar")


def test_the_same_list_changes_nothing_from_wherever_it_comes(connection, news_in_force):
    assert not publish(connection, task_file("news"), HERE)
    assert not publish(connection, task_file("news"), THERE)
    assert edition(connection).origin.endswith(str(HERE))


def test_a_removed_tasks_brief_stays_for_the_pages_that_still_wait(connection):
    publish(connection, task_file("news", "gone"), HERE)
    publish(connection, task_file("news"), HERE)
    assert config_of(connection, "gone") is not None


def test_a_removed_task_has_no_open_alarm(connection, news_in_force):
    connection.hset(keys.ALARMS, "news", "[]")
    publish(connection, task_file("sports"), HERE)
    assert not connection.hgetall(keys.ALARMS)


def test_another_file_that_differs_is_refused_and_both_are_named(connection, news_in_force):
    with pytest.raises(
        DivergentCopy, match=r"/there/tasks.yaml differs .*/here/tasks.yaml.*exemplar schedule --take-over"
    ):
        publish(connection, task_file("sports"), THERE)
    assert list(published(connection).tasks) == ["news"]


def test_an_edit_of_what_is_in_force_is_accepted(connection, news_in_force):
    before = task_file("news").fingerprint
    assert publish(connection, task_file("news", "sports"), THERE, in_step_with=before).added == ("sports",)


def test_a_spider_reads_its_own_task_only(connection):
    tasks = task_file("news", "sports", keep="[央行]")
    publish(connection, tasks, HERE)
    connection.hset(keys.TASKS, "sports", "not to be read")
    found = published_task(connection, "news")
    assert found.tasks == {"news": tasks["news"]}
    assert found.settings == tasks.settings


def test_a_task_that_is_not_on_the_list_is_told_with_the_nearest_name(connection):
    with pytest.raises(TaskError, match="exemplar schedule"):
        published_task(connection, "news")
    publish(connection, task_file("news", "sports"), HERE)
    with pytest.raises(TaskError, match=r"unknown task 'sport'.*sports"):
        published_task(connection, "sport")


def test_a_list_in_another_form_is_written_anew(connection, news_in_force):
    connection.delete(keys.PERIODS)
    connection.hset(keys.EDITION, "form", "1")
    publish(connection, task_file("news"), HERE)
    assert published_periods(connection) == {"news": "1h"}


def test_of_two_that_publish_at_once_the_second_looks_again(connection, news_in_force, redis_url, monkeypatch):
    write, other = publication._write, redis.Redis.from_url(redis_url)

    def write_late(*args):
        monkeypatch.setattr(publication, "_write", write)
        publish(other, task_file("sports"), HERE, take_over=True)
        return write(*args)

    monkeypatch.setattr(publication, "_write", write_late)
    with pytest.raises(DivergentCopy):
        publish(connection, task_file("news", "weather"), THERE, in_step_with=task_file("news").fingerprint)
    assert published_names(connection) == ["sports"]
    other.close()


def test_variables_of_outputs_headers_cookies_logins_and_proxies_are_missed_before_a_run(monkeypatch):
    monkeypatch.setenv("READER", "x")
    assert environment_problems(task_file("news").tasks) == []
    keys = {
        "headers": "{X-Key: '${KEY_A}', X-Again: '${KEY_A}'}",
        "cookies": "{session: '${KEY_B}'}",
        "auth": "{user: '${READER}', password: '${KEY_C}'}",
        "proxy": "http://u:${KEY_D}@proxy.example:3128",
    }
    [task] = task_file("news", **keys).tasks.values()
    task = task.model_copy(update={"output": (OutputEntry(to="${KEY_O}"),)})
    problems = environment_problems({"news": task})
    assert [problem.split()[5] for problem in problems] == ["KEY_O", "KEY_A", "KEY_B", "KEY_C", "KEY_D"]
    assert all(problem.startswith("task news: ") for problem in problems)


def test_settings_reach_the_workers_and_a_change_of_them_too(connection, tmp_path):
    file = tmp_path / "tasks.yaml"
    plain = ("", "Exemplar")
    for setting, product in (plain, ("settings: {user_agent: Ours/2.0}\n", "Ours"), plain):
        file.write_text(
            f"{setting}tasks:\n  news:\n    example: http://a.example/1.html\n    pattern: /{{id}}.html\n"
            "    every: 1h\n    output: out.jsonl\n"
        )
        publish(connection, load(file), file)
        assert config_of(connection, "news").product == product
