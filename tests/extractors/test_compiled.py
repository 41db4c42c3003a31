"""Modules of loops that are compiled from the source that Python runs."""

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from extractors import compiled

HERE = Path(__file__).parent.parent.parent
SOURCES = sorted(path.relative_to(HERE) for path in HERE.glob("extractors/**/*_loops.py"))
LOOPS = [".".join(path.with_suffix("").parts) for path in SOURCES]
MARK = """
import pathlib
from extractors.compiled import fingerprint
SOURCE = fingerprint(pathlib.Path('twice_loops.py').read_bytes())
"""
SOURCE = """
from extractors.compiled import adopt
def twice(x): return 2 * x
def trial(): return twice(2)
adopt(globals())
"""
SHOW = (
    "import rooms.twice_loops; from extractors.compiled import loops_in_use; print(loops_in_use()['rooms.twice_loops'])"
)


def test_each_module_of_loops_has_the_types_of_its_compiled_form():
    types = {path.with_name(f"compiled_{path.stem}.pxd") for path in SOURCES}
    assert types == {path.relative_to(HERE) for path in HERE.glob("extractors/**/*.pxd")}


@pytest.mark.parametrize("name", LOOPS)
def test_both_forms_of_a_module_agree_in_its_trial(name):
    module = import_module(name)
    assert name in compiled.loops_in_use()
    found = module.trial()
    with compiled.loops_in_python():
        assert module.trial.__module__ == name
        assert module.trial() == found


def test_the_compiled_form_comes_back_after_a_while_in_python():
    module = import_module(LOOPS[0])
    before = module.trial
    with compiled.loops_in_python():
        pass
    assert module.trial is before


@pytest.mark.parametrize(
    "lines",
    [
        "compiled_twice_loops.py: from twice_loops import *",  # no fingerprint
        "compiled_twice_loops.py: SOURCE = ''\ndef twice(x): return 2 * x\ndef trial(): return 4",  # another source
        "compiled_twice_loops.py: raise ImportError",
    ],
)
def test_a_compiled_module_of_another_source_is_not_used(tmp_path, lines):
    assert use(tmp_path, lines.partition(": ")[2]) == "False"


def test_a_compiled_module_of_the_same_source_is_used_unless_its_trial_differs(tmp_path):
    assert use(tmp_path, MARK + "def twice(x): return x + x\ndef trial(): return twice(2)") == "True"
    assert use(tmp_path, MARK + "def twice(x): return x\ndef trial(): return twice(2)") == "False"


def use(folder: Path, form: str, **environment: str) -> str:
    """Return whether the compiled form of a module is used, which here is written in Python."""
    package = folder / "rooms"
    package.mkdir(exist_ok=True)
    (package / "__init__.py").touch()
    (package / "twice_loops.py").write_text(SOURCE)
    (package / "compiled_twice_loops.py").write_text(
        form.replace("'twice_loops.py'", repr(str(package / "twice_loops.py")))
    )
    environment = {**os.environ, "PYTHONPATH": f"{HERE}{os.pathsep}{folder}", compiled.PURE: "0", **environment}
    done = subprocess.run([sys.executable, "-c", SHOW], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_the_environment_chooses_python(tmp_path):
    assert use(tmp_path, MARK + "def twice(x): return x + x\ndef trial(): return 4", EXEMPLAR_PURE="1") == "False"
