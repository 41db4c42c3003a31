"""The short form of `python -m tests.chaos`: each kind of fault once, on few pages. `make chaos` is the long form.

The tests are in two files, which run at the same time. The cluster runs below a process of its own, which has its own
network and mounts where the kernel allows it.
"""

import subprocess
import sys
from pathlib import Path

from tests.chaos.faults import FAULTS

REPOSITORY = Path(__file__).parents[2]
LONGEST = 600.0  # seconds of one trial; a machine with nothing else to do takes a sixth of it
GROUPS = {  # name: form, and what its faults begin with; those that are long have no place here
    "processes and outputs": ("cluster", ("kill-", "stop-", "output-", "rotated-", "disk-", "target-")),
    "redis and machines": ("cluster", ("lost-", "second-", "section-", "redis-", "clock-", "network-", "power-")),
    "one machine": ("single", ("kill-run", "kill-redis", "stop-run", "stop-redis")),
}


def kinds_of(form: str, starts: tuple[str, ...]) -> list[str]:
    return [
        kind
        for kind, fault in FAULTS.items()
        if kind.startswith(starts) and form in fault.forms and not kind.endswith("-long")
    ]


def words_of(group: str, chosen: list[str] | None = None) -> list[str]:
    """The arguments of `python -m tests.chaos` for a group: each of its faults once, or those that are chosen."""
    form, starts = GROUPS[group]
    kinds = chosen or kinds_of(form, starts)
    settle = 120 if chosen else 240
    pages = max(60, 5 * len(kinds))
    sizes = f"--kills {len(kinds)} --pages {pages} --sections 1 --hold 0.4 --settle {settle}"
    sizes += " --every 30s --delay 0.1 --within 35"  # each fault starts a run, too
    return ["--form", form, "--faults", ",".join(kinds), *sizes.split()]


def check(group: str) -> None:
    """Try each fault of a group once; nothing is lost, and nothing comes twice."""
    command = [sys.executable, "-m", "tests.chaos", *words_of(group)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=LONGEST, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
