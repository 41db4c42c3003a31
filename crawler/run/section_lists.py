"""The lists of one run: which one is read next, and where its links are recorded.

next_page ─▶ read | record_unchanged | record_failure ─▶ articles: the ledger   lists: the walk, and the crawl state
"""

import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import islice

from crawler.discovery.crawl_state import CrawlState, LastResponse, WalkMemory, digest_of
from crawler.discovery.links import ListContent
from crawler.discovery.list_yield import ListYield
from crawler.discovery.listings import ListPage, read_listing, robots_listing
from crawler.discovery.new_forms import NewForms
from crawler.discovery.sitemap_frontier import LATE
from crawler.discovery.walk import ArticleLink, Walk, WalkPlan
from crawler.run.admission import BEYOND_LIMIT, OLD, Admission, moments_of, newest_first
from crawler.run.example_page import doubt_about
from crawler.run.outcomes import is_login, media_type
from crawler.run.rendering_choice import MARKUP, Rendering
from crawler.run.run_report import BOUNDS, RunBounds, RunReport
from crawler.task_list.models import Task
from extractors.article import CHECK
from extractors.html.urls import normalise
from extractors.registry import LIST_METHODS
from workers import keys
from workers.extraction.block_pages import BlockPages, SentPage, mark_of
from workers.extraction.filters import OTHER_DAYS
from workers.health.observations import LONGEST_URL, VisitObservation
from workers.ledger import Ledger
from workers.log_ids import log_ids
from workers.page_store import StoredPage
from workers.task_state.forgetting import expire, forget_days, forget_rejected
from workers.url_states import ENUMERATED_LATER, fingerprint

LONG_AGO = date(1995, 1, 1)  # no section was on the web before this day
NO_HEADERS: Mapping[str, str] = {}
START_DAYS = 7  # days for which start pages with a date are read
LONGEST_GAP = 100  # days since the last walk for which dated start pages and URLs are generated
ENUMERATED_MOST = 500  # URLs of an enumerable pattern that are generated in one run
ENUMERATED_FIRST = 7  # past days whose URLs are generated in the first run; in later runs `ENUMERATED_LATER`

log = logging.getLogger(__name__)


