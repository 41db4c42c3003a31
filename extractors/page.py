"""The input of an extraction: one fetched page."""

import codecs
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from .errors import UnusablePage
from .html.decoding import decode, is_binary
from .html.encodings.decoders import REPLACEMENT

Refuse = Literal["sure", "likely", "notices", "never"]
REFUSE: tuple[Refuse, ...] = get_args(Refuse)


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it was fetched.

    `url` is absolute or None; `html` was decoded once, by `decoding.decode`; `fetched_at` is aware (UTC), or None
    if times such as "yesterday" need not be resolved. `utf8`: the original bytes, if they were UTF-8.
    `refuse`: whether a page with text gives `NoArticle` if it is surely a list ("sure"), if it probably is one
    ("likely"), only if it declares that it is an error page or the like ("notices"), or never. `screenshot`: a PNG of
    the page as `evaluation.screenshots` takes it, for method `i-awce`.
    """

    html: str
    url: str | None = None
    fetched_at: datetime | None = None
    utf8: bytes | None = None
    refuse: Refuse = "notices"
    screenshot: bytes | None = None

    def holds(self, word: str) -> bool:
        """Return whether the page contains an ASCII word; the search in the original bytes, if kept, is faster."""
        return word in self.html if self.utf8 is None else word.encode() in self.utf8

    def encoded(self) -> bytes:
        """Return the text in UTF-8; characters that UTF-8 cannot encode are replaced."""
        return self.html.encode("utf-8", "replace") if self.utf8 is None else self.utf8


def make_page(
    html: bytes | str,
    url: str | None = None,
    content_type: str | None = None,
    fetched_at: datetime | None = None,
    *,
    name: str = "html",
    refuse: Refuse = "notices",
) -> Page:
    """Return the page, decoded.

    Raises `TypeError` or `ValueError`, which names the invalid argument, and `UnusablePage` for binary data.
    """
    check_type(name, html, (bytes, bytearray, memoryview, str))
    check_type("url", url, (str, type(None)))
    check_type("content_type", content_type, (str, type(None)))
    check_type("fetched_at", fetched_at, (datetime, type(None)))
    if fetched_at is not None and fetched_at.tzinfo is None:
        raise ValueError("fetched_at has no time zone")
    if refuse not in REFUSE:
        raise ValueError(f"refuse must be one of {', '.join(REFUSE)}, not {refuse!r}")
    if isinstance(html, str):
        return Page(html, url, fetched_at, refuse=refuse)
    data = bytes(html)
    if is_binary(data):
        raise UnusablePage("binary data")
    text, name = decode(data, content_type)
    whole = name == "utf-8" and not data.startswith(codecs.BOM_UTF8) and REPLACEMENT not in text
    return Page(text, url, fetched_at, data if whole else None, refuse)


def check_type(name: str, value: object, kinds: type | tuple[type, ...]) -> None:
    """Raise `TypeError`, which names the argument, unless a value is of one of some types."""
    if not isinstance(value, kinds):
        names = " or ".join(kind.__name__ for kind in (kinds if isinstance(kinds, tuple) else (kinds,)))
        raise TypeError(f"{name} must be {names.replace('NoneType', 'None')}, not {type(value).__name__}")
