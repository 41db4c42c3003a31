"""`--explain`: the short form of an explanation, for a terminal of 80 columns.

Text of pages is made printable before it is cut to the width, so that no text of a page can control the terminal.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from console.options import printable
from console.report.charts import sparkline

if TYPE_CHECKING:
    from console.report.gathering import ReportedPage
    from extractors.explanation import ExplainedField, ExplainedLine, Explanation

WIDTH = 80  # columns
NAME = 10  # columns of a row's name
SPARK = WIDTH - NAME
STRIP = 36  # columns of a method's strip
MOST_RUNS = 60  # runs of lines with one decision


def explained_rows(page: "ReportedPage") -> list[str]:
    """Return the explanation of a page as lines, each at most 80 columns wide."""
    explanation = page.explanation
    rows = [_row("page", page.name)]
    if explanation is None:
        return [*rows, _row("missing", page.error)]
    result = explanation.result
    if result:
        rows.append(_row("answer", f"method {explanation.method}, confidence {explanation.confidence:.2f}"))
    else:
        rows.append(_row("answer", "no article"))
    rows += _paragraph("because", result.reason)
    for number, ground in enumerate(explanation.grounds):
        rows += _paragraph("" if number else "rests on", f"{ground.name}: {ground.value} ({ground.meaning})")
    rows += [*_curves(page, explanation), *_lines(explanation), *_methods(page)]
    for field in explanation.fields:
        rows += _field(field)
    return rows


def fitted(text: str, width: int) -> str:
    """Return a text on one line, printable and cut to `width` columns; Chinese characters take two."""
    from rich.cells import cell_len, chop_cells

    flat = printable(" ".join(text.split()))
    if cell_len(flat) <= width:
        return flat
    return (chop_cells(flat, width - 1) or [""])[0].rstrip() + "…"


def _curves(page: "ReportedPage", explanation: "Explanation") -> Iterator[str]:
    curves, count = explanation.curves, len(explanation.lines)
    drawn: list[tuple[str, Sequence[float]]] = [
        ("similar", curves.similarity),
        ("weight", curves.weights),
        ("density", curves.content),
    ]
    for name, values in drawn:
        if len(values):
            yield _row(name, sparkline(values, SPARK), cut=False)
    if explanation.lines:
        yield _row("text", sparkline([float(line.kept) for line in explanation.lines], SPARK), cut=False)
    if curves.weights:
        yield _row("", f"turning points: head at line {curves.head}, tail at {curves.tail} of {count}")
    if page.characters is not None and page.characters.fs:
        yield _row("FS", sparkline(page.characters.fs, SPARK), cut=False)
        yield _row("BS", sparkline(page.characters.bs[::-1], SPARK), cut=False)
    if page.blocks is not None:
        yield _row("blocks", sparkline(page.blocks.sizes, SPARK), cut=False)
        yield _row("", f"line-block distribution: lines {page.blocks.start} to {page.blocks.end} are the body")


def _lines(explanation: "Explanation") -> Iterator[str]:
    """Yield the runs of lines with one decision: numbers, decision and reason of the first, its text."""
    counts = Counter(line.decision for line in explanation.lines)
    yield _row("lines", f"{len(explanation.lines)}: " + ", ".join(f"{name} {n}" for name, n in counts.most_common()))
    runs = [list(run) for _, run in groupby(explanation.lines, key=lambda line: line.decision)]
    for run in runs[:MOST_RUNS]:
        yield _row(_numbers(run), f"{run[0].decision}: {run[0].reason}")
        yield _row("", f"  {run[0].text}")
    if len(runs) > MOST_RUNS:
        yield _row("", f"and {len(runs) - MOST_RUNS} further runs of lines; --report FILE.html shows all")


def _numbers(run: "Sequence[ExplainedLine]") -> str:
    first, last = run[0].number, run[-1].number
    return str(first) if first == last else f"{first}-{last}"


def _methods(page: "ReportedPage") -> Iterator[str]:
    count = len(page.explanation.lines) if page.explanation is not None else 0
    for number, answer in enumerate(page.methods):
        kept = [float(line in answer.kept) for line in range(count)]
        strip = sparkline(kept, STRIP) if count else ""
        figures = f"{answer.name:26}{answer.f1:5.2f}{1000 * answer.seconds:8.1f} ms"
        yield _row("" if number else "methods", f"{figures} {strip}".rstrip(), cut=False)[:WIDTH]


def _field(field: "ExplainedField") -> Iterator[str]:
    if not field.value:
        return
    yield _row(field.name, field.value)
    yield _row("", f"  from {field.place}")
    for name, state in (("agrees", "same"), ("lost", "lost")):
        others = [candidate for candidate in field.candidates if candidate.state == state]
        if others:
            yield _row("", f"  {name}: " + "; ".join(f"{other.place}: {other.value}" for other in others))


def _row(name: str, text: str, cut: bool = True) -> str:
    start = f"{fitted(name, NAME - 1):{NAME}}" if len(name) < NAME else f"{name} "
    indent = " " * (len(text) - len(text.lstrip(" "))) if cut else ""
    return (start + indent + fitted(text, WIDTH - len(start) - len(indent)) if cut else start + text).rstrip()


def _paragraph(name: str, text: str) -> Iterable[str]:
    """Return a text as several rows."""
    from rich.cells import cell_len

    rows, line = list[str](), ""
    for word in printable(" ".join(text.split())).split(" "):
        if line and cell_len(f"{line} {word}") > WIDTH - NAME:
            rows.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return [_row("" if number else name, row) for number, row in enumerate([*rows, line])]
