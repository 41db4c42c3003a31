"""The memory of a process and its descendants, read from /proc; 0 without /proc."""

import os
from collections import defaultdict
from pathlib import Path

PROC = Path("/proc")


def below(pid: int) -> list[int]:
    """Return the processes that descend from `pid`, parents first."""
    children = _by_parent()
    descendants = list(children[pid])
    for child in descendants:
        descendants += children[child]
    return descendants


def children_of(pid: int) -> list[int]:
    """Return the processes that `pid` started itself."""
    return _by_parent()[pid]


def _by_parent() -> defaultdict[int, list[int]]:
    children: defaultdict[int, list[int]] = defaultdict(list)
    for status in PROC.glob("[0-9]*/stat"):
        try:
            parent = int(status.read_text("utf-8", "replace").rpartition(")")[2].split()[1])
        except (OSError, IndexError, ValueError):
            continue  # the process has ended meanwhile
        children[parent].append(int(status.parent.name))
    return children


def resident(pids: list[int]) -> int:
    """Return the resident bytes of processes; shared memory counts for each of them."""
    return sum(map(_resident, pids))


def _resident(pid: int) -> int:
    try:
        return int((PROC / str(pid) / "statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0
