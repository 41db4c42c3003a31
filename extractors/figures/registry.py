"""Method name → its figure: a module in `data` and one of the same name in `drawing`."""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..page import Page
from ..registry import check_method

if TYPE_CHECKING:
    from .drawing.sheet import Sheet

FIGURES = {  # method: module
    "auto": "example",
    "example": "example",
    "example-verbatim": "example_verbatim",
    "density": "density",
    "line-blocks": "line_blocks",
    "line-blocks-verbatim": "line_blocks",
    "tag-paths": "tag_paths",
    "article-deviation": "article_deviation",
    "list-rank": "list_rank",
    "bp-network": "bp_network",
    "bp-network-verbatim": "bp_network",
}


def check_figure(method: str) -> None:
    """Raise `ValueError` for a method that is unknown or has no figure; the message lists those that have one."""
    check_method(method)
    if method not in FIGURES:
        raise ValueError(f"method {method!r} has no figure; these have one: {', '.join(FIGURES)}")


def reader(method: str) -> Callable[[str, Page, Page | None], Any]:
    """Return the function that computes the data of a method's figure from method, page and example."""
    read: Callable[[str, Page, Page | None], Any] = import_module(f".data.{FIGURES[method]}", __package__).read
    return read


def drawer(method: str) -> "Callable[[Sheet, Any], None]":
    """Return the function that draws what `reader` returned."""
    draw: Callable[[Sheet, Any], None] = import_module(f".drawing.{FIGURES[method]}", __package__).draw
    return draw
