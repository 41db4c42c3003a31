"""Numbers → the geometry of inline SVG: paths of columns and curves, bands and marks. It contains only numbers."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from console.report.gathering import ReportedPage
    from extractors.explanation import Explanation
    from extractors.methods.example.verbatim_figure import CharacterCurves
    from extractors.methods.line_blocks.figure import BlockDistribution

WIDTH, HEIGHT = 720, 120  # units of the view box
BINS = 720  # columns or points of a curve; for longer sequences the extremes of each bin are drawn

# Titles of charts, and their descriptions.
SIMILARITY = (
    "Similarity to the example, line by line (FS and BS)",
    "1 where the example has the same line; it falls at the body's head (FS) and rises again at its tail (BS).",
)
WEIGHT = (
    "Weight of each line",
    "Bytes that count for the body (up) or against it (down); the turning points enclose the largest sum.",
)
DENSITY = (
    "Density: what each line adds to the body",
    "Bytes of new, unlinked text between the turning points, by which the body's element is found.",
)
LINE_MODEL = ("Line model", "Probability that each line belongs to the body, by the line model.")
CHARACTERS = (
    "FS and BS by character",
    "Windows of 100 characters compared with the example, from the heads (FS) and the tails (BS), as in the source.",
)
BLOCKS = (
    "Line-block distribution",
    "Characters outside links in each block of 3 lines of the source; the band is the body of method line-blocks.",
)


@dataclass(frozen=True, slots=True)
class Band:
    """An area between two places of the x axis, in units of the view box: a body."""

    start: float
    width: float


@dataclass(frozen=True, slots=True)
class ReportChart:
    """A chart. `paths`: (class, SVG path) from back to front; `zero`: y of the axis; `notes`: below it, in words.

    `keys`: (class, name) of paths, where there are several of a kind.
    """

    title: str
    explains: str
    paths: tuple[tuple[str, str], ...]
    bands: tuple[Band, ...] = ()
    marks: tuple[float, ...] = ()
    zero: float = HEIGHT
    notes: tuple[str, ...] = ()
    keys: tuple[tuple[str, str], ...] = ()


def charts_of(page: "ReportedPage") -> list[ReportChart]:
    """Return the charts of a page, those of the method in use first."""
    charts = list(_of_lines(page.explanation)) if page.explanation is not None else []
    if page.characters is not None and page.characters.fs:
        charts.append(_of_characters(page.characters))
    if page.blocks is not None:
        charts.append(_of_blocks(page.blocks))
    return charts


def _of_lines(explanation: "Explanation") -> Iterator[ReportChart]:
    """Yield the charts with one column for each line of the page."""
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
    yield ReportChart(*WEIGHT, (columns_up, columns_down), bands, marks, zero, (turning, text))
    columns = ("columns-plus", _columns(curves.content, 0, max(1.0, *curves.content)))
    root = f"the body's element: {explanation.root}" if explanation.root else "no element of the body"
    yield ReportChart(*DENSITY, (columns,), bands, marks, notes=(root,))
    chances = [line.chance for line in explanation.lines if line.chance is not None]
    if chances:
        yield ReportChart(*LINE_MODEL, (("columns-plus", _columns(chances, 0, 1)),), bands, marks)


def _of_characters(curves: "CharacterCurves") -> ReportChart:
    """Return the chart of FS and BS; BS is drawn from the text's tail, so that both have one axis."""
    length = max(len(curves.fs), len(curves.bs), curves.page.length)
    body = _band(curves.page.head, curves.page.tail, length)
    forward = _curve(curves.fs, 0, length)
    backward = _curve(curves.bs[::-1], length - len(curves.bs), length)
    place = f"head at character {curves.page.head:,}, tail at {curves.page.tail:,} of {curves.page.length:,}"
    return ReportChart(
        *CHARACTERS,
        (("curve-fs", forward), ("curve-bs", backward)),
        (body,),
        (body.start, body.start + body.width),
        notes=(place,),
        keys=(("fs", "FS"), ("bs", "BS")),
    )


def _of_blocks(blocks: "BlockDistribution") -> ReportChart:
    band = _band(blocks.start, blocks.end, len(blocks.sizes))
    columns = ("columns-plus", _columns(blocks.sizes, 0, max(blocks.sizes)))
    place = f"lines {blocks.start:,} to {blocks.end:,} of {len(blocks.sizes):,}"
    return ReportChart(*BLOCKS, (columns,), (band,), (band.start, band.start + band.width), notes=(place,))


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


def _band(start: int, end: int, count: int) -> Band:
    step = WIDTH / max(1, count)
    return Band(round(start * step, 1), round(max(0, end - start) * step, 1))


def _columns(values: Sequence[float], low: float, high: float) -> str:
    """Return a path with one column per value, from the axis at 0."""
    bins = _binned(values, BINS, lambda some: max(some, key=abs))
    step, scale = WIDTH / max(1, len(bins)), HEIGHT / ((high - low) or 1)
    zero = HEIGHT + low * scale
    drawn = []
    for number, value in enumerate(bins):
        if value:
            left, right, top = _short(number * step), _short((number + 1) * step), _short(zero - value * scale)
            drawn.append(f"M{left} {_short(zero)}V{top}H{right}V{_short(zero)}z")
    return "".join(drawn)


def _curve(values: Sequence[float], start: int, length: int) -> str:
    """Return a path through values from 0 to 1, of which the first is at place `start` of `length`."""
    bins = _binned(values, BINS, lambda some: sum(some) / len(some))
    step = WIDTH * len(values) / max(1, length) / max(1, len(bins))
    offset = WIDTH * start / max(1, length)
    places = (
        f"{_short(offset + number * step)} {_short(HEIGHT * (1 - value) * 0.98 + 1)}"
        for number, value in enumerate(bins)
    )
    return "M" + "L".join(places) if bins else ""


def _binned(values: Sequence[float], most: int, of: Callable[[Sequence[float]], float]) -> list[float]:
    if len(values) <= most:
        return list(values)
    bounds = [number * len(values) // most for number in range(most + 1)]
    return [of(values[start:end]) for start, end in pairwise(bounds) if end > start]


def _short(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
