"""The ledger beside a model of it in plain Python: after any steps both say the same, also if replies are lost."""

import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import islice
from random import Random

import pytest

from tests.samples import sample
from tests.workers.helpers import days_of, holds, take
from tests.workers.servers import LossyProxy
from workers.ledger import EPOCH, FIRST_RANK, Ledger
from workers.lua import SCRIPTS
from workers.task_state.forgetting import expire, forget_rejected, forget_url
from workers.task_state.problems import problems
from workers.url_states import FINAL_STATES, OPEN_STATES, Found, RecheckPlan, fingerprint

URLS = [f"http://a.example/{number}" for number in range(3)]  # few, so that steps meet
WORKERS = ("one", "two")
REASONS = ("HTTP 404", "栏目页")
STEPS = 400  # of one walk
LOST = 0.75  # the share of steps whose first script has an effect, but no reply: the client repeats it
OVER, FAR = -1.0, 1000.0  # seconds until a time: over already, or not within this test


@dataclass
class Entry:
    state: str = "waiting"
    rank: float = 0.0
    over: bool = True  # whether the time it waits for, or its lease, is over
    late: bool = False  # waiting, but not before its time
    holder: str | None = None
    resting: bool = False
    reason: str = ""
    tries: int = 0  # to fetch it
    body: bytes = b""
    attempts: int = 0  # to extract it
    deaths: int = 0  # of its workers, that do not count as an attempt
    takes: int = 0
    young: bool = False  # written, and to be looked at again
    visited: bool = False  # was written before
    accepted: bool = False  # was rejected before, and a person took it after all
    day: int = 0


@dataclass
class Model:
    """What the docstrings of `Ledger` say, without Redis."""

    entries: dict[str, Entry] = field(default_factory=dict)
    forgotten: Counter = field(default_factory=Counter)  # by day
    today: int = 0

    def of(self, url, *wanted):
        entry = self.entries.get(url)
        return entry if entry and entry.state in wanted else None

    def add(self, url, rank):
        if url in self.entries:
            return False
        self.entries[url] = Entry(rank=rank, day=self.today)
        return True

    def lease(self, most, over):
        for entry in self.entries.values():
            if (entry.state == "leased" or entry.late) and entry.over:
                entry.state, entry.late = "waiting", False
        ready = [(entry.rank, fingerprint(url), url) for url, entry in self.entries.items() if self._ready(entry)]
        leased = {url: self.entries[url] for _, _, url in sorted(ready)[:most]}
        for entry in leased.values():
            entry.state, entry.over = "leased", over
            entry.tries += 1
        return [(url, entry.tries) for url, entry in leased.items()]

    def _ready(self, entry):
        return entry.state == "waiting" and not entry.late

    def put_back(self, url):
        if entry := self.of(url, "leased"):
            entry.state = "waiting"
            entry.tries -= 1

    def renew(self, url, over):
        if entry := self.of(url, "leased"):
            entry.over = over

    def reclaim(self):
        leased = [entry for entry in self.entries.values() if entry.state == "leased"]
        for entry in leased:
            entry.over = True
        if leased:
            self.lease(0, over=True)
        return len(leased)

    def try_later(self, url, reason, over, counted):
        if entry := self.of(url, "leased"):
            entry.state, entry.late, entry.over, entry.reason = "waiting", True, over, reason
            entry.tries -= not counted

    def arrive(self, url, body):
        if entry := self.of(url, "waiting", "leased"):
            entry.state, entry.late, entry.reason, entry.body = "fetched", False, "", body

    def take(self, url, worker, over, *, is_repeated):
        """A page whose lease is repeated is looked up in the outputs, without need."""
        entry = self.of(url, "fetched")
        if entry is None or ((entry.holder or entry.resting) and entry.holder != worker and not entry.over):
            return None
        entry.holder, entry.resting, entry.over = worker, False, over
        entry.attempts += 1
        entry.takes += 1 + is_repeated
        return entry.attempts, entry.takes > 1, entry.accepted, entry.body

    def renew_pages(self, url, worker, over):
        entry = self.of(url, "fetched")
        if entry is None or entry.holder != worker:
            return 0
        entry.over = entry.over and over  # it is never shortened
        return 1

    def release(self, url, worker, reason, over):
        entry = self.of(url, "fetched")
        if entry and entry.holder == worker:
            entry.holder, entry.resting, entry.over, entry.reason = None, True, over, reason
            entry.attempts -= 1

    def postpone(self, url, reason, over):
        entry = self.of(url, "fetched")
        if entry and not entry.holder and not entry.resting:
            entry.resting, entry.over, entry.reason = True, over, reason

    def lapsed(self):
        over = {url: entry for url, entry in self.entries.items() if entry.state == "fetched" and entry.over}
        abandoned, others = [url for url in over if over[url].holder], [url for url in over if over[url].resting]
        for url in abandoned + others:
            entry = over[url]
            if entry.holder and entry.deaths < 10:
                entry.attempts, entry.deaths = entry.attempts - 1, entry.deaths + 1
            entry.holder, entry.resting = None, False
        return abandoned, others

    def free(self, worker):
        found = [url for url, e in self.entries.items() if e.state == "fetched" and e.holder == worker]
        for url in found:
            self.entries[url].holder = None
        return found

    def settle(self, url, state, reason, worker, young):
        entry = self.of(url, "waiting", "leased", "fetched")
        if entry is None or (worker and entry.holder != worker):
            return False
        if entry.visited and state != "written":
            state, reason = "written", f"recheck: {state}"
        self.entries[url] = Entry(state, entry.rank, reason=reason, day=entry.day, accepted=entry.accepted)
        self.entries[url].young = state == "written" and (young or entry.visited)
        return True

    def accept(self, url):
        entry = self.of(url, "rejected")
        if entry:
            self.entries[url] = Entry(rank=FIRST_RANK, accepted=True, day=entry.day)
        return entry is not None

    def visit(self):
        due = [(url, entry) for url, entry in self.entries.items() if entry.young]
        for url, entry in due:
            if entry.state == "written":
                self.entries[url] = Entry(rank=entry.rank, visited=True, day=entry.day, accepted=entry.accepted)
            entry.young = False
        return sum(entry.state == "written" for _, entry in due)

    def expire(self):
        gone = [url for url, e in self.entries.items() if e.state in FINAL_STATES and e.day < self.today - 1]
        for url in gone:
            self.forgotten[self.entries.pop(url).day] += 1
        return len(gone)

    def drop(self, url):
        if entry := self.of(url, "waiting", "leased", "fetched"):
            del self.entries[url]
        return entry is not None

    def forget_url(self, url):
        return self.entries.pop(url, None) is not None

    def forget_rejected(self, reason):
        gone = [url for url, e in self.entries.items() if e.state == "rejected" and e.reason == reason]
        for url in gone:
            del self.entries[url]
        return len(gone)


