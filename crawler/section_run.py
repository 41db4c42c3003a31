"""One run of one task, without Scrapy: what to fetch next, and what becomes of what came.

    example (once) → list pages → links → ledger → articles → inbox

The spider asks (`next_list`, `next_articles`) and reports (`list_read`, `article_came` …). Everything that must survive
is in Redis: a run that is killed leaves leased URLs behind, whose leases run out.
"""

import json
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from typing import Any, cast

import redis

from crawler.crew import BACKFILL, WALK, Crew
from crawler.discovery.links import links_of
from crawler.discovery.listings import Listing, ListPage, read_listing, robots_listing
from crawler.discovery.memory import ListMemory, kept_of
from crawler.discovery.recency import last_day, moments_of, newest_first
from crawler.discovery.sitemap_frontier import LATE
from crawler.discovery.tally import ListTally
from crawler.discovery.walk import Taken, Walk
from crawler.patterns import Match
from crawler.rendering.task import MARKUP, Rendering
from crawler.scheduling.schedule import note_visit
from crawler.tasks import Task
from extractors.urls import normalise
from workers import keys
from workers.briefs import example_asked, keep_example
from workers.filters import OTHER_DAYS
from workers.forgetting import expire, unsee_rejected
from workers.inbox import FetchedPage, Inbox, StoredPage
from workers.ledger import Found, Leased, Ledger, fingerprint

PAGES_A_FLUSH = 10  # pages that go to Redis together
BYTES_A_FLUSH = 2**20  # … or as soon as they are this big together
SECONDS_A_FLUSH = 0.2  # … or when nothing was handed in for so long: a slow crawl hands in each page at once
PAUSES = (3.0, 15.0, 60.0, 300.0, 1800.0)  # seconds before a page is tried again, by tries so far
OTHERS_PAUSE = 1.0  # seconds between looks whether the other spiders of the task have found more
OLD = 0.0  # ranks from here on are of articles that a back-fill found (see `_rank`)
OLD_SHIFT = 1e13  # above all days in a rank
BACKFILL_WAITING = 500  # of them that wait to be fetched at a time
LONG_AGO = date(1995, 1, 1)  # before it no section was on the web
START_DAYS = 7  # for which start pages with a date are read
OLD_A_RUN = 200  # of them that a run takes which does not back-fill itself
PATIENCE = 20.0  # seconds a run waits at its end for pages that are to be tried again
ENUMERATED_MOST = 500  # URLs that a pattern writes by itself in one run
ENUMERATED_FIRST = 7  # days back that it writes in the first run
ENUMERATED_LATER = 2  # days back in later runs
RUNS_KEPT = 50  # reports of a task
PROBLEMS_MOST = 20  # in one report: more than a person reads, and a report fits through a pipe

ENTERED_AT_ONCE = 1000  # URLs that go to the ledger together: a sitemap has 50,000
UNDATED = timedelta(days=30)  # how old is taken to be what a sitemap lists without a date
NO_MOMENTS: Mapping[str, datetime] = {}

