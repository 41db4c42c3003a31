import json
import subprocess
import sys
from pathlib import Path

import pytest

from console.cli import COMMANDS
from evaluation.sample_site import truth
from extractors import Article, Section
from tests.console.calls import AT_HOME
from tests.console.conftest import Exemplar
from tests.extractors.pages import BAKERY, HARBOUR, LIBRARY, news_page
from tests.site.server import SiteServer


@pytest.mark.parametrize("command", [*COMMANDS, "work crawl", "work extract"])
def test_every_command_has_help_with_an_example(command: str, in_process: Exemplar) -> None:
    done = in_process(*command.split(), "--help").succeeded()
    assert f"exemplar {command.split()[0]}" in done.out.partition("Examples:")[2]


@pytest.mark.parametrize("command", ["run", "check", "schedule", "crawl news"])
def test_missing_task_list_is_one_clear_line(command: str, exemplar: Exemplar) -> None:
    assert exemplar(*command.split()).failed(2).err.startswith("error:")


def test_check_reports_every_mistake_with_its_place(tmp_path: Path, in_process: Exemplar) -> None:
    (tmp_path / "tasks.yaml").write_text("tasks:\n  a:\n    exampel: http://h/1.html\n    every: 1x\n", "utf-8")
    in_process("check").failed(2, "tasks.yaml:3:5", "did you mean 'example'", "tasks.yaml:4:")
    rows = json.loads(in_process("check", "--json").out)["mistakes"]
    assert {(row["line"], row["key_path"]) for row in rows} >= {(3, "tasks.a.exampel"), (4, "tasks.a.every")}


def test_init_writes_a_sample_that_is_valid(tmp_path: Path, in_process: Exemplar) -> None:
    assert in_process("init", "--contact", "https://example.org/bot").code == 0
    assert in_process("check").code == 0
    assert "https://example.org/bot" in (tmp_path / "tasks.yaml").read_text("utf-8")
    schema = json.loads((tmp_path / ".exemplar" / "tasks.schema.json").read_text("utf-8"))
    assert schema["$schema"] == "http://json-schema.org/draft-07/schema#"


def test_extract_reads_a_page_from_standard_input(in_process: Exemplar) -> None:
    page = f"<title>T</title><h1>T</h1><p>{'The ferry was late again today. ' * 20}</p>".encode()
    in_process("extract", "-", stdin=page).succeeded("The ferry was late again today.")