class SectionLists:
    """The walk of one run through the task's lists; there is one from `begin` on.

    `beat` is called between the steps of a long list, and may restart the walk.
    """

    def __init__(
        self,
        report: RunReport,
        admission: Admission,
        rendering: Rendering,
        beat: Callable[[], None],
        bounds: RunBounds = BOUNDS,
    ):
        self.task, self.options, self.ledger = admission.task, admission.options, admission.ledger
        self.report, self.admission, self.rendering = report, admission, rendering
        self.bounds = bounds
        self.walk: Walk | None = None
        self.walks = 0  # how often a walk was begun
        self.first = False  # whether no walk of the task has ended yet
        self.failed = 0  # lists that could not be read
        self.problem = ""  # the reason for the last of these failures
        self.moved_to = ""  # where a start page redirects
        self.state = CrawlState(self.ledger.redis, self.task.name, self._shape())
        self.list_yield = ListYield(WalkMemory())
        self.new_forms = NewForms()
        self._beat = beat
        self._empty: set[str] = set()  # the marks of the lists without links to articles
        self._failed_starts: list[str] = []  # failures of derived start pages, while there are others to try
        self._learnt = 0  # `Ledger.learnt` when the walk began
        self._generated: Iterator[str] = iter(())  # URLs of the archive that the pattern enumerates

    # -- begin and end ----------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Begin the walk with the memory of the last one."""
        self.walks += 1
        past, self._learnt = self.state.load(), self.ledger.learnt()
        self._forget(past)
        self.first = not past.ended
        self.admission.begin(first=self.first)
        self.list_yield = ListYield(past, self.task.start)
        self.new_forms = NewForms(past.forms)
        days = self._days_since(past)
        starts, fallback_starts = self._starts(days)
        unread = [] if self.options.backfill else self.state.unread()
        self.walk = Walk(
            WalkPlan(
                self.task.pattern,
                starts,
                self.task.follow,
                self.task.depth,
                complete=self._is_complete(past),
                productive=self.list_yield.productive(starts),
                fallback_starts=fallback_starts,
                feeds=past.feeds,
                sitemaps=self.list_yield.sitemaps(),
                unread=unread,
                fresh=self.state.fresh() if unread else (),
                since=self.options.since,
                read_robots=self.task.robots,
            )
        )
        self._enter_enumerated(days)

    def _days_since(self, past: WalkMemory) -> int:
        """Return the days since the last walk, up to `LONGEST_GAP`: the task may have been paused, the machine off."""
        last = date.fromisoformat(past.walked_on) if past.walked_on else self.admission.today
        return min((self.admission.today - last).days, LONGEST_GAP)

    def _is_complete(self, past: WalkMemory) -> bool:
        """Whether the walk may end at known articles.

        If the ledger was completed from outputs, Redis has lost writes, and a known article does not mean that older
        ones are known.
        """
        return past.complete and past.learnt == self._learnt and not (self.options.all or self.options.backfill)

    def begin_again(self) -> None:
        """Begin the walk again at the start pages, through the whole archive: Redis may have lost links of it."""
        self.state.record_loss()
        self.begin()

    def _forget(self, past: WalkMemory) -> None:
        """Forget old URLs once a day, and those that an earlier run left out and this run includes."""
        today = self.admission.today
        if past.forgotten_on != today.isoformat():
            if self.task.forget:
                expire(self.ledger, self.task.forget.length)
                if self.task.pictures:
                    expire(Ledger(self.ledger.redis, keys.pictures_of(self.task.name)), self.task.forget.length)
            forget_days(self.ledger)
            self.state.record_forgetting(today)
        if self.options.all or self.options.backfill:
            forget_rejected(self.ledger, BEYOND_LIMIT)
        if self.options.backfill:
            forget_rejected(self.ledger, OTHER_DAYS)

    def _starts(self, gap: int) -> tuple[list[str], list[str]]:
        """Return the start pages of the run's days, and the fallback starts."""
        until, days = self.options.until or self.admission.today, max(START_DAYS, gap + 1)
        if self.options.backfill and self.options.since:
            days = (until - self.options.since).days + 1
        return start_pages(self.task, until, days)

    def _enter_enumerated(self, gap: int) -> None:
        pattern, today = self.task.pattern, self.admission.today
        if not pattern.enumerable:
            return
        if self.options.backfill:
            self._generated = pattern.enumerate(self.options.since or LONG_AGO, self.options.until or today)
            return
        days = ENUMERATED_FIRST if self.first else max(ENUMERATED_LATER, gap)
        since = max(filter(None, [today - timedelta(days=days), self.options.since]))
        for url in islice(pattern.enumerate(since, today), ENUMERATED_MOST):
            match = pattern.match(url)
            day = match.date if match and match.date else today
            self.admission.enter([(url, match)], written_for=day.isoformat(), source="pattern")

    def report_walk(self) -> None:
        """Add notes and problems of the walk to the report."""
        walk = self._walk()
        for limit in walk.limits:
            self.report.problem(limit)
        unread = 0 if self.admission.is_full else walk.maps.unread()
        beyond = [f"{unread} sitemaps were not read: beyond the limit of one run"] if unread else []
        self.report.remarks += [*walk.remarks, *beyond]

    def report_nothing_found(self) -> None:
        """Add a problem to the report if the walk has ended and no article was ever found, a note if none is now."""
        report, enumerable = self.report, self.task.pattern.enumerable
        if self.task.method in LIST_METHODS:  # its list may be the only page of the task
            return
        if report.lists and not (report.found or report.problems or self.ledger.counts().seen > 1):
            report.problem(f"no link matches the pattern (list pages read: {report.lists}); `exemplar try` shows why")
        elif report.lists and not (report.found or report.unchanged or enumerable or self.list_yield.sitemaps()):
            report.remarks.append("no link of the lists matches the pattern any more; `exemplar try` shows why")
        elif unlike := self.unlike():
            report.remarks.append(
                f"no article was new, and {len(unlike)} links above those of the lists do not match the pattern, such "
                f"as {unlike[0]}; if the site has changed its URLs, correct `pattern`"
            )

    def remember(self) -> None:
        """Store the memory of a walk that has ended; nothing new is stored if it left out a part."""
        is_partial = self.options.since or (self.options.limit is not None and self.admission.is_full)
        if is_partial:
            self.state.save(None, self.list_yield.unread)
            return
        walk = self._walk()
        if self._empty and self._empty & BlockPages(self.ledger).marks():  # block pages were read as lists
            self.list_yield.failed = True
        learnt = self._learnt if walk.plan.complete else self.ledger.learnt()  # others do not end at known articles
        today = self.admission.today.isoformat()
        memory = replace(self.list_yield.to_memory(walk.maps), learnt=learnt, walked_on=today)
        if not (self.report.found or self.report.unchanged):  # an empty list is no evidence of the section's end
            memory = replace(memory, complete=memory.complete and walk.plan.complete)
        memory = replace(memory, forms=self.new_forms.to_memory(self.report.new))
        self.state.save(memory, [*self.list_yield.unread, *walk.unclear], walk.fresh)

    def observation(self, *, walked: bool) -> VisitObservation:
        """Return what the run shows of the section's present state. `walked`: it has read the lists to the end."""
        numbers = ("lists", "unchanged", "found", "new", "fetched", "failed", "later")
        return VisitObservation(
            at=round(self.ledger.clock(), 1),
            lists_failed=self.failed,
            known=self.admission.known,
            start=next(iter(self._walk().plan.starts), "")[:LONGEST_URL],
            moved_to=self.moved_to[:LONGEST_URL],
            problem=self.problem[:100],
            unlike=next(iter(self.unlike()), "")[:LONGEST_URL],
            is_whole=walked and not self.first,
            **{name: getattr(self.report, name) for name in numbers},
        )

    def unlike(self) -> list[str]:
        """Return links of a new form above the articles of the start pages, if no article was new."""
        return [] if self.report.new or self.first else self.new_forms.unknown()

    def _shape(self) -> str:
        """Return the shape of the task for which the crawl state is valid."""
        task = self.task
        parts = [str(task.pattern), [*map(str, task.start)], [*map(str, task.follow)], task.depth, task.render]
        return json.dumps(parts, ensure_ascii=False)

    # -- one list ---------------------------------------------------------------------------------------------------

    def next_page(self) -> ListPage | None:
        """Return the list page to read next; None if there is none now, or no more articles may be entered."""
        if self.walk is None or self.admission.is_full:
            return None
        if self.options.backfill and not self._fill_backfill():
            return None
        return self.walk.next_page()

    def _fill_backfill(self) -> bool:
        """Enter enumerated URLs up to the bound on waiting articles; return whether the bound allows more."""
        room = self.bounds.backfill_waiting - self.ledger.waiting(OLD)
        for url in islice(self._generated, max(0, room)):
            self.admission.enter([(url, self.task.pattern.match(url))], source="pattern")
        return room > 0

    def conditions(self, page: ListPage) -> dict[str, str]:
        """Return the headers with which to request a list only if it changed since all of its links were entered."""
        last = self._last_response(page)
        return last.conditions() if last else {}

    def is_as_before(self, page: ListPage, body: bytes) -> bool:
        """Whether a list has the same body as when all of its links were entered."""
        last = self._last_response(page)
        return last is not None and last.digest != "" and last.digest == digest_of(body)

    def _last_response(self, page: ListPage) -> LastResponse | None:
        is_later = self._walk().plan.complete and not page.resumed
        return self.state.last_response(page, self.bounds.now()) if is_later else None

    def note_shell(self, page: ListPage, response: StoredPage) -> bool:
        """Record a list page whose links appear only in a browser; return whether it is one."""
        patterns = [self.task.pattern, *self.task.follow]
        return page.kind != "robots" and self.rendering.note_list_shell(page.url, response, patterns)

    def record_unchanged(self, page: ListPage, url: str) -> bool:
        """Record that a list has not changed; return False if this is unknown, because another URL responded."""
        last = self.state.last_response(page, self.bounds.now())
        if last is None or last.url != url:
            return False
        followed = [ListPage(target, kind, depth, page.start) for target, kind, depth in last.followed]
        self._walk().record_unchanged(page, followed, found=last.found)
        self.report.lists += 1
        self.report.unchanged += 1
        self.list_yield.record_unchanged(page, last.found)
        return True

    def record_failure(self, page: ListPage, reason: str, *, passing: bool) -> None:
        """Record that a list could not be read. Only start pages are reported: others may be any page of the site."""
        log.info("list %s could not be read: %s", page.url, reason)
        if page.kind == "start":
            self.failed, self.problem = self.failed + 1, reason
        if passing:
            self.list_yield.record_failure(page, self._walk().plan.complete)
        has_fallback = bool(self._walk().fallback_starts)
        self._walk().record_failure(page)
        if page.kind == "start":
            self._failed_starts.append(f"start page {page.url}: {reason}")
            if not has_fallback or passing:
                self._report_failed_starts()

    def _report_failed_starts(self) -> None:
        """Also report the start pages before a fallback start, because their failure is the reason for trying it."""
        while self._failed_starts:
            self.report.problem(self._failed_starts.pop(0))

    def read(self, page: ListPage, response: StoredPage, headers: Mapping[str, str] = NO_HEADERS) -> str:
        """Read the links of a list: articles go to the ledger, further lists to the walk.

        `headers`: of the response, by lower-case name. Returns why it is a block page, which is not read, else "".
        """
        walk, left_out, url, body = self._walk(), self.admission.left_out, response.url, response.body
        is_robots = page.kind == "robots"
        listing = robots_listing(body, url) if is_robots else read_listing(body, url, response.content_type, headers)
        articles = newest_first(walk.article_links(listing.links), listing.form, self.admission.today)
        found = len(articles)
        if not found and (reason := self._block_of(page, response)):
            return reason
        if walk.plan.complete:
            paged = articles if listing.form != "sitemap" else ()
            self.state.begin_list(page, {fingerprint(article.match.url) for article in paged})
        newest = max((article.link.published for article in articles if article.link.published), default=None)
        present = [article for article in articles if not walk.maps.is_past(page, article.link.published, newest)]
        with log_ids(list=url):
            new = self._enter(listing, present, walk)
        log.info("read list %s: %d links to articles, %d of them new", url, found, new)
        if self.walk is not walk:
            return ""  # the spider's place had expired meanwhile, and the walk was restarted
        answered = replace(page, url=url)
        if page.kind == "start" and url != page.url:
            self.moved_to = url
        if page.kind == "start" and listing.form == "page" and found:
            self.new_forms.record_read(url, listing.links, self.task.pattern.match)
        further = walk.record_read(answered, listing, found=found, new=new)
        followed = [target for target in walk.followed_lists(answered, listing) if target.kind == "follow"]
        is_whole = page.kind not in ("next", "robots") and not listing.truncated and self.admission.left_out == left_out
        now = self.bounds.now()
        last = LastResponse.of(headers, url, body, now, found=found, followed=followed) if is_whole else None
        if not self.options.backfill:
            self.state.end_list(page, further if walk.plan.complete else (), last)
        self.list_yield.record_read(page, found, new)
        self.report.lists += 1
        self.report.found += found
        self.report.new += new
        return ""

    def _block_of(self, page: ListPage, response: StoredPage) -> str:
        """Return why a response without links to articles is a block page; "" if it is none."""
        if page.kind == "robots" or media_type(response.content_type) not in MARKUP:
            return ""
        if response.url != page.url and is_login(response.url, page.url):
            return f"login: redirects to {response.url}"
        if not self.task.pattern.match(page.url):  # else it is a page of the task itself, and the same for both
            self._empty.add(mark := mark_of(response.body))
            if mark in BlockPages(self.ledger).marks():
                sent = SentPage(fingerprint(page.url), page.url, mark, "block page: an article's URL has the same one")
                return BlockPages(self.ledger).reasons([sent])[0]
        doubt = doubt_about(response)
        return f"block page: {CHECK}" if doubt and CHECK in doubt.reason else ""

    def _enter(self, listing: ListContent, articles: Sequence[ArticleLink], walk: Walk) -> int:
        """Enter a list's articles in parts while this spider walks; return how many were new."""
        source = listing.form if listing.form in ("feed", "sitemap") else "list"
        new, size = 0, self.bounds.entered_at_once
        for at in range(0, len(articles), size):
            part = articles[at : at + size]
            if self.admission.is_full and listing.form == "sitemap":
                part = self._leave_out_past(listing, part)
            matches = [(article.match.url, article.match) for article in part]
            new += sum(self.admission.enter(matches, moments_of(part), source=source))
            self._beat()
            if self.walk is not walk:
                break
        return new

    def _leave_out_past(self, listing: ListContent, articles: Sequence[ArticleLink]) -> list[ArticleLink]:
        """Leave out articles that later walks will recognise as old by their dates.

        Other left-out articles would count as new in later walks, so they are entered.
        """
        newest = max((link.published for link in listing.links if link.published), default=self.bounds.now())
        kept = [article for article in articles if (article.link.published or newest) >= newest - LATE]
        if self.options.limit is not None:
            self.admission.left_out += len(articles) - len(kept)
        return kept

    def _walk(self) -> Walk:
        assert self.walk is not None, "`begin` was called"
        return self.walk


def start_pages(task: Task, until: date, days: int = START_DAYS) -> tuple[list[str], list[str]]:
    """Return a task's start pages, and the fallback starts to try in turn if these have no articles."""
    configured = [normalise(url) for url in task.start_urls(until, days)]
    if configured:
        return configured, []
    derived = [normalise(url) for url in task.pattern.prefixes()]
    return derived[:1], derived[1:]
