"""The input of an extraction: one fetched page."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

Refuse = Literal["sure", "likely", "notices", "never"]
REFUSE: tuple[Refuse, ...] = get_args(Refuse)


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it was fetched.

    `url` is absolute or None; `html` was decoded once, by `decoding.decode`; `fetched_at` is aware (UTC), or None
    if times such as "yesterday" need not be resolved. `utf8`: the original bytes, if they were UTF-8.
    `refuse`: whether a page with text gives `NoArticle` if it is surely a list ("sure"), if it probably is one
    ("likely"), only if it declares that it is an error page or the like ("notices"), or never. `screenshot`: a PNG of
    the page as `crawler.screenshots` takes it, for method `i-awce`.
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