def steps(random):
    """Endless random steps. What leads on is taken often, what ends a URL seldom: else few walks get far."""
    url, worker = lambda: random.choice(URLS), lambda: random.choice(WORKERS)
    over, reason = lambda: random.random() < 0.5, lambda: random.choice(REASONS)
    kinds = {
        "add": (4, lambda: (url(), random.randint(-3, 3))),
        "lease": (4, lambda: (random.randint(0, 3), over())),
        "renew": (2, lambda: (url(), over())),
        "reclaim": (1, lambda: ()),
        "arrive": (6, lambda: (url(), random.randbytes(4))),
        "take": (6, lambda: (url(), worker(), over())),
        "release": (4, lambda: (url(), worker(), reason(), over())),
        "renew_pages": (2, lambda: (url(), worker(), over())),
        "try_later": (3, lambda: (url(), reason(), over(), random.random() < 0.5)),
        "put_back": (2, lambda: (url(),)),
        "postpone": (6, lambda: (url(), reason(), over())),
        "lapsed": (2, lambda: ()),
        "free": (2, lambda: (worker(),)),
        "settle": (2, lambda: (url(), random.choice(FINAL_STATES), reason(), random.choice(["", *WORKERS]), over())),
        "accept": (4, lambda: (url(),)),
        "visit": (2, lambda: ()),
        "drop": (1, lambda: (url(),)),
        "forget_url": (1, lambda: (url(),)),
        "forget_rejected": (1, lambda: (reason(),)),
        "sleep": (1, lambda: ()),
        "expire": (1, lambda: ()),
    }
    weights = [weight for weight, _ in kinds.values()]
    while True:
        [name] = random.choices(list(kinds), weights)
        yield name, kinds[name][1]()


class DayLedger(Ledger):
    """A ledger whose days a test counts, from `EPOCH` on; leases and delays keep the present time."""

    days_on = 0

    def today(self):
        return EPOCH + timedelta(days=self.days_on)


