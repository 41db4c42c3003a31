"""The declarations of a site on the use of a page: robots directives and TDM reservation, read for one crawler.

    X-Robots-Tag headers + meta elements           → the directives that apply to it
    meta element, else header, else tdmrep.json    → whether text and data mining is reserved

A page with a directive that a task's `skip` names is rejected; all directives are in the row. `none` is `noindex,
nofollow`.
Sources: Google's robots meta tag specification; TDM Reservation Protocol, final report of 10 May 2024 (the declaration
nearest to the content takes precedence).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

TDM = "tdm-reservation"
SKIPPABLE = (
    "noindex", "nofollow", "noarchive", "nocache", "nosnippet", "noimageindex", "notranslate", "noai", "noimageai", TDM,
)  # fmt: skip
HEADERS = ("x-robots-tag", TDM)  # the response headers that a stored page keeps
TDM_FILE = "tdmrep"  # key beside the headers: the page's value in the host's tdmrep.json

_NONE = ("noindex", "nofollow")
_VALUED = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})
_NAMED = re.compile(r"([\w.*-]+)\s*:\s*(.*)", re.DOTALL)
_LONGEST = 100  # characters of a directive …
_MOST = 30  # … and the number of directives that are kept

Headers = Mapping[str, Sequence[str]]  # lines by lower-case name


@dataclass(frozen=True, slots=True)
class Usage:
    """The directives that apply to a page. `tdm_reservation`: None if none is declared."""

    directives: tuple[str, ...] = ()
    tdm_reservation: bool | None = None

    def forbids(self, skip: Sequence[str]) -> str | None:
        """Return the first of the named directives that applies to the page; None if none does."""
        declared = {*self.directives, *([TDM] if self.tdm_reservation else [])}
        return next((name for name in skip if name in declared), None)


NOTHING_DECLARED = Usage()


def usage_of(headers: Headers, robots_meta: Sequence[str], tdm_meta: str | None, product: str) -> Usage:
    """Return the directives for the crawler `product`, from the page's headers and meta elements.

    `robots_meta`: lines in the header's form, `googlebot: noindex` where the element names a crawler.
    """
    lines = [*headers.get("x-robots-tag", ()), *robots_meta]
    directives = dict.fromkeys(directive for line in lines for directive in directives_of(line, product))
    values = [tdm_meta, *headers.get(TDM, ())[:1], *headers.get(TDM_FILE, ())[:1]]
    flags = (flag for value in values if (flag := _flag(value)) is not None)
    return Usage(tuple(directives)[:_MOST], next(flags, None))


def directives_of(line: str, product: str) -> list[str]:
    """Return the directives of an X-Robots-Tag line that apply to `product`, in lower case, `name: value` or `name`.

    A name before a colon addresses one crawler, up to the next such name, since proxies join several lines into one.
    """
    directives: list[str] = []
    applies = True
    for part in line.lower().split(","):
        part = " ".join(part.split())
        if (named := _NAMED.fullmatch(part)) and named[1] not in _VALUED:
            applies, part = named[1] in ("*", product.lower()), named[2]
        if not (applies and part):
            continue
        if named and named[1] in _VALUED:
            part = f"{named[1]}: {named[2]}"
        directives += _NONE if part == "none" else [part[:_LONGEST]]
    return directives


def _flag(value: str | None) -> bool | None:
    """Return True for `1` and False for `0`; other values count as absent."""
    return {"1": True, "0": False}.get((value or "").strip())
