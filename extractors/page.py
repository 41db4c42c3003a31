"""What goes in: one fetched page."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

Refuse = Literal["sure", "likely", "never"]
REFUSE: tuple[Refuse, ...] = get_args(Refuse)


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it was fetched.

    `url` is absolute or None; `html` was decoded once, by `decoding.decode`; `fetched_at` is aware (UTC) or None, and
    then times such as "yesterday" can't be resolved. `utf8`: the same text as it came, where it came in UTF-8.
    `refuse`: when a page that has text is answered with `NoArticle`: if it surely is no article, if that is more likely
    than not, or never.
    """

    html: str
    url: str | None = None
    fetched_at: datetime | None = None
    utf8: bytes | None = None
    refuse: Refuse = "sure"

    def holds(self, word: str) -> bool:
        """Return whether the page holds an ASCII word; among bytes, where there are any, it is found faster."""
        return word in self.html if self.utf8 is None else word.encode() in self.utf8

    def encoded(self) -> bytes:
        """Return the text in UTF-8; what can't be written in it is replaced."""
        return self.html.encode("utf-8", "replace") if self.utf8 is None else self.utf8
