"""The methods by name: what their extractors have in common, and the modules of each method below `methods`.

A method's modules are imported when the method is first used, since some load models.
"""

from difflib import get_close_matches
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple, Protocol, runtime_checkable

from .article import Article, NoArticle
from .page import Page


class Extractor(Protocol):
    """Extracts the articles of any number of pages, one after another. Not thread-safe."""

    def extract(self, page: Page) -> Article | NoArticle:
        """Return the article, or why there is none; `list-rank` and `i-awce` return a list page as its `Listing`.

        Raises `UnusablePage` if nothing can be read from the page.
        """


@runtime_checkable
class Learner(Extractor, Protocol):
    """A method that improves with recent pages of the same section."""

    def learn(self, page: Page, *, former: bool = False) -> None:
        """Add `page` to the vote on later pages. Raises `UnusablePage` if nothing can be read from it.

        `former`: it has a former template, which some pages of the section still have.
        """


class MethodModules(NamedTuple):
    """The modules of a method: that of its extractor, with the name of its class or factory, and that of its figure.

    The module of a method that keeps nothing between pages has neither class nor factory, but the function `extract`.
    """

    extractor: str
    figure: str | None
    factory: str = "create"


METHODS = {
    "auto": MethodModules("example.extractor", "example.figure", "Example"),
    "example": MethodModules("example.extractor", "example.figure", "Example"),
    "density": MethodModules("density.extractor", "example.figure"),
    "example-verbatim": MethodModules("example.verbatim", "example.verbatim_figure"),
    "line-blocks": MethodModules("line_blocks.extractor", "line_blocks.figure"),
    "line-blocks-verbatim": MethodModules("line_blocks.verbatim", "line_blocks.figure"),
    "tag-paths": MethodModules("tag_paths.extractor", "tag_paths.figure", "TagPaths"),
    "tag-paths-verbatim": MethodModules("tag_paths.verbatim", None, "TagPathsVerbatim"),
    "article-deviation": MethodModules("article_deviation.extractor", "article_deviation.figure"),
    "article-deviation-verbatim": MethodModules("article_deviation.verbatim", None),
    "list-rank": MethodModules("list_rank.extractor", "list_rank.figure"),
    "list-rank-verbatim": MethodModules("list_rank.verbatim", None),
    "i-awce": MethodModules("i_awce", None, "IAwce"),
    "bp-network": MethodModules("bp_network.extractor", "bp_network.figure"),
    "bp-network-verbatim": MethodModules("bp_network.extractor", "bp_network.figure", "create_verbatim"),
}

LIST_METHODS = frozenset({"list-rank", "i-awce"})  # those that give a `Listing` for a list page
NEED_EXAMPLE = frozenset({"example", "example-verbatim"})


def create(method: str, example: Page | None) -> Extractor:
    """Return the extractor of that name, prepared with `example`.

    Raises `ValueError` if the name is unknown, or if the method needs an example and there is none; `UnusablePage` if
    the example cannot be used.
    """
    check_method(method)
    check_example(method, example)
    found = METHODS[method]
    module: Any = module_of(found.extractor)
    extractor: Extractor = getattr(module, found.factory)(example) if hasattr(module, found.factory) else module
    return extractor


def check_method(method: str) -> None:
    """Raise `ValueError` for an unknown name; the message has the nearest name."""
    if method not in METHODS:
        nearest = get_close_matches(method, METHODS, n=1, cutoff=0.0)[0]
        raise ValueError(f"unknown method {method!r}: did you mean {nearest!r}? Known: {', '.join(METHODS)}")


def check_example(method: str, example: Page | None) -> None:
    """Raise `ValueError` if there is no example for a method that needs one."""
    if example is None and method in NEED_EXAMPLE:
        raise ValueError(f"method {method!r} needs an example page")


def module_of(name: str) -> ModuleType:
    """Return a module below `methods`."""
    return import_module(f".methods.{name}", __package__)
