"""The programs of a cluster, each a process of its own, which tests disturb while they work."""

import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.forks import Started, start

NODES = (("schedule", "tasks.yaml"), ("work", "crawl", "-n", "1"), ("work", "extract", "-n", "1"))


@contextmanager
def running_nodes(folder: Path, environment: Mapping[str, str]) -> Iterator[list[Started]]:
    """Run a scheduler, a crawl worker and an extraction worker; then stop them and expect exit code 0 of each."""
    nodes = [start("console", list(node), folder, environment) for node in NODES]
    try:
        yield nodes
    finally:
        for node in nodes:
            node.send_signal(signal.SIGTERM)
        ends = [(node.communicate(timeout=60), node.returncode) for node in nodes]
    assert [code for _, code in ends] == [0, 0, 0], ends
