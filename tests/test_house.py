"""The house itself: what the README and the workshop promise of the source tree."""

import ast
import graphlib
import importlib.util
import re
import subprocess
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import grimp
import pytest
from ruamel.yaml import YAML

from tests.docs.documents import documents
from workers.url_states import FINAL_STATES, OPEN_STATES

ROOT = Path(__file__).parent.parent
PACKAGES = ("benchmarks", "console", "crawler", "evaluation", "extractors", "workers")
DOCUMENTED = ("console", "crawler", "extractors", "workers")  # packages with a page of their own


@cache
def tracked() -> list[Path]:
    names = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def test_no_files_import_each_other_in_a_circle() -> None:
    """Imports for types and within functions count, too."""
    imports = grimp.build_graph(*PACKAGES, cache_dir=None)
    graph = {name: imports.find_modules_directly_imported_by(name) for name in imports.modules}
    assert len(graph) > 200
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        pytest.fail("an import circle: " + " → ".join(error.args[1]))


def test_nothing_is_pickled() -> None:
    for path in tracked():
        assert path.suffix not in (".pkl", ".pickle", ".pt", ".pth", ".joblib")
        if path.suffix == ".py" and not path.is_relative_to(ROOT / "tests"):
            assert not re.search(
                r"^\s*(import|from) (pickle|joblib|dill|cloudpickle)\b", path.read_text("utf-8"), re.M
            ), path


PAGES = [*documents(), ROOT / "docs/methods-figures.md", *(ROOT / package / "README.md" for package in DOCUMENTED)]


