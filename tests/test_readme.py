"""Every command that a README shows is run here, in the order of the README, against the sample site."""

import csv
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from evaluation.sample_site import truth
from tests.forks import Started, began, start
from tests.site.server import SiteServer

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent
AT_HOME = {"EXEMPLAR_ALLOW_HOSTS": "127.0.0.1", "EXEMPLAR_CONTACT": "https://example.org/our-crawler"}
SERVICES = ("exemplar schedule", "exemplar work", "exemplar console")  # run until they are told to stop
NOT_HERE = {"make test": "it is what runs this test"}
ARTICLE = "https://news.example/harbour/2026/1103/1042.html"  # of the README; here one of the sample site
SHELL = {". .venv/bin/activate", ".venv/bin/exemplar"}


def commands_of(readme: str) -> list[str]:
    text = (ROOT / readme).read_text("utf-8")
    blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    lines = [line.strip() for block in blocks for line in block.splitlines() if line.strip()]
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    inline = [" ".join(found.split()) for found in re.findall(r"`((?:exemplar|scrapy|make) [^`]+)`", prose)]
    found = [line for line in [*lines, *inline] if line not in SHELL]
    return list(dict.fromkeys(found))


COMMANDS = [command for command in commands_of("README.md") if command not in NOT_HERE]


def test_both_readmes_show_the_same_commands() -> None:
    assert commands_of("README.zh-CN.md") == commands_of("README.md")
    assert len(COMMANDS) >= 12


@pytest.fixture(scope="module")
def site() -> Iterator[SiteServer]:
    with SiteServer(unpublished=8) as server:
        links = "".join(
            f"<li><a href='/zh/{n}.html'>第{n}号渡口</a><p>第{n}号渡口昨天停航。</p></li>" for n in range(12)
        )
        body = f"<html><head><title>渡口</title></head><body><h1>渡口</h1><ul>{links}</ul></body></html>"
        server.override(truth("zh")[14].path, headers={"Content-Type": "text/html; charset=utf-8"}, body=body.encode())
        yield server  # with a list among its articles


@pytest.fixture(scope="module")
def folder(site: SiteServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a reader has before he begins: saved pages, a list of URLs, a spreadsheet."""
    here = tmp_path_factory.mktemp("readme")
    first, second, third = (f"{site.url}{article.path}" for article in truth("en")[8:11])
    (here / "pages").mkdir()
    for name, url in (
        ("known.html", first),
        ("page.html", second),
        ("pages/one.html", second),
        ("pages/two.html", third),
    ):
        with urllib.request.urlopen(url) as answer:
            (here / name).write_bytes(answer.read())
    (here / "urls.txt").write_text(f"{first}\n{second}\n", "utf-8")
    with (here / "sections.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["名称", "示例", "规律", "周期", "输出"])
        rows.writerow(["more-news", first, "/en/stories/{date:%Y/%m/%d}/{slug}/", "1d", "out/{task}.jsonl"])
    return here


@pytest.mark.timeout(180)
@pytest.mark.parametrize("command", COMMANDS)
def test_command_of_the_readme_works(
    command: str, folder: Path, site: SiteServer, redis_url: str, connection: "redis.Redis"
) -> None:
    command = command.replace("TASK", "harbour-news").replace(ARTICLE, site.url + truth("zh")[10].path)
    program, *words = shlex.split(command)
    environment = os.environ | AT_HOME
    if program == "make":
        ready = f"--old-file={sys.prefix}/.ready"  # nothing is installed into the environment of the tests
        code, said = run([program, *words, f"VENV={sys.prefix}", ready], ROOT, environment)
    elif program == "scrapy":
        code, said = run(
            [str(BIN / program), *words], folder, environment | {"SCRAPY_SETTINGS_MODULE": "crawler.settings"}
        )
    elif command.startswith(SERVICES) or command == "exemplar run":
        code, said = ended(stopped(start("console", words, folder, environment | {"REDIS_URL": redis_url})))
    else:
        code, said = ended(start("console", words, folder, environment))
    assert code == 0, said
    if words[0] == "init":
        hurry(folder / "tasks.yaml")


def hurry(tasks: Path) -> None:
    """The site is our own: it need not be spared."""
    text = tasks.read_text("utf-8")
    assert "settings:\n" in text
    tasks.write_text(text.replace("settings:\n", "settings:\n  delay: 0\n"), "utf-8")


def run(command: list[str], folder: Path, environment: dict[str, str]) -> tuple[int, str]:
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=150)
    return done.returncode, done.stderr


def stopped(process: Started) -> Started:
    began(process)  # it says so when it is at work
    time.sleep(0.5)
    process.send_signal(signal.SIGTERM)
    return process


def ended(process: Started) -> tuple[int | None, str]:
    _, said = process.communicate(timeout=150)
    return process.returncode, said