BEYOND_LIMIT = "beyond the first run's limit"


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What a person asks of one run. `limit` bounds the new articles of this run; `all` lifts the first run's bound.

    `since` and `until` are days, both included; `backfill` walks the archive beside the runs that look for news, and
    what it finds is fetched after what they find.
    """

    limit: int | None = None
    all: bool = False
    since: date | None = None
    until: date | None = None
    backfill: bool = False


@dataclass
class RunReport:
    """What a run did. `outcome`: finished, stopped, unreachable, no browser, redis, killed."""

    task: str
    started: str
    ended: str = ""
    outcome: str = "running"
    lists: int = 0
    unchanged: int = 0  # lists that their server said are what they were
    found: int = 0  # article links on the list pages
    new: int = 0  # of them not known before
    fetched: int = 0  # pages handed to the inbox
    rejected: int = 0
    failed: int = 0
    later: int = 0  # failed in passing, to be tried again
    rendered: int = 0  # pages and list pages that came out of a browser
    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)  # worth knowing, and nothing is wrong

    @property
    def ok(self) -> bool:
        """Whether the run did all it had to."""
        return self.outcome == "finished" and not self.problems

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)


class SectionRun:
    """One run of a task. Begin it with `begin`, end it with `end`; in between call `beat` every second."""

    def __init__(self, connection: "redis.Redis", task: Task, options: RunOptions | None = None):
        self.redis = connection
        self.task = task
        self.options = options or RunOptions()
        self.pattern = task.pattern
        self.ledger = Ledger(connection, task.name)
        self.inbox = Inbox(connection)
        self.report = RunReport(task.name, datetime.now(UTC).isoformat(timespec="seconds"))
        self.walk: Walk | None = None
        self.first = False
        self._quota: int | None = None  # new articles that may still be entered
        self._left = (
            math.inf if self.options.limit is None else self.options.limit
        )  # articles that may still be fetched
        self.crew = Crew(connection, task.name, BACKFILL if self.options.backfill else WALK)
        self._pages: list[FetchedPage] = []
        self._bytes = 0
        self._flushed = self._shown = time.monotonic()
        self._leased: dict[str, Leased] = {}
        self._order = 0
        self._old_left = OLD_A_RUN
        self._unread_starts: list[str] = []  # derived ones, while there are others to try
        self._left_out = 0  # article links that this run was not asked for
        self._today = datetime.now(UTC).date()
        self.rendering = Rendering(connection, task)
        self.memory = ListMemory(connection, task.name, self._shape())
        self.tally = ListTally({})
        self._written: Iterator[str] = iter(())  # URLs of the archive that the pattern writes by itself

    # -- begin and end ----------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Join the spiders of the task; whoever finds nobody walking the lists walks them."""
        self.crew.join()
        if not self.crew.others:
            self.ledger.reclaim()  # what is leased was in the hands of a spider that died
        self.ledger.visit()
        if self.crew.walks:
            self._begin_walk()

    def end(self, outcome: str) -> RunReport:
        """Flush, give back what is not done, keep the report and leave the crew."""
        self.flush()
        self.ledger.put_back(list(self._leased))
        report = self.report
        report.outcome, report.ended = outcome, datetime.now(UTC).isoformat(timespec="seconds")
        walked = self.crew.walks and outcome == "finished"
        if self.walk is not None:
            for limit in self.walk.limits:
                self.problem(limit)
            report.remarks += self._remarks(self.walk)
        if walked and report.lists and not (report.found or report.problems or self.ledger.counts().seen > 1):
            self.problem(f"no link on {report.lists} list pages is of the pattern; `exemplar try` shows why")
        if walked and self.walk is not None and not self.options.backfill:
            self.memory.save(self._memory(self.walk), self.tally.unread)
            if report.lists and not self.tally.failed and self.options == RunOptions():
                note_visit(self.redis, self.task.name, 0 if self.first else report.new)
        pipe = self.redis.pipeline()
        history = keys.of_task(self.task.name, "runs")
        pipe.lpush(history, json.dumps(report.to_dict(), ensure_ascii=False))
        pipe.ltrim(history, 0, RUNS_KEPT - 1)
        pipe.execute()
        self.crew.leave(walk_ended=walked)
        return report

    def beat(self) -> None:
        """Sign of life: keeps our place and our leases, and hands in pages that have waited a second."""
        self._shown = time.monotonic()
        if self._shown - self._flushed >= SECONDS_A_FLUSH:
            self.flush()
        walked = self.crew.walks
        if not self.crew.live():
            self._leased.clear()  # we were silent for too long: others have them by now
        self.ledger.renew(list(self._leased))
        if self.crew.walks and not walked:
            self._begin_walk()  # who walked before us is gone

    def problem(self, text: str) -> None:
        """Note in the report what a person should know."""
        if len(self.report.problems) < PROBLEMS_MOST:
            self.report.problems.append(text)

    # -- the example ------------------------------------------------------------------------------------------------

    def needs_example(self) -> bool:
        """Whether the example has to be fetched: never yet, the task names another one now, or it came another way."""
        fits = example_asked(self.redis, self.task.name) == self.task.example and self.rendering.fits_example
        return self.crew.walks and not fits

    def example_came(self, page: StoredPage) -> None:
        """Keep the example, and take it as an article of the task: it has been fetched, so it need not be again."""
        rendered = bool(self.rendering.on)
        keep_example(self.redis, self.task.name, page, self.task.example, rendered=rendered)
        url = normalise(self.task.example)
        if any(self._enter([(url, self.pattern.match(url))])):
            self._hand_in(fingerprint(url), page, 200)
            self.flush()  # before it could be leased

    def example_failed(self, reason: str) -> None:
        """Go on without an example: pages are cut by the fallback until there is one."""
        self.problem(
            f"example {self.task.example}: {reason}; if it stays so name another. Until then pages are cut without it"
        )

    # -- list pages -------------------------------------------------------------------------------------------------

    def next_list(self) -> ListPage | None:
        """The list page to read next; None if there is none now, or nothing more may be found."""
        if self.walk is None or not self.crew.walks or self._quota == 0:
            return None
        if self.options.backfill and not self._backfill_goes_on():
            return None
        return self.walk.next_page()

    def list_conditions(self, page: ListPage) -> dict[str, str]:
        """The request headers by which a list is had only if it changed since all of its links were entered."""
        kept = self.memory.kept(page, datetime.now(UTC)) if self._walk().complete and not page.again else None
        return kept.conditions() if kept else {}

    def list_unchanged(self, page: ListPage, url: str) -> bool:
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

    def list_read(
        self, page: ListPage, body: bytes, url: str, content_type: str, headers: Mapping[str, str] | None = None
    ) -> None:
        """Take the links of a list: articles go to the ledger, further lists to the walk.

        `headers`: of the answer, by lower-case name.
        """
        walk = self._walk()
        is_robots = page.kind == "robots"
        listing = robots_listing(body, url) if is_robots else read_listing(body, url, content_type, headers)
        articles = newest_first(walk.read(listing.links), listing.form, self._today)
        found, wanted = len(articles), [one for one in articles if not walk.maps.is_past(page, one.link.published)]
        if walk.complete:
            self.memory.begin(page)
        left_out = self._left_out
        source = listing.form if listing.form in ("feed", "sitemap") else "list"
        new = 0
        for some in _batches(wanted):
            if self._quota == 0 and listing.form == "sitemap":
                some = self._not_past_next_time(listing, some)
            new += sum(self._enter([(one.match.url, one.match) for one in some], moments_of(some), source=source))
            if time.monotonic() - self._shown >= SECONDS_A_FLUSH:
                self.beat()  # a sitemap has 50,000 entries
            if self.walk is not walk:
                return  # we were taken for dead meanwhile: the walk was begun anew
        read = replace(page, url=url)
        further = walk.note(read, listing, found=found, new=new)
        standing = [each for each in walk.standing(read, listing) if each.kind == "follow"]
        whole = page.kind not in ("next", "robots") and not listing.cut and self._left_out == left_out
        kept = kept_of(headers or {}, url, datetime.now(UTC), found=found, standing=standing) if whole else None
        if not self.options.backfill:
            self.memory.read(page, further if walk.complete else (), kept)
        self.tally.count(page, listing, found, new)
        self.report.lists += 1
        self.report.found += found
        self.report.new += new

    def _not_past_next_time(self, listing: Listing, some: Sequence[Taken]) -> list[Taken]:
        """What later walks would take for new unless it is entered now; the others are past by then."""
        newest = max((link.published for link in listing.links if link.published), default=datetime.now(UTC))
        wanted = [one for one in some if not one.link.published or one.link.published >= newest - LATE]
        if self.options.limit is not None:
            self._left_out += len(some) - len(wanted)
        return wanted

    def list_is_shell(self, page: ListPage, body: bytes, url: str, content_type: str) -> bool:
        """Whether a list page that came plainly has to come out of a browser instead."""
        if not self.rendering.on or page.kind == "robots" or content_type.split(";")[0].strip().lower() not in MARKUP:
            return False
        patterns = [self.pattern, *self.task.follow]
        links = links_of(body, url, content_type)
        fitting = sum(any(pattern.match(link.url) for pattern in patterns) for link in links)
        return self.rendering.turns_out_a_shell(page.url, body, content_type, fitting)

    def list_failed(self, page: ListPage, reason: str, *, passing: bool) -> None:
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
            self.problem(self._unread_starts.pop(0))

    # -- articles ---------------------------------------------------------------------------------------------------

    def next_articles(self, most: int) -> list[Leased]:
        """Up to `most` articles to fetch now, newest first; what a back-fill found comes last, and some of it a run."""
        most = int(min(most, self._left))
        if most <= 0:
            return []
        leased = self.ledger.lease(most, below=math.inf if self.options.backfill else OLD)
        if not leased and self._old_left > 0:
            leased = self.ledger.lease(min(most, self._old_left))
            self._old_left -= len(leased)
        self._left -= len(leased)
        self._leased.update({one.fingerprint: one for one in leased})
        return leased

    def article_came(self, leased: Leased, page: StoredPage, status: int) -> None:
        """Hand a fetched article, with its further pages, to the inbox, together with its neighbours."""
        self._hand_in(leased.fingerprint, page, status)

    def article_rejected(self, leased: Leased, reason: str) -> None:
        """The URL holds no article: a dead link, robots.txt, another kind of file."""
        self._leased.pop(leased.fingerprint, None)
        self.ledger.settle(leased.fingerprint, "rejected", reason)
        self.report.rejected += 1

    def article_failed(self, leased: Leased, reason: str, *, passing: bool, rest: float = 0.0) -> None:
        """The article could not be fetched; if that may pass it is tried again, `task.retries` times.

        `rest`: seconds that it waits at least.
        """
        self._leased.pop(leased.fingerprint, None)
        if passing and not self.is_last_try(leased):
            pause = PAUSES[min(leased.tries, len(PAUSES)) - 1]
            self.ledger.try_later(leased.fingerprint, reason, max(pause, rest))
            self._later()
        else:
            self.ledger.settle(leased.fingerprint, "failed", reason)
            self.report.failed += 1

    def is_last_try(self, leased: Leased) -> bool:
        """Whether a failure in passing would be the article's end."""
        return leased.tries > self.task.retries

    def article_put_off(self, leased: Leased, reason: str, seconds: float) -> None:
        """The article may not be asked for now: it waits for at least `seconds`, and the try is not counted."""
        self._leased.pop(leased.fingerprint, None)
        self.ledger.try_later(leased.fingerprint, reason, seconds, counted=False)
        self._later()

    def _later(self) -> None:
        self.report.later += 1
        self._left += 1

    def not_there_yet(self, leased: Leased) -> bool:
        """Whether a URL that the pattern wrote by itself may still appear: then it is forgotten, not settled."""
        if not leased.info.get("written_for"):
            return False
        if date.fromisoformat(str(leased.info["written_for"])) < self._today - timedelta(days=ENUMERATED_LATER):
            return False
        self._leased.pop(leased.fingerprint, None)
        self.ledger.drop(leased.fingerprint)
        self._left += 1
        return True

    def pause(self) -> float | None:
        """Seconds after which there may be more to do, if that is worth waiting for; None if the run is over."""
        if self._left <= 0:
            return None
        if self._others_at_work():
            return OTHERS_PAUSE
        _, due = self.ledger.delayed()
        wait = max(0.0, due - time.time()) if due is not None else None
        return wait if wait is not None and wait <= PATIENCE else None

    def _others_at_work(self) -> bool:
        """Whether another spider may bring more, or has died with articles in hand whose leases run out soon."""
        if self.crew.others:
            return not (self.crew.walks or self.crew.walk_ended)
        return self.ledger.counts().states["leased"] > len(self._leased) + len(self._pages)

    def flush(self) -> None:
        """Hand in what has gathered."""
        self.inbox.deliver(self.ledger, self._pages)
        self._pages, self._bytes, self._flushed = [], 0, time.monotonic()

    # -- inside -----------------------------------------------------------------------------------------------------

    def _begin_walk(self) -> None:
        """Read where the last walk left off."""
        past = self.memory.load()
        if self.task.forget and past.get("expired") != self._today.isoformat():
            expire(self.ledger, self.task.forget.length)
            self.redis.hset(keys.of_task(self.task.name, "walk"), "expired", self._today.isoformat())
        self.first = past.get("first") != "done"
        if self.options.all or self.options.backfill:
            unsee_rejected(self.ledger, BEYOND_LIMIT)
        if self.options.backfill:
            unsee_rejected(self.ledger, OTHER_DAYS)
        self._quota = self._first_quota()
        self.tally = ListTally(past)
        starts, spares = self._starts()
        self.walk = Walk(
            self.pattern,
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
        self._add_enumerated()

    def _backfill_goes_on(self) -> bool:
        """Whether there is room for more of the archive: what waits to be fetched is bounded, so news goes first."""
        room = BACKFILL_WAITING - self.ledger.waiting(OLD)
        for url in islice(self._written, max(0, room)):
            self._enter([(url, self.pattern.match(url))], source="pattern")
        return room > 0

    def _walk(self) -> Walk:
        assert self.walk is not None, "next_list gave the page out"
        return self.walk

    def _enter(
        self,
        matches: Sequence[tuple[str, Match | None]],
        moments: Mapping[str, datetime] = NO_MOMENTS,
        **info: Any,
    ) -> list[bool]:
        """Enter article URLs in the ledger, newest first; says which were new and are to be fetched.

        `moments`: when they were published or last changed, as far as lists say so.
        """
        since, until = self.options.since, self.options.until
        if self.options.backfill:  # what a page's date says is for the worker to see
            info["days"] = [day and day.isoformat() for day in (since, until)]
        days = {url: last_day(match, moments.get(url), self._today) for url, match in matches}
        unsaid = self._today - UNDATED if info.get("source") == "sitemap" else self._today
        wanted = [(u, m) for u, m in matches if _is_within(days[u], since, until)]
        self._left_out += len(matches) - len(wanted)
        found = [Found(normalise(url), self._rank(days[url] or unsaid), info) for url, _ in wanted]
        new = self.ledger.add(found)
        if self._quota is None:
            return new
        for place, (item, is_new) in enumerate(zip(found, new, strict=True)):
            if is_new and self._quota == 0:
                new[place] = False
                if self.options.limit is None:
                    self.ledger.settle(fingerprint(item.url), "rejected", BEYOND_LIMIT)
                else:  # a person asked for few this time; a later run takes it
                    self._left_out += 1
                    self.ledger.drop(fingerprint(item.url))
            elif is_new:
                self._quota -= 1
        return new

    def _rank(self, day: date) -> float:
        """Newest first: by the article's day; within a day in the order of discovery."""
        self._order += 1
        return (OLD_SHIFT if self.options.backfill else 0) - day.toordinal() * 1e7 + self._order

    def _first_quota(self) -> int | None:
        if self.options.limit is not None:
            return self.options.limit
        if self.options.all or self.options.backfill or not self.first or self.task.limit is None:
            return None
        return max(0, self.task.limit - self.ledger.counts().seen)

    def _starts(self) -> tuple[list[str], list[str]]:
        """The start pages, and the ones to try in turn if they bring nothing."""
        until = self.options.until or self._today
        days = (until - self.options.since).days + 1 if self.options.backfill and self.options.since else START_DAYS
        named = [normalise(url) for url in self.task.start_urls(until, days)]
        if named:
            return named, []
        derived = [normalise(url) for url in self.pattern.prefixes()]
        return derived[:1], derived[1:]

    def _add_enumerated(self) -> None:
        if not self.pattern.enumerable:
            return
        if self.options.backfill:
            self._written = self.pattern.enumerate(self.options.since or LONG_AGO, self.options.until or self._today)
            return
        days = ENUMERATED_FIRST if self.first else ENUMERATED_LATER
        since = max(filter(None, [self._today - timedelta(days=days), self.options.since]))
        for url in islice(self.pattern.enumerate(since, self._today), ENUMERATED_MOST):
            match = self.pattern.match(url)
            day = match.date if match and match.date else self._today
            self._enter([(url, match)], written_for=day.isoformat(), source="pattern")

    def _hand_in(self, name: str, page: StoredPage, status: int) -> None:
        self._leased.pop(name, None)
        self._pages.append(
            FetchedPage(
                name,
                page.url,
                page.body,
                page.content_type,
                status,
                page.fetched_at,
                headers=page.headers,
                parts=page.parts,
                missing=page.missing,
            )
        )
        self._bytes += len(page.body) + sum(len(part.body) for part in page.parts)
        self.report.fetched += 1
        late = time.monotonic() - self._flushed >= SECONDS_A_FLUSH
        if late or len(self._pages) >= PAGES_A_FLUSH or self._bytes >= BYTES_A_FLUSH:
            self.flush()

    def _shape(self) -> str:
        """What a walk's memory is valid for."""
        task = self.task
        named = [str(task.pattern), [*map(str, task.start)], [*map(str, task.follow)], task.depth, task.render]
        return json.dumps(named, ensure_ascii=False)

    def _memory(self, walk: Walk) -> dict[str, str]:
        """What the next run should know of this walk. One that was asked for a part only left gaps behind."""
        if self.options.since or (self.options.limit is not None and self._quota == 0):
            return {"complete": "no"}
        return {
            "shape": self._shape(),
            "first": "done",
            "complete": "no" if self.tally.failed else "yes",
            **self.tally.to_memory(walk),
        }

    def _remarks(self, walk: Walk) -> list[str]:
        left = walk.maps.left() if self._quota != 0 else 0
        said = [f"{left} sitemaps were left unread: enough of them for one run"] if left else []
        return [*walk.remarks, *said]


def reports(connection: "redis.Redis", task: str, most: int = 1) -> list[dict[str, Any]]:
    """The reports of a task's last runs, newest first."""
    rows = cast(list[bytes], connection.lrange(keys.of_task(task, "runs"), 0, most - 1))
    return [json.loads(row) for row in rows]


def _is_within(day: date | None, since: date | None, until: date | None) -> bool:
    """Whether an article of a day is asked for; of one without a date it can't be said yet."""
    return day is None or ((since is None or day >= since) and (until is None or day <= until))


def _batches(taken: Sequence[Taken]) -> Iterator[Sequence[Taken]]:
    return (taken[at : at + ENTERED_AT_ONCE] for at in range(0, len(taken), ENTERED_AT_ONCE))
