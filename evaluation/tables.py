"""Results as tables for a terminal and as JSON."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from statistics import fmean
from typing import Any

from .results import Result, Share

Column = tuple[str, Callable[[Result], str]]
NOTHING = "–"

COLUMNS: tuple[Column, ...] = (
    ("method", lambda r: r.method),
    ("pages", lambda r: str(r.pages)),
    ("F1", lambda r: _ratio(r.f1, r.pages)),
    ("±", lambda r: _ratio(r.spread, r.pages)),
    ("precision", lambda r: _ratio(r.precision, r.pages)),
    ("recall", lambda r: _ratio(r.recall, r.pages)),
    ("bag F1", lambda r: _ratio(r.bag, r.pages)),
    ("refused", lambda r: f"{r.refused:.1%}" if r.pages else NOTHING),
    ("<.8", lambda r: f"{r.below:.1%}" if r.pages else NOTHING),
    ("ms", lambda r: f"{r.speed.ms:.2f}"),
    ("×lxml", lambda r: f"{r.speed.parse:.2f}"),
    ("×trafilatura", lambda r: f"{r.speed.trafilatura:.2f}" if r.speed.trafilatura is not None else NOTHING),
    ("title", lambda r: _share(r.titles)),
    ("day", lambda r: _share(r.days)),
    ("lists", lambda r: _share(r.lists)),
    ("crashed", lambda r: str(r.crashes or NOTHING)),
)


def report(results: Sequence[Result]) -> str:
    """Return all tables: one per set, the macro means, the worst pages."""
    parts = []
    for name in sorted({result.set for result in results}):
        rows = [result for result in results if result.set == name]
        body = table([head for head, _ in COLUMNS], [[show(row) for _, show in COLUMNS] for row in rows])
        parts.append(f"{name}\n{body}")
    macro = macro_means(results)
    if macro:
        header = ["sets", "method", "of", "macro F1"]
        rows_ = [[kind, method, str(count), f"{f1:.4f}"] for (kind, method), (f1, count) in macro.items()]
        parts.append(f"mean over sets\n{table(header, rows_)}")
    if worst := [result for result in results if result.worst]:
        parts.append("worst pages\n" + "\n".join(_worst(worst)))
    return "\n\n".join(parts)


def as_json(results: Sequence[Result]) -> dict[str, Any]:
    """Return the results as JSON types."""
    return {
        "results": [asdict(result) for result in results],
        "macro": [
            {"sets": kind, "method": method, "of": count, "f1": f1}
            for (kind, method), (f1, count) in macro_means(results).items()
        ],
    }


def macro_means(results: Iterable[Result]) -> dict[tuple[str, str], tuple[float, int]]:
    """Return, by (plain or perturbation, method), the mean of the sets' F1 and the number of sets."""
    found: dict[tuple[str, str], list[float]] = {}
    for result in results:
        if result.pages:
            kind = result.set.partition("+")[2] or "plain"
            found.setdefault((kind, result.method), []).append(result.f1)
    return {key: (fmean(values), len(values)) for key, values in sorted(found.items())}


class TextTable(str):
    """A table as text, with its cells."""

    __slots__ = ("header", "rows")
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> TextTable:
    """Return a table with columns of minimal width; the first, and all that begin with a letter, are left-aligned."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    left = [all(row[i][:1].isalpha() for row in rows) for i in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        aligned = (
            cell.ljust(width) if to_left else cell.rjust(width)
            for cell, width, to_left in zip(cells, widths, left, strict=True)
        )
        return ("  " + "  ".join(aligned)).rstrip()

    found = TextTable("\n".join(map(line, [header, *rows])))
    found.header, found.rows = header, rows
    return found


def _worst(results: Iterable[Result]) -> Iterable[str]:
    for result in results:
        for f1, page, example in result.worst:
            yield f"  {f1:.3f}  {result.set}  {result.method}  {page}" + (f"  by {example}" if example else "")


def _ratio(value: float | None, pages: int) -> str:
    return f"{value:.4f}" if pages and value is not None else NOTHING


def _share(share: Share) -> str:
    return f"{share.right / share.of:.3f}" if share.of else NOTHING
