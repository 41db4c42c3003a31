"""The public calls: a page in, a figure's data or its file out."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from ..article import Article
from ..errors import needs
from ..page import Page, Refuse, make_page
from ..registry import METHODS, check_method, create, module_of
from .sheet import Sheet, style

FIGURES = {method: modules.figure for method, modules in METHODS.items() if modules.figure}
SUFFIXES = (".svg", ".png")


class FigureData(Protocol):
    """What a figure shows of a page, as numbers: a frozen dataclass of the module of its method's figure."""

    @property
    def method(self) -> str:
        """The method that decided on the page."""

    @property
    def title(self) -> str:
        """The page's title."""


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
    found: FigureData = _of_what_cut(page, model) if method == "auto" else _read(method, page, model)
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
    with style():
        sheet = Sheet(found.title)
        module_of(FIGURES[found.method]).draw(sheet, found)
        content = sheet.render(path.suffix.lower())
    _write(path, content)


def check_figure(method: str) -> None:
    """Raise `ValueError` for a method that is unknown or has no figure; the message lists those that have one."""
    check_method(method)
    if method not in FIGURES:
        raise ValueError(f"method {method!r} has no figure; these have one: {', '.join(FIGURES)}")


def check_path(to: str | Path) -> Path:
    """Return the path of a figure. Raises `ValueError` for another suffix, `ExtraMissing` without matplotlib."""
    path = Path(to)
    if path.suffix.lower() not in SUFFIXES:
        raise ValueError(f"{path}: a figure is a file that ends in {' or '.join(SUFFIXES)}")
    needs("matplotlib", "figures")
    return path


def _of_what_cut(page: Page, example: Page | None) -> Any:
    """Return the figure of the method that `auto` uses for a page."""
    found = create("auto", example).extract(page)
    method = found.method if isinstance(found, Article) else "density" if example is None else "example"
    data = _read(method, page, example)
    return replace(data, reason=found.reason) if method == "density" else data


def _read(method: str, page: Page, example: Page | None) -> Any:
    """Return the data of a method's figure."""
    return module_of(FIGURES[method]).read(method, page, example)


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
