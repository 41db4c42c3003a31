"""The output of `--explain`: the short form of an explanation, for a terminal of 80 columns.

Text of pages is made printable before it is cut to the width, so that no text of a page can control the terminal. It
is never translated; messages are translated by `ReportWording`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from console.locale import ReportWording
from crawler.logs import printable

if TYPE_CHECKING:
    from console.report.gathering import ReportedPage
    from extractors.explanation import ExplainedField, ExplainedLine, Explanation

WIDTH = 80  # columns
NAME = 10  # columns of a row's name
BREAKABLE = re.compile(r"[\u2e80-\uffef]|[^\s\u2e80-\uffef]+ ?| ")  # a Chinese line may break after each character
MOST_FURTHER = 10  # URLs of further pages that are shown
MOST_RUNS = 60  # runs of lines with one decision that are shown


def explained_rows(page: "ReportedPage", wording: ReportWording | None = None) -> list[str]:
    """Return the explanation of a page as lines, each at most 80 columns wide. `wording`: None for English."""
    explanation, words = page.explanation, wording or ReportWording()
    rows = [_row(words.word("page"), page.name)]
    if explanation is None:
        return [*rows, _row(words.word("missing"), words.text(page.error))]
    if page.further:
        number = len(page.further)
        rows.append(_row("", words.text(f"the first page of an article; {number} further pages are not explained:")))
        rows += [_row("", f"  {url}") for url in page.further[:MOST_FURTHER]]
    result = explanation.result
    if result:
        answer = words.text(f"method {explanation.method}, confidence {explanation.confidence:.2f}")
    else:
        answer = words.text("no article")
    rows.append(_row(words.word("answer"), answer))
    rows += _paragraph(words.word("because"), words.text(result.reason))
    for number, ground in enumerate(explanation.grounds):
        name, value, meaning = (words.text(text) for text in (ground.name, ground.value, ground.meaning))
        rows += _paragraph("" if number else words.text("based on"), f"{name}: {value} ({meaning})")
    rows += [*_places(page, explanation, words), *_lines(explanation, words), *_methods(page, words)]
    for field in explanation.fields:
        rows += _field(field, words)
    return rows


def fitted(text: str, width: int) -> str:
    """Return a text on one line, printable and cut to `width` columns; Chinese characters take two."""
    from rich.cells import cell_len, chop_cells

    flat = printable(" ".join(text.split()))
    if cell_len(flat) <= width:
        return flat
    return (chop_cells(flat, width - 1) or [""])[0].rstrip() + "…"


def _places(page: "ReportedPage", explanation: "Explanation", words: ReportWording) -> Iterator[str]:
    curves, count = explanation.curves, len(explanation.lines)
    if curves.weights:
        turning = f"turning points: head at line {curves.head}, tail at {curves.tail} of {count}"
        yield _row(words.word("text"), words.text(turning))
    if page.blocks is not None:
        blocks = f"line-block distribution: lines {page.blocks.start} to {page.blocks.end} are the body"
        yield _row(words.word("blocks"), words.text(blocks))


def _lines(explanation: "Explanation", words: ReportWording) -> Iterator[str]:
    """Yield the runs of lines with one decision: numbers, decision and reason of the first, its text."""
    counts = Counter(line.decision for line in explanation.lines)
    numbers = ", ".join(f"{words.word(name)} {number}" for name, number in counts.most_common())
    yield _row(words.word("lines"), f"{len(explanation.lines)}: {numbers}")
    runs = [list(run) for _, run in groupby(explanation.lines, key=lambda line: line.decision)]
    for run in runs[:MOST_RUNS]:
        yield _row(_numbers(run), f"{words.word(run[0].decision)}: {words.text(run[0].reason)}")
        yield _row("", f"  {run[0].text}")
    if len(runs) > MOST_RUNS:
        yield _row("", words.text(f"and {len(runs) - MOST_RUNS} further blocks of lines; --report FILE.html shows all"))


def _numbers(run: "Sequence[ExplainedLine]") -> str:
    first, last = run[0].number, run[-1].number
    return str(first) if first == last else f"{first}-{last}"


def _methods(page: "ReportedPage", words: ReportWording) -> Iterator[str]:
    for number, answer in enumerate(page.methods):
        name = "" if number else words.word("methods")
        yield _row(name, f"{answer.name:26}{answer.f1:5.2f}", cut=False)


def _field(field: "ExplainedField", words: ReportWording) -> Iterator[str]:
    if not field.value:
        return
    yield _row(field.name, field.value)
    yield _row("", words.text(f"  from {field.place}"))
    for name, state in (("agrees", "same"), ("lost", "lost")):
        others = [candidate for candidate in field.candidates if candidate.state == state]
        if others:
            values = "; ".join(f"{words.text(other.place)}: {other.value}" for other in others)
            yield _row("", f"  {words.word(name)}: {values}")


def _row(name: str, text: str, cut: bool = True) -> str:
    from rich.cells import cell_len

    start = name + " " * max(1, NAME - cell_len(name))
    indent = " " * (len(text) - len(text.lstrip(" "))) if cut else ""
    return (start + indent + fitted(text, WIDTH - cell_len(start) - len(indent)) if cut else start + text).rstrip()


def _paragraph(name: str, text: str) -> Iterable[str]:
    """Return a text as several rows."""
    from rich.cells import cell_len

    rows, line = list[str](), ""
    for word in BREAKABLE.findall(printable(" ".join(text.split()))):
        if line and cell_len(f"{line}{word}".rstrip()) > WIDTH - NAME:
            rows.append(line.rstrip())
            line = word
        else:
            line += word
    return [_row("" if number else name, row) for number, row in enumerate([*rows, line])]
