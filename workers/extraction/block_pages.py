"""Block pages: a captcha, a login or a notice that a site sends instead of what was requested.

The evidence is that different URLs give the same page; words of a captcha or a login on a short page that does not fit
its section are enough for the first one. The newest pages of each task are noted:

    sent  list: the newest pages, as JSON lines (`SentPage`), newest first

A block page is fetched again later. Pages that were settled before they were recognised as block pages wait again.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b
from typing import Any

from extractors.html.decoding import decode

from .. import keys
from ..health.observations import NO_TEXT, TITLE, words_of_check
from ..ledger import Ledger
from ..page_store import StoredPage
from ..stored_json import known_fields
from ..url_states import Fingerprint, RecheckPlan

BLOCK_PAGE = "block page: "  # begins the reasons
MANY = 3  # URLs that give the same page
MANY_FITTING = 5  # … if it fits its section: announcements may be the same, too; of the newest `RECENT` pages
RECENT = 12
SHORT = 1000  # characters of a page whose words alone are evidence
OF_LEDGER = frozenset({"url", "rank", "day", "visits"})  # a record's fields that are not from discovery
# What may differ between two block pages: numbers, times, ids and addresses. Not in GBK's second bytes
_VARIABLE = re.compile(rb"(?<![!-~])[!-.:-~]*+[0-9/][!-~]*+")


@dataclass(frozen=True, slots=True)
class SentPage:
    """A page as the site sent it for a URL. `exact` and `mark`: equal for equal pages, `mark` without their numbers.

    `sign`: why the page alone is a block page, if it is one. `fits`: whether it is an article that fits its section;
    `example`: whether it is the task's example. `version`, `hash`: of the row that it gives, 0 for none.
    `is_blocked`: it was recognised as a block page. `info`: the data on its URL from discovery.
    """

    name: Fingerprint
    url: str
    exact: str
    mark: str
    sign: str = ""
    fits: bool = False
    example: bool = False
    version: int = 0
    hash: str = ""
    is_blocked: bool = False
    info: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, name: Fingerprint, url: str, page: StoredPage, *, fits: bool, **more: Any) -> "SentPage":
        """Return a page that was sent for a URL; `more`: further fields."""
        title, text = _title_and_text(page.body)
        exact = _hash(title, text)
        mark = _hash(title, b" ".join(_VARIABLE.sub(b" ", text).split()))
        sign = ""
        if not fits and len(text) < 3 * SHORT:
            shown = b" ".join(_title_and_text(decode(page.body, page.content_type)[0].encode())).decode()
            words = words_of_check(shown) if len(shown) < SHORT else ""
            sign = f'{BLOCK_PAGE}its text contains "{words}"' if words else ""
        return cls(name, url, exact, mark, sign, fits, **more)

    def is_like(self, other: "SentPage") -> bool:
        """Whether another page is the same: if this one fits its section, with the same numbers."""
        return other.exact == self.exact if self.fits else other.mark == self.mark


class BlockPages:
    """The pages that a site sent for the URLs of one task. Safe for any number of processes."""

    def __init__(self, ledger: Ledger):
        self.ledger = ledger

    def reasons(self, pages: Sequence[SentPage]) -> list[str]:
        """Note pages, and return for each why it is a block page; "" if it is none.

        Pages that were settled, and are now recognised, wait again; an example that is a block page is removed.
        """
        known = self._note(pages)
        reasons = [page.sign or _shared(page, known) for page in pages]
        blocked = [page for page, reason in zip(pages, reasons, strict=True) if reason]
        if blocked:
            same = [other for other in known.values() if any(page.is_like(other) for page in blocked)]
            self._recall(same, {page.name for page in pages})
        return reasons

    def is_known(self, page: SentPage) -> bool:
        """Whether a list page is one that an article's URL, or the example's, has given."""
        return any(other.mark == page.mark for other in self._note(()).values())

    def _note(self, pages: Sequence[SentPage]) -> dict[Fingerprint, SentPage]:
        """Note pages; return the newest page of each URL, newest first."""
        rows = [
            json.dumps({name: value for name, value in asdict(page).items() if value}, ensure_ascii=False)
            for page in pages
        ]
        known: dict[Fingerprint, SentPage] = {}
        for row in self.ledger.step("note_sent", *rows):
            page = SentPage(**known_fields(SentPage, json.loads(row)))
            newer = known.setdefault(page.name, page)
            known[page.name] = replace(newer, is_blocked=newer.is_blocked or page.is_blocked)
        return known

    def _recall(self, pages: Sequence[SentPage], present: set[Fingerprint]) -> None:
        """Let the URLs of block pages wait again, except the `present` ones, which are not settled yet."""
        found = []
        for page in pages:
            if page.example:
                self.ledger.redis.delete(keys.of_task(self.ledger.task, "example"))
            plan = RecheckPlan(0.0, 0.0, page.version, page.hash) if page.version else None
            if page.name in present or (
                not page.is_blocked and self.ledger.reopen(page.url, plan, page.info, duplicates=True)
            ):
                found.append(replace(page, is_blocked=True))
        self._note(found)


def _shared(page: SentPage, known: Mapping[Fingerprint, SentPage]) -> str:
    """Return the reason if so many URLs give the same page that it is a block page."""
    others = list(known.values())
    if any(other.example and not other.fits and other.mark == page.mark for other in others):
        page = replace(page, fits=False)  # it fits an example that may be a block page itself
    number = sum(page.is_like(other) for other in (others[:RECENT] if page.fits else others))
    return f"{BLOCK_PAGE}{number} URLs have the same one" if number >= (MANY_FITTING if page.fits else MANY) else ""


def _title_and_text(body: bytes) -> tuple[bytes, bytes]:
    title = TITLE.search(body[:100_000])
    return title[1].strip() if title else b"", b" ".join(NO_TEXT.sub(b" ", body[:400_000]).split())


def _hash(*parts: bytes) -> str:
    return blake2b(b"\0".join(parts), digest_size=8).hexdigest()
