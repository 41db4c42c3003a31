"""CPU time of calls that alternate on one page, so that other load affects all of them equally."""

import gc
import random
import time
from collections.abc import Callable, Mapping
from typing import TypeVar

from lxml import etree, html

Result = TypeVar("Result")


def timed(call: Callable[[], Result]) -> tuple[Result, float]:
    """Return the call's result and its CPU time in milliseconds."""
    begun = time.process_time_ns()
    result = call()
    return result, (time.process_time_ns() - begun) / 1e6


def take_turns(calls: Mapping[str, Callable[[], Result]], turn: int) -> dict[str, tuple[Result, float]]:
    """Time each call once; `turn` determines the first, so that none has cold caches on every page."""
    names = list(calls)
    first = turn % len(names) if names else 0
    return {name: timed(calls[name]) for name in names[first:] + names[:first]}


def in_drawn_order(
    calls: Mapping[str, Callable[[], object]], chance: random.Random, between: Callable[[int], object]
) -> dict[str, int]:
    """Return the CPU nanoseconds of calls, made in an order that is drawn.

    `between`: called before each, with its place in that order.
    """
    times: dict[str, int] = {}
    for place, name in enumerate(chance.sample(list(calls), len(calls))):
        between(place)
        begun = time.process_time_ns()
        calls[name]()
        times[name] = time.process_time_ns() - begun
    return times


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
