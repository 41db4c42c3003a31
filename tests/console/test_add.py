"""`exemplar add URL` and `exemplar try TASK` against the sample site, as a user calls them."""

import json
import re
from pathlib import Path

import pytest

from console.survey_text import kind_of
from crawler.task_list.file import load
from evaluation.sample_site import DEAD_LINKS, PATTERNS, truth
from tests.console.calls import AT_HOME
from tests.console.conftest import Exemplar
from tests.site.server import SiteServer

pytestmark = pytest.mark.timeout(120)

LIST = """\
# our sections
settings:
  contact: https://example.org/our-crawler
  allow_hosts: [127.0.0.1]   # at home
  delay: 0

tasks:
  # nothing yet
"""
EXAMPLES = {section: truth(section)[3].path for section in ("zh", "en")}


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "tasks.yaml").write_text(LIST, "utf-8")
    return tmp_path


def test_one_url_makes_a_task(site: SiteServer, here: Path, exemplar: Exemplar) -> None:
    done = exemplar("add", site.url + EXAMPLES["zh"], "--name", "mine", "--every", "2h").succeeded()
    task = load(here / "tasks.yaml")["mine"]
    assert str(task.pattern) == site.url + PATTERNS["zh"]
    assert str(task.every) == "2h"
    text = (here / "tasks.yaml").read_text("utf-8")
    assert "# our sections" in text
    assert "# at home" in text
    for word in ("pattern", "taken", "left", "extracted", "confidence 0.9"):
        assert word in done.out
    assert "exemplar try mine" in done.err
    assert "--site" in done.err, "the other scope is offered"


def test_a_dry_run_shows_links_with_reasons_and_extractions(site: SiteServer, here: Path, exemplar: Exemplar) -> None:
    done = exemplar("add", site.url + EXAMPLES["en"], "--dry-run", "--json")
    found = json.loads(done.out)
    assert (found["added"], (here / "tasks.yaml").read_text("utf-8")) == ([], LIST)
    assert found["task"]["pattern"] == site.url + PATTERNS["en"]
    assert len(found["taken"]) >= 8
    assert all(link["reason"] for link in found["left"])
    assert [sample["method"] for sample in found["samples"]] == ["example"] * 3


def test_task_list_is_made_if_there_is_none(site: SiteServer, tmp_path: Path, exemplar: Exemplar) -> None:
    exemplar("add", site.url + EXAMPLES["zh"], "--section", "--tasks", "new/tasks.yaml", **AT_HOME).succeeded()
    listed = load(tmp_path / "new" / "tasks.yaml")
    assert listed.settings.contact == "a@b.org"
    assert [str(task.every) for task in listed.tasks.values()] == ["1h"]
    assert (tmp_path / "new" / ".exemplar" / "tasks.schema.json").exists()


def test_urls_of_a_file_make_tasks_unless_they_are_known_or_unavailable(
    site: SiteServer, here: Path, exemplar: Exemplar
) -> None:
    urls = [site.url + EXAMPLES["zh"], site.url + EXAMPLES["en"], site.url + DEAD_LINKS["zh"]]
    (here / "urls.txt").write_text("# ours\n" + "\n".join(urls), "utf-8")
    exemplar("add", "urls.txt").failed(1, "http 404", "2 of 3 URLs done, 1 could not be added")
    assert [*load(here / "tasks.yaml").tasks] == ["127-0-0-1-news", "127-0-0-1-stories"]
    done = exemplar("add", *urls[:2]).succeeded()
    assert [line.partition(": ")[2] for line in done.err.splitlines()] == [
        f"skipped; task 127-0-0-1-{name} covers it" for name in ("news", "stories")
    ]


def test_section_that_is_there_already_is_not_added_again(site: SiteServer, here: Path, exemplar: Exemplar) -> None:
    (here / "tasks.yaml").write_text(task(site), "utf-8")
    exemplar("add", site.url + truth("zh")[5].path).failed(2, "task zh already covers")
    assert site.requests == []
    exemplar("add", site.url + truth("zh")[5].path, "--name", "zh2").failed(1, "task zh already covers this section")


