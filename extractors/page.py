"""What goes in: one fetched page."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it was fetched.

    `url` is absolute or None; `html` was decoded once, by `decoding.decode`; `fetched_at` is aware (UTC) or None, and
    then times such as "yesterday" can't be resolved.
    """

    html: str
    url: str | None = None
    fetched_at: datetime | None = None
