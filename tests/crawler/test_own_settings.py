"""docs/scrapy.md: its example runs as it says, in both ways; what is refused is refused with its reason."""

import json
import re
from pathlib import Path

import pytest
from scrapy.crawler import AsyncCrawlerRunner
from scrapy.settings import BaseSettings, Settings

from crawler.gates.settings_in_force import ProcessSettings, add_settings, put_in_force
from crawler.spiders.section import SectionSpider
from crawler.task_list.file import loads
from crawler.task_list.mistakes import TaskError
from crawler.task_list.scrapy_settings import REFUSED
from tests.crawler.servers import Server
from tests.crawler.spiders import REPOSITORY, crawl, environment, run
from workers.errors import ExemplarError

PAGE = REPOSITORY / "docs" / "scrapy.md"
ARTICLES = ("/story/1001.html", "/story/1002.html", "/story/1003.html")
TASKS = """\
settings: {{scrapy: {0}}}
tasks: {{a: {{example: "http://x.test/a/1.html", pattern: "/a/{{id}}.html", every: 1d, output: o.jsonl}}}}
"""
MODULE = """\
class Talker:
    def process_request(self, request):
        print("a middleware prints")

DEFAULT_REQUEST_HEADERS = {"Save-Data": "on"}
DOWNLOADER_MIDDLEWARES = {Talker: 300}
HTTPCACHE_ENABLED = True
"""
ADD_ON = """\
class Ours:
    @classmethod
    def update_pre_crawler_settings(cls, settings):
        settings.set("DOWNLOADER_MIDDLEWARES", {"ours.Stamp": 300}, "cmdline")

ADDONS = {Ours: 1}
"""
PLACED = """\
from crawler.fetching.scrapy_process import scrapy_process
from crawler.spiders.section import SectionSpider

placed = scrapy_process().create_crawler(SectionSpider).settings.getdict("DOWNLOADER_MIDDLEWARES")
print(placed.get("crawler.gates.guard_gates.UrlGate"), placed["ours.Stamp"])
"""


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)


class Stories:
    """A site with the section of the example; it notes the requests for articles that asked for small pages."""

    def __init__(self) -> None:
        self.small: list[str] = []

    def __call__(self, handler):
        if handler.path == "/stories/":
            return 200, {}, "".join(f'<a href="{path}">{path}</a>' for path in ARTICLES).encode()
        if handler.path not in ARTICLES:
            return 404, {}, b""
        if handler.headers["Save-Data"] == "on":
            self.small.append(handler.path)
        return 200, {}, f"<h1>{handler.path}</h1><p>{'A sentence of this story. ' * 30}</p>".encode()


@pytest.fixture
def stories():
    site = Stories()
    with Server("127.0.0.1", site) as server:
        site.url = f"http://127.0.0.1:{server.port}"
        yield site


def write_example(folder: Path, url: str) -> None:
    [code], [tasks] = blocks("python"), blocks("yaml")
    (folder / "our_scrapy.py").write_text(code, "utf-8")
    tasks = tasks.replace("https://news.example", url)
    tasks = tasks.replace("settings:\n", "settings:\n  allow_hosts: [127.0.0.1]\n  delay: 0\n", 1)
    (folder / "tasks.yaml").write_text(tasks, "utf-8")


@pytest.mark.parametrize("scrapy", [False, True], ids=["exemplar", "scrapy"])
def test_the_example_runs(stories, connection, redis_url, tmp_path, scrapy):
    write_example(tmp_path, stories.url)
    numbers = tmp_path / "runs.jsonl"
    tasks = tmp_path / "tasks.yaml"
    tasks.write_text(tasks.read_text("utf-8").replace("runs.jsonl", "${NUMBERS}"), "utf-8")
    path = {"PYTHONPATH": f"{REPOSITORY}:{tmp_path}"} if scrapy else {}
    ended = crawl(tmp_path, redis_url, "stories", scrapy=scrapy, NUMBERS=str(numbers), **path)
    assert ended.code == 0, ended.said
    assert sorted(stories.small) == [*ARTICLES]
    [line] = map(json.loads, numbers.read_text("utf-8").splitlines())
    with_lists = len(ARTICLES) + 3  # list, robots.txt, sitemap.xml
    assert line == {"task": "stories", "responses": with_lists, "reason": "finished"}


def test_a_settings_module_is_in_force_and_the_http_cache_keeps_no_secrets(stories, connection, redis_url, tmp_path):
    write_example(tmp_path, stories.url)
    (tmp_path / "ours.py").write_text(MODULE, "utf-8")
    tasks = tmp_path / "tasks.yaml"
    secrets = "    headers: {X-Key: '${KEY}'}\n    auth: {user: me, password: '${KEY}'}\n"
    tasks.write_text(re.sub(r"  scrapy:\n(    .*\n)+", "", tasks.read_text("utf-8")) + secrets, "utf-8")
    ended = crawl(tmp_path, redis_url, "stories", SCRAPY_SETTINGS_MODULE="ours", KEY="swordfish9")
    assert ended.code == 0
    assert "a middleware prints" in ended.said  # standard output is for results
    assert sorted(stories.small) == [*ARTICLES]
    kept = [path.read_bytes() for path in (tmp_path / ".scrapy" / "httpcache" / "section").rglob("*") if path.is_file()]
    assert len(kept) > len(ARTICLES)
    assert not any(b"swordfish9" in text or b"Authorization" in text for text in kept)


