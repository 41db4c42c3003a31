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
from ..url_states import Fingerprint, PageLease, RecheckPlan
from .page_decision import FoundArticle

BLOCK_PAGE = "block page: "  # begins the reasons
MANY = 3  # URLs that give the same page
MANY_FITTING = 5  # … if it fits its section: announcements may be the same, too; of the newest `RECENT` pages
RECENT = 12
SHORT = 1000  # characters of a page whose words alone are evidence
OF_LEDGER = frozenset({"url", "rank", "day", "visits"})  # a record's fields that are not from discovery
# What may differ between two block pages: words of ASCII with a digit or slash, such as numbers, times, ids, addresses
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
    def of(cls, name: Fingerprint, url: str, page: StoredPage, *, fits: bool = False, **more: Any) -> "SentPage":
        """Return a page that was sent for a URL; `more`: further fields."""
        text = _text_of(page.body)
        sign = ""
        if not fits and len(text) < 3 * SHORT:
            shown = _text_of(decode(page.body, page.content_type)[0].encode()).decode()
            words = words_of_check(shown) if len(shown) < SHORT else ""
            sign = f'{BLOCK_PAGE}its text contains "{words}"' if words else ""
        title, _, rest = text.partition(b"\n")
        mark = hash_of(title, *_VARIABLE.sub(b" ", rest).split())
        return cls(name, url, hash_of(text), mark, sign, fits, **more)

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
        reasons = [page.sign or _shared(page, list(known.values())) for page in pages]
        blocked = [page for page, reason in zip(pages, reasons, strict=True) if reason]
        recalled = [replace(page, is_blocked=True) for page in blocked]
        names = {page.name for page in pages}  # they are not settled yet
        for other in known.values() if blocked else ():
            if other.name not in names and any(page.is_like(other) for page in blocked) and self._recall(other):
                recalled.append(replace(other, is_blocked=True))
        self._note(recalled)
        return reasons

    def marks(self) -> set[str]:
        """Return the marks of the noted pages."""
        return {page.mark for page in self._note(()).values()}

    def _note(self, pages: Sequence[SentPage]) -> dict[Fingerprint, SentPage]:
        """Note pages; return the newest page of each URL, newest first."""
        values = [{name: value for name, value in asdict(page).items() if value} for page in pages]
        known: dict[Fingerprint, SentPage] = {}
        for row in self.ledger.step("note_sent", *(json.dumps(value, ensure_ascii=False) for value in values)):
            page = SentPage(**known_fields(SentPage, json.loads(row)))
            newer = known.setdefault(page.name, page)
            known[page.name] = replace(newer, is_blocked=newer.is_blocked or page.is_blocked)
        return known

    def _recall(self, page: SentPage) -> bool:
        """Let the URL of a block page wait again if it is settled and was not recognised; return whether it does."""
        if page.example:
            self.ledger.redis.delete(keys.of_task(self.ledger.task, "example"))
        plan = RecheckPlan(0.0, 0.0, page.version, page.hash) if page.version else None
        return not page.is_blocked and self.ledger.reopen(page.url, plan, page.info) is not None


def sent_page(lease: PageLease, judged: Any, *, has_example: bool) -> SentPage:
    """Return the page of a decision `FoundArticle`, or `Reject` with a page."""
    info = discovered(lease.info)
    if not isinstance(judged, FoundArticle):
        return SentPage.of(lease.fingerprint, lease.url, judged.page, info=info)
    version, fits = lease.recheck.version + 1 if lease.recheck else 1, judged.article.fits and has_example
    row = {"version": version, "hash": judged.example_hash, "info": info}
    return SentPage.of(lease.fingerprint, lease.url, judged.page, fits=fits, **row)


def discovered(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data on a URL from discovery in its record."""
    return {name: value for name, value in record.items() if name not in OF_LEDGER}


def hash_of(*parts: bytes) -> str:
    """Return a hash of texts, for `SentPage`."""
    return blake2b(b"\0".join(parts), digest_size=8).hexdigest()


def _shared(page: SentPage, known: Sequence[SentPage]) -> str:
    """Return the reason if so many URLs give the same page that it is a block page."""
    if any(other.example and not other.fits and other.mark == page.mark for other in known):
        page = replace(page, fits=False)  # it fits an example that may be a block page itself
    number = sum(page.is_like(other) for other in (known[:RECENT] if page.fits else known))
    return f"{BLOCK_PAGE}{number} URLs have the same one" if number >= (MANY_FITTING if page.fits else MANY) else ""


def _text_of(body: bytes) -> bytes:
    """Return a page's title, and on the next line its text."""
    title = TITLE.search(body[:100_000])
    return b" ".join(title[1].split() if title else ()) + b"\n" + b" ".join(NO_TEXT.sub(b" ", body[:400_000]).split())
