"""One run of one task, without Scrapy: what to fetch next, and what becomes of what came.

    example (once) → list pages → links → ledger → articles → inbox

The spider asks (`next_list`, `next_articles`) and reports (`list_read`, `article_came` …). Everything that must survive
is in Redis: a run that is killed leaves leased URLs behind, whose leases run out.
"""

import json
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from typing import Any, cast

import redis

from extractors.urls import normalise
from workers import keys
from workers.briefs import example_asked, keep_example
from workers.errors import ExemplarError
from workers.inbox import FetchedPage, Inbox, StoredPage
from workers.ledger import Found, Leased, Ledger, fingerprint

from .discovery import ListPage, Taken, Walk, fruitful_lists
from .list_memory import ListMemory, kept_of
from .listings import Listing, read_listing, robots_listing
from .patterns import Match
from .tasks import Task

PAGES_A_FLUSH = 10  # pages that go to Redis together
BYTES_A_FLUSH = 2**20  # … or as soon as they are this big together
SECONDS_A_FLUSH = 1.0  # … or this old
LOCK_SECONDS = 30.0  # a run without a sign of life for this long is taken for dead
PAUSES = (3.0, 15.0, 60.0, 300.0, 1800.0)  # seconds before a page is tried again, by tries so far
PATIENCE = 20.0  # seconds a run waits at its end for pages that are to be tried again
ENUMERATED_MOST = 500  # URLs that a pattern writes by itself in one run
ENUMERATED_FIRST = 7  # days back that it writes in the first run
ENUMERATED_LATER = 2  # days back in later runs
RUNS_KEPT = 50  # reports of a task
PROBLEMS_MOST = 20  # in one report: more than a person reads, and a report fits through a pipe

ENTERED_AT_ONCE = 1000  # URLs that go to the ledger together: a sitemap has 50,000
MOST_FEEDS = 10  # of a task
MOST_MAPS = 20  # topmost sitemaps of a task
IDLE_MOST = 20  # articles that lists find while a sitemap finds none: then it is not read any more
NO_MOMENTS: Mapping[str, datetime] = {}
LONG_AGO = datetime.min.replace(tzinfo=UTC)

BEYOND_LIMIT = "beyond the first run's limit"


_KEEP_LOCK = """
-- Keep the run lock, also if it has run out meanwhile. ARGV: token, milliseconds -> 1, or 0 if another run has it
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
"""


class TaskBusy(ExemplarError):
    """Another run of the task is at work: this one has nothing to do."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What a person asks of one run. `limit` bounds the new articles of this run; `all` lifts the first run's bound."""

    limit: int | None = None
    all: bool = False
    since: date | None = None