def test_what_is_no_article_is_said(site: SiteServer, here: Path, exemplar: Exemplar) -> None:
    done = exemplar("add", site.url + "/zh/news/").failed(1, "is a list page")
    assert (here / "tasks.yaml").read_text("utf-8") == LIST
    assert f"  {site.url}{truth('zh')[0].path}  " in done.err


def test_article_that_looks_like_a_list_is_added_if_asked(site: SiteServer, here: Path, exemplar: Exemplar) -> None:
    for article in truth("zh"):
        links = "".join(f"<li><a href='https://far.example/{n}'>{article.title}的消息</a></li>" for n in range(15))
        body = f"<html><head><title>一周链接</title></head><body><h1>一周链接</h1><ul>{links}</ul></body></html>"
        site.override(article.path, headers={"Content-Type": "text/html; charset=utf-8"}, body=body.encode())
    done = exemplar("add", site.url + EXAMPLES["zh"], "--article", "--name", "links").succeeded()
    assert str(load(here / "tasks.yaml")["links"].pattern) == site.url + PATTERNS["zh"]
    assert "it is treated as an article, as requested" in done.out
    assert "the same title, “一周链接”" in done.out
    assert load(here / "tasks.yaml")["links"].articles
    accounting = exemplar("run", "links", "--once", "--json").accounting["links"]
    assert (accounting["written"], accounting["rejected"]) == (len(truth("zh")), 1), "a dead link is rejected"


def test_private_address_says_allow_hosts(site: SiteServer, tmp_path: Path, exemplar: Exemplar) -> None:
    exemplar("add", site.url + EXAMPLES["zh"], EXEMPLAR_CONTACT="a@b.org").failed(1, "allow_hosts")
    assert not (tmp_path / "tasks.yaml").exists()
    assert site.requests == []


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [("--every", "soon", "soon"), ("--output", "out.txt", "--output: unknown kind of output .txt")],
)
def test_a_mistake_in_an_option_is_named_before_anything_is_fetched(
    option: str, value: str, says: str, site: SiteServer, here: Path, exemplar: Exemplar
) -> None:
    exemplar("add", site.url + EXAMPLES["zh"], option, value).failed(2, says)
    assert (here / "tasks.yaml").read_text("utf-8") == LIST
    assert site.requests == []


# -- try


def task(site: SiteServer, **keys: str) -> str:
    said = {"example": site.url + EXAMPLES["zh"], "pattern": PATTERNS["zh"], "start": f"{site.url}/zh/news/", **keys}
    lines = "".join(f"    {key}: {value}\n" for key, value in said.items())
    return LIST + f"  zh:\n{lines}    every: 1h\n    output: out.jsonl\n"


def test_try_shows_links_and_extractions_and_writes_nothing(site: SiteServer, here: Path, exemplar: Exemplar) -> None:
    (here / "tasks.yaml").write_text(task(site), "utf-8")
    done = exemplar("try", "zh", "--json", REDIS_URL="redis://127.0.0.1:1/0")
    found = json.loads(done.out)
    assert done.code == 0, done.err
    assert found["ok"]
    assert len(found["articles"]) == 10
    assert {cut["method"] for cut in found["articles"] if cut["characters"]} == {"example"}
    left = {link["url"]: link["reason"] for page in found["lists"] for link in page["left"]}
    assert "further page" in left[f"{site.url}/zh/news/list_2.html"]
    assert sorted(each.name for each in here.iterdir()) == ["tasks.yaml"]
    shown = exemplar("try", "zh")
    for of_list in shown.out.split("\nlist ")[1:]:
        reasons = re.findall(r"^  left .*  (.+)$", of_list, re.M)
        assert len(reasons) == len({kind_of(reason) for reason in reasons}) > 0
    assert "Nothing was written" in shown.out
    assert "confidence 0.9" in shown.out


def test_try_of_an_unknown_task_names_the_nearest(site: SiteServer, here: Path, in_process: Exemplar) -> None:
    (here / "tasks.yaml").write_text(task(site), "utf-8")
    in_process("try", "zj").failed(2, "zh")
