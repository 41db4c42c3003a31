"""The input of an extraction: one fetched page."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from .errors import UnusablePage
from .html.decoding import decode, is_binary

Refuse = Literal["sure", "likely", "notices", "never"]
REFUSE: tuple[Refuse, ...] = get_args(Refuse)


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it was fetched.

    `url` is absolute or None; `html` was decoded once, by `decoding.decode`; `fetched_at` is aware (UTC), or None
    if times such as "yesterday" need not be resolved.
    `refuse`: whether a page with text gives `NoArticle` if it is surely a list ("sure"), if it probably is one
    ("likely"), only if it declares that it is an error page or the like ("notices"), or never. `screenshot`: a PNG of
    the page as `evaluation.screenshots` takes it, for method `i-awce`.
    """

    html: str
    url: str | None = None
    fetched_at: datetime | None = None
    refuse: Refuse = "notices"
    screenshot: bytes | None = None

    def encoded(self) -> bytes:
        """Return the text in UTF-8; characters that UTF-8 cannot encode are replaced."""
        return self.html.encode("utf-8", "replace")


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

    Raises `TypeError` for HTML of another type, `ValueError` for another invalid argument, and `UnusablePage` for
    binary data.
    """
    if not isinstance(html, bytes | bytearray | memoryview | str):
        raise TypeError(f"{name} must be bytes or str, not {type(html).__name__}")
    if fetched_at is not None and fetched_at.tzinfo is None:
        raise ValueError("fetched_at has no time zone")
    if refuse not in REFUSE:
        raise ValueError(f"refuse must be one of {', '.join(REFUSE)}, not {refuse!r}")
    if isinstance(html, str):
        return Page(html, url, fetched_at, refuse)
    data = bytes(html)
    if is_binary(data):
        raise UnusablePage("binary data")
    return Page(decode(data, content_type)[0], url, fetched_at, refuse)
