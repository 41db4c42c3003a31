"""The command line as a user calls it: a process of its own, in a folder of its own."""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
import redis
from playwright.sync_api import Browser, sync_playwright

from evaluation.sample_site import tasks_yaml
from tests.extractors.pages import BAKERY, HARBOUR, news_page
from tests.site.server import SiteServer

from .calls import Done as Done
from .calls import call, call_here

Exemplar = Callable[..., Done]


@dataclass(frozen=True)
class Crawled:
    """The sample site, the folder of a task list whose sections were crawled once, and what that run said."""

    site: SiteServer
    folder: Path
    done: Done


@pytest.fixture
def site() -> Iterator[SiteServer]:
    with SiteServer() as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path, site: SiteServer) -> Path:
    (tmp_path / "tasks.yaml").write_text(tasks_yaml(site.url), "utf-8")
    return tmp_path


@pytest.fixture(scope="session")
def first_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    """A first run, made once; tests get copies of its folder."""
    folder = tmp_path_factory.mktemp("first-run")
    with SiteServer() as site:
        (folder / "tasks.yaml").write_text(tasks_yaml(site.url), "utf-8")
        done = call(folder, _environment(), ["run", "--once", "--json"])
        assert done.code == 0, done.err
        yield Crawled(site, folder, done)


@pytest.fixture
def crawled(first_run: Crawled, tmp_path: Path) -> Iterator[Crawled]:
    """A copy of a folder after a first run, and its site, as it was then."""
    shutil.copytree(first_run.folder, tmp_path, dirs_exist_ok=True)
    yield Crawled(first_run.site, tmp_path, first_run.done)
    first_run.site.relaunch()
    first_run.site.robots_txt = None
    for path in [*first_run.site._overrides]:
        first_run.site.restore(path)


@pytest.fixture(scope="module")
def chromium(browser: str) -> Iterator[Browser]:
    """A browser that the tests of one module share."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def environment() -> dict[str, str]:
    return _environment()


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("EXEMPLAR_", "REDIS_URL"))}


@pytest.fixture
def exemplar(tmp_path: Path, environment: dict[str, str]) -> Exemplar:
    def run(*arguments: str, stdin: bytes = b"", **variables: str) -> Done:
        return call(tmp_path, environment | variables, arguments, stdin)

    return run


@pytest.fixture
def in_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Exemplar:
    """As `exemplar`, but in this process: for commands that start no others."""
    monkeypatch.chdir(tmp_path)
    return call_here


@pytest.fixture
def on_redis(in_process: Exemplar, connection: "redis.Redis", redis_url: str) -> Exemplar:
    """As `in_process`, on the Redis of the tests."""
    return partial(in_process, REDIS_URL=redis_url)


@pytest.fixture
def bread(tmp_path: Path) -> Path:
    """A folder with page.html and known.html, two pages of one template."""
    (tmp_path / "page.html").write_text(news_page("New bread", BAKERY), "utf-8")
    (tmp_path / "known.html").write_text(news_page("Tides", HARBOUR), "utf-8")
    return tmp_path