def test_a_closed_standard_input_is_an_empty_one() -> None:
    program = f"exec {sys.executable} -m console extract - <&-"
    done = subprocess.run(["sh", "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("-: ")


def test_extract_fetches_urls_with_an_example_url(site: SiteServer, exemplar: Exemplar, tmp_path: Path) -> None:
    example, wanted, other = truth("zh")[3:6]
    (tmp_path / "urls.txt").write_text(f"# two\n{site.url}{wanted.path}\n{site.url}{other.path}\n", "utf-8")
    done = exemplar("extract", "--example", site.url + example.path, "--format", "json", "urls.txt", **AT_HOME)
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert done.code == 0, done.err
    assert [row["method"] for row in rows] == ["example", "example"]
    assert wanted.text.split("\n\n")[0] in rows[0]["text"]


@pytest.mark.parametrize("method", ["auto", "tag-paths"])
def test_further_examples_are_recent_pages(method: str, in_process: Exemplar, tmp_path: Path) -> None:
    texts = [("Bread", BAKERY), ("Tides", HARBOUR), ("Books", LIBRARY), ("Walls", (*BAKERY[:2], *LIBRARY))]
    pages = [news_page(title, text) for title, text in texts]
    for number, page in enumerate(pages):
        (tmp_path / f"{number}.html").write_text(page, "utf-8")
    examples = [word for number in range(3) for word in ("--example", f"{number}.html")]
    done = in_process("extract", "--method", method, "--format", "json", *examples, "3.html").succeeded()
    section = Section(pages[0], method=method)
    for page in pages[1:3]:
        section.learn(page)
    wanted = section.extract(pages[3])
    assert isinstance(wanted, Article)
    row = json.loads(done.out)
    assert (row["text"], row["confidence"], row["reason"]) == (wanted.text, wanted.confidence, wanted.reason)
    alone = Section(pages[0], method=method).extract(pages[3])
    assert method == "tag-paths" or alone.reason != wanted.reason
    (tmp_path / "1.html").write_text("", "utf-8")
    in_process("extract", "--example", "0.html", "--example", "1.html", "3.html").failed(1, "example 1.html: ")


def test_extract_refuses_private_addresses_by_default(site: SiteServer, exemplar: Exemplar) -> None:
    exemplar("extract", site.url + "/", EXEMPLAR_CONTACT="a@b.org").failed(1, "not public")
    assert site.requests == []


def test_extract_writes_one_file_a_page(in_process: Exemplar, tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    for name in ("pages/a", "pages/b", "pages_a"):
        text = f"<h1>{name}</h1><p>{'Words of the harbour master. ' * 20}</p>"
        (tmp_path / f"{name}.html").write_text(text, "utf-8")
    in_process("extract", "pages", "pages_a.html", "--output", "texts", "--format", "markdown").succeeded()
    assert sorted(path.name for path in (tmp_path / "texts").iterdir()) == ["pages_a-2.md", "pages_a.md", "pages_b.md"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["chekc"], "did you mean 'check'"),
        (["init", "--contact", "me\nsettings: {}"], "neither a URL nor an e-mail address"),
        (["extract", "nowhere.html"], "no such file"),
        (["extract", "--method", "exampel", "-"], "did you mean 'example'"),
        (["extract", "--method", "example", "-"], "example"),
        (["extract", "page.html", "--output", "pages.csv"], "not written as .csv"),
        (["extract", "page.html", "--format", "json", "--explain"], "--explain prints text after the result"),
        (["extract", "urls.txt"], "urls.txt:4: 'www.a.example/2' is not a URL"),
        (["add", "urls.txt"], "urls.txt:4: 'www.a.example/2' is not a URL"),
        (["add", "https://a.example/1", "https://b.example/1", "--name", "x"], "--name needs a single URL"),
        (["add", " "], "an empty URL"),
        *(
            (["add", source], f"{source}: no such file; a URL begins with https://")
            for source in ("sections.csv", "news.example/a/1.html", "127.0.0.1:8000/a.html")
        ),
        (["crawl", "news", "--from", "2020"], "'2020' does not match the format '%Y-%m-%d'"),
        (["run", "--workers", "0"], "--workers"),
        (["status", "--problems", "nope"], "unknown task 'nope'; no task has run yet"),
    ],
)
def test_wrong_usage_says_what_to_do_and_writes_nothing(
    arguments: list[str], says: str, in_process: Exemplar, tmp_path: Path
) -> None:
    (tmp_path / "page.html").write_text("<p>x</p>", "utf-8")
    (tmp_path / "urls.txt").write_text("# ours\nhttps://a.example/1\n\nwww.a.example/2\n", "utf-8")
    assert in_process(*arguments, stdin=b"<p>x</p>").failed(2, says).out == ""
    assert {file.name for file in tmp_path.iterdir()} <= {"page.html", "urls.txt", ".exemplar"}


@pytest.mark.parametrize("command", ["add", "add --json"])
def test_a_password_in_a_url_is_not_shown(command: str, exemplar: Exemplar) -> None:
    done = exemplar(*command.split(), "http://me:hunter2@127.0.0.1:9/a/1.html")
    assert (done.code, "move it to auth" in done.err + done.out) == (1, True)
    assert "hunter2" not in done.err + done.out


@pytest.mark.parametrize("key", ["auth: me:hunter2", "cookies: sid=hunter2", "headers: X-Key hunter2"])
def test_a_secret_of_the_wrong_form_is_not_shown(key: str, tmp_path: Path, in_process: Exemplar) -> None:
    (tmp_path / "tasks.yaml").write_text(f"tasks:\n  a:\n    {key}\n", "utf-8")
    done = in_process("check").failed(2, f"tasks.a.{key.split(':')[0]}: must be a map, not text")
    assert "hunter2" not in done.err + in_process("check", "--json").out
