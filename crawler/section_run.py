"""One run of one task, without Scrapy: what to fetch next, and what becomes of what came.

    example (once) → list pages → links → ledger → articles → inbox

The spider asks (`next_list`, `next_articles`) and reports (`list_read`, `article_came` …). Everything that must survive
is in Redis: a run that is killed leaves leased URLs behind, whose leases run out.
"""

import json
import time
import uuid
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
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

from .discovery import ListPage, Walk, fruitful_lists
from .links import links_of
from .patterns import Match
from .rendering.task import Rendering
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
    """What a run did. `outcome`: finished, stopped, unreachable, no browser, redis, killed."""

    task: str
    started: str
    ended: str = ""
    outcome: str = "running"
    lists: int = 0
    found: int = 0  # article links on the list pages
    new: int = 0  # of them not known before
    fetched: int = 0  # pages handed to the inbox
    rejected: int = 0
    failed: int = 0
    later: int = 0  # failed in passing, to be tried again
    rendered: int = 0  # pages and list pages that came out of a browser
    problems: list[str] = field(default_factory=list)

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
        self._lists_failed = False
        self._today = datetime.now(UTC).date()
        self.rendering = Rendering(connection, task)

    # -- begin and end ----------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Take the task's run lock and read where the last run left off. Raises `TaskBusy`."""
        if not self.redis.set(self._lock, self._token, nx=True, px=int(LOCK_SECONDS * 1000)):
            raise TaskBusy(f"task {self.task.name} is being crawled already; its run ends first")
        self.ledger.reclaim()  # one run at a time: what is leased was in the hands of a run that died
        past = _text_map(self.redis.hgetall(keys.of_task(self.task.name, "walk")))
        if past.get("shape") != self._shape():
            past = {"first": past.get("first", "")}
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
        if self.walk.stopped:
            self.problem(self.walk.stopped)
        if outcome == "finished":
            self.redis.hset(keys.of_task(self.task.name, "walk"), mapping=self._memory())
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
        """Whether the example has to be fetched: never yet, the task names another one now, or it came another way."""
        return example_asked(self.redis, self.task.name) != self.task.example or not self.rendering.fits_example

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
            f"example {self.task.example}: {reason}; name an article that is there. Until then pages are cut without it"
        )

    # -- list pages -------------------------------------------------------------------------------------------------

    def next_list(self) -> ListPage | None:
        """The list page to read next; None if there is none now, or nothing more may be found."""
        return None if self._quota == 0 else self.walk.next_page()

    def list_read(self, page: ListPage, body: bytes, url: str, content_type: str) -> None:
        """Take the links of a list page: articles go to the ledger, further list pages to the walk."""
        links = links_of(body, url, content_type)
        taken = self.walk.read(links)
        matches = [(found.link.url, self.pattern.match(found.link.url)) for found in taken]
        new = sum(self._enter(matches))
        self.walk.note(ListPage(url, page.kind, page.depth), links, found=len(taken), new=new)
        self.report.lists += 1
        self.report.found += len(taken)
        self.report.new += new
        if page.kind != "next" and (new or page.url in self._brought):
            self._brought[page.url] = self._brought.get(page.url, 0) + new

    def list_is_shell(self, page: ListPage, body: bytes, url: str, content_type: str) -> bool:
        """Whether a list page that came plainly has to come out of a browser instead."""
        if not self.rendering.on:
            return False
        patterns = [self.pattern, *self.task.follow]
        links = links_of(body, url, content_type)
        fitting = sum(any(pattern.match(link.url) for pattern in patterns) for link in links)
        return self.rendering.turns_out_a_shell(page.url, body, content_type, fitting)

    def list_failed(self, page: ListPage, reason: str, *, passing: bool) -> None:
        """A list page could not be read. Only start pages are worth a word: others may be anything."""
        if passing:
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

    def _enter(self, matches: Sequence[tuple[str, Match | None]], **info: Any) -> list[bool]:
        """Enter article URLs in the ledger, newest first; says which were new and are to be fetched."""
        since = self.options.since
        wanted = [(u, m) for u, m in matches if not (since and m and m.span and m.span[1] < since)]
        found = [Found(normalise(url), self._rank(match), info) for url, match in wanted]
        new = self.ledger.add(found)
        if self._quota is None:
            return new
        for place, (item, is_new) in enumerate(zip(found, new, strict=True)):
            if is_new and self._quota == 0:
                new[place] = False
                if self.options.limit is None:
                    self.ledger.settle(fingerprint(item.url), "rejected", BEYOND_LIMIT)
                else:  # a person asked for few this time; a later run takes it
                    self.ledger.drop(fingerprint(item.url))
            elif is_new:
                self._quota -= 1
        return new

    def _rank(self, match: Match | None) -> float:
        """Newest first: by the day in the URL, else by the day of discovery; within a day in the order of discovery."""
        self._order += 1
        day = match.span[1] if match and match.span else self._today
        return -day.toordinal() * 1e7 + self._order

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
            self._enter([(url, match)], written_for=day.isoformat())

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
        }

    def _unlock(self) -> None:
        if self.redis.get(self._lock) == self._token.encode():
            self.redis.delete(self._lock)


def reports(connection: "redis.Redis", task: str, most: int = 1) -> list[dict[str, Any]]:
    """The reports of a task's last runs, newest first."""
    rows = cast(list[bytes], connection.lrange(keys.of_task(task, "runs"), 0, most - 1))
    return [json.loads(row) for row in rows]


def _text_map(raw: Any) -> dict[str, str]:
    return {name.decode(): value.decode() for name, value in cast(dict[bytes, bytes], raw).items()}
