"""The sheet of every figure and its parts: size, type, colours, curves' marks and output, so that all look alike.

matplotlib (extra `figures`) is imported when a sheet is made; no global state of it is used or changed. The output
depends on data, fonts and matplotlib's version alone: ids come from a fixed salt, and no date is written. Text in SVG
stays text and is shown in the fonts of the reader's machine, Chinese too. For Chinese in PNG one of `CHINESE` must be
installed where the figure is drawn.
"""

import re
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT = 8.0, 4.8  # inches
DPI = 200  # of a PNG: 1600 pixels wide, twice the width at which documents show it
TITLE_SIZE, TEXT_SIZE, SMALL_SIZE = 12.5, 10.0, 9.0  # points
MARGIN, LEADING = 0.12, 1.45  # inches above the header; line height as a multiple of the type size

ROOM = 0.17  # share of an axis that the name of a turning point takes

# Okabe and Ito's colours, which stay apart for colour-blind readers.
BLUE, ORANGE, GREEN, RED = "#0072B2", "#E69F00", "#009E73", "#D55E00"
INK, GREY, PALE, BODY = "#222222", "#767676", "#C8C8C8", "#FFF3C4"

LATIN = "DejaVu Sans"  # comes with matplotlib
CHINESE = (  # of Linux, of Windows and macOS
    "Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei",
    "Microsoft YaHei", "SimHei", "PingFang SC", "Hiragino Sans GB",
)  # fmt: skip
IN_SVG = f"'{LATIN}', Verdana, 'Noto Sans CJK SC', 'Microsoft YaHei', 'PingFang SC', sans-serif"  # readers' fonts
_FAMILIES = re.compile(rf"""(style="[^"]*font[^"]*)'{LATIN}'(?:, *[^,;"]+)*""")


@contextmanager
def style() -> Iterator[None]:
    """Draw the figures within the block in our style."""
    import matplotlib as mpl

    settings: dict[Any, Any] = {
        "svg.fonttype": "none",
        "svg.hashsalt": "exemplar",
        "font.family": [LATIN, *installed()],
        "font.size": TEXT_SIZE,
        "text.parse_math": False,
        "text.color": INK,
        "axes.labelcolor": INK,
        "axes.edgecolor": GREY,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "xtick.labelsize": SMALL_SIZE,
        "ytick.labelsize": SMALL_SIZE,
        "xtick.color": INK,
        "ytick.color": INK,
        "legend.fontsize": SMALL_SIZE,
        "legend.frameon": False,
    }
    with mpl.rc_context(), warnings.catch_warnings():
        mpl.rcdefaults()
        mpl.rcParams.update(settings)
        warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
        yield


@cache
def installed() -> tuple[str, ...]:
    """Return the Chinese fonts that are installed; matplotlib warns of others."""
    from matplotlib.font_manager import get_font_names

    there = set(get_font_names())
    return tuple(name for name in CHINESE if name in there)


class Sheet:
    """One figure: above the panels are the finding, the page and the reason."""

    def __init__(self, page_title: str) -> None:
        from matplotlib.figure import Figure

        self._page_title = page_title
        self._figure = Figure(figsize=(WIDTH, HEIGHT), layout="constrained", facecolor="white")
        self._header: list[tuple[str, float, str]] = []  # text, size, colour

    def headline(self, method: str, finding: str, reason: str = "") -> None:
        """Set the header: the method, its finding and the reason."""
        texts = (f"{method}: {finding}", self._page_title, reason)
        looks = (TITLE_SIZE, INK, 84), (TEXT_SIZE, INK, 104), (SMALL_SIZE, GREY, 116)
        self._header = [
            (shown, size, colour)
            for text, (size, colour, columns) in zip(texts, looks, strict=True)
            if (shown := fit(text, columns))
        ]

    def panels(self, *heights: float, share: bool = True) -> "list[Axes]":
        """Return panels from top to bottom, of these heights relative to each other; `share`: with one x axis."""
        grid = self._figure.subplots(len(heights), 1, sharex=share, squeeze=False, height_ratios=heights)
        return [row[0] for row in grid]

    def columns(self, *widths: float) -> "list[Axes]":
        """Return panels side by side that share their rows, of these widths relative to each other."""
        return list(self._figure.subplots(1, len(widths), sharey=True, squeeze=False, width_ratios=widths)[0])

    def grow(self, inches: float) -> None:
        """Set the height of the sheet."""
        self._figure.set_figheight(inches)

    def render(self, suffix: str) -> bytes:
        """Return the figure as a file's content; `suffix`: .svg or .png."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.backends.backend_svg import FigureCanvasSVG

        self._write_header()
        self._lay_out()
        name = self._header[0][0]
        buffer = BytesIO()
        if suffix == ".png":
            png = FigureCanvasAgg(self._figure)
            png.print_figure(buffer, format="png", dpi=DPI, metadata={"Software": None, "Title": name})
            return buffer.getvalue()
        about = {"Date": None, "Creator": "Exemplar", "Title": name}
        FigureCanvasSVG(self._figure).print_figure(buffer, format="svg", metadata=about)
        return _FAMILIES.sub(rf"\1{IN_SVG}", buffer.getvalue().decode("utf-8")).encode("utf-8")

    def _write_header(self) -> None:
        """Write the header's lines at the top, and leave the rest to the panels."""
        from matplotlib.layout_engine import ConstrainedLayoutEngine

        height, top = self._figure.get_figheight(), MARGIN
        for text, size, colour in self._header:
            place = 1 - top / height
            self._figure.text(0.012, place, text, size=size, color=colour, va="top")
            top += size * LEADING / 72
        engine = self._figure.get_layout_engine()
        if isinstance(engine, ConstrainedLayoutEngine):
            engine.set(rect=(0, 0, 1, 1 - (top + MARGIN / 2) / height))

    def _lay_out(self) -> None:
        """Place the panels, rounded: the layout's last digits differ between runs, and ids are derived from them."""
        self._figure.draw_without_rendering()
        self._figure.set_layout_engine("none")
        for axes in self._figure.axes:
            left, bottom, width, height = (round(number, 5) for number in axes.get_position().bounds)
            axes.set_position((left, bottom, width, height))


