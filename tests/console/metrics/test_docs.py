"""docs/monitoring.md: its commands run, its tables are those of the program."""

import json
import logging
import re
import shlex
import subprocess
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from console.metrics import BUILD, METRICS, TASKS_MOST
from crawler.logs import JsonFormatter
from tests.console.calls import call, edit
from tests.docs.documents import DOCS, ROOT, blocks
from workers.log_ids import LOG_IDS

TEXT, CHINESE = ((DOCS / f"monitoring{ending}.md").read_text("utf-8") for ending in ("", ".zh-CN"))


def commands() -> list[str]:
    return [line for block in blocks(TEXT, "sh") for line in block.splitlines()]


def rows_of(text: str) -> list[list[str]]:
    """The table of metrics: name, type, labels, meaning."""
    lines = re.findall(r"^\| `(exemplar_\w+)` \| (\w+) \| (.*?) \| (.*) \|$", text, re.M)
    return [[name, kind, labels.replace("`", ""), meaning] for name, kind, labels, meaning in lines]


def test_both_languages_list_the_same_metrics() -> None:
    assert [row[:3] for row in rows_of(TEXT)] == [row[:3] for row in rows_of(CHINESE)]
    assert all(re.search("[一-鿿]", row[3]) for row in rows_of(CHINESE))


def test_every_metric_is_listed_as_it_is() -> None:
    assert rows_of(TEXT) == [
        [one.name, one.kind, ", ".join((() if one is BUILD else ("server",)) + one.labels), one.help] for one in METRICS
    ]
    assert f"up to {TASKS_MOST:,} tasks" in TEXT


def test_every_field_of_a_line_is_listed() -> None:
    table = TEXT.split("## Logs")[1].split("## Follow")[0]
    record = logging.LogRecord("a", logging.INFO, "", 1, "m", (), None)
    fields = [*json.loads(JsonFormatter().format(record)), *LOG_IDS, "error"]
    assert re.findall(r"^\| `(\w+)` \|", table, re.M) == fields


def test_the_extra_that_it_installs_exists() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    [command] = [line for line in commands() if line.startswith("pip")]
    assert re.findall(r"\[(\w+)\]", command) == ["metrics"]
    assert {*extras["metrics"]} <= {*extras["console"]}


def run(command: str, folder: Path, environment: Mapping[str, str]) -> str:
    """Run a line of the document and return what it prints; `exemplar` is that of this tree."""
    if command.startswith("exemplar "):
        words, _, file = command.partition(" 2> ")
        said = call(folder, environment, shlex.split(words)[1:]).succeeded()
        if file:
            (folder / file).write_text(said.err, "utf-8")
        return said.out
    done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, timeout=110)
    assert done.returncode == 0, (command, done.stderr)
    return done.stdout


def of_kind(start: str) -> Sequence[str]:
    return [line for line in commands() if line.startswith(start)]


def test_all_commands_are_run_here() -> None:
    kinds = ("pip install", "exemplar metrics", "curl ", "promtool ", "exemplar run", "grep ")
    assert [line for line in commands() if not line.startswith(kinds)] == []


def test_a_page_is_followed_and_the_metrics_are_printed(folder: Path, environment: dict[str, str]) -> None:
    edit(folder, "defaults:\n", "defaults:\n  limit: 2\n")
    [crawl] = of_kind("exemplar run")
    run(crawl, folder, environment)
    row = json.loads((folder / "out" / "zh-news.jsonl").read_text("utf-8").splitlines()[0])
    by_url, by_page = of_kind("grep")
    found = json.loads(run(by_url.replace("https://news.example/2026/1122/a.html", row["url"]), folder, environment))
    lines = run(by_page.replace("PAGE", found["page"]), folder, environment).splitlines()
    assert len({(json.loads(line)["task"], json.loads(line)["run"]) for line in lines[:4]}) == 1
    described = re.findall(r"^\| `(\w+) URL", TEXT.split("## Follow")[1], re.M)
    assert [json.loads(line)["message"].split()[0] for line in lines] == described[:4]
    [printed] = of_kind("exemplar metrics")
    assert 'exemplar_urls_settled_total{server="embedded",state="written"' in run(printed, folder, environment)
    assert [line.split()[-1] for line in of_kind("curl")] == ["http://127.0.0.1:8300/metrics"]


def test_the_config_is_valid(promtool: str, environment: dict[str, str]) -> None:
    [check] = of_kind("promtool")
    run(check.replace("promtool", promtool), ROOT, environment)
