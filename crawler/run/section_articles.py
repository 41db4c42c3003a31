"""The articles of one run: their lease from the ledger, and their outcomes.

lease ─▶ hand_in ─▶ (several together) ─▶ inbox
     └─▶ reject | fail, perhaps with another attempt | postpone | drop_if_expected
"""

import logging
import math
from dataclasses import replace

from crawler.run.admission import OLD, Admission
from crawler.run.outcomes import is_login
from crawler.run.run_report import BOUNDS, RunBounds, RunReport
from workers.extraction.block_pages import BlockPages, SentPage
from workers.health.observations import failed_observation, is_observed, to_json
from workers.inbox import PAGES_A_JOB, Inbox
from workers.page_store import StoredPage
from workers.url_states import Fingerprint, Leased, may_appear

PAGES_A_FLUSH = PAGES_A_JOB  # pages that go to Redis together
BYTES_A_FLUSH = 3 * 2**20  # … or as soon as they together have this size
SECONDS_A_FLUSH = 0.2  # … or when none was handed over for this time: a slow crawl hands over each page immediately
BLOCKS = ("login: ", "block page: ", "http 403")  # how the reasons begin for which a site refuses its articles
EARLY_REST = 1800.0  # seconds after which a new link that was a dead one is tried again
PATIENCE = 20.0  # seconds for which a run waits at its end for pages that are to be tried again

log = logging.getLogger(__name__)