def fit(text: str, columns: int) -> str:
    """Return a text without unprintable characters, cut to `columns` columns; a Chinese character takes two."""
    clean = "".join(sign if sign.isprintable() else " " for sign in text)
    room = columns
    shown: list[str] = []
    for sign in " ".join(clean.split()):
        room -= 1 + (ord(sign) > 0x2E7F)
        if room < 0:
            return "".join(shown).rstrip() + "…"
        shown.append(sign)
    return "".join(shown)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: 1 line, 2 lines."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def span_of(first: int, end: int) -> str:
    """Return a range in words: its first number and its last."""
    return f"{first:,} to {max(first, end - 1):,}"


def runs(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Return the runs of consecutive numbers: the first number of each run, and its length."""
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and sum(found[-1]) == number:
            found[-1] = (found[-1][0], found[-1][1] + 1)
        else:
            found.append((number, 1))
    return found


def mark_body(panels: "Sequence[Axes]", start: float, end: float) -> None:
    """Shade the body in all panels."""
    for axes in panels:
        if end > start:
            axes.axvspan(start, end, color=BODY, zorder=0, linewidth=0)


def turning_points(axes: "Axes", places: tuple[float, float], labels: tuple[str, str], length: float) -> None:
    """Draw two turning points as lines with their names at the top, outside the body where there is room.

    `length`: the length of the axis.
    """
    (head, tail), (first, last) = places, labels
    outside = head > ROOM * length, tail < (1 - ROOM) * length
    crowded = not any(outside) and tail - head < 2 * ROOM * length
    _named_line(axes, head, first, left=outside[0], row=0)
    _named_line(axes, tail, last, left=not outside[1], row=1 if crowded else 0)


def _named_line(axes: "Axes", place: float, name: str, *, left: bool, row: int) -> None:
    axes.axvline(place, color=RED, linewidth=1.2, linestyle=(0, (4, 2)))
    side, beside = ("right", -4) if left else ("left", 4)
    note(axes, name, (place, 1), (beside, -2 - 13 * row), xycoords=("data", "axes fraction"), ha=side, va="top")


def note(axes: "Axes", text: str, at: tuple[float, float], offset: tuple[float, float], **look: Any) -> None:
    """Write a small text beside a place; `offset` in points."""
    axes.annotate(text, at, offset, textcoords="offset points", fontsize=SMALL_SIZE, **{"color": RED, **look})


def threshold(axes: "Axes", height: float, name: str) -> None:
    """Draw a threshold across a panel, its name at the right end."""
    axes.axhline(height, color=RED, linewidth=1.1, linestyle=":")
    box = {"facecolor": "white", "alpha": 0.8, "linewidth": 0, "pad": 1}
    note(axes, name, (1, height), (0, 3), xycoords=("axes fraction", "data"), ha="right", bbox=box)


def legend(axes: "Axes", columns: int, *, left: bool = False) -> None:
    """Draw the legend of a panel's colours above it, at its right end or at its left."""
    axes.legend(
        loc="lower left" if left else "lower right",
        bbox_to_anchor=(0 if left else 1, 1),
        ncols=columns,
        handlelength=1.2,
        handletextpad=0.4,
        columnspacing=1.2,
        borderaxespad=0.2,
    )


def bars(axes: "Axes", values: Sequence[float], kept: Collection[int]) -> None:
    """Draw a bar for each line; the bars of kept lines are in colour."""
    heights = np.array(values, np.float64)
    chosen = np.zeros(len(heights), np.bool_)
    chosen[list(kept)] = True
    edges = np.arange(len(heights) + 1) - 0.5
    axes.stairs(np.where(chosen, 0, heights), edges, fill=True, color=GREY, label="other line")
    axes.stairs(np.where(chosen, heights, 0), edges, fill=True, color=BLUE, label="line of the text")
    axes.axhline(0, color=INK, linewidth=0.6)
    axes.set_xlim(-0.5, len(heights) - 0.5)


def strips(axes: "Axes", rows: Sequence[tuple[str, Iterable[int], str]], offset: float = 0) -> None:
    """Draw rows of bars, the first at the top; a row has a name, the numbers that it marks and a colour."""
    for place, (_, numbers, colour) in enumerate(rows):
        bars = [(first + offset, length) for first, length in runs(numbers)]
        axes.broken_barh(bars, (len(rows) - place - 0.85, 0.7), color=colour, linewidth=0)
    axes.set_ylim(0, len(rows))
    name_rows(axes, [name for name, _, _ in rows], [len(rows) - place - 0.5 for place in range(len(rows))])


def name_rows(axes: "Axes", names: Sequence[str], places: Sequence[float] = ()) -> None:
    """Write the names of rows in place of a scale; `places`: 0, 1 and so on if there are none."""
    axes.set_yticks(places or range(len(names)), names)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
