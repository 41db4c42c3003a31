"""Numbers → the geometry of inline SVG: paths of columns and curves, bands and marks. Only numbers go into it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from console.report.gathering import ReportedPage
    from extractors.explanation import Explanation

WIDTH, HEIGHT = 720, 120  # units of the view box
BINS = 720  # columns or points of a curve; of longer sequences the extremes of each bin are drawn


@dataclass(frozen=True, slots=True)
class Band:
    """An area between two places of the x axis, in units of the view box: a body. `name`: what it is."""

    start: float
    width: float
    name: str = ""


@dataclass(frozen=True, slots=True)
class ReportChart:
    """A chart. `paths`: (class, SVG path) from back to front; `zero`: y of the axis; `notes`: below it, in words."""

    title: str
    explains: str
    paths: tuple[tuple[str, str], ...]
    bands: tuple[Band, ...] = ()
    marks: tuple[float, ...] = ()
    zero: float = HEIGHT
    notes: tuple[str, ...] = ()


def charts_of(page: "ReportedPage") -> list[ReportChart]:
    """Return the charts of a page, those of the method in use first."""
    explanation, charts = page.explanation, list[ReportChart]()
    if explanation is None:
        return charts
    charts += _of_lines(explanation)
    if page.characters is not None and page.characters.fs:
        curves = page.characters
        length = max(len(curves.fs), curves.page.length)
        body = _band(curves.page.head, curves.page.tail, length)
        backward = [*[1.0] * (length - len(curves.bs)), *curves.bs[::-1]]
        charts.append(
            ReportChart(
                "FS and BS along the characters",
                "The source's form: windows of 100 characters compared with the example, from the heads (FS) and from "
                "the tails (BS). A turning point is where a curve has finally fallen.",
                (("curve fs", _curve(curves.fs, length)), ("curve bs", _curve(backward, length, len(curves.bs)))),
                (body,),
                (body.start, body.start + body.width),
                notes=(
                    f"head at character {curves.page.head:,}, tail at {curves.page.tail:,} of {curves.page.length:,}",
                ),
            )
        )
    if page.blocks is not None:
        blocks = page.blocks
        band = _band(blocks.start, blocks.end, len(blocks.sizes))
        charts.append(
            ReportChart(
                "Line-block distribution",
                f"Characters outside links in each block of {blocks.width} lines of the source; the body of method "
                "line-blocks is where their sum is largest.",
                (("columns plus", _columns(blocks.sizes, 0, max(blocks.sizes))),),
                (band,),
                (band.start, band.start + band.width),
                notes=(f"lines {blocks.start:,} to {blocks.end:,} of {len(blocks.sizes):,}",),
            )
        )
    return charts


def _of_lines(explanation: "Explanation") -> list[ReportChart]:
    """Return the charts with one column for each line of the page."""
    curves, charts, count = explanation.curves, list[ReportChart](), len(explanation.lines)
    if not curves.weights:
        return charts
    segment, (first, end) = _band(curves.head, curves.tail, count), explanation.body
    bands = (_band(first, end, count, "text"),) if end else ()
    marks = (segment.start, segment.start + segment.width) if curves.tail else ()
    turning = f"turning points: head at line {curves.head}, tail at line {curves.tail} of {count}"
    if curves.similarity:
        charts.append(
            ReportChart(
                "Similarity to the example, line by line (FS and BS)",
                "1 where the example has the same line. One alignment from both ends gives FS and BS as one sequence; "
                "it falls at the body's head and rises at its tail.",
                (("columns same", _columns(curves.similarity, 0, 1)),),
                bands,
                marks,
                notes=(turning,),
            )
        )
    low, high = min(0.0, *curves.weights), max(1.0, *curves.weights)
    zero = HEIGHT * high / (high - low)
    charts.append(
        ReportChart(
            "Weight of each line",
            "Bytes that speak for the body (up) or against it (down). The turning points enclose the largest sum; the "
            "body's element holds most of the content between them.",
            (
                ("columns plus", _columns([max(0.0, weight) for weight in curves.weights], low, high)),
                ("columns minus", _columns([min(0.0, weight) for weight in curves.weights], low, high)),
            ),
            bands,
            marks,
            zero,
            (turning, f"text: lines {first} to {end - 1}" if end else "no text"),
        )
    )
    charts.append(
        ReportChart(
            "Density: what each line adds to the body",
            "Bytes of new, unlinked text between the turning points, by which the body's element is found.",
            (("columns plus", _columns(curves.content, 0, max(1.0, *curves.content))),),
            bands,
            marks,
            notes=(f"the body's element: {explanation.root}" if explanation.root else "no body's element",),
        )
    )
    chances = [line.chance or 0.0 for line in explanation.lines if line.chance is not None]
    if chances:
        charts.append(
            ReportChart(
                "Line model",
                "Probability of each line to be body, by the learned second opinion.",
                (("columns plus", _columns(chances, 0, 1)),),
                bands,
                marks,
            )
        )
    return charts


def strip_of(kept: Iterable[int], count: int) -> str:
    """Return the SVG path of a strip of height 1 that is filled at the given lines of `count`."""
    lines, step = sorted(kept), WIDTH / max(1, count)
    runs: list[list[int]] = []
    for line in lines:
        if runs and runs[-1][1] == line:
            runs[-1][1] = line + 1
        else:
            runs.append([line, line + 1])
    runs = runs[:BINS]
    return "".join(f"M{_short(start * step)} 0H{_short(end * step)}V10H{_short(start * step)}z" for start, end in runs)


def sparkline(values: Sequence[float], width: int) -> str:
    """Return a sequence as `width` block characters at most; each shows the largest of the values that it stands for.

    A value below 0 counts as 0.
    """
    if not values:
        return ""
    top, blocks = max(max(values), 1e-9), " ▁▂▃▄▅▆▇█"
    bins = _binned(values, width, max)
    return "".join(blocks[min(8, max(0, round(8 * value / top)))] for value in bins)


def _band(start: int, end: int, count: int, name: str = "") -> Band:
    step = WIDTH / max(1, count)
    return Band(round(start * step, 1), round(max(0, end - start) * step, 1), name)


def _columns(values: Sequence[float], low: float, high: float) -> str:
    """Return a path of one column a value, from the axis at 0."""
    bins = _binned(values, BINS, lambda some: max(some, key=abs))
    step, scale = WIDTH / max(1, len(bins)), HEIGHT / ((high - low) or 1)
    zero = HEIGHT + low * scale
    drawn = []
    for number, value in enumerate(bins):
        if value:
            left, right, top = _short(number * step), _short((number + 1) * step), _short(zero - value * scale)
            drawn.append(f"M{left} {_short(zero)}V{top}H{right}V{_short(zero)}z")
    return "".join(drawn)


def _curve(values: Sequence[float], length: int, shown: int | None = None) -> str:
    """Return a path through values from 0 to 1; of `length` places on the x axis, only the last `shown` values."""
    count = len(values)
    start = 0 if shown is None else count - shown
    bins = _binned(values[start:], BINS, lambda some: sum(some) / len(some))
    step = WIDTH * ((count - start) / max(1, length)) / max(1, len(bins))
    offset = WIDTH * start / max(1, length)
    places = [
        f"{_short(offset + number * step)} {_short(HEIGHT * (1 - value) * 0.98 + 1)}"
        for number, value in enumerate(bins)
    ]
    return "M" + "L".join(places) if places else ""


def _binned(values: Sequence[float], most: int, of: Callable[[Sequence[float]], float]) -> list[float]:
    if len(values) <= most:
        return list(values)
    bounds = [number * len(values) // most for number in range(most + 1)]
    return [of(values[start:end]) for start, end in pairwise(bounds) if end > start]


def _short(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
