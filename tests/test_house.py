"""The house itself: what the README and the workshop promise of the source tree."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from workers.url_states import FINAL_STATES, OPEN_STATES

ROOT = Path(__file__).parent.parent


def tracked() -> list[Path]:
    names = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def test_imports_go_one_way() -> None:
    done = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


def test_nothing_is_pickled() -> None:
    for path in tracked():
        assert path.suffix not in (".pkl", ".pickle", ".pt", ".pth", ".joblib")
        if path.suffix == ".py" and not path.is_relative_to(ROOT / "tests"):
            assert not re.search(
                r"^\s*(import|from) (pickle|joblib|dill|cloudpickle)\b", path.read_text("utf-8"), re.M
            ), path


@pytest.mark.parametrize(
    "document",
    ["README.md", "README.zh-CN.md", "docs/architecture.md", "docs/glossary.md", "docs/methods-figures.md"],
)
def test_links_in_documents_lead_somewhere(document: str) -> None:
    here = (ROOT / document).parent
    for target in re.findall(r"\]\(([^)#]+)\)", (ROOT / document).read_text("utf-8")):
        if not target.startswith("http"):
            assert (here / target).exists(), target


def test_rooms_named_in_the_architecture_exist() -> None:
    text = (ROOT / "docs/architecture.md").read_text("utf-8")
    named = re.findall(r"`((?:console|crawler|evaluation|extractors|workers|tests)/[\w./]*)`", text)
    assert len(named) > 10
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_glossary_has_each_term_once_and_all_states() -> None:
    text = (ROOT / "docs/glossary.md").read_text("utf-8")
    terms = re.findall(r"^\| \*\*(.+?)\*\* \| \S.*\. \|$", text, re.M)
    rows = [line for line in text.splitlines() if line.startswith("| **")]
    assert len(terms) == len(rows) == len(set(terms))
    assert {f"`{state}`" for state in (*OPEN_STATES, *FINAL_STATES)} <= set(terms)


def test_every_dependency_is_pinned() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    pinned = {line.split("==")[0].lower() for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines()}
    assert [name for line in wanted if (name := re.split(r"[<>=\[;]", line)[0].lower()) not in pinned] == []


def test_a_wheel_holds_every_file_of_the_packages() -> None:
    import tomllib

    data = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["package-data"]
    shipped = {path for package, patterns in data.items() for name in patterns for path in (ROOT / package).glob(name)}
    packages = tuple(ROOT / name for name in ("console", "crawler", "extractors", "workers"))
    beside_code = [
        path for path in tracked() if path.suffix != ".py" and any(path.is_relative_to(one) for one in packages)
    ]
    assert [str(path.relative_to(ROOT)) for path in beside_code if path not in shipped] == []


def test_no_class_name_stands_for_two_things() -> None:
    defined: dict[str, list[str]] = {}
    for path in tracked():
        if path.suffix == ".py" and not path.is_relative_to(ROOT / "tests"):
            for name in re.findall(r"^class (\w+)", path.read_text("utf-8"), re.M):
                defined.setdefault(name, []).append(str(path.relative_to(ROOT)))
    assert {name: files for name, files in defined.items() if len(files) > 1} == {}
