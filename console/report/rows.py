"""The lines of a page → the rows of a report; for a page with very many lines only some rows of each run."""

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from extractors.explanation import Decision, ExplainedLine

MOST_TEXT = 400  # characters of a line that are shown


@dataclass(frozen=True, slots=True)
class OmittedLines:
    """Consecutive lines with the same decision that a report does not show one by one."""

    first: int
    count: int
    decision: "Decision"


def rows_of(lines: "tuple[ExplainedLine, ...]", most: int) -> "list[ExplainedLine | OmittedLines]":
    """Return up to about `most` rows: all lines, or the first and last ones of each run with the same decision."""
    runs = [list(run) for _, run in groupby(lines, key=lambda line: line.decision)]
    if len(lines) <= most:
        return list(lines)
    ends = _ends(runs, most)
    if not ends:
        return _of_many_runs(runs, most)
    rows: list[ExplainedLine | OmittedLines] = []
    for run in runs:
        if len(run) <= 2 * ends + 1:
            rows += run
        else:
            rows += [*run[:ends], _omitted(run[ends:-ends]), *run[-ends:]]
    return rows


def _ends(runs: "list[list[ExplainedLine]]", most: int) -> int:
    """Return how many lines at each end of a run are shown; 0 if there are too many runs."""
    ends = most
    while ends and sum(min(len(run), 2 * ends + 1) for run in runs) > most:
        ends //= 2
    return ends


def _of_many_runs(runs: "list[list[ExplainedLine]]", most: int) -> "list[ExplainedLine | OmittedLines]":
    """Return the first and the last runs, a row each, and the lines between them by decision."""
    half = most // 2
    middle = sorted((line for run in runs[half:-half] for line in run), key=lambda line: line.decision)
    by_decision = [list(run) for _, run in groupby(middle, key=lambda line: line.decision)]
    return [*map(_row, runs[:half]), *map(_omitted, by_decision), *map(_row, runs[-half:])]


def _row(run: "list[ExplainedLine]") -> "ExplainedLine | OmittedLines":
    return run[0] if len(run) == 1 else _omitted(run)


def _omitted(run: "list[ExplainedLine]") -> OmittedLines:
    return OmittedLines(min(line.number for line in run), len(run), run[0].decision)
