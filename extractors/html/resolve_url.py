"""References on a page → absolute addresses on the Web."""

import re
from functools import lru_cache
from urllib.parse import urljoin

from .urls import split_web, with_slashes

_ABSOLUTE = re.compile(r"https?://[A-Za-z0-9.-]+(?:[/?]|\Z)")  # surely an absolute URL; others are examined
_FROM_ROOT = re.compile(r"/(?![/\\])(?!.*/\.)[^\\\t\r\n]*\Z")  # surely a path below the host, and nothing else
CACHED_LENGTH = 1_000  # characters of base and reference whose result is kept
_ORIGIN = re.compile(r"(https?://[A-Za-z0-9.-]+(?::\d{1,4})?)(?:[/?]|\Z)")


def web_url(base: str, reference: str) -> str | None:
    """Return `reference` as an absolute http(s) URL, or None if it is not one."""
    reference = reference.strip()
    if not reference or reference[0] == "#":
        return None
    if _ABSOLUTE.match(reference):
        return reference
    origin = _origin(base) if _FROM_ROOT.match(reference) else None
    if origin:
        return origin + reference
    is_short = len(base) + len(reference) <= CACHED_LENGTH
    return _joined_before(base, reference) if is_short else _joined(base, reference)


def _joined(base: str, reference: str) -> str | None:
    try:
        whole = reference.startswith(("https://", "http://"))
        joined = reference if whole else urljoin(base, with_slashes(reference))
    except ValueError:
        return None
    return joined if split_web(joined) else None


_joined_before = lru_cache(1_000)(_joined)  # the links of a body are read for its blocks, and again for its HTML


@lru_cache(16)
def _origin(base: str) -> str | None:
    """Return scheme and host of a plain base; None for others."""
    found = _ORIGIN.match(base)
    return found[1] if found else None
