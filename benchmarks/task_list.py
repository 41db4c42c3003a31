"""CPU time per task of reading a task list: the values of the file, and the whole with validation.

    python -m benchmarks.task_list --tasks 20000

The list is that of `benchmarks.schedule`. The time in which PyYAML's C parser reads the events of the file is also
printed, so that figures of several machines can be compared.
"""

import argparse
import time
from collections.abc import Callable
from statistics import median
from typing import Any

from benchmarks.schedule import tasks_yaml
from crawler.task_list.file import loads
from crawler.task_list.yaml_source import read_text


def main() -> None:
    """Measure the steps in turns."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    text = tasks_yaml(asked.tasks, "1h")
    steps: dict[str, Callable[[str], Any]] = {"events of YAML": _events, "values": read_text, "task list": loads}
    taken: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(asked.rounds):
        for name, step in steps.items():
            begun = time.process_time()
            step(text)
            taken[name].append((time.process_time() - begun) * 1000 / asked.tasks)
    for name, times in taken.items():
        print(f"{name}: {median(times):.3f} ms a task (median of {asked.rounds})")


def _events(text: str) -> None:
    import yaml

    for _ in yaml.parse(text, Loader=yaml.CSafeLoader):
        pass


if __name__ == "__main__":
    main()
