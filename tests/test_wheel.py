"""The wheel holds all that the README shows: it is installed into an environment of its own and used from elsewhere."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from evaluation.sample_site import truth
from tests.site.server import SiteServer
from tests.test_house import DOCUMENTED, tracked

ROOT = Path(__file__).parent.parent
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input"]
OURS = ("REDIS_URL", "PYTHONPATH", "SCRAPY_SETTINGS_MODULE")


def run(*command: object, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as a user who has no source tree does; it must end well."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("EXEMPLAR_", *OURS))}
    environment["CFLAGS"] = "-O1"  # what is built here need not be fast; -O0 calls what lxml does not export
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env=environment | {"EXEMPLAR_ALLOW_HOSTS": "127.0.0.1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The commands of a fresh environment with the wheel; its dependencies are those of this environment."""
    folder = tmp_path_factory.mktemp("wheel")
    source, venv = folder / "source", folder / "venv"
    for path in tracked():
        name = path.relative_to(ROOT)
        if name.parts[0] not in ("tests", "docs", "evaluation", "benchmarks"):
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, source / name)
    run(*PIP, "wheel", source, "--no-deps", "--no-build-isolation", "--no-index", "-w", folder, folder=folder)
    [wheel] = folder.glob("*.whl")
    run(sys.executable, "-m", "venv", "--without-pip", venv, folder=folder)
    words = ("install", "--no-deps", "--no-index", "--no-compile")
    run(*PIP, "--python", venv / "bin" / "python", *words, wheel, folder=folder)
    [packages] = venv.glob("lib/python*/site-packages")
    # A .pth adds this environment's packages; its own .pth files, which lead to the source tree, are not followed.
    here = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *_given_paths()]
    (packages / "dependencies.pth").write_text("\n".join(dict.fromkeys(here)) + "\n", "utf-8")
    return venv / "bin"


def _given_paths() -> list[str]:
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return [path for path in paths if path and Path(path).resolve() != ROOT]


def test_the_wheel_holds_every_file_of_the_packages(tools: Path) -> None:
    [packages] = tools.parent.glob("lib/python*/site-packages")
    names = [path.relative_to(ROOT) for path in tracked() if path.name != "README.md"]
    own = [name for name in names if name.parts[0] in DOCUMENTED]
    assert len(own) > 300
    assert [str(name) for name in own if not (packages / name).is_file()] == []


def test_the_walk_is_compiled_where_that_is_possible(tools: Path, tmp_path: Path) -> None:
    [packages] = tools.parent.glob("lib/python*/site-packages")
    names = {path.name for path in (packages / "extractors" / "html").iterdir()}
    assert {"compiled_walk.pyx", "compiled_walk.pyi", "python_walk.py"} <= names
    assert not any(name.endswith(".c") for name in names)
    show = "import extractors; print(extractors.walk_in_use())"
    possible = (
        importlib.util.find_spec("Cython") and shutil.which("cc") and Path(sysconfig.get_path("include")).is_dir()
    )
    assert run(tools / "python", "-c", show, folder=tmp_path).stdout.strip() == ("compiled" if possible else "Python")


def test_a_task_is_set_up_and_run(tools: Path, tmp_path: Path) -> None:
    exemplar = tools / "exemplar"
    run(exemplar, "init", "--contact", "https://example.org/our-crawler", folder=tmp_path)
    tasks = tmp_path / "tasks.yaml"
    tasks.write_text(tasks.read_text("utf-8").replace("settings:\n", "settings:\n  delay: 0\n"), "utf-8")
    with SiteServer() as site:
        run(exemplar, "add", site.url + truth("en")[3].path, "--name", "stories", folder=tmp_path)
        run(exemplar, "run", "--once", folder=tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "out" / "stories.jsonl").read_text("utf-8").splitlines()]
    assert {article.title for article in truth("en")} <= {row["title"] for row in rows}
