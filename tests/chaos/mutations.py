"""Bugs that the checker must find (`mutations.toml`): each is put into a copy of the code.

    python -m tests.chaos.mutations                    each by the form that `make chaos` runs
    python -m tests.chaos.mutations --form short       … by the form that `make test` runs
    python -m tests.chaos.mutations --only no-pace,sweep-off

Exit code 1 if a bug is not found.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

from tests.chaos.short_form import words_of

REPOSITORY = Path(__file__).parents[2]
LONGEST = 300.0  # seconds until a bug must have been found
STEPWISE = "stepwise"
SEEDS = {"short": "0-24", "long": "0-99"}
LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "docs", "*.egg-info")


@dataclass(frozen=True)
class Mutation:
    """A bug: what is replaced in which file. `check`: what is to find it."""

    name: str
    bug: str
    file: str
    old: str
    new: str
    check: str = STEPWISE


MUTATIONS = [
    Mutation(**stored) for stored in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["mutation"]
]


def try_out(mutation: Mutation, form: str) -> tuple[bool, str]:
    """Run the check of a mutation on a patched copy of the code: whether it finds the bug, and what it tells."""
    with tempfile.TemporaryDirectory(prefix="mutation-") as name:
        copy = Path(name) / "code"
        shutil.copytree(REPOSITORY, copy, ignore=LEFT_OUT)
        path = copy / mutation.file
        text = path.read_text("utf-8")
        if (number := text.count(mutation.old)) != 1:
            return False, f"its text is {number} times in {mutation.file}"
        path.write_text(text.replace(mutation.old, mutation.new), "utf-8")
        command = [sys.executable, "-W", "ignore", "-m", *_words(mutation, form)]
        environment = {**os.environ, "PYTHONPATH": str(copy)}
        with subprocess.Popen(
            command, cwd=copy, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        ) as check:
            try:
                said, _ = check.communicate(timeout=LONGEST)
            except subprocess.TimeoutExpired:
                check.terminate()  # it ends its nodes
                return False, f"nothing within {LONGEST:.0f} s"
        lines = [line.strip() for line in said.splitlines() if ": " in line and not line[0].isdigit()]
        return check.returncode != 0, lines[0] if lines else said.strip()[-100:]


def _words(mutation: Mutation, form: str) -> list[str]:
    if mutation.check == STEPWISE:
        return ["tests.chaos.stepwise", "--seeds", SEEDS[form]]
    form_of_system, _, kind = mutation.check.partition(": ")
    return ["tests.chaos", *words_of(form_of_system, kind)]


def main() -> int:
    """Try all mutations, or those that are named; print one line for each."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.mutations", description=__doc__.split("\n\n")[0])
    parser.add_argument("--only", help="names of mutations, separated by commas")
    parser.add_argument("--form", choices=SEEDS, default="long")
    arguments = parser.parse_args()
    names = arguments.only.split(",") if arguments.only else [mutation.name for mutation in MUTATIONS]
    if unknown := {*names} - {mutation.name for mutation in MUTATIONS}:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    found = 0
    for mutation in [mutation for mutation in MUTATIONS if mutation.name in names]:
        began = time.monotonic()
        is_found, told = try_out(mutation, arguments.form)
        found += is_found
        verdict = "" if is_found else "NOT FOUND: "
        print(f"{mutation.name:30} {time.monotonic() - began:5.0f} s  {verdict}{told[:110]}", flush=True)
    print(f"{found} of {len(names)} found")
    return int(found < len(names))


if __name__ == "__main__":
    sys.exit(main())
