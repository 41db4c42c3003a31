"""Numbers → the geometry of inline SVG: paths of columns, bands and marks. It contains only numbers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from extractors.explanation.values import Explanation

WIDTH, HEIGHT = 720, 120  # units of the view box
BINS = 720  # columns of a chart; for longer sequences the extremes of each bin are drawn

# Titles of charts, and their descriptions.
SIMILARITY = (
    "Similarity to the example, line by line (FS and BS)",
    "1 where the example has the same line; it falls at the body's head (FS) and rises again at its tail (BS).",
)
WEIGHT = (
    "Weight of each line",
    "Bytes that count for the body (up) or against it (down); the turning points enclose the largest sum.",
)


@dataclass(frozen=True, slots=True)
class Band:
    """An area between two places of the x axis, in units of the view box: a body."""

    start: float
    width: float


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


def charts_of(explanation: Explanation) -> Iterator[ReportChart]:
    """Yield the charts of a page; each has one column for each line."""
    curves, count = explanation.curves, len(explanation.lines)
    if not curves.weights:
        return
    segment, (first, end) = _band(curves.head, curves.tail, count), explanation.body
    bands = (_band(first, end, count),) if end else ()
    marks = (segment.start, segment.start + segment.width) if curves.tail else ()
    turning = f"turning points: head at line {curves.head}, tail at line {curves.tail} of {count}"
    text = f"text: lines {first} to {end - 1}" if end else "no text"
    if curves.similarity:
        columns = ("columns-same", _columns(curves.similarity, 0, 1))
        yield ReportChart(*SIMILARITY, (columns,), bands, marks, notes=(turning,))
    low, high = min(0.0, *curves.weights), max(1.0, *curves.weights)
    up, down = ([sign * max(0.0, sign * weight) for weight in curves.weights] for sign in (1, -1))
    columns_up, columns_down = ("columns-plus", _columns(up, low, high)), ("columns-minus", _columns(down, low, high))
    zero = round(HEIGHT * high / (high - low), 1)
    root = f"the body's element: {explanation.root}" if explanation.root else "no element of the body"
    yield ReportChart(*WEIGHT, (columns_up, columns_down), bands, marks, zero, (turning, text, root))


def _band(start: int, end: int, count: int) -> Band:
    step = WIDTH / max(1, count)
    return Band(round(start * step, 1), round(max(0, end - start) * step, 1))


def _columns(values: Sequence[float], low: float, high: float) -> str:
    """Return a path with one column per value, from the axis at 0."""
    bounds = [number * len(values) // BINS for number in range(BINS + 1)]
    bins = values if len(values) <= BINS else [max(values[start:end], key=abs) for start, end in pairwise(bounds)]
    step, scale = WIDTH / max(1, len(bins)), HEIGHT / ((high - low) or 1)
    zero = HEIGHT + low * scale
    drawn = []
    for number, value in enumerate(bins):
        if value:
            left, right, top = _short(number * step), _short((number + 1) * step), _short(zero - value * scale)
            drawn.append(f"M{left} {_short(zero)}V{top}H{right}V{_short(zero)}z")
    return "".join(drawn)


def _short(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
