"""docs/outputs.md: every example is valid, and gets the rows of the sample site on a server of the test's own."""

import dbm
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from console.cli import exemplar
from console.output_checks import OutputToTry, outputs_to_try, try_output
from crawler.task_list.file import loads
from crawler.task_list.models import TaskFile
from evaluation.sample_site import tasks_yaml
from tests.console.calls import call
from tests.docs.documents import DOCS
from tests.site.server import SiteServer
from tests.workers.http_receiver import Receiver
from tests.workers.search_double import SearchDouble
from tests.workers.store_servers import S3Server, s3_server
from workers.rows import Row, key_of
from workers.sinks import KINDS, Kind, Target, kind_of, kinds, open_sink
from workers.writing.export import export_rows

TEXT = (DOCS / "outputs.md").read_text("utf-8")
TASK = "zh-news"


def blocks(language: str) -> list[tuple[str, str]]:
    """The fenced blocks of a language, each with the heading above it."""
    found, heading = [], ""
    for match in re.finditer(r"^#+ ([^\n]+)$|^```(\w*)\n(.*?)^```$", TEXT, re.M | re.S):
        heading = match[1] or heading
        if match[3] is not None and match[2] == language:
            found.append((heading, match[3]))
    return found


EXAMPLES = blocks("yaml")
NAMES = [f"{number}-{heading}" for number, (heading, _) in enumerate(EXAMPLES)]


def task_file(example: str, folder: Path) -> TaskFile:
    """The task list of an example: `output:` of a task, or a whole list."""
    if not example.startswith(("tasks:", "settings:", "defaults:")):
        keys = "".join(f"    {line}\n" for line in example.splitlines())
        example = f"tasks:\n  {TASK}:\n    example: http://127.0.0.1/1\n    pattern: /{{id}}\n    every: 1h\n{keys}"
    return loads(example, folder=folder)


SQL_SERVERS = {"postgresql": "postgres", "mysql": "mariadb"}  # kind: the fixture of its server
UNTESTED = {"gcs", "azure"}  # kinds that no server at hand speaks; the document says so


