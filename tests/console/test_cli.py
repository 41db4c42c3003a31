import json
import socket
from pathlib import Path

import pytest

from console.cli import COMMANDS
from console.sample_site import SiteServer
from extractors import Article, Section
from tests.console.conftest import Exemplar
from tests.extractors.pages import BAKERY, HARBOUR, LIBRARY, news_page


@pytest.mark.parametrize("command", [*COMMANDS, "work crawl", "work extract"])
def test_every_command_has_help_with_an_example(command: str, exemplar: Exemplar) -> None:
    done = exemplar(*command.split(), "--help")
    assert done.code == 0
    assert f"exemplar {command.split()[0]}" in done.out.partition("Examples:")[2]


def test_help_imports_no_command(exemplar: Exemplar, environment: dict[str, str], tmp_path: Path) -> None:
    import subprocess
    import sys

    probe = (
        "import sys; from console.cli import exemplar; exemplar(['--help'], standalone_mode=False); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, env=environment)
    loaded = done.stdout.splitlines()[-1].split()
    assert "click" in loaded
    assert not {"scrapy", "redis", "lxml", "pydantic", "rich", "numpy"} & set(loaded)


def test_unknown_command_names_the_nearest(exemplar: Exemplar) -> None:
    done = exemplar("chekc")
    assert done.code == 2
    assert "did you mean 'check'" in done.err


@pytest.mark.parametrize("command", ["run", "check", "schedule", "crawl news"])
def test_missing_task_list_is_one_clear_line(command: str, exemplar: Exemplar) -> None:
    done = exemplar(*command.split())
    assert done.code == 2
    assert done.err.startswith("error:")
    assert "Traceback" not in done.err


def test_check_reports_every_mistake_with_its_place(tmp_path: Path, exemplar: Exemplar) -> None:
    (tmp_path / "tasks.yaml").write_text("tasks:\n  a:\n    exampel: http://h/1.html\n    every: 1x\n", "utf-8")
    done = exemplar("check")
    assert done.code == 2
    assert "tasks.yaml:3:5" in done.err
    assert "did you mean 'example'" in done.err
    assert "tasks.yaml:4:" in done.err
    rows = json.loads(exemplar("check", "--json").out)["mistakes"]
    assert {(row["line"], row["key_path"]) for row in rows} >= {(3, "tasks.a.exampel"), (4, "tasks.a.every")}


def test_init_writes_a_sample_that_is_valid(tmp_path: Path, exemplar: Exemplar) -> None:
    assert exemplar("init", "--contact", "https://example.org/bot").code == 0
    assert exemplar("check").code == 0
    assert "https://example.org/bot" in (tmp_path / "tasks.yaml").read_text("utf-8")
    schema = json.loads((tmp_path / ".exemplar" / "tasks.schema.json").read_text("utf-8"))
    assert schema["$schema"] == "http://json-schema.org/draft-07/schema#"


def test_init_never_writes_over_a_task_list(folder: Path, exemplar: Exemplar) -> None:
    before = (folder / "tasks.yaml").read_text("utf-8")
    done = exemplar("init", "--contact", "a@b.org")
    assert done.code == 2
    assert "--force" in done.err
    assert (folder / "tasks.yaml").read_text("utf-8") == before


def test_dead_redis_is_exit_code_3(folder: Path, exemplar: Exemplar) -> None:
    done = exemplar("run", "--once", "--json", REDIS_URL=f"redis://127.0.0.1:{free_port()}/0")
    assert done.code == 3
    assert "does not answer" in done.err
    assert "Traceback" not in done.err


def test_redis_without_password_on_a_public_address_is_refused(folder: Path, exemplar: Exemplar) -> None:
    done = exemplar("run", "--once", "--json", REDIS_URL="redis://8.8.8.8:6379/0")
    assert done.code == 2
    assert "no password" in done.err


def test_password_of_redis_is_never_shown(folder: Path, exemplar: Exemplar) -> None:
    done = exemplar("run", "--once", "--json", REDIS_URL=f"redis://:hunter2@127.0.0.1:{free_port()}/0")
    assert done.code == 3
    assert "hunter2" not in done.err + done.out


def test_extract_reads_a_page_from_standard_input(exemplar: Exemplar) -> None:
    page = f"<title>T</title><h1>T</h1><p>{'The ferry was late again today. ' * 20}</p>".encode()
    done = exemplar("extract", "-", stdin=page)
    assert done.code == 0
    assert "The ferry was late again today." in done.out


def test_extract_fetches_urls_with_an_example_url(site: SiteServer, exemplar: Exemplar, tmp_path: Path) -> None:
    from console.sample_site import truth

    example, wanted, other = truth("zh")[3:6]
    (tmp_path / "urls.txt").write_text(f"# two\n{site.url}{wanted.path}\n{site.url}{other.path}\n", "utf-8")
    environment = {"EXEMPLAR_ALLOW_HOSTS": "127.0.0.1", "EXEMPLAR_CONTACT": "a@b.org"}
    done = exemplar("extract", "--example", site.url + example.path, "--format", "json", "urls.txt", **environment)
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert done.code == 0, done.err
    assert [row["method"] for row in rows] == ["example", "example"]
    assert wanted.text.split("\n\n")[0] in rows[0]["text"]


@pytest.mark.parametrize("method", ["auto", "tag-paths"])
def test_further_examples_are_recent_pages(method: str, exemplar: Exemplar, tmp_path: Path) -> None:
    texts = [("Bread", BAKERY), ("Tides", HARBOUR), ("Books", LIBRARY), ("Walls", (*BAKERY[:2], *LIBRARY))]
    pages = [news_page(title, text) for title, text in texts]
    for number, page in enumerate(pages):
        (tmp_path / f"{number}.html").write_text(page, "utf-8")
    done = exemplar(
        "extract", "--method", method, "--format", "json", "--example", "0.html", "--example", "1.html",
        "--example", "2.html", "3.html",
    )  # fmt: skip
    assert done.code == 0, done.err
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
    failed = exemplar("extract", "--example", "0.html", "--example", "1.html", "3.html")
    assert failed.code == 1
    assert "example 1.html: " in failed.err


PARAGRAPHS = "\n".join(f"<p>渡口管理处说，第{n}号渡船从星期一起每天早晚各开一次，票价不变。</p>" for n in range(8))
HARBOUR_PAGE = f"""<html><head><title>渡口重新开放 - 港口日报</title><meta name="keywords" content="渡口,港口">
    <meta name="publishdate" content="2012-03-04"></head><body><h1>渡口重新开放</h1>
    {PARAGRAPHS}




    </body>
    </html>
    """


@pytest.mark.parametrize("method", ["line-blocks", "line-blocks-verbatim"])
@pytest.mark.parametrize("form", ["text", "markdown"])
def test_extract_of_a_folder_gives_title_keywords_date_and_body(
    method: str, form: str, exemplar: Exemplar, tmp_path: Path
) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "1.html").write_text(HARBOUR_PAGE, "utf-8")
    done = exemplar("extract", "pages", "--method", method, "--format", form)
    assert done.code == 0, done.err
    for wanted in ("渡口重新开放", "Published: 2012-03-04", "Keywords: 渡口, 港口", "第7号渡船从星期一起"):
        assert wanted in done.out


