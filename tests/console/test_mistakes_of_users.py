"""Messages for mistakes at the command line: each says what is wrong, where, and what to do."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from console.web.config import ConsoleConfig
from console.web.security import host_name
from tests.console.conftest import Exemplar

pytestmark = pytest.mark.timeout(120)
TASKS = """\
defaults: {every: 1h, output: "out/{task}.jsonl"}
tasks:
  news:
    example: https://news.example/1.html
    pattern: https://news.example/{id}.html
"""


@pytest.fixture
def used_port() -> Iterator[int]:
    """A port of this machine on which another program listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_a_port_in_use_is_named_with_the_option_for_another(exemplar: Exemplar, used_port: int, tmp_path: Path):
    (tmp_path / "tasks.yaml").write_text(TASKS, "utf-8")
    done = exemplar("console", "--port", str(used_port))
    assert (done.code, done.err) == (
        1,
        f"error: 127.0.0.1:{used_port} is in use by another program; choose another port with --port\n",
    )


def test_an_address_of_another_machine_is_refused(exemplar: Exemplar, tmp_path: Path):
    (tmp_path / "tasks.yaml").write_text(TASKS, "utf-8")
    exemplar("console", "--host", "192.0.2.1", EXEMPLAR_CONSOLE_PASSWORD="a long password for it").failed(
        1, "192.0.2.1:8300 is unusable: Cannot assign requested address; choose another address with --host"
    )


@pytest.mark.parametrize(
    ("host", "names", "address"),
    [
        ("0.0.0.0", (), "http://127.0.0.1:8300/"),
        ("::", (), "http://127.0.0.1:8300/"),
        ("0.0.0.0", ("crawler.example",), "http://crawler.example:8300/"),
        ("::1", (), "http://[::1]:8300/"),
    ],
)
def test_the_printed_address_of_the_console_is_one_that_it_answers(host: str, names: tuple[str, ...], address: str):
    config = ConsoleConfig(Path("tasks.yaml"), host, 8300, names)
    assert config.address == address
    assert host_name(urlsplit(address).netloc) in config.hosts


def test_ctrl_c_while_the_command_line_is_loaded_ends_it_without_a_traceback():
    program = (
        "import os, signal, sys\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name == 'console.cli':\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "from console.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=os.environ, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (128 + signal.SIGINT, "", "")


def test_a_run_once_of_paused_tasks_ends(exemplar: Exemplar, tmp_path: Path):
    (tmp_path / "tasks.yaml").write_text(f"{TASKS}    paused: true\n", "utf-8")
    done = exemplar("run", "--once")
    assert (done.code, "Traceback" in done.err) == (0, False)