class SectionArticles:
    """The articles of one run. Pages are gathered for a moment; `flush` hands them over."""

    def __init__(self, report: RunReport, admission: Admission, inbox: Inbox, bounds: RunBounds = BOUNDS):
        self.task, self.options, self.ledger = admission.task, admission.options, admission.ledger
        self.report, self.inbox, self.bounds, self.today = report, inbox, bounds, admission.today
        self._admission, limit = admission, self.options.limit
        self._left = math.inf if limit is None else limit  # articles that may still be fetched
        self._backfill_left = bounds.backfill_a_run
        self._leased: set[Fingerprint] = set()
        self._pages: dict[Fingerprint, StoredPage] = {}
        self._bytes = 0
        self._flushed = bounds.monotonic()

    def lease(self, most: int) -> list[Leased]:
        """Lease up to `most` articles, newest first; those that a back-fill found come last, a few in a run."""
        most = int(min(most, self._left))
        if most <= 0:
            return []
        if self.options.backfill:
            leased = self.ledger.lease(most)
        else:
            leased = self.ledger.lease(most, below=OLD, most_above=min(most, self._backfill_left))
            self._backfill_left -= sum(article.rank >= OLD for article in leased)
        self._left -= len(leased)
        self._leased.update(article.fingerprint for article in leased)
        return leased

    # -- one article ------------------------------------------------------------------------------------------------

    def hand_in(self, name: Fingerprint, page: StoredPage) -> None:
        """Gather an article with its further pages, to be handed over to the inbox together with others."""
        self._leased.discard(name)
        self._pages[name] = replace(page, run=self.report.id)
        log.info("fetched %s: %d bytes", page.url, len(page.body), extra={"page": name})
        self._bytes += len(page.body) + sum(len(part.body) for part in page.parts)
        self.report.fetched += 1
        if len(self._pages) >= PAGES_A_FLUSH or self._bytes >= BYTES_A_FLUSH:
            self.flush()
        else:
            self.flush_if_due()

    def settle_redirected(self, leased: Leased, url: str) -> None:
        """Record that an article redirects to a URL that does not match the pattern.

        It is tried again if the target is a login or a check, or if other articles redirect there, too, unless the
        pattern generated their URLs: some sites redirect instead of a 404.
        """
        sign = f"login: redirects to {url}" if is_login(url, leased.url) else ""
        is_generated = leased.info.get("source") == "pattern" and not sign
        sent = SentPage(leased.fingerprint, leased.url, url.partition("?")[0], sign)
        if not is_generated and (reason := BlockPages(self.ledger).reasons([sent])[0]):
            self.fail(leased, reason if sign else f"{reason}: {url}", passing=True)
        elif not self.drop_if_expected(leased):
            self.reject(leased, f"redirects to {url}, which does not match the pattern")

    def reject(self, leased: Leased, reason: str) -> None:
        """Settle a URL that has no article: a dead link, robots.txt, another kind of file.

        A link that is new on the section's lists may be there before its page: if it is dead, it is tried once more.
        """
        is_new = self._admission.is_later and leased.tries == 1 and is_observed(leased.info)
        if is_new and reason == "http 404" and not self.is_last_try(leased):
            self.fail(leased, reason, passing=True, rest=EARLY_REST)
            return
        self._leased.discard(leased.fingerprint)
        self.ledger.settle(leased.fingerprint, "rejected", reason)
        self.report.rejected += 1
        _log_fate("rejected", leased, reason)

    def fail(self, leased: Leased, reason: str, *, passing: bool, rest: float = 0.0) -> None:
        """Record a failed attempt.

        If the failure is temporary (`passing`), the URL is tried again, at most `task.retries` times.

        `rest`: seconds to wait at least. A refusal by the site (`BLOCKS`) is also observed, once for each URL.
        """
        if reason.startswith(BLOCKS) and leased.tries == 1 and is_observed(leased.info):
            observation = failed_observation(leased.url, reason, self.ledger.clock(), "blocked")
            self.ledger.observe(to_json(observation))
        self._leased.discard(leased.fingerprint)
        if passing and not self.is_last_try(leased):
            pauses = self.bounds.pauses
            pause = pauses[min(leased.tries, len(pauses)) - 1]
            self.ledger.try_later(leased.fingerprint, reason, max(pause, rest))
            self._count_later()
            _log_fate("to be tried again", leased, reason)
        else:
            self.ledger.settle(leased.fingerprint, "failed", reason)
            self.report.failed += 1
            _log_fate("failed", leased, reason)

    def is_last_try(self, leased: Leased) -> bool:
        """Whether there is no attempt after this one."""
        return leased.tries > self.task.retries

    def postpone(self, leased: Leased, reason: str, seconds: float) -> None:
        """Postpone an article for at least `seconds`; this does not count as an attempt."""
        self._leased.discard(leased.fingerprint)
        self.ledger.try_later(leased.fingerprint, reason, seconds, counted=False)
        self._count_later()
        _log_fate("to be tried again", leased, reason)

    def _count_later(self) -> None:
        self.report.later += 1
        self._left += 1

    def drop_if_expected(self, leased: Leased) -> bool:
        """Drop a dead link that the pattern generated and that may still appear; return whether it was one."""
        if not may_appear(leased.info, self.today):
            return False
        self._leased.discard(leased.fingerprint)
        self.ledger.drop(leased.fingerprint)
        self._left += 1
        return True

    # -- all articles in hand ---------------------------------------------------------------------------------------

    @property
    def in_hand(self) -> int:
        """Return the articles that are leased to this run, or fetched and not handed over."""
        return len(self._leased) + len(self._pages)

    @property
    def are_enough(self) -> bool:
        """Whether the run has reached its limit of articles."""
        return self._left <= 0

    def wait_until(self, due: float | None) -> float | None:
        """Seconds until `due`, when a page is to be tried again; None if the run does not wait for it."""
        wait = max(0.0, due - self.ledger.clock()) if due is not None else None
        return wait if wait is not None and wait <= PATIENCE else None

    def flush(self) -> None:
        """Hand over the gathered pages."""
        self.inbox.deliver(self.ledger, self._pages)
        self._pages, self._bytes, self._flushed = {}, 0, self.bounds.monotonic()

    def flush_if_due(self) -> None:
        """Hand over the gathered pages if none were handed over for a while."""
        if self.bounds.monotonic() - self._flushed >= SECONDS_A_FLUSH:
            self.flush()

    def renew(self) -> None:
        """Renew the leases of this run, including those of pages that are not handed over yet."""
        self.ledger.renew([*self._leased, *self._pages])

    def give_up_leases(self) -> None:
        """Drop the leases, because this spider's place in the crew expired: other spiders may have the articles."""
        self._leased.clear()

    def put_back(self) -> None:
        """Return the leased articles to those that wait."""
        self.ledger.put_back(list(self._leased))


def _log_fate(fate: str, leased: Leased, reason: str) -> None:
    log.info("%s: %s: %s", fate, leased.url, reason, extra={"page": leased.fingerprint})