def test_extract_of_a_list_of_urls_gives_the_same(site: SiteServer, exemplar: Exemplar, tmp_path: Path) -> None:
    from console.sample_site import truth

    wanted = truth("zh")[3]
    (tmp_path / "urls.txt").write_text(f"{site.url}{wanted.path}\n", "utf-8")
    environment = {"EXEMPLAR_ALLOW_HOSTS": "127.0.0.1", "EXEMPLAR_CONTACT": "a@b.org"}
    done = exemplar("extract", "urls.txt", "--method", "line-blocks", **environment)
    assert done.code == 0, done.err
    assert wanted.title in done.out
    assert "Published: 20" in done.out
    assert wanted.text.split("\n\n")[0] in done.out


def test_extract_refuses_private_addresses_by_default(site: SiteServer, exemplar: Exemplar) -> None:
    done = exemplar("extract", site.url + "/", EXEMPLAR_CONTACT="a@b.org")
    assert done.code == 1
    assert "not public" in done.err
    assert site.requests == []


def test_extract_writes_one_file_a_page(exemplar: Exemplar, tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    for name in ("a", "b"):
        text = f"<h1>{name}</h1><p>{'Words of the harbour master. ' * 20}</p>"
        (tmp_path / "pages" / f"{name}.html").write_text(text, "utf-8")
    done = exemplar("extract", "pages", "--output", "texts", "--format", "markdown")
    assert done.code == 0
    assert sorted(path.name for path in (tmp_path / "texts").iterdir()) == ["pages_a.md", "pages_b.md"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["extract", "nowhere.html"], "no such file"),
        (["extract", "--method", "exampel", "-"], "did you mean 'example'"),
        (["extract", "--method", "example", "-"], "example"),
        (["run", "--workers", "0"], "--workers"),
        (["status", "--problems", "nope"], "task 'nope' has not run"),
    ],
)
def test_wrong_usage_says_what_to_do(arguments: list[str], says: str, exemplar: Exemplar) -> None:
    done = exemplar(*arguments, stdin=b"<p>x</p>")
    assert done.code == 2
    assert says in done.err
    assert "Traceback" not in done.err


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.parametrize("command", ["add", "add --json"])
def test_a_password_in_a_url_is_not_shown(command: str, exemplar: Exemplar) -> None:
    done = exemplar(*command.split(), "http://me:hunter2@127.0.0.1:9/a/1.html")
    assert (done.code, "move it to auth" in done.err + done.out) == (1, True)
    assert "hunter2" not in done.err + done.out


@pytest.mark.parametrize("key", ["auth: me:hunter2", "cookies: sid=hunter2", "headers: X-Key hunter2"])
def test_a_secret_of_the_wrong_form_is_not_shown(key: str, tmp_path: Path, exemplar: Exemplar) -> None:
    (tmp_path / "tasks.yaml").write_text(f"tasks:\n  a:\n    {key}\n", "utf-8")
    done = exemplar("check")
    assert done.code == 2
    assert f"tasks.a.{key.split(':')[0]}: must be a map, not text" in done.err
    assert "hunter2" not in done.err + exemplar("check", "--json").out


def test_the_variable_that_a_hint_proposes_is_shown(tmp_path: Path, exemplar: Exemplar) -> None:
    (tmp_path / "tasks.yaml").write_text("tasks:\n  a:\n    auth: {user: me, pasword: x}\n", "utf-8")
    assert "password: ${" in exemplar("check").err
