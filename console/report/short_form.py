"""The output of `--explain`: the short form of an explanation, for a terminal of 80 columns.

Text of pages is made printable, so that it cannot control the terminal, and never translated; messages are translated
by `ReportWording`. What a reader needs whole is wrapped, the lines of pages are cut to the width.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from console.locale import ReportWording
from crawler.logs import printable

if TYPE_CHECKING:
    from console.report.gathering import ReportedPage
    from extractors.explanation.values import ExplainedField, ExplainedLine, Explanation

WIDTH = 80  # columns
MOST_RUNS = 60  # runs of lines with one decision that are shown
Row = tuple[str, str]  # the name of a row, which may be empty, and its text
WRAPPED = "\n"  # begins a text that is wrapped; any other is cut


def explained_rows(page: "ReportedPage", wording: ReportWording | None = None) -> list[str]:
    """Return the explanation of a page as lines, each at most 80 columns wide. `wording`: None for English."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 1))
    for name, text in _rows(page, wording or ReportWording()):
        indent = " " * (len(text) - len(text.lstrip(" ")))
        flat = printable(" ".join(text.split()))
        is_wrapped = text.startswith(WRAPPED)
        overflow: Literal["fold", "ellipsis"] = "fold" if is_wrapped else "ellipsis"
        table.add_row(Text(name), Text(indent + flat, no_wrap=not is_wrapped, overflow=overflow))
    console = Console(width=WIDTH, color_system=None)
    with console.capture() as shown:
        console.print(table)
    return [row.rstrip() for row in shown.get().splitlines()]


def _rows(page: "ReportedPage", words: ReportWording) -> Iterator[Row]:
    explanation = page.explanation
    yield words.word("page"), page.name
    if explanation is None:
        yield words.word("missing"), words.text(page.error)
        return
    result, curves = explanation.result, explanation.curves
    found = f"method {result.method}, confidence {result.confidence:.2f}" if result else "no article"
    yield words.word("answer"), words.text(found)
    yield words.word("because"), WRAPPED + words.text(result.reason)
    for number, ground in enumerate(explanation.grounds):
        name, value, meaning = (words.text(text) for text in (ground.name, ground.value, ground.meaning))
        yield "" if number else words.text("based on"), f"{WRAPPED}{name}: {value} ({meaning})"
    if curves.weights:
        turning = f"turning points: head at line {curves.head}, tail at {curves.tail} of {len(explanation.lines)}"
        yield words.word("text"), words.text(turning)
    yield from _lines(explanation, words)
    for number, answer in enumerate(page.methods):
        yield "" if number else words.word("methods"), f"{answer.f1:.2f}  {answer.name}"
    for field in explanation.fields:
        yield from _field(field, words)


def _lines(explanation: "Explanation", words: ReportWording) -> Iterator[Row]:
    """Yield the runs of lines with one decision: numbers, decision and reason of the first, its text."""
    counts = Counter(line.decision for line in explanation.lines)
    numbers = ", ".join(f"{words.word(name)} {number}" for name, number in counts.most_common())
    yield words.word("lines"), f"{len(explanation.lines)}: {numbers}"
    runs = [list(run) for _, run in groupby(explanation.lines, key=lambda line: line.decision)]
    for run in runs[:MOST_RUNS]:
        yield _numbers(run), f"{words.word(run[0].decision)}: {words.text(run[0].reason)}"
        yield "", f"  {run[0].text}"
    if len(runs) > MOST_RUNS:
        yield "", words.text(f"and {len(runs) - MOST_RUNS} further blocks of lines; --report FILE.html shows all")


def _numbers(run: "Sequence[ExplainedLine]") -> str:
    first, last = run[0].number, run[-1].number
    return str(first) if first == last else f"{first}-{last}"


def _field(field: "ExplainedField", words: ReportWording) -> Iterator[Row]:
    if not field.value:
        return
    yield field.name, field.value
    yield "", words.text(f"  from {field.place}")
    for name, state in (("agrees", "same"), ("lost", "lost")):
        others = [candidate for candidate in field.candidates if candidate.state == state]
        if others:
            values = "; ".join(f"{words.text(other.place)}: {other.value}" for other in others)
            yield "", f"  {words.word(name)}: {values}"
