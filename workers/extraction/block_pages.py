"""Block pages: a captcha, a login or a notice that a site sends instead of what was requested.

The evidence is that different URLs give the same page; the words of a check are enough for the first one. The newest
pages of each task are noted:

    sent  list: the newest pages, as JSON lines (`SentPage`), newest first

A block page is fetched again later. Pages that were settled before they were recognised as block pages wait again.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from typing import cast

from .. import keys
from ..health.observations import NO_TEXT, TITLE
from ..ledger import Ledger
from ..redis_access.full_redis import in_one_step
from ..stored_json import loaded
from ..url_states import Fingerprint, RecheckPlan

MANY = 3  # URLs that give the same page
MANY_FITTING = 5  # … if it fits its section: announcements may be the same, too; of the newest `RECENT` pages
RECENT = 12
KEPT, KEPT_FOR = 24, 30 * 86400  # pages of a task, and seconds since the last one
ROW_FETCHES = 100  # fetches at most of a URL whose row has the text of a block page: it must not stay
# What may differ between two block pages: words of ASCII with a digit or slash, such as numbers, times, ids, addresses
_VARIABLE = re.compile(rb"(?<![!-~])[!-.:-~]*+[0-9/][!-~]*+")


@dataclass(frozen=True, slots=True)
class SentPage:
    """A page as the site sent it for a URL. `mark`: equal for equal pages (`mark_of`).

    `sign`: why the page alone is a block page, if it is one. `fits`: whether it is an article that fits its section;
    `example`: whether it is the task's example. `version`, `hash`: of the row that it gives, 0 for none.
    `is_blocked`: it was recognised as a block page.
    """

    name: Fingerprint
    url: str
    mark: str
    sign: str = ""
    fits: bool = False
    example: bool = False
    version: int = 0
    hash: str = ""
    is_blocked: bool = False


class BlockPages:
    """The pages that a site sent for the URLs of one task. Safe for any number of processes."""

    def __init__(self, ledger: Ledger):
        self.ledger = ledger

    def reasons(self, pages: Sequence[SentPage]) -> list[str]:
        """Note pages, and return for each why it is a block page; "" if it is none.

        Pages that were settled, and are now recognised, wait again; an example that is a block page is removed.
        """
        if not pages:
            return []
        known = self._note(pages)
        reasons = [page.sign or _shared(page, list(known.values())) for page in pages]
        blocked = [page for page, reason in zip(pages, reasons, strict=True) if reason]
        recalled = [replace(page, is_blocked=True) for page in blocked]
        names, marks = {page.name for page in pages}, {page.mark for page in blocked}
        for other in known.values():
            if other.mark in marks and other.name not in names and self._recall(other):
                recalled.append(replace(other, is_blocked=True))
        if recalled:
            self._note(recalled)
        return reasons

    def marks(self) -> set[str]:
        """Return the marks of the noted pages."""
        rows = cast(list[bytes], self.ledger.redis.lrange(self.ledger.keys["sent"], 0, -1))
        return {page.mark for page in _newest(rows).values()}

    def _note(self, pages: Sequence[SentPage]) -> dict[Fingerprint, SentPage]:
        """Note pages; return the newest page of each URL, newest first."""
        values = [{name: value for name, value in asdict(page).items() if value} for page in pages]
        rows = [json.dumps(value, ensure_ascii=False) for value in values]
        sent = self.ledger.keys["sent"]
        push, read = ("LPUSH", sent, *rows), ("LRANGE", sent, 0, -1)
        trim, expire = ("LTRIM", sent, 0, KEPT - 1), ("EXPIRE", sent, KEPT_FOR)
        _, newest, *_ = in_one_step(self.ledger.redis, [push, read, trim, expire], writes=True)
        return _newest(newest)

    def _recall(self, page: SentPage) -> bool:
        """Let the URL of a block page wait again if it is settled and was not recognised; return whether it does."""
        if page.example:
            self.ledger.redis.delete(keys.of_task(self.ledger.task, "example"))
        plan = RecheckPlan(0.0, 0.0, page.version, page.hash) if page.version else None
        info = {"blocked": True} if plan else None
        return not page.is_blocked and self.ledger.reopen(page.url, plan, info) is not None


def _newest(rows: Iterable[bytes]) -> dict[Fingerprint, SentPage]:
    """Return the newest page of each URL, newest first. `rows`: pages as JSON, newest first."""
    known: dict[Fingerprint, SentPage] = {}
    for row in rows:
        page = loaded(SentPage, row)
        newer = known.setdefault(page.name, page)
        is_blocked = newer.is_blocked or (page.is_blocked and page.mark == newer.mark)
        known[page.name] = replace(newer, is_blocked=is_blocked, example=newer.example or page.example)
    return known


def mark_of(body: bytes, *, exact: bool = False) -> str:
    """Return a hash of a page's title and text; only if it is `exact` do numbers count."""
    title, text = TITLE.search(body[:100_000]), NO_TEXT.sub(b" ", body[:400_000])
    words = (title[1] if title else b"").split(), (text if exact else _VARIABLE.sub(b" ", text)).split()
    return blake2b(b"\n".join(map(b" ".join, words)), digest_size=8).hexdigest()


def _shared(page: SentPage, known: Sequence[SentPage]) -> str:
    """Return the reason if so many URLs give the same page that it is a block page."""
    same = [other for other in (known[:RECENT] if page.fits else known) if other.mark == page.mark]
    is_known = any(other.is_blocked for other in same)
    is_blocked = is_known or len(same) >= (MANY_FITTING if page.fits else MANY)
    return f"block page: {len(same)} URLs have the same one" if is_blocked else ""