@dataclass
class RunReport:
    """What a run did. `outcome`: finished, stopped, unreachable, redis, killed."""

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
        self._token = uuid.uuid4().hex
        self._lock = keys.of_task(task.name, "run")
        self._keep_lock = connection.register_script(_KEEP_LOCK)
        self._lost = False  # another run has the task now
        self._pages: list[FetchedPage] = []
        self._bytes = 0
        self._oldest = 0.0
        self._leased: dict[str, Leased] = {}
        self._order = 0
        self._brought: dict[str, int] = {}
        self._feeds: dict[str, int] = {}  # feed found on the way: its article links
        self._maps: dict[str, int] = {}  # topmost sitemap: new articles that no list had
        self._left_out = 0  # article links that this run was not asked for
        self._lists_failed = False
        self._unread: list[ListPage] = []  # pages of a later walk that could not be read: the next one does
        self._today = datetime.now(UTC).date()
        self.memory = ListMemory(connection, task.name, self._shape())
        self._past_maps: dict[str, tuple[str, int]] = {}

    # -- begin and end ----------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Take the task's run lock and read where the last run left off. Raises `TaskBusy`."""
        if not self.redis.set(self._lock, self._token, nx=True, px=int(LOCK_SECONDS * 1000)):
            raise TaskBusy(f"task {self.task.name} is being crawled already; its run ends first")
        self.ledger.reclaim()  # one run at a time: what is leased was in the hands of a run that died
        past = self.memory.load()
        self.first = past.get("first") != "done"
        if self.options.all:
            self.ledger.unsee(BEYOND_LIMIT)
        self._quota = self._first_quota()
        brought = json.loads(past.get("brought", "{}"))
        starts, spares = self._starts()
        self.walk = Walk(
            self.pattern,
            starts,
            self.task.follow,
            self.task.depth,
            complete=past.get("complete") == "yes" and not self.options.all,
            fruitful=fruitful_lists(brought, starts),
            spares=spares,
            feeds=json.loads(past.get("feeds", "[]")),
            sitemaps=self._known_maps(past),
            unread=self.memory.unread(),
            since=self.options.since,
        )
        self._brought = dict(brought)
        self._add_enumerated()

    def end(self, outcome: str) -> RunReport:
        """Flush, give back what is not done, keep the report and let others run the task."""
        self.flush()
        if not self._lost:
            self.ledger.put_back(list(self._leased))
        report = self.report
        report.outcome, report.ended = outcome, datetime.now(UTC).isoformat(timespec="seconds")
        for limit in self.walk.limits:
            self.problem(limit)
        report.remarks += self.walk.remarks
        if outcome == "finished":
            self.memory.save(self._memory(), self._unread)
        pipe = self.redis.pipeline()
        history = keys.of_task(self.task.name, "runs")
        pipe.lpush(history, json.dumps(report.to_dict(), ensure_ascii=False))
        pipe.ltrim(history, 0, RUNS_KEPT - 1)
        pipe.execute()
        self._unlock()
        return report

    def beat(self) -> bool:
        """Sign of life: keeps lock and leases, and hands in pages that have waited a second.

        False if another run has the task: this one was silent for too long, and has to end.
        """
        if self._pages and time.monotonic() - self._oldest >= SECONDS_A_FLUSH:
            self.flush()
        if not self._keep_lock(keys=[self._lock], args=[self._token, int(LOCK_SECONDS * 1000)]):
            self._lost = True
            return False
        self.ledger.renew(list(self._leased))
        return True

    def problem(self, text: str) -> None:
        """Note in the report what a person should know."""
        if len(self.report.problems) < PROBLEMS_MOST:
            self.report.problems.append(text)

    # -- the example ------------------------------------------------------------------------------------------------

    def needs_example(self) -> bool:
        """Whether the example has to be fetched: never yet, or the task names another one now."""
        return example_asked(self.redis, self.task.name) != self.task.example

    def example_came(self, page: StoredPage) -> None:
        """Keep the example, and take it as an article of the task: it has been fetched, so it need not be again."""
        keep_example(self.redis, self.task.name, page, self.task.example)
        url = normalise(self.task.example)
        if any(self._enter([(url, self.pattern.match(url))])):
            self._hand_in(fingerprint(url), page, 200)
            self.flush()  # before it could be leased

    def example_failed(self, reason: str) -> None:
        """Go on without an example: pages are cut by the fallback until there is one."""
        self.problem(
            f"example {self.task.example}: {reason}; name an article that is there. Until then pages are cut without it"
        )

    # -- list pages -------------------------------------------------------------------------------------------------

    def next_list(self) -> ListPage | None:
        """The list page to read next; None if there is none now, or nothing more may be found."""
        return None if self._quota == 0 else self.walk.next_page()

    def list_conditions(self, page: ListPage) -> dict[str, str]:
        """The request headers by which a list is had only if it changed since all of its links were entered."""
        kept = self.memory.kept(page, datetime.now(UTC)) if self.walk.complete and not page.again else None
        return kept.conditions() if kept else {}

    def list_unchanged(self, page: ListPage, url: str) -> bool:
        """A list is what it was. False if that can't be said: another address answered, so it must be had whole."""
        kept = self.memory.kept(page, datetime.now(UTC))
        if kept is None or kept.url != url:
            return False
        standing = [ListPage(each, kind, depth, page.start) for each, kind, depth in kept.standing]
        self.walk.unchanged(page, standing, found=kept.found)
        self.report.lists += 1
        self.report.unchanged += 1
        if page.url in self.walk.feeds:
            self._feeds[page.url] = kept.found
        return True

    def list_read(
        self, page: ListPage, body: bytes, url: str, content_type: str, headers: Mapping[str, str] | None = None
    ) -> None:
        """Take the links of a list: articles go to the ledger, further lists to the walk.

        `headers`: of the answer, by lower-case name.
        """
        is_robots = page.kind == "robots"
        listing = robots_listing(body, url) if is_robots else read_listing(body, url, content_type, headers)
        taken = self._newest_first(page, listing, self.walk.read(listing.links))
        if self.walk.complete:
            self.memory.begin(page)
        left_out = self._left_out
        source = listing.form if listing.form in ("feed", "sitemap") else "list"
        new = sum(
            sum(self._enter([(one.match.url, one.match) for one in some], _moments(some), source=source))
            for some in _batches(taken)
        )
        read = replace(page, url=url)
        further = self.walk.note(read, listing, found=len(taken), new=new)
        standing = [each for each in self.walk.standing(read, listing) if each.kind == "follow"]
        whole = page.kind not in ("next", "robots") and not listing.cut and self._left_out == left_out
        kept = kept_of(headers or {}, url, datetime.now(UTC), found=len(taken), standing=standing) if whole else None
        self.memory.read(page, further if self.walk.complete else (), kept)
        self._count_list(page, listing, len(taken), new)

    def _count_list(self, page: ListPage, listing: Listing, found: int, new: int) -> None:
        self.report.lists += 1
        self.report.found += found
        self.report.new += new
        if page.kind == "sitemap":
            self._maps[page.start] = self._maps.get(page.start, 0) + new
        elif listing.form == "feed" and page.kind == "feed":
            self._feeds[page.start] = max(found, self._feeds.get(page.start, 0))
        elif page.kind not in ("next", "robots") and (new or page.url in self._brought):
            self._brought[page.url] = self._brought.get(page.url, 0) + new

    def list_failed(self, page: ListPage, reason: str, *, passing: bool) -> None:
        """A list could not be read. Only start pages are worth a word: others may be anything."""
        if passing and self.walk.complete:
            if page.again or page.kind in ("next", "feed", "sitemap"):
                self._unread.append(page)
        elif passing and page.kind in ("feed", "sitemap"):  # it is asked for in the next walk
            (self._feeds if page.kind == "feed" else self._maps).setdefault(page.start, 1)
        elif passing and page.kind != "robots":
            self._lists_failed = True
        if page.kind == "start":
            spare = bool(self.walk.spares)
            self.walk.missed()
            if not spare or passing:
                self.problem(f"start page {page.url}: {reason}")

    # -- articles ---------------------------------------------------------------------------------------------------

    def next_articles(self, most: int) -> list[Leased]:
        """Up to `most` articles to fetch now, newest first."""
        leased = self.ledger.lease(most) if most > 0 else []
        self._leased.update({one.fingerprint: one for one in leased})
        return leased

    def article_came(self, leased: Leased, page: StoredPage, status: int) -> None:
        """Hand a fetched article to the inbox, together with its neighbours."""
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
        if passing and leased.tries <= self.task.retries:
            pause = PAUSES[min(leased.tries, len(PAUSES)) - 1]
            self.ledger.try_later(leased.fingerprint, reason, max(pause, rest))
            self.report.later += 1
        else:
            self.ledger.settle(leased.fingerprint, "failed", reason)
            self.report.failed += 1

    def article_put_off(self, leased: Leased, reason: str, seconds: float) -> None:
        """The article may not be asked for now: it waits for at least `seconds`, and the try is not counted."""
        self._leased.pop(leased.fingerprint, None)
        self.ledger.try_later(leased.fingerprint, reason, seconds, counted=False)
        self.report.later += 1

    def not_there_yet(self, leased: Leased) -> bool:
        """Whether a URL that the pattern wrote by itself may still appear: then it is forgotten, not settled."""
        if not leased.info.get("written_for"):
            return False
        if date.fromisoformat(str(leased.info["written_for"])) < self._today - timedelta(days=ENUMERATED_LATER):
            return False
        self._leased.pop(leased.fingerprint, None)
        self.ledger.drop(leased.fingerprint)
        return True

    def pause(self) -> float | None:
        """Seconds until a page can be tried again, if it is worth waiting for; None if the run is over."""
        _, due = self.ledger.delayed()
        wait = max(0.0, due - time.time()) if due is not None else None
        return wait if wait is not None and wait <= PATIENCE else None

    def flush(self) -> None:
        """Hand in what has gathered."""
        self.inbox.deliver(self.ledger, self._pages)
        self._pages, self._bytes = [], 0

    # -- inside -----------------------------------------------------------------------------------------------------

    def _enter(
        self,
        matches: Sequence[tuple[str, Match | None]],
        moments: Mapping[str, datetime] = NO_MOMENTS,
        **info: Any,
    ) -> list[bool]:
        """Enter article URLs in the ledger, newest first; says which were new and are to be fetched.

        `moments`: when they were published or last changed, as far as lists say so.
        """
        since = self.options.since
        days = {url: self._day(match, moments.get(url)) for url, match in matches}
        wanted = [(u, m) for u, m in matches if not (since and (day := days[u]) and day < since)]
        self._left_out += len(matches) - len(wanted)
        found = [Found(normalise(url), self._rank(days[url]), info) for url, _ in wanted]
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

    def _rank(self, day: date | None) -> float:
        """Newest first: by its day, else by the day of discovery; within a day in the order of discovery."""
        self._order += 1
        return -(day or self._today).toordinal() * 1e7 + self._order

    def _day(self, match: Match | None, moment: datetime | None) -> date | None:
        """The last day on which an article may be from: by its URL, or more exactly by a list; None if nobody says."""
        said = min(moment.date(), self._today) if moment else None
        if match is None or match.span is None:
            return said
        return said if said and match.span[0] <= said <= match.span[1] else match.span[1]

    def _newest_first(self, page: ListPage, listing: Listing, taken: Sequence[Taken]) -> list[Taken]:
        """The articles of a list in the order in which they are wanted; without those that an earlier walk has seen.

        Lists stand in their own order where nothing says a day, sitemaps in that of their ids.
        """
        days = {one.link.url: self._day(one.match, one.link.published) for one in taken}
        wanted = [one for one in taken if not self.walk.is_past(page, _as_moment(days[one.link.url]))]
        if listing.form == "sitemap":
            wanted.sort(key=lambda one: one.match.recency, reverse=True)
        unsaid = self._today if listing.form != "sitemap" else date.min
        return sorted(
            wanted,
            key=lambda one: (days[one.link.url] or unsaid, one.link.published or LONG_AGO),
            reverse=True,
        )

    def _first_quota(self) -> int | None:
        if self.options.limit is not None:
            return self.options.limit
        if self.options.all or not self.first or self.task.limit is None:
            return None
        return max(0, self.task.limit - self.ledger.counts().seen)

    def _starts(self) -> tuple[list[str], list[str]]:
        """The start pages, and the ones to try in turn if they bring nothing."""
        named = [normalise(url) for url in self.task.start_urls(self._today)]
        if named:
            return named, []
        derived = [normalise(url) for url in self.pattern.prefixes()]
        return derived[:1], derived[1:]

    def _add_enumerated(self) -> None:
        if not self.pattern.enumerable:
            return
        days = ENUMERATED_FIRST if self.first else ENUMERATED_LATER
        since = max(filter(None, [self._today - timedelta(days=days), self.options.since]))
        for url in islice(self.pattern.enumerate(since, self._today), ENUMERATED_MOST):
            match = self.pattern.match(url)
            day = match.date if match and match.date else self._today
            self._enter([(url, match)], written_for=day.isoformat(), source="pattern")

    def _hand_in(self, name: str, page: StoredPage, status: int) -> None:
        self._leased.pop(name, None)
        if not self._pages:
            self._oldest = time.monotonic()
        self._pages.append(FetchedPage(name, page.url, page.body, page.content_type, status, page.fetched_at))
        self._bytes += len(page.body)
        self.report.fetched += 1
        if len(self._pages) >= PAGES_A_FLUSH or self._bytes >= BYTES_A_FLUSH:
            self.flush()

    def _shape(self) -> str:
        """What a walk's memory is valid for."""
        task = self.task
        return json.dumps(
            [str(task.pattern), [*map(str, task.start)], [*map(str, task.follow)], task.depth], ensure_ascii=False
        )

    def _memory(self) -> dict[Any, Any]:
        """What the next run should know of this walk. One that was asked for a part only left gaps behind."""
        if self.options.since or (self.options.limit is not None and self._quota == 0):
            return {"complete": "no"}
        return {
            "shape": self._shape(),
            "first": "done",
            "complete": "no" if self._lists_failed else "yes",
            "brought": json.dumps(self._brought, ensure_ascii=False),
            "feeds": json.dumps(self._useful_feeds(), ensure_ascii=False),
            "sitemaps": json.dumps(self._useful_maps(), ensure_ascii=False),
        }

    def _useful_feeds(self) -> list[str]:
        """The feeds that the next walk reads: those with articles of the task."""
        return [url for url, found in self._feeds.items() if found][:MOST_FEEDS]

    def _known_maps(self, past: Mapping[str, str]) -> dict[str, datetime | None]:
        """The sitemaps that earlier walks found of use, each with how far it was read."""
        self._past_maps = json.loads(past.get("sitemaps", "{}"))
        return {url: datetime.fromisoformat(mark) if mark else None for url, (mark, _) in self._past_maps.items()}

    def _useful_maps(self) -> dict[str, tuple[str, int]]:
        """The sitemaps that the next walk reads: those that found what no list or feed did.

        Each with the newest date read, and how many articles lists have found since it last found one.
        """
        by_lists = self.report.new - sum(self._maps.values())
        useful = {}
        for url in {**self._past_maps, **self._maps}:
            new = self._maps.get(url, 0)
            mark, idle = self._past_maps.get(url, ("", 0))
            newest = self.walk.marks.get(url)
            idle = 0 if new else idle + by_lists
            if (new or url in self._past_maps) and idle < IDLE_MOST:
                useful[url] = (newest.isoformat() if newest else mark, idle)
        return dict(list(useful.items())[:MOST_MAPS])

    def _unlock(self) -> None:
        if self.redis.get(self._lock) == self._token.encode():
            self.redis.delete(self._lock)


def reports(connection: "redis.Redis", task: str, most: int = 1) -> list[dict[str, Any]]:
    """The reports of a task's last runs, newest first."""
    rows = cast(list[bytes], connection.lrange(keys.of_task(task, "runs"), 0, most - 1))
    return [json.loads(row) for row in rows]


def _batches(taken: Sequence[Taken]) -> Iterator[Sequence[Taken]]:
    return (taken[at : at + ENTERED_AT_ONCE] for at in range(0, len(taken), ENTERED_AT_ONCE))


def _moments(taken: Sequence[Taken]) -> dict[str, datetime]:
    return {one.match.url: one.link.published for one in taken if one.link.published}


def _as_moment(day: date | None) -> datetime | None:
    return datetime(day.year, day.month, day.day, tzinfo=UTC) if day else None
