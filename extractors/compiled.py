"""The loops that may run compiled: modules of plain functions that setup.py compiles from the source that Python runs.

A module `x_loops.py` ends with `adopt(globals())`. Where an installation has `compiled_x_loops`, made from the same
source, its functions replace those of Python. The C types of their variables are in `compiled_x_loops.pxd`. A
compiled module that was made from another source, or gives other results in the module's trial, is not used.
`EXEMPLAR_PURE=1` in the environment selects Python's form of all loops and of the walk over the tree.
"""

import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

PURE = "EXEMPLAR_PURE"  # environment variable: any value but 0 and the empty one selects Python
PREFIX = "compiled_"

_in_use: dict[str, bool] = {}  # whether the compiled form is used, by the names of the modules that call `adopt`
_in_python: dict[int, Any] = {}  # Python's form of a function, by the id of the compiled one


def are_wanted() -> bool:
    """Return whether the environment allows compiled modules."""
    return os.environ.get(PURE, "0") in ("", "0")


def adopt(module: dict[str, Any]) -> None:
    """Replace the functions of a module (its `globals()`) by those of its compiled form, if that is usable."""
    package, _, name = str(module["__name__"]).rpartition(".")
    if name.startswith(PREFIX):
        return  # the call comes from the compiled form itself
    functions = _usable(f"{package}.{PREFIX}{name}", module) if are_wanted() else {}
    _in_use[f"{package}.{name}"] = bool(functions)
    _in_python.update({id(function): module[key] for key, function in functions.items()})
    module.update(functions)


def loops_in_use() -> dict[str, bool]:
    """Return, for each imported module of loops by name, whether its compiled form is used."""
    return dict(_in_use)


def is_compiled(module: ModuleType) -> bool:
    """Return whether the compiled form of a module of loops is used."""
    return _in_use[module.__name__]


@contextmanager
def loops_in_python() -> Iterator[None]:
    """Use Python's form of all loops within the block, in every module that has one, to compare both forms."""
    package = __name__.partition(".")[0]
    modules = [vars(module) for name, module in [*sys.modules.items()] if name.partition(".")[0] == package]
    places = [(names, key, value) for names in modules for key, value in [*names.items()] if id(value) in _in_python]
    for names, key, value in places:
        names[key] = _in_python[id(value)]
    before = dict(_in_use)
    _in_use.update(dict.fromkeys(before, False))
    try:
        yield
    finally:
        _in_use.update(before)
        for names, key, value in places:
            names[key] = value


def fingerprint(source: bytes) -> str:
    """Return the fingerprint of its source that a compiled module stores."""
    return hashlib.sha256(source).hexdigest()


def _usable(name: str, module: dict[str, Any]) -> dict[str, Any]:
    """Return the functions of a compiled module; {} if it is missing, outdated, or gives other results."""
    try:
        made = vars(import_module(name))
        if made["SOURCE"] != fingerprint(Path(module["__file__"]).read_bytes()):
            return {}
        functions = {key: made[key] for key in _functions(module)}
        return functions if made["trial"]() == module["trial"]() else {}
    except Exception:  # not installed, or compiled for another Python
        return {}


def _functions(module: dict[str, Any]) -> list[str]:
    """Return the names of the public functions that a module defines."""
    own = module["__name__"]
    return [key for key, value in module.items() if key[0] != "_" and getattr(value, "__module__", "") == own]
