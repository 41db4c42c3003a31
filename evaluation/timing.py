"""CPU time of calls that alternate on one page, so that other load affects all of them equally."""

import gc
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
