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

from console.sample_site import SiteServer, truth

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
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in names.splitlines():
        if (ROOT / name).is_file() and not name.startswith(("tests/", "docs/", "evaluation/", "benchmarks/")):
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, source / name)
    run(*PIP, "wheel", source, "--no-deps", "--no-build-isolation", "--no-index", "-w", folder, folder=folder)
    [wheel] = folder.glob("*.whl")
    run(sys.executable, "-m", "venv", "--without-pip", venv, folder=folder)
    run(*PIP, "--python", venv / "bin" / "python", "install", "--no-deps", "--no-index", wheel, folder=folder)
    [packages] = venv.glob("lib/python*/site-packages")
    # A .pth adds this environment's packages; its own .pth files, which lead to the source tree, are not followed.
    here = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *_given_paths()]
    (packages / "dependencies.pth").write_text("\n".join(dict.fromkeys(here)) + "\n", "utf-8")
    return venv / "bin"


def _given_paths() -> list[str]:
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return [path for path in paths if path and Path(path).resolve() != ROOT]


def test_the_packages_come_from_the_wheel(tools: Path, tmp_path: Path) -> None:
    show = "import {0}; print({0}.__file__)"
    packages = ("console", "crawler", "extractors", "workers")
    files = [run(tools / "python", "-c", show.format(name), folder=tmp_path).stdout for name in packages]
    assert all(Path(file).is_relative_to(tools.parent) for file in files), files


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


def test_the_demo_runs_from_an_empty_folder(tools: Path, tmp_path: Path) -> None:
    rows = json.loads(run(tools / "exemplar", "demo", "--json", folder=tmp_path).stdout)
    wanted = {article.title for section in ("zh", "en") for article in truth(section)}
    assert {row["title"] for row in rows} == wanted
    assert len(rows) == len(wanted)


def test_every_module_of_the_wheel_can_be_imported(tools: Path, tmp_path: Path) -> None:
    script = """
import importlib, pkgutil
for name in ("console", "crawler", "extractors", "workers"):
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(package.__path__, name + "."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
"""
    run(tools / "python", "-c", script, folder=tmp_path)


def test_pages_are_extracted_and_drawn(tools: Path, tmp_path: Path) -> None:
    known, article = truth("en")[3:5]
    with SiteServer() as site:
        for name, path in (("known.html", known.path), ("page.html", article.path)):
            (tmp_path / name).write_bytes(site.answer("GET", path, "").body)
        url = site.url + article.path
        assert article.title in run(tools / "exemplar", "extract", url, folder=tmp_path).stdout
    given = (tools / "exemplar", "extract", "page.html", "--format", "json")
    for options in (("--example", "known.html"), ("--method", "bp-network"), ("--method", "i-awce")):
        assert article.title in run(*given, *options, folder=tmp_path).stdout, options
    drawn = ("--method", "line-blocks", "--figure", "page.svg")
    run(tools / "exemplar", "extract", "page.html", *drawn, folder=tmp_path)
    assert "<svg" in (tmp_path / "page.svg").read_text("utf-8")


def test_a_task_is_set_up_and_run(tools: Path, tmp_path: Path) -> None:
    exemplar = tools / "exemplar"
    run(exemplar, "init", "--contact", "https://example.org/our-crawler", folder=tmp_path)
    tasks = tmp_path / "tasks.yaml"
    tasks.write_text(tasks.read_text("utf-8").replace("settings:\n", "settings:\n  delay: 0\n"), "utf-8")
    with SiteServer() as site:
        run(exemplar, "add", site.url + truth("en")[3].path, "--name", "stories", folder=tmp_path)
        run(exemplar, "check", folder=tmp_path)
        run(exemplar, "run", "--once", folder=tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "out" / "stories.jsonl").read_text("utf-8").splitlines()]
    assert {article.title for article in truth("en")} <= {row["title"] for row in rows}
    run(exemplar, "status", "--json", folder=tmp_path)