@contextmanager
def with_server(output: OutputToTry, request: pytest.FixtureRequest) -> Iterator[OutputToTry]:
    """The same output on a server of the test's own."""
    kind = kind_of(output.output)
    with ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        address = output.output
        match kind.name if kind else "":
            case "postgresql" | "mysql" as name:
                server = request.getfixturevalue(SQL_SERVERS[name])
                server.run("CREATE DATABASE docs")
                address = server.address("docs")
            case "s3":
                store = stack.enter_context(s3_server())
                store.client().create_bucket(Bucket="rows")
                for name, value in S3Server.environment(store.endpoint).items():
                    patch.setenv(name, value)
            case "sftp":
                ssh = request.getfixturevalue("sshd")
                path = ssh.folder / "docs" / f"{TASK}/"
                address = f"{ssh.address(str(path))}/?key={ssh.key}&known_hosts={ssh.known_hosts}"
            case "webhook":
                patch.setenv("HOOK_TOKEN", "t")
                patch.setenv("HOOK_SECRET", "s")
                receiver = stack.enter_context(Receiver())
                address = f"http://127.0.0.1:{receiver.port}/{address.split('/', 3)[3]}"
            case "search":
                double = stack.enter_context(SearchDouble())
                address = f"opensearch+http://127.0.0.1:{double.port}/{address.split('/', 3)[3]}"
            case "file":
                address = address.replace("/data", str(output.folder / "data"))
        yield replace(output, output=address)


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    """The rows of a section of the sample site."""
    folder = tmp_path_factory.mktemp("sample")
    with SiteServer() as site:
        (folder / "tasks.yaml").write_text(tasks_yaml(site.url), "utf-8")
        done = call(folder, os.environ, ["run", TASK, "--once"])
        assert done.code == 0, done.out + done.err
    lines = (folder / "out" / f"{TASK}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize(("heading", "example"), EXAMPLES, ids=NAMES)
def test_an_example_gets_the_rows_of_the_sample_site(
    heading: str, example: str, tmp_path: Path, rows: list[Row], request: pytest.FixtureRequest
) -> None:
    """Twice, and no row comes twice."""
    tasks = task_file(example, tmp_path)
    assert tasks.tasks
    for named in outputs_to_try(tasks):
        kind = kind_of(named.output)
        assert kind is not None
        if kind.name in UNTESTED:
            continue
        with with_server(named, request) as output:
            assert try_output(output).problem == ""
            admitted = [row for row in rows if output.options.where.admits(row)]
            if kind.name == "warc":  # gets pages: tests/workers/sinks/test_warc.py
                continue
            for _ in range(2):
                sink = open_sink(output.output, TASK, tmp_path, output.options)
                exported = export_rows(rows, sink, output.options)
                sink.close()
                assert (exported.written, exported.refused) == (len(admitted), {})
            if kind.reads and not output.options.fields:
                read = [*kind.rows(Target(output.output.replace("{task}", TASK), output.output, TASK, tmp_path))]
                assert read == admitted
                assert len({key_of(row) for row in read}) == len(admitted)


def test_the_commands_of_outputs_are_shown() -> None:
    commands = [line.split() for _, block in blocks("") for line in block.splitlines() if line.startswith("exemplar ")]
    assert {command[1] for command in commands} >= {"check", "schema", "export", "re-extract"}


@pytest.mark.parametrize("kind", KINDS.values(), ids=[*KINDS])
def test_every_kind_of_output_is_documented(kind: Kind, tmp_path: Path) -> None:
    table = "\n".join(line for line in TEXT.splitlines() if line.startswith("| ["))
    forms = [f"`{suffix}" for suffix in kind.suffixes] if "" in kind.schemes else []
    forms += [f"`{scheme}:" for scheme in kind.schemes[:1] if scheme]
    assert [form for form in forms if form not in table] == []
    tasks = [task for _, example in EXAMPLES for task in task_file(example, tmp_path).tasks.values()]
    outputs = [output for task in tasks for output in task.outputs()]
    assert any(kind_of(output) is kind for output in outputs), f"no example of {kind.name}"


def test_another_package_adds_a_format_a_storage_and_an_output(
    tmp_path: Path, rows: list[Row], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The example of the document, found by its entry points. One that cannot be loaded is left out."""
    [(_, points)] = blocks("toml")
    [module] = [block for heading, block in blocks("python") if heading == "An output of your own"]
    metadata = tmp_path / "installed" / "my_outputs-1.dist-info"
    metadata.mkdir(parents=True)
    (metadata.parent / "my_outputs.py").write_text(module, "utf-8")
    lines = ["[exemplar.outputs]", *points.replace('"', "").splitlines()[1:], "broken = my_outputs:NOTHING"]
    (metadata / "entry_points.txt").write_text("\n".join(lines))
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: my-outputs\nVersion: 1\n")
    folder = tmp_path / "tasks"
    (folder / "out").mkdir(parents=True)
    (folder / "out" / f"{TASK}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    own = ("rows/{task}.titles", f"shelf://{folder}/shelf/{{task}}.parquet", f"shelf://{folder}/both/{{task}}.titles")
    outputs = ("out/{task}.jsonl", *own, "board:titles")
    (folder / "tasks.yaml").write_text(
        f"tasks:\n  {TASK}:\n    example: http://127.0.0.1/1\n    pattern: /{{id}}\n    every: 1h\n    output:\n"
        + "".join(f"      - '{output}'\n" for output in outputs)
    )

    path = f"{metadata.parent}{os.pathsep}{Path(__file__).parent.parent}"
    command = [sys.executable, "-m", "console", "check"]
    done = subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    assert "5 outputs tried" in done.stdout, done.stderr
    monkeypatch.syspath_prepend(metadata.parent)
    monkeypatch.chdir(folder)
    kinds.added.cache_clear()
    try:
        for output in outputs[1:]:
            for _ in range(2):
                result = CliRunner().invoke(exemplar, ["export", TASK, "--to", output, "--json"])
                assert json.loads(result.stdout)["written"] == len(rows), result.output
    finally:
        kinds.added.cache_clear()
    titles = sorted(row["title"] for row in rows)
    for place in ("rows", "both"):
        files = [*(folder / place).rglob("[!.]*.titles")]
        found = [line.split("\t")[3] for file in files for line in file.read_text("utf-8").splitlines()]
        assert sorted(found) == titles
    files = [*(folder / "shelf").rglob("[!.]*.parquet")]
    tables = [pq.read_table(file, partitioning=None) for file in files]
    assert sorted(title for table in tables for title in table["title"].to_pylist()) == titles
    with dbm.open(str(folder / "titles")) as board:
        assert sorted(board[key].decode() for key in board.keys()) == titles  # noqa: SIM118
