"""A back-test as text for a person: which pages would change, fields old and new side by side."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from console.terminal import counted, tallied

if TYPE_CHECKING:
    from workers.redesign.backtest import BackTest, PageComparison

SHOWN = 10  # pages that are shown, unless all are requested


def summary_lines(test: "BackTest") -> Iterator[str]:
    """Yield the figures of a back-test."""
    old, new = test.confidence()
    fits_old, fits_new = test.fitting()
    counts = tallied({"without an article" if kind == "none" else kind: n for kind, n in test.counts.items()})
    yield f"{counted(len(test.pages), 'page')} ({test.source}): {counts}"
    yield (
        f"text F1 {test.mean_f1:.2f}; fits {fits_old} → {fits_new} pages; mean confidence {old:.2f} → {new:.2f} "
        "(present → new)"
    )


def page_lines(test: "BackTest", *, complete: bool = False) -> Iterator[str]:
    """Yield the pages that differ, with the differing fields; at most `SHOWN` pages, unless `complete`."""
    differing = [page for page in test.pages if page.kind not in ("same", "none")]
    shown = differing if complete else differing[:SHOWN]
    for page in shown:
        yield from _lines_of(page)
    if len(differing) > len(shown):
        yield f"… and {counted(len(differing) - len(shown), 'page')} more: --json shows them"


def _lines_of(page: "PageComparison") -> Iterator[str]:
    yield f"{page.kind:8} {page.url}"
    if page.kind == "lost":
        yield f"    present  {page.old.title or '(no title)'}, {page.old.characters} characters"
        yield f"    new      {page.new.reason}"
        return
    if page.kind == "gained":
        yield f"    present  {page.old.reason}"
        yield f"    new      {page.new.title or '(no title)'}, {page.new.characters} characters"
        return
    for name in page.differing:
        if name == "text":
            yield (
                f"    {name:10} {page.old.characters} → {page.new.characters} characters, F1 {page.f1:.2f}, confidence "
                f"{page.old.confidence:.2f} → {page.new.confidence:.2f}"
            )
            yield f"      head {page.change.head!r}"
            yield f"      tail {page.change.tail!r}"
            yield from (f"      - {line!r}" for line in page.change.removed)
            yield from (f"      + {line!r}" for line in page.change.added)
        else:
            yield f"    {name:10} {getattr(page.old, name)!r} → {getattr(page.new, name)!r}"