class Steps:
    """Does one step in ledger and model and compares what they answer."""

    def __init__(self, ledger, proxy):
        self.ledger, self.model, self.proxy = ledger, Model(), proxy
        for name in SCRIPTS:
            ledger.redis.script_load(ledger.script_of(name).script)

    def do(self, name, arguments, *, is_lost):
        if is_lost:
            self.proxy.drop_reply_to("EVALSHA")
        getattr(self, name)(*arguments)
        self.proxy.marks.clear()

    def add(self, url, rank):
        assert self.ledger.add([Found(url, rank)]) == [self.model.add(url, rank)]

    def lease(self, most, over):
        leased = self.ledger.lease(most, seconds=_seconds(over))
        assert [(one.url, one.tries) for one in leased] == self.model.lease(most, over)

    def put_back(self, url):
        self.ledger.put_back([fingerprint(url)])
        self.model.put_back(url)

    def renew(self, url, over):
        self.ledger.renew([fingerprint(url)], seconds=_seconds(over))
        self.model.renew(url, over)

    def reclaim(self):
        assert self.ledger.reclaim() == self.model.reclaim()

    def try_later(self, url, reason, over, counted):
        self.ledger.try_later(fingerprint(url), reason, _seconds(over), counted=counted)
        self.model.try_later(url, reason, over, counted)

    def arrive(self, url, body):
        self.ledger.arrive(fingerprint(url), {"body": body, "url": url})
        self.model.arrive(url, body)

    def take(self, url, worker, over):
        is_lost = bool(self.proxy.marks)
        taken = take(self.ledger, fingerprint(url), worker, seconds=_seconds(over))
        found = taken and (taken.attempts, taken.again, taken.accepted, taken.page["body"])
        assert found == self.model.take(url, worker, over, is_repeated=is_lost)
        if taken:
            assert (taken.url, taken.page["url"].decode()) == (url, url)

    def renew_pages(self, url, worker, over):
        renewed = self.ledger.renew_pages([fingerprint(url)], worker, seconds=_seconds(over))
        assert renewed == self.model.renew_pages(url, worker, over)

    def release(self, url, worker, reason, over):
        self.ledger.release(fingerprint(url), worker, _seconds(over), reason)
        self.model.release(url, worker, reason, over)

    def postpone(self, url, reason, over):
        self.ledger.postpone([fingerprint(url)], _seconds(over), reason)
        self.model.postpone(url, reason, over)

    def lapsed(self):
        for found, expected in zip(self.ledger.lapsed(oldest_job=None), self.model.lapsed(), strict=True):
            assert sorted(found) == sorted(map(fingerprint, expected))

    def free(self, worker):
        assert set(self.ledger.free(worker)) == set(map(fingerprint, self.model.free(worker)))

    def settle(self, url, state, reason, worker, young):
        recheck = RecheckPlan(OVER, time.time() + FAR, 1, "") if young else None
        settled = self.ledger.settle(fingerprint(url), state, reason, worker=worker, recheck=recheck)
        assert settled == self.model.settle(url, state, reason, worker, young)

    def accept(self, url):
        assert self.ledger.accept(url) == self.model.accept(url)

    def visit(self):
        assert self.ledger.start_rechecks() == self.model.visit()

    def sleep(self):
        self.model.today += 1
        self.ledger.days_on += 1

    def expire(self):
        assert expire(self.ledger, timedelta(days=1)) == self.model.expire()

    def drop(self, url):
        assert self.ledger.drop(fingerprint(url)) == self.model.drop(url)

    def forget_url(self, url):
        assert forget_url(self.ledger, url) == self.model.forget_url(url)

    def forget_rejected(self, reason):
        assert forget_rejected(self.ledger, reason) == self.model.forget_rejected(reason)

    def agree(self):
        counts, entries = self.ledger.counts(), self.model.entries
        assert counts.unaccounted == 0
        gone = sum(self.model.forgotten.values())
        assert counts.seen == len(entries) + gone
        states = Counter(e.state for e in entries.values()) + Counter(forgotten=gone)
        assert {s: n for s, n in counts.states.items() if n} == states
        for day, of_day in days_of(self.ledger).items():
            known = Counter(_shown(e.state) for e in entries.values() if EPOCH + timedelta(days=e.day) == day)
            known += Counter(forgotten=self.model.forgotten[(day - EPOCH).days])
            assert ({s: n for s, n in of_day.states.items() if n}, of_day.unaccounted) == (known, 0)
        for url in URLS:
            entry = entries.get(url)
            assert self.ledger.state_of(url) == (entry and (entry.state, entry.reason))
            for worker in WORKERS:
                assert holds(self.ledger, fingerprint(url), worker) == bool(entry and entry.holder == worker)
        bodies = sum(1 for _ in self.ledger.redis.scan_iter("*:page:*", count=1000))
        assert bodies == counts.states["fetched"]
        assert self.ledger.known_fingerprints(map(fingerprint, URLS)) == [url in entries for url in URLS]

    def agree_on_problems(self):
        unwritten = {(e.state, e.reason, url) for url, e in self.model.entries.items() if _is_problem(e)}
        told = [(problem.state, problem.reason, problem.url) for problem in problems(self.ledger)]
        assert (set(told), len(told)) == (unwritten, len(unwritten))


def _is_problem(entry):
    return entry.state in ("rejected", "failed") or bool(entry.state in OPEN_STATES and entry.reason)


def _shown(state):
    return state if state in FINAL_STATES else "waiting"


def _seconds(over):
    return OVER if over else FAR


@pytest.mark.parametrize("seed", sample([3], [*range(6)]))  # this one notices a lost reply of nearly each kind
def test_every_url_has_one_state_and_the_counts_add_up_after_every_step(connection, redis_url, seed):
    proxy, random = LossyProxy(redis_url.removeprefix("unix://")), Random(seed)
    both = Steps(DayLedger(proxy.client(), "walk"), proxy)
    for number, (name, arguments) in enumerate(islice(steps(random), STEPS)):
        both.do(name, arguments, is_lost=random.random() < LOST)
        both.agree()
        if number % 20 == 0:  # reads all buckets of settled URLs
            both.agree_on_problems()
