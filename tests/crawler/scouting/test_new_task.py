"""Names and keys of tasks that are made from a survey; task lists that have none yet."""

from pathlib import Path

import pytest

from crawler.scouting.inference import Inference
from crawler.scouting.new_task import entry_of, known_as, name_of, refuse_known
from crawler.scouting.sample_extractions import SampleExtraction
from crawler.scouting.survey import Survey
from crawler.task_list.edit import append_tasks, create, existing_list
from crawler.task_list.file import load
from crawler.task_list.mistakes import TaskError


def found(example: str, pattern: str, starts: tuple[str, ...], scope: str = "section", lone: bool = False) -> Survey:
    return Survey(example, scope, "", Inference(pattern, (), ()), starts, lone, (), (), SampleExtraction(example))


PORTAL = found(
    "https://www.news.example/harbour/1.html",
    "https://www.news.example/harbour/{id}.html",
    ("https://www.news.example/harbour/",),
)


@pytest.mark.parametrize(
    ("survey", "name"),
    [
        (PORTAL, "news-harbour"),
        (found("https://m.paper.com.cn/a/b/1.html", "https://m.paper.com.cn/a/b/{id}.html", ()), "paper-b"),
        (found("https://city.paper.example/1.html", "https://city.paper.example/{id}.html", (), "site"), "city-paper"),
        (found("http://127.0.0.1:8080/x/1", "http://127.0.0.1:8080/x/{id}", (), "site"), "127-0-0-1"),
        (found("http://a.example/新闻/1", "http://a.example/新闻/{id}", ()), "a-新闻"),
    ],
)
def test_name_is_of_host_and_section(survey: Survey, name: str) -> None:
    assert name_of(survey, ()) == name


def test_name_that_is_taken_gets_a_number() -> None:
    assert name_of(PORTAL, {"news-harbour", "news-harbour-2"}) == "news-harbour-3"


def test_list_page_that_is_all_has_no_depth() -> None:
    lone = found("https://a.example/1.html", "https://a.example/{id}.html", ("https://a.example/list/3/",), lone=True)
    assert entry_of(lone, {}, ())["depth"] == 0


def test_list_without_tasks_takes_the_first(tmp_path: Path) -> None:
    tasks_yaml = tmp_path / "tasks.yaml"
    create(tasks_yaml, "https://example.org/bot")
    there = existing_list(tasks_yaml)
    assert (there.tasks.tasks, there.tasks.settings.contact) == ({}, "https://example.org/bot")
    append_tasks(tasks_yaml, {1: entry_of(PORTAL, there.defaults, ())})
    listed = existing_list(tasks_yaml).tasks
    assert listed == load(tasks_yaml)
    assert known_as(listed, "https://www.news.example/harbour/77.html") == "news-harbour"
    assert known_as(listed, "https://www.news.example/sport/77.html") is None
    with pytest.raises(TaskError, match="news-harbour already covers this section"):
        refuse_known(listed, PORTAL)
