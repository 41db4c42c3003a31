"""Method name → extractor. A method's module is imported when the method is first used, since some load models."""

from collections.abc import Callable
from difflib import get_close_matches
from importlib import import_module

from .interface import Extractor
from .page import Page

Factory = Callable[[Page | None], Extractor]

METHODS = {  # name: (module below `methods`, factory); a factory takes the example page or None
    "auto": ("example", "create_auto"),
    "example": ("example", "create"),
    "density": ("density", "create"),
    "example-verbatim": ("example_verbatim", "create"),
    "line-blocks": ("line_blocks", "create"),
    "line-blocks-verbatim": ("line_blocks_verbatim", "create"),
    "tag-paths": ("tag_paths.extractor", "create"),
    "tag-paths-verbatim": ("tag_paths.verbatim", "create"),
    "article-deviation": ("article_deviation", "create"),
    "article-deviation-verbatim": ("article_deviation_verbatim", "create"),
    "list-rank": ("list_rank.extractor", "create"),
    "list-rank-verbatim": ("list_rank.verbatim", "create"),
    "i-awce": ("i_awce", "create"),
    "bp-network": ("bp_network", "create"),
    "bp-network-verbatim": ("bp_network", "create_verbatim"),
}

LIST_METHODS = frozenset({"list-rank", "i-awce"})  # those that give a `Listing` for a list page


def create(method: str, example: Page | None) -> Extractor:
    """Return the extractor of that name, prepared with `example`.

    Raises `ValueError` if the name is unknown, or if the method needs an example and there is none; `UnusablePage` if
    the example cannot be used.
    """
    check_method(method)
    module, name = METHODS[method]
    factory: Factory = getattr(import_module(f".methods.{module}", __package__), name)
    return factory(example)


def check_method(method: str) -> None:
    """Raise `ValueError` for an unknown name; the message has the nearest name."""
    if method not in METHODS:
        nearest = get_close_matches(method, METHODS, n=1, cutoff=0.0)[0]
        raise ValueError(f"unknown method {method!r}: did you mean {nearest!r}? Known: {', '.join(METHODS)}")