@pytest.mark.parametrize("document", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_in_documents_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", document.read_text("utf-8")):
        if not target.startswith("http"):
            assert (document.parent / target).exists(), target


def test_rooms_named_in_the_architecture_exist() -> None:
    pages = ["docs/architecture.md", *(f"{package}/README.md" for package in DOCUMENTED)]
    text = "".join((ROOT / page).read_text("utf-8") for page in pages)
    named = re.findall(r"`((?:console|crawler|evaluation|extractors|workers|tests)/[\w./]*)`", text)
    assert len(named) > 10
    assert [name for name in named if not (ROOT / name).exists()] == []
    modules = {
        path.name
        for folder in ("benchmarks", "evaluation", "tests", *DOCUMENTED)
        for path in (ROOT / folder).rglob("*.py")
    }
    assert [name for name in re.findall(r"`(?:\w+/)*(\w+\.py)`", text) if name not in modules] == []


def test_the_glossary_has_each_term_once_and_all_states() -> None:
    text = (ROOT / "docs/glossary.md").read_text("utf-8")
    terms = re.findall(r"^\| \*\*(.+?)\*\* \| \S.*\. \|$", text, re.M)
    rows = [line for line in text.splitlines() if line.startswith("| **")]
    assert len(terms) == len(rows) == len(set(terms))
    assert {f"`{state}`" for state in (*OPEN_STATES, *FINAL_STATES)} <= set(terms)


def test_every_dependency_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    own = next(line for line in extras["dev"] if line.startswith(project["name"]))  # extras of ours that tests use
    of_extras = [line for extra in own.split("[")[1].rstrip("]").split(",") for line in extras[extra]]
    wanted = [*project["dependencies"], *of_extras, *(line for line in extras["dev"] if line != own)]
    pinned = {line.split("==")[0].lower() for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines()}
    assert [name for line in wanted if (name := re.split(r"[<>=\[;]", line)[0].lower()) not in pinned] == []


def test_no_class_name_stands_for_two_things() -> None:
    defined: dict[str, list[str]] = {}
    for path in tracked():
        if path.suffix == ".py" and not path.is_relative_to(ROOT / "tests"):
            for name in re.findall(r"^class (\w+)", path.read_text("utf-8"), re.M):
                defined.setdefault(name, []).append(str(path.relative_to(ROOT)))
    assert {name: files for name, files in defined.items() if len(files) > 1} == {}


def test_no_module_name_stands_for_two_things_in_a_package() -> None:
    """Except the parts that many methods have, and the modules of commands, which are named by their command."""
    parts = ("__init__", "__main__", "extractor", "figure", "train", "verbatim")
    for package in DOCUMENTED:
        paths = [path for path in tracked() if path.suffix == ".py" and path.is_relative_to(ROOT / package)]
        names = [path.stem for path in paths if path.parent.name != "commands" and path.stem not in parts]
        assert sorted(names) == sorted(set(names))


# The distribution


def project() -> dict[str, Any]:
    table: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return table


def test_the_newest_version_of_the_changelog_is_the_projects() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    released = re.findall(r"^## (\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d)\)$", text, re.M)
    assert len(re.findall(r"^## ", text, re.M)) - text.count("\n## Unreleased\n") == len(released)
    assert released[0][0] == project()["version"]
    assert released == sorted(released, key=lambda pair: [int(part) for part in pair[0].split(".")], reverse=True)


def test_extras_are_named_with_the_distribution() -> None:
    name, extras = project()["name"], project()["optional-dependencies"]
    named = [
        (path.name, *found)
        for path in tracked()
        if path.suffix in (".py", ".md") and path.name != "CHANGELOG.md" and not path.is_relative_to(ROOT / "tests")
        for found in re.findall(r"pip install '([\w-]+)\[([\w,{}]+)\]'", path.read_text("utf-8"))
    ]
    assert len(named) >= 4
    assert {distribution for _, distribution, _ in named} == {name}
    assert {extra for *_, some in named for extra in some.split(",")} <= {*extras, "{extra}"}


# Habits


def yaml(name: str) -> Any:
    return YAML(typ="safe").load((ROOT / name).read_text("utf-8"))


def make_lint() -> list[str]:
    recipe = re.search(r"^lint:.*\n((?:\t.+\n)+)", (ROOT / "Makefile").read_text("utf-8"), re.M)
    assert recipe is not None
    return [line.strip().replace("$(BIN)", ".venv/bin") for line in recipe[1].splitlines()]


def test_pre_commit_runs_what_make_lint_runs() -> None:
    hooks = [hook for repository in yaml(".pre-commit-config.yaml")["repos"] for hook in repository["hooks"]]
    assert [hook["entry"] for hook in hooks] == make_lint()
    assert {hook["language"] for hook in hooks} == {"system"}  # of .venv: no second copy in another version


def test_hosted_ci_runs_our_script_on_each_version_of_python() -> None:
    job = yaml(".github/workflows/ci.yml")["jobs"]["test"]
    versions = job["strategy"]["matrix"]["python"]
    named = [line.rpartition(" ")[2] for line in project()["classifiers"] if re.search(r":: 3\.\d+$", line)]
    assert versions == named == ["3.11", "3.12", "3.13", "3.14"]
    assert project()["requires-python"] == f">={versions[0]}"
    assert [step["run"] for step in job["steps"] if "run" in step] == ["bash .ci/run"]
    assert (ROOT / ".ci" / "run").is_file()
    assert job["timeout-minutes"] * 60 > int(re.search(r"limit=(\d+)", (ROOT / ".ci" / "run").read_text("utf-8"))[1])


def test_decisions_are_numbered_and_short() -> None:
    files = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    assert [int(path.name[:4]) for path in files] == list(range(1, len(files) + 1))
    for path in files:
        lines = path.read_text("utf-8").splitlines()
        assert lines[0].startswith("# "), path.name
        assert len(lines) <= 30, path.name
        assert max(map(len, lines)) <= 130, path.name


@pytest.mark.parametrize("document", ["CONTRIBUTING.md", "Makefile", "SECURITY.md"])
def test_files_that_newcomers_are_sent_to_exist(document: str) -> None:
    text = (ROOT / document).read_text("utf-8")
    named = re.findall(r"(?:console|crawler|docs|evaluation|extractors|tests|workers|benchmarks)/[\w./]*[\w/]", text)
    assert named
    assert [name for name in named if "NAME" not in name and not (ROOT / name).exists()] == []
    for module in re.findall(r"python -m ([\w.]+)", text):
        assert importlib.util.find_spec(module), module
    for target in re.findall(r"`make (\w+)`", text):
        assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text("utf-8"), re.M), target


# What the packages import


NOT_IN_THE_WHEEL = ("benchmarks", "docs", "evaluation", "tests")
# Documented by the standard library; the last is lxml's name for the type of an element
OUR_OWN = {"_exit", "_asdict", "_replace", "_Element"}


def test_no_private_names_of_libraries_and_nothing_beside_the_packages_are_used() -> None:
    ours: set[str] = set()
    used: dict[str, set[str]] = {}
    for path in tracked():
        if path.suffix != ".py" or path.parts[len(ROOT.parts)] not in DOCUMENTED:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                ours.add(node.name)
            elif isinstance(node, ast.Attribute):
                if isinstance(node.ctx, ast.Store):
                    ours.add(node.attr)
                elif node.attr.startswith("_") and not node.attr.endswith("__"):
                    used.setdefault(node.attr, set()).add(path.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                ours.add(node.id)
            elif isinstance(node, ast.Import):
                assert not [alias for alias in node.names if alias.name.startswith(NOT_IN_THE_WHEEL)], path
            elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
                assert not node.module.startswith(NOT_IN_THE_WHEEL), path
                private = any(part.startswith("_") for part in node.module.split(".") if part != "__future__")
                for alias in node.names:
                    if private or alias.name.startswith("_"):
                        used.setdefault(f"{node.module}:{alias.name}", set()).add(path.name)
    foreign = {name: files for name, files in used.items() if name not in ours | OUR_OWN}
    assert {name: files for name, files in foreign.items() if not name.startswith(("console", "crawler"))} == {}
