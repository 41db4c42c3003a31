"""The lists of one run: which page to read next, and what becomes of its links.

next_page ─▶ read | unchanged | failed ─▶ articles: the ledger   lists: the walk, and the memory for later runs
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import islice

from crawler.discovery.crawl_state import ListMemory, kept_of
from crawler.discovery.links import links_of
from crawler.discovery.list_yield import ListTally
from crawler.discovery.listings import ListContent, ListPage, read_listing, robots_listing
from crawler.discovery.recency import moments_of, newest_first
from crawler.discovery.sitemap_frontier import LATE
from crawler.discovery.walk import ArticleLink, Walk
from crawler.rendering.task import MARKUP, Rendering
from crawler.run.admission import BEYOND_LIMIT, OLD, Admission
from crawler.run.outcomes import media_type
from crawler.run.run_report import RunReport
from crawler.run.section_articles import ENUMERATED_LATER
from extractors.html.urls import normalise
from workers import keys
from workers.filters import OTHER_DAYS
from workers.forgetting import expire, forget_rejected

BACKFILL_WAITING = 500  # articles found by back-fills that wait to be fetched at a time
LONG_AGO = date(1995, 1, 1)  # before it no section was on the web
START_DAYS = 7  # for which start pages with a date are read
ENUMERATED_MOST = 500  # URLs that a pattern writes by itself in one run
ENUMERATED_FIRST = 7  # days back that it writes in the first run; in later ones `ENUMERATED_LATER`
ENTERED_AT_ONCE = 1000  # URLs that go to the ledger together: a sitemap has 50,000


class SectionLists:
    """The walk of one run through the task's lists; there is one from `begin` on.

    `beat` is called between the steps of a long list. It may begin the walk anew.
    """

    def __init__(self, report: RunReport, admission: Admission, rendering: Rendering, beat: Callable[[], None]):
        self.task, self.options, self.ledger = admission.task, admission.options, admission.ledger
        self.report, self.admission, self.rendering = report, admission, rendering
        self.walk: Walk | None = None
        self.first = False  # no walk of the task has ended yet
        self.memory = ListMemory(self.ledger.redis, self.task.name, self._shape())
        self.tally = ListTally({})
        self._beat = beat
        self._unread_starts: list[str] = []  # derived ones, while there are others to try
        self._written: Iterator[str] = iter(())  # URLs of the archive that the pattern writes by itself

    # -- begin and end ----------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Read where the last walk left off."""
        past = self.memory.load()
        self._forget(past)
        self.first = past.get("first") != "done"
        self.admission.begin(first=self.first)
        self.tally = ListTally(past)
        starts, spares = self._starts()
        self.walk = Walk(
            self.task.pattern,
            starts,
            self.task.follow,
            self.task.depth,
            complete=past.get("complete") == "yes" and not (self.options.all or self.options.backfill),
            fruitful=self.tally.fruitful(starts),
            spares=spares,
            feeds=self.tally.feeds(),
            sitemaps=self.tally.sitemaps(),
            unread=() if self.options.backfill else self.memory.unread(),
            since=self.options.since,
            asks_robots=self.task.robots,
        )
        self._enter_enumerated()

    def _forget(self, past: Mapping[str, str]) -> None:
        """Have URLs found anew: once a day those that the task forgets, and those that this run asks for after all."""
        today = self.admission.today
        if self.task.forget and past.get("expired") != today.isoformat():
            expire(self.ledger, self.task.forget.length)
            self.ledger.redis.hset(keys.of_task(self.task.name, "walk"), "expired", today.isoformat())
        if self.options.all or self.options.backfill:
            forget_rejected(self.ledger, BEYOND_LIMIT)
        if self.options.backfill:
            forget_rejected(self.ledger, OTHER_DAYS)

    def _starts(self) -> tuple[list[str], list[str]]:
        """The start pages, and the ones to try in turn if they bring nothing."""
        until = self.options.until or self.admission.today
        days = (until - self.options.since).days + 1 if self.options.backfill and self.options.since else START_DAYS
        named = [normalise(url) for url in self.task.start_urls(until, days)]
        if named:
            return named, []
        derived = [normalise(url) for url in self.task.pattern.prefixes()]
        return derived[:1], derived[1:]

    def _enter_enumerated(self) -> None:
        pattern, today = self.task.pattern, self.admission.today
        if not pattern.enumerable:
            return
        if self.options.backfill:
            self._written = pattern.enumerate(self.options.since or LONG_AGO, self.options.until or today)
            return
        days = ENUMERATED_FIRST if self.first else ENUMERATED_LATER
        since = max(filter(None, [today - timedelta(days=days), self.options.since]))
        for url in islice(pattern.enumerate(since, today), ENUMERATED_MOST):
            match = pattern.match(url)
            day = match.date if match and match.date else today
            self.admission.enter([(url, match)], written_for=day.isoformat(), source="pattern")

    def note_remarks(self) -> None:
        """Note in the report what a person should know of the walk."""
        walk = self._walk()
        for limit in walk.limits:
            self.report.problem(limit)
        left = 0 if self.admission.is_full else walk.maps.left()
        said = [f"{left} sitemaps were left unread: enough of them for one run"] if left else []
        self.report.remarks += [*walk.remarks, *said]

    def note_fruitless(self) -> None:
        """Note if a walk came to its end and nothing of the task was found, ever."""
        report = self.report
        if report.lists and not (report.found or report.problems or self.ledger.counts().seen > 1):
            report.problem(f"no link on {report.lists} list pages is of the pattern; `exemplar try` shows why")

    def remember(self) -> None:
        """Keep what the next run should know of a walk that came to its end."""
        self.memory.save(self._to_memory(self._walk()), self.tally.unread)

    def _to_memory(self, walk: Walk) -> dict[str, str]:
        """A walk that was asked for a part only left gaps behind."""
        if self.options.since or (self.options.limit is not None and self.admission.is_full):
            return {"complete": "no"}
        return {
            "shape": self._shape(),
            "first": "done",
            "complete": "no" if self.tally.failed else "yes",
            **self.tally.to_memory(walk),
        }

    def _shape(self) -> str:
        """What a walk's memory is valid for."""
        task = self.task
        named = [str(task.pattern), [*map(str, task.start)], [*map(str, task.follow)], task.depth, task.render]
        return json.dumps(named, ensure_ascii=False)

    # -- one list ---------------------------------------------------------------------------------------------------

    def next_page(self) -> ListPage | None:
        """The list page to read next; None if there is none now, or nothing more may be found."""
        if self.walk is None or self.admission.is_full:
            return None
        if self.options.backfill and not self._backfill_goes_on():
            return None
        return self.walk.next_page()

    def _backfill_goes_on(self) -> bool:
        """Whether there is room for more of the archive: what waits to be fetched is bounded, so news goes first."""
        room = BACKFILL_WAITING - self.ledger.waiting(OLD)
        for url in islice(self._written, max(0, room)):
            self.admission.enter([(url, self.task.pattern.match(url))], source="pattern")
        return room > 0

    def conditions(self, page: ListPage) -> dict[str, str]:
        """The request headers by which a list is had only if it changed since all of its links were entered."""
        kept = self.memory.kept(page, datetime.now(UTC)) if self._walk().complete and not page.again else None
        return kept.conditions() if kept else {}

    def is_shell(self, page: ListPage, body: bytes, url: str, content_type: str) -> bool:
        """Whether a list page that came plainly has to come out of a browser instead."""
        if not self.rendering.on or page.kind == "robots" or media_type(content_type) not in MARKUP:
            return False
        patterns = [self.task.pattern, *self.task.follow]
        links = links_of(body, url, content_type)
        fitting = sum(any(pattern.match(link.url) for pattern in patterns) for link in links)
        return self.rendering.turns_out_a_shell(page.url, body, content_type, fitting)

    def unchanged(self, page: ListPage, url: str) -> bool:
        """A list is what it was. False if that can't be said: another address answered, so it must be had whole."""
        kept = self.memory.kept(page, datetime.now(UTC))
        if kept is None or kept.url != url:
            return False
        standing = [ListPage(each, kind, depth, page.start) for each, kind, depth in kept.standing]
        self._walk().unchanged(page, standing, found=kept.found)
        self.report.lists += 1
        self.report.unchanged += 1
        self.tally.unchanged(page, kept.found)
        return True

    def failed(self, page: ListPage, reason: str, *, passing: bool) -> None:
        """A list could not be read. Only start pages are worth a word: others may be anything."""
        if passing:
            self.tally.missed(page, self._walk().complete)
        spare = bool(self._walk().spares)
        self._walk().failed(page)
        if page.kind == "start":
            self._unread_starts.append(f"start page {page.url}: {reason}")
            if not spare or passing:
                self._say_unread()

    def _say_unread(self) -> None:
        """What the start pages before a spare one said is why the spare one was tried, so it is told with it."""
        while self._unread_starts:
            self.report.problem(self._unread_starts.pop(0))

    def read(
        self, page: ListPage, body: bytes, url: str, content_type: str, headers: Mapping[str, str] | None = None
    ) -> None:
        """Take the links of a list: articles go to the ledger, further lists to the walk.

        `headers`: of the answer, by lower-case name.
        """
        walk, left_out = self._walk(), self.admission.left_out
        is_robots = page.kind == "robots"
        listing = robots_listing(body, url) if is_robots else read_listing(body, url, content_type, headers)
        articles = newest_first(walk.read(listing.links), listing.form, self.admission.today)
        found, wanted = len(articles), [one for one in articles if not walk.maps.is_past(page, one.link.published)]
        if walk.complete:
            self.memory.begin(page)
        new = self._enter(listing, wanted, walk)
        if self.walk is not walk:
            return  # we were taken for dead meanwhile: the walk was begun anew
        read = replace(page, url=url)
        further = walk.note(read, listing, found=found, new=new)
        standing = [each for each in walk.standing(read, listing) if each.kind == "follow"]
        whole = page.kind not in ("next", "robots") and not listing.cut and self.admission.left_out == left_out
        kept = kept_of(headers or {}, url, datetime.now(UTC), found=found, standing=standing) if whole else None
        if not self.options.backfill:
            self.memory.read(page, further if walk.complete else (), kept)
        self.tally.count(page, listing, found, new)
        self.report.lists += 1
        self.report.found += found
        self.report.new += new

    def _enter(self, listing: ListContent, wanted: Sequence[ArticleLink], walk: Walk) -> int:
        """Enter a list's articles, some at a time, as long as the walk is ours; says how many were new."""
        source = listing.form if listing.form in ("feed", "sitemap") else "list"
        new = 0
        for at in range(0, len(wanted), ENTERED_AT_ONCE):
            some = wanted[at : at + ENTERED_AT_ONCE]
            if self.admission.is_full and listing.form == "sitemap":
                some = self._not_past_next_time(listing, some)
            matches = [(one.match.url, one.match) for one in some]
            new += sum(self.admission.enter(matches, moments_of(some), source=source))
            self._beat()
            if self.walk is not walk:
                break
        return new

    def _not_past_next_time(self, listing: ListContent, some: Sequence[ArticleLink]) -> list[ArticleLink]:
        """What later walks would take for new unless it is entered now; the others are past by then."""
        newest = max((link.published for link in listing.links if link.published), default=datetime.now(UTC))
        wanted = [one for one in some if not one.link.published or one.link.published >= newest - LATE]
        if self.options.limit is not None:
            self.admission.left_out += len(some) - len(wanted)
        return wanted

    def _walk(self) -> Walk:
        assert self.walk is not None, "`begin` was called"
        return self.walk
