"""Figures of a method's decision on a page: its curve, distribution, clusters or ranks, and the body that it found.

    from extractors.figures import draw, figure_data

    draw(figure_data(html, url, method="line-blocks"), "page.svg")

Each method's figure is beside its extractor, in `extractors/methods/`: `read` computes what is drawn, as numbers and by
the method's own code; `draw` draws that with matplotlib (extra `figures`), which nothing else here needs.
"""

from datetime import datetime
from pathlib import Path
from typing import Any

from ..article import NoArticle
from ..content.assembly import BodyLines, ParsedPage
from ..errors import needs
from ..html.dom import parse
from ..metadata.declared_metadata import read_head
from ..page import Page, Refuse, make_page
from ..registry import METHODS, check_example, check_method, module_of
from .sheet import Sheet, style

__all__ = ["FIGURES", "NoFigure", "check_figure", "check_path", "draw", "figure_data"]

FIGURES = {method: modules.figure for method, modules in METHODS.items() if modules.figure}
SUFFIXES = (".svg", ".png")


class NoFigure(Exception):
    """A page gives no data for a figure; the message gives the reason."""


def figure_data(
    html: bytes | str,
    url: str | None = None,
    *,
    method: str = "auto",
    example: bytes | str | None = None,
    content_type: str | None = None,
    fetched_at: datetime | None = None,
    refuse: Refuse = "notices",
) -> Any:
    """Return the data of a method's figure for a page; its `method` is the one that was used, also without the example.

    Parameters and their errors are those of `extract`. Also raises `ValueError` for a method without a figure, and
    `NoFigure` for a page that gives no data for the figure.
    """
    check_figure(method)
    page = make_page(html, url, content_type, fetched_at, refuse=refuse)
    model = None if example is None else make_page(example, name="example")
    check_example(method, model)
    return module_of(FIGURES[method]).read(method, page, model)


def draw(found: Any, to: str | Path) -> Path:
    """Draw a figure into the file `to`, and return its path. The suffix gives the format: .svg or .png.

    Raises `ValueError` for another suffix, `ExtraMissing` without matplotlib, `OSError` if the file cannot be written.
    """
    path = check_path(to)
    with style():
        sheet = Sheet(found.title)
        module_of(FIGURES[found.method]).draw(sheet, found)
        content = sheet.render(path.suffix.lower())
    path.write_bytes(content)
    return path


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


def with_text(parsed: ParsedPage | NoArticle) -> ParsedPage:
    """Return a page that was read. Raises `NoFigure` if it contains almost no text."""
    if isinstance(parsed, NoArticle):
        raise NoFigure(parsed.reason)
    return parsed


def outcome(body: BodyLines | str) -> tuple[tuple[int, ...], str]:
    """Return the lines that a method kept, and its reason; no lines for a page that it refused."""
    return ((), body) if isinstance(body, str) else (tuple(body.kept), body.reason)


def element_name(tag: str, classes: str = "") -> str:
    """Return the name of an element in the form of a selector: its tag, and its first class."""
    first = classes.split()[:1]
    return f"{tag or 'page'}.{first[0]}" if first else tag or "page"


def title_of(page: Page) -> str:
    """Return the text of a page's <title>. Raises `UnusablePage` if the page cannot be parsed."""
    return read_head(parse(page.encoded())).title