def test_a_component_that_is_not_installed_is_named_before_the_run(connection, redis_url, tmp_path):
    (tmp_path / "tasks.yaml").write_text(TASKS.format("{EXTENSIONS: {nowhere.Count: 1}}"), "utf-8")
    ended = crawl(tmp_path, redis_url, "a", EXEMPLAR_CONTACT="a@example.org")
    assert ended.code == 1
    assert "EXTENSIONS of Scrapy: nowhere.Count: No module named 'nowhere'; install its package here" in ended.said
    assert "Traceback" not in ended.said


def test_the_gates_are_in_force_in_a_process_whose_settings_an_add_on_replaces(tmp_path):
    (tmp_path / "ours.py").write_text(ADD_ON, "utf-8")
    (tmp_path / "placed.py").write_text(PLACED, "utf-8")
    ran = run("placed", [], tmp_path, environment(SCRAPY_SETTINGS_MODULE="ours"))
    assert ran.out.split() == ["50", "300"], ran.said


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("{TWISTED_DNS_RESOLVER: a.B}", "it decides which addresses may be contacted"),
        ("{DOWNLOADER_MIDDLEWARES: {our.Gate: 700}}", "our.Gate: from 700 on requests contain the secrets of tasks"),
        ("{EXTENSIONS: {our.Count: first}}", "our.Count: its place 'first' is no number"),
        ("{DOWNLOADER_MIDDLEWARES: {crawler.gates.guard_gates.UrlGate: null}}", "this program needs it where it is"),
        ("{EXTENSIONS: {scrapy.extensions.telnet.TelnetConsole: 1}}", "it executes code that is sent to a port"),
        ("{ROBOTSTXT_OBEY: false}", "set `robots` of the task"),
        ("{extensions: {}}", "write it in capital letters"),
        ("{EXTENSIONS: [a.B]}", "EXTENSIONS is not a map"),
        ("{A: ['${']}", "${ without a variable's name"),
    ],
)
def test_a_task_list_with_a_setting_that_is_refused_says_why(written, message):
    with pytest.raises(TaskError, match=re.escape(message)):
        loads(TASKS.format(written))


def test_each_refused_setting_is_refused_in_a_module_unless_it_has_this_programs_value():
    for name in REFUSED:
        is_map = isinstance(Settings()[name], BaseSettings)
        with pytest.raises(ExemplarError, match=f"the setting {name} of Scrapy"):
            put_in_force(Settings({name: {"another": "a.B"} if is_map else "another"}))
    own = Settings()
    own.setmodule("crawler.settings", priority="project")
    put_in_force(own)
    assert own["TWISTED_DNS_RESOLVER"] == "crawler.gates.connections.GuardedResolver"


@pytest.mark.parametrize("priority", ["project", "cmdline"])
def test_the_gates_stay_in_force_in_a_crawler_that_gets_the_settings_of_its_process_once_more(priority):
    process = AsyncCrawlerRunner(Settings({"DOWNLOADER_MIDDLEWARES": {"ours.Stamp": 300}}, priority))
    crawler = process.create_crawler(process.create_crawler(SectionSpider))  # as `scrapy crawl` does
    placed = crawler.settings.getdict("DOWNLOADER_MIDDLEWARES")
    assert placed["crawler.gates.guard_gates.UrlGate"] == 50
    assert placed["ours.Stamp"] == 300
    assert crawler.settings["DOWNLOAD_HANDLERS"]["file"] is None


def test_components_of_a_task_list_come_beside_those_of_the_program_and_variables_are_expanded():
    settings = Settings()
    put_in_force(settings)
    add_settings(settings, {"EXTENSIONS": {"ours.Count": 1}, "OURS": ["${A}", {"b": "${A}"}]}, {"A": "x"})
    add_settings(settings, {"EXTENSIONS": {"ours.More": 2}}, {})
    assert settings.getdict("EXTENSIONS") == {"ours.Count": 1, "ours.More": 2}
    assert settings["OURS"] == ["x", {"b": "x"}]


def test_a_crawlers_copy_of_the_settings_is_that_of_scrapy_and_its_own():
    settings = ProcessSettings({"ITEM_PIPELINES": {"a.B": 3}, "ALLOWED": ["x"], "EXTENSIONS": {"a.C": None}}, "cmdline")
    put_in_force(settings)
    before = settings.copy_to_dict()
    copied, theirs = settings.copy(), Settings.copy(settings)
    assert copied.copy_to_dict() == theirs.copy_to_dict()
    assert [copied.getpriority(name) for name in theirs] == [theirs.getpriority(name) for name in theirs]
    again = copied.copy()
    again["ALLOWED"].append("z")
    again["EXTENSIONS"].set("a.C", 5, "cmdline")
    again.set("BOT_NAME", "another", "cmdline")
    assert again["EXTENSIONS"]["a.C"] == 5
    assert copied.copy_to_dict() == before
    copied["ALLOWED"].append("y")
    copied["EXTENSIONS"]["a.D"] = 1
    copied.set("DOWNLOAD_DELAY", 7, "cmdline")
    copied.freeze()
    assert settings.copy_to_dict() == before
    assert copied.copy_to_dict()["EXTENSIONS"]["a.D"] == 1
    with pytest.raises(TypeError):
        copied.copy().set("DOWNLOAD_DELAY", 8, "cmdline")


def test_the_page_names_only_refused_settings_as_refused():
    table = PAGE.read_text("utf-8").partition("## What is refused")[2]
    named = {name for name in re.findall(r"`([A-Z_]+)`", table) if name != "SPIDER_MODULES"}
    assert len(named) > 10
    assert named <= {*REFUSED}
