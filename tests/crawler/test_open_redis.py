"""What a crawling process opens before it starts."""

from importlib.metadata import version
from pathlib import Path

import pytest

from crawler.gates.context import context_from
from crawler.spiders.shared import open_redis
from crawler.task_list.identity import contact_of, user_agent
from crawler.task_list.mistakes import TaskError
from crawler.task_list.models import Settings
from crawler.task_list.publication import publish, published
from tests.crawler.task_lists import task_file, text_of


@pytest.fixture(autouse=True)
def _here(plain_environment, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def named(redis_url, connection, monkeypatch):
    monkeypatch.setenv("REDIS_URL", redis_url)


def opened(file=None):
    with open_redis(file) as connection:
        return list(published(connection).tasks)


def test_a_named_file_goes_before_the_one_here(named, tmp_path):
    Path("tasks.yaml").write_text(text_of("news"), "utf-8")
    (tmp_path / "other.yaml").write_text(text_of("sports"), "utf-8")
    assert opened(tmp_path / "other.yaml") == ["sports"]


def test_without_a_file_the_published_list_is_used(named, connection):
    publish(connection, task_file("news"), Path("/elsewhere/tasks.yaml"))
    assert opened() == ["news"]


def test_without_file_and_redis_one_is_told_where_it_was_looked_for(tmp_path):
    with pytest.raises(TaskError, match=f"no tasks.yaml in {tmp_path}.*exemplar init"):
        opened()


def test_without_redis_url_one_is_started_beside_the_tasks(tmp_path):
    Path("tasks.yaml").write_text(text_of("news"), "utf-8")
    with open_redis(None) as connection:
        assert connection.ping()
        assert (tmp_path / ".exemplar" / "redis").is_dir()
        assert "path" in connection.connection_pool.connection_kwargs


def test_the_guard_knows_the_lists_hosts_and_the_environments(named, monkeypatch):
    monkeypatch.setenv("EXEMPLAR_ALLOW_HOSTS", "intranet.example")
    Path("tasks.yaml").write_text(text_of("news"), "utf-8")
    with open_redis(None) as connection:
        guard = context_from(published(connection).settings).guard
    assert guard.lists("127.0.0.1", 80)
    assert guard.lists("intranet.example", 80)


# Who we say we are


def test_the_user_agent_names_product_version_and_contact():
    said = user_agent(Settings(contact="https://example.org/our-crawler"))
    assert said == f"Exemplar/{version('exemplar-crawler')} (+https://example.org/our-crawler)"


def test_the_contact_may_come_from_the_environment_and_the_list_goes_before_it(monkeypatch):
    assert contact_of(Settings()) == ""
    monkeypatch.setenv("EXEMPLAR_CONTACT", "env@example.org")
    assert contact_of(Settings()) == "env@example.org"
    assert contact_of(Settings(contact="file@example.org")) == "file@example.org"
