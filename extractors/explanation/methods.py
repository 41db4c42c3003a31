"""The results of other methods for a page."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..article import NoArticle
from ..errors import UnusablePage
from ..registry import LIST_METHODS, METHODS
from ..section import Section
from .lines import lines_in

NEED_EXAMPLE = frozenset({"example", "example-verbatim"})


@dataclass(frozen=True, slots=True)
class MethodAnswer:
    """The result of a method for a page. `kept`: the page's lines in its text; `reason`: that of the method."""

    method: str
    kept: frozenset[int]
    text: str
    reason: str


def comparable_methods(has_example: bool) -> list[str]:
    """Return the methods whose answer is an article; without an example, those that need none."""
    return [
        method
        for method in METHODS
        if method != "auto"
        and method not in LIST_METHODS
        and not method.startswith("list-")
        and (has_example or method not in NEED_EXAMPLE)
    ]


def method_answer(
    section: Section, method: str, html: bytes | str, url: str | None = None, *, lines: Sequence[str]
) -> MethodAnswer:
    """Return the result of a section that was prepared with `method`; `lines`: the lines of the page."""
    try:
        result = section.extract(html, url)
    except UnusablePage as error:
        return MethodAnswer(method, frozenset(), "", f"unusable page: {error}")
    if isinstance(result, NoArticle):
        return MethodAnswer(method, frozenset(), "", result.reason)
    return MethodAnswer(method, frozenset(lines_in(lines, result.text)), result.text, result.reason)
