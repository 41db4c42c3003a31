"""The public calls: a page in, a figure's data or its file out."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Union

from ..article import Article
from ..methods import density
from ..page import Page, Refuse, make_page
from ..registry import create
from ..visual.missing import needs
from .data import density as density_figure
from .data import example as example_figure
from .registry import check_figure, drawer, reader

if TYPE_CHECKING:
    from .data.article_deviation import Descent
    from .data.bp_network import LineOutputs
    from .data.density import LineWeights
    from .data.example import LineComparison
    from .data.example_verbatim import CharacterCurves
    from .data.line_blocks import BlockDistribution
    from .data.list_rank import Ranking
    from .data.tag_paths import PathClusters

FigureData = Union[
    "LineComparison",
    "CharacterCurves",
    "LineWeights",
    "BlockDistribution",
    "PathClusters",
    "Descent",
    "Ranking",
    "LineOutputs",
]
SUFFIXES = (".svg", ".png")


def figure_data(
    html: bytes | str,
    url: str | None = None,
    *,
    method: str = "auto",
    example: bytes | str | None = None,
    content_type: str | None = None,
    fetched_at: datetime | None = None,
    refuse: Refuse = "notices",
) -> FigureData:
    """Return the data of a method's figure for a page; its `method` is, for `auto`, the method that was used.

    Parameters and their errors are those of `extract`. Also raises `ValueError` for a method without a figure, and
    `NoFigure` for a page that gives no data for the figure.
    """
    check_figure(method)
    page = make_page(html, url, content_type, fetched_at, refuse=refuse)
    model = None if example is None else make_page(example, name="example")
    if method == "auto":
        return _of_what_cut(page, model)
    found: FigureData = reader(method)(method, page, model)
    return found


def draw(
    html: bytes | str,
    url: str | None = None,
    *,
    to: str | Path,
    method: str = "auto",
    example: bytes | str | None = None,
    content_type: str | None = None,
    fetched_at: datetime | None = None,
    refuse: Refuse = "notices",
) -> Path:
    """Draw how a method decided on a page into the file `to`, whole or not at all, and return its path.

    The suffix gives the format: .svg or .png. Further parameters and errors are those of `figure_data`. Raises
    `ValueError` for another suffix, `ExtraMissing` without matplotlib, `OSError` if the file cannot be written.
    """
    path = check_path(to)
    found = figure_data(
        html,
        url,
        method=method,
        example=example,
        content_type=content_type,
        fetched_at=fetched_at,
        refuse=refuse,
    )
    draw_data(found, path)
    return path


def draw_data(found: FigureData, path: Path) -> None:
    """Draw what `figure_data` returned into a file. Raises as `draw` does."""
    from .drawing.sheet import Sheet, style

    with style():
        sheet = Sheet(found.title)
        drawer(found.method)(sheet, found)
        content = sheet.render(path.suffix.lower())
    _write(path, content)


def check_path(to: str | Path) -> Path:
    """Return the path of a figure. Raises `ValueError` for another suffix, `ExtraMissing` without matplotlib."""
    path = Path(to)
    if path.suffix.lower() not in SUFFIXES:
        raise ValueError(f"{path}: a figure is a file that ends in {' or '.join(SUFFIXES)}")
    needs("matplotlib", "figures")
    return path


def _of_what_cut(page: Page, example: Page | None) -> FigureData:
    """Return the figure of the method that `auto` uses for a page."""
    article = create("auto", example).extract(page)
    alone = article.method == density.METHOD if isinstance(article, Article) else example is None
    if not alone:
        return example_figure.read("example", page, example)
    found = density_figure.read(density.METHOD, page, None)
    return replace(found, reason=article.reason)


def _write(path: Path, content: bytes) -> None:
    """Write a file so that a reader always finds the old or the new one, never a part."""
    target = path.resolve()
    temporary = target.with_name(f".{target.name}.part")
    try:
        temporary.write_bytes(content)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
