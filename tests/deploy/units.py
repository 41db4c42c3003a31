"""Reads the systemd units of `deploy/systemd/` as far as tests need them: which command runs, in which environment."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "deploy" / "systemd"
HOST = "host"  # stands for %H


@dataclass(frozen=True)
class Unit:
    path: Path
    settings: dict[str, list[str]]  # of all sections: name -> its values, in order

    @property
    def environment(self) -> dict[str, str]:
        pairs = [part for line in self.settings["Environment"] for part in shlex.split(line)]
        return dict(pair.replace("%H", HOST).replace("%i", "1").split("=", 1) for pair in pairs)

    def command(self, environment: dict[str, str]) -> list[str]:
        """The command as systemd runs it: a `${NAME}` is one word."""
        [line] = self.settings["ExecStart"]
        return [re.sub(r"\$\{(\w+)\}", lambda name: environment[name[1]], part) for part in line.split()]


def units() -> list[Unit]:
    return [_unit(path) for path in sorted(FOLDER.glob("*.service"))]


def _unit(path: Path) -> Unit:
    settings: dict[str, list[str]] = {}
    for line in path.read_text("utf-8").splitlines():
        name, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            settings.setdefault(name, []).append(value)
    return Unit(path, settings)
