"""Our figures beside those of the source: on tuning data, and on other data, which decide whether they are met.

Which text is right, none of the sources says; our definition is here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from ..scores import Score
from ..tables import table

RIGHT = 0.9  # shingle F1; ours


def is_right(score: Score) -> bool:
    """Whether a text is right: its F1 is `RIGHT` or more. An empty text is always wrong."""
    return score.precision is not None and score.f1 >= RIGHT


def share_right(scores: Sequence[Score]) -> float:
    """Return the share of pages that are right. Raises `ValueError` for none."""
    return fmean(map(is_right, scores))


@dataclass(frozen=True, slots=True)
class Figures:
    """The means of a measure, and the number of pages or sites; empty if there were none."""

    values: Sequence[float]
    count: str

    def __str__(self) -> str:
        return f"{', '.join(cells(self.values))} ({self.count})" if self.values else "–"


@dataclass(frozen=True, slots=True)
class Bar:
    """A figure of the source: `least` for each value, or None for a value without one."""

    method: str
    measure: str
    least: float | None
    tuned: Figures
    left_out: Figures

    @property
    def met(self) -> str:
        """Whether the source's figure is met on pages that were not used to tune the method."""
        if self.least is None:
            return "no figure to compare"
        if not self.left_out.values:
            return "not known: no such pages"
        return "yes" if min(self.left_out.values) >= self.least else "no"


def cells(values: Sequence[float]) -> list[str]:
    """Return values as they are printed."""
    return [f"{value:.3f}" for value in values]


def compared(bars: Sequence[Bar]) -> Iterator[str]:
    """Yield the table of figures against the source's."""
    header = ["method", "measure", "source", "ours, on what tuned it", "ours, left out", "met?"]
    sources = ["–" if bar.least is None else f"≥ {bar.least:.2f}" for bar in bars]
    yield table(
        header,
        [
            [bar.method, bar.measure, source, str(bar.tuned), str(bar.left_out), bar.met]
            for bar, source in zip(bars, sources, strict=True)
        ],
    )
