"""The refused rows of a task, grouped by output and reason, for `exemplar failures`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from console.problems import groups, matching
from console.terminal import moment
from workers.addresses import shown
from workers.task_state.problems import Problem

if TYPE_CHECKING:
    import redis

    from workers.writing.refused_rows import RefusedRow


@dataclass(frozen=True, slots=True)
class RefusedGroup:
    """Refused rows of one output with similar reasons; `label` as in `console.problems.Group`."""

    task: str
    output: str
    key: str
    label: str
    rows: "tuple[RefusedRow, ...]"

    def cells(self) -> tuple[str, str, str, str, str]:
        """Return task, number, the time of the last one, output and reason."""
        last = moment(max(row.at for row in self.rows))
        return self.task, str(len(self.rows)), last, shown(self.output), self.label

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the JSON-ready form, one object per row."""
        return [
            {
                "task": self.task,
                "output": shown(row.output),
                "url": row.url,
                "reason": row.reason,
                "at": moment(row.at),
                "group": self.key,
                "kept": True,
            }
            for row in self.rows
        ]


def refused_groups(connection: "redis.Redis", task: str, reason: str | None) -> list[RefusedGroup]:
    """Return the groups of a task's refused rows, or those whose reasons begin with `reason`."""
    from workers.writing.refused_rows import refused_rows

    by_output: dict[str, list[RefusedRow]] = {}
    for row in refused_rows(connection, task):
        by_output.setdefault(row.output, []).append(row)
    result = []
    for output, rows in sorted(by_output.items()):
        # A URL has several rows if its page was a list or was extracted again; they are distinguished by their numbers.
        problems = {Problem("failed", row.reason, row.name): row for row in rows}
        all_groups = groups(problems)
        for group in all_groups if reason is None else matching(all_groups, reason):
            members = tuple(problems[member] for member in group.members)
            result.append(RefusedGroup(task, output, group.key, group.label, members))
    return result


def refused_of(connection: "redis.Redis", task: str, urls: Sequence[str], reason: str | None) -> "list[RefusedRow]":
    """Return the refused rows of some URLs; without URLs those with a reason, or all."""
    rows = [row for group in refused_groups(connection, task, reason) for row in group.rows]
    return [row for row in rows if not urls or row.url in urls or row.canonical_url in urls]
