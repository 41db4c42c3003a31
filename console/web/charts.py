"""Small charts as values for the templates, which draw them as inline SVG."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

BAR, GAP = 6, 2  # units of the drawing: width of a bar, and the space after it
HEIGHT = 28


@dataclass(frozen=True, slots=True)
class ChartBar:
    """One bar of a chart; places in units of the drawing."""

    x: int
    y: float
    height: float
    label: str
    value: int


@dataclass(frozen=True, slots=True)
class BarChart:
    """A bar chart; all bars have the same scale."""

    bars: tuple[ChartBar, ...]
    width: int
    height: int
    most: int
    total: int


def bar_chart(values: Sequence[int], labels: Sequence[str], *, height: int = HEIGHT) -> BarChart:
    """Return a chart. A value of 0 is a line of half a unit, so that the days can be counted."""
    most = max(values, default=0)
    bars = []
    for place, (value, label) in enumerate(zip(values, labels, strict=True)):
        size = max(2.0, height * value / most) if value else 0.5
        bars.append(ChartBar(place * (BAR + GAP), round(height - size, 1), round(size, 1), label, value))
    return BarChart(tuple(bars), max(1, len(values) * (BAR + GAP) - GAP), height, most, sum(values))


def day_chart(first: date, values: Sequence[int], *, height: int = HEIGHT) -> BarChart:
    """Return a chart with one bar per day."""
    labels = [(first + timedelta(days=number)).isoformat() for number in range(len(values))]
    return bar_chart(values, labels, height=height)
