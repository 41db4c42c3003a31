"""CPU time of calls that alternate on one page, so that other load affects all of them equally."""

import gc
import random
import time
from collections.abc import Callable, Mapping
from typing import TypeVar

from lxml import etree, html

Result = TypeVar("Result")


def in_drawn_order(
    calls: Mapping[str, Callable[[], Result]],
    chance: random.Random,
    between: Callable[[int], object] = lambda place: None,
) -> dict[str, tuple[Result, float]]:
    """Return the results of calls and their CPU milliseconds, made in an order that is drawn.

    So no call has cold caches on every page. `between`: called before each, with its place in that order.
    """
    found: dict[str, tuple[Result, float]] = {}
    for place, name in enumerate(chance.sample(list(calls), len(calls))):
        between(place)
        begun = time.process_time_ns()
        result = calls[name]()
        found[name] = result, (time.process_time_ns() - begun) / 1e6
    return found


def parse(page: bytes) -> None:
    """Parse the bytes with `lxml.html`: the first step of every extractor, and the unit of ratios."""
    try:
        html.document_fromstring(page)
    except (etree.LxmlError, ValueError):
        # An empty page has no document; its time still counts.
        return


def settle() -> None:
    """Exclude all present objects, such as imported modules, from garbage collection."""
    gc.collect()
    gc.freeze()
