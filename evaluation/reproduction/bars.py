"""Our figures beside the source's: on tuning data, and on the rest, which decides whether they are met."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..tables import table


@dataclass(frozen=True, slots=True)
class Figures:
    """Means of a measure, and of how many pages or sites; empty if there were none."""

    values: Sequence[float]
    count: str

    def __str__(self) -> str:
        return f"{', '.join(f'{value:.3f}' for value in self.values)} ({self.count})" if self.values else "–"


@dataclass(frozen=True, slots=True)
class Bar:
    """A figure of the source: `least` for each of the values, or None if it has none to compare."""

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
