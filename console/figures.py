"""`exemplar extract --figure`: the figure of one page, and the check of its options."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from console.terminal import say

if TYPE_CHECKING:
    from console.inputs import PageIn


def check_figure_options(sources: Sequence[str], method: str, figure: Path) -> None:
    """Raise `click.UsageError` if the options do not allow a figure, before any page is fetched."""
    from console.inputs import is_one_page
    from extractors.errors import ExtraMissing
    from extractors.figures import check_figure, check_path

    if not is_one_page(sources):
        raise click.UsageError("--figure draws one page: give one file, one URL or -, not a folder or a list")
    try:
        check_figure(method)
        check_path(figure)
    except (ValueError, ExtraMissing) as error:
        raise click.UsageError(str(error)) from None
    if figure.is_dir() or not figure.parent.is_dir():
        what = "is a folder; name a file in it" if figure.is_dir() else f"cannot be written: no folder {figure.parent}"
        raise click.UsageError(f"--figure: {figure} {what}")


def draw_page(page: "PageIn", example: "PageIn | None", method: str, insist: bool, figure: Path) -> bool:
    """Draw a page's figure, or print why there is none. Return whether it was drawn."""
    from extractors.figures import NoFigure, draw
    from workers.errors import ExemplarError

    try:
        draw(
            page.body,
            page.url,
            to=figure,
            method=method,
            example=example.body if example else None,
            content_type=page.content_type,
            fetched_at=page.fetched_at,
            refuse="never" if insist else "sure",
        )
    except NoFigure as error:
        say(f"{page.name}: no figure: {error}")
        return False
    except OSError as error:
        raise ExemplarError(f"{figure}: the figure cannot be written: {error.strerror or error}") from None
    return True
