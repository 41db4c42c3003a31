"""The gap: the pages that were extracted between a redesign and the adoption of a new example, extracted again with it.

Their URLs wait again in the ledger, as at a recheck: a row becomes a new version if its text differs, and nothing is
written twice. A page that is in Redis or kept is extracted at once, without a request; the next run fetches the others.
"""

import redis

from ..clock import Clock
from ..extraction_config import ExtractionConfig
from ..inbox import PAGES_A_JOB, Inbox
from ..ledger import Ledger
from ..page_store import StoredPage
from ..pages.kept_pages import KeptPages, kept_pages_of
from ..url_states import Fingerprint, RecheckPlan, fingerprint
from .off_template import OffTemplateNote, OffTemplatePages
from .proposals import GapCounts

PROBLEMS_READ = 1000  # newest records of failed pages
_EXTRACTION = ("unusable page", "extractor error")  # how the reasons begin for which the extraction of a page fails


def close_gap(connection: "redis.Redis", config: ExtractionConfig, *, since: float, clock: Clock) -> GapCounts:
    """Let the pages of the gap be extracted again, and forget that they were off the template; return their numbers.

    Rejected and failed pages belong to it if they were extracted `since` a time (Unix seconds).
    """
    ledger, inbox = Ledger(connection, config.task, clock=clock), Inbox(connection, clock=clock)
    low = OffTemplatePages(connection, config.task, clock=clock)
    noted, bodies, kept = low.notes(), low.pages(), _kept_pages(config, clock)
    counted = {"stored": 0, "to_fetch": 0, "untouched": 0}
    batch: dict[Fingerprint, StoredPage] = {}
    try:
        for name, note in (noted | _failed(ledger, since)).items():
            if note.state == "rejected" and note.at < since:
                continue
            plan = RecheckPlan(0.0, 0.0, note.version, note.hash) if note.version else None
            is_reopened = ledger.reopen(note.url, plan, note.info) is not None
            if not is_reopened and (ledger.state_of(note.url) or ("",))[0] != "waiting":  # by an interrupted adoption
                counted["untouched"] += 1
                continue
            page = bodies.get(name) or _kept_page(kept, note.url)
            counted["stored" if page else "to_fetch"] += 1
            if page:
                batch[name] = page
            if len(batch) >= PAGES_A_JOB:
                inbox.deliver(ledger, batch)
                batch = {}
        inbox.deliver(ledger, batch)
    finally:
        if kept is not None:
            kept.close()
    low.forget({*noted, *bodies})  # a worker may have noted others meanwhile (`close_late_gap`)
    return GapCounts(**counted)


def _failed(ledger: Ledger, since: float) -> dict[Fingerprint, OffTemplateNote]:
    """Return the pages whose extraction failed since a time; the ledger has their present state."""
    return {
        fingerprint(problem["url"]): OffTemplateNote(problem["url"], float(problem["at"]), "rejected")
        for problem in ledger.problems(PROBLEMS_READ)
        if problem["state"] == "failed" and float(problem["at"]) >= since and problem["reason"].startswith(_EXTRACTION)
    }


def _kept_pages(config: ExtractionConfig, clock: Clock) -> KeptPages | None:
    if config.keep_pages is None:
        return None
    kept = kept_pages_of(config, clock=clock)
    return kept if kept.path.exists() else None


def _kept_page(kept: KeptPages | None, url: str) -> StoredPage | None:
    """Return a page of the gap that is kept; None if it is not, or is damaged."""
    try:
        page = kept.find(url) if kept is not None else None
    except ValueError:
        return None
    return page.page if page is not None else None
