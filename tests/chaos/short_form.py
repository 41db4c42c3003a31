"""The short form of `python -m tests.chaos`: faults that only real processes show, each once, on few pages.

`tests.chaos.stepwise` has the others: lost replies to each step, a Redis that goes back, outputs that refuse or rotate.
`test_supervisor` has a Redis and an output that are away.
Loss of power, a cut network, a wrong clock and a full disk have tests of their own (`test_durability`,
`test_partition`, `test_redis_clock`, `test_jsonl`).
`make chaos` is the long form, with all kinds.
"""

import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
LONGEST = 600.0  # seconds of one trial; a machine with nothing else to do takes a sixth of it
GROUPS = {  # of forms: kinds of faults
    "cluster": (
        "kill-crawl-worker", "kill-crawl-process", "kill-supervisor", "kill-worker", "target-kills", "stop-worker",
        "redis-emptied",
    ),
    "single": ("kill-run", "kill-redis", "stop-run"),
}  # fmt: skip


def words_of(form: str, chosen: str = "") -> list[str]:
    """The arguments of `python -m tests.chaos` for a form: each of its faults once, or the chosen one."""
    kinds = [chosen] if chosen else GROUPS[form]
    settle = 120 if chosen else 240
    pages = max(60, 5 * len(kinds))
    sizes = f"--kills {len(kinds)} --pages {pages} --sections 1 --hold 0.4 --settle {settle}"
    sizes += " --every 30s --delay 0.1 --within 35"  # each fault starts a run, too
    return ["--form", form, "--faults", ",".join(kinds), *sizes.split()]


def check(form: str) -> None:
    """Try each fault of a form once; nothing is lost, and nothing comes twice."""
    command = [sys.executable, "-m", "tests.chaos", *words_of(form)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=LONGEST, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
