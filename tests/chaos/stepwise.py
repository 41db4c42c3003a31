"""A whole system in one process on a real Redis, whose parts die at their steps: the same history at each seed.

    for each step of a part  ─▶ it goes on, or dies before, within or after it, or the reply is lost
    between turns of parts   ─▶ Redis goes back to an earlier state or is emptied, a file is moved, articles appear

A step is a command to Redis, or a write or sync of a file. Spiders, workers, delivery and sweep are the real ones,
without processes and network; the clock is one that the history sets forward. `tests.chaos.checker` judges.
"""

import argparse
import contextlib
import logging
import os
import random
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from rq.job import Job
from rq.serializers import JSONSerializer

from crawler.politeness.pace import HostProblem
from crawler.run.fetches import Answered, ArticleFetch, Fetch
from crawler.run.run_report import RunBounds
from crawler.run.section_run import SectionRun
from crawler.run.spider_coordination import CREW, SILENT_SECONDS, Crew
from crawler.task_list.file import loads
from crawler.task_list.publication import publish
from extractors import Section
from tests.chaos.checker import History, Violation, violations
from tests.chaos.cluster import task_list
from tests.chaos.faults import refusing_database
from tests.chaos.history import history_of
from tests.chaos.recovery import is_taken_again
from tests.chaos.site import KINDS, LINKS, Site
from tests.redis_servers import BINARIES, running
from tests.samples import sample
from tests.workers import batch_folder
from tests.workers.servers import lose_replies
from workers import keys
from workers.inbox import Inbox, StoredPage
from workers.ledger import Ledger
from workers.redis_access.connection import client
from workers.redis_access.redis_clock import RedisClock, clock_of
from workers.url_states import Fingerprint
from workers.worker_processes import extraction_worker
from workers.worker_processes.extraction_worker import ExtractionWorker
from workers.writing.delivery import Delivery
from workers.writing.row_queue import has_queues

TASK = "s1"
TURN = 0.25  # seconds by which each turn sets the clock forward
CALM_AFTER = 150  # turns with faults; then all is to be settled within …
TURNS = 700
LONGEST_WAIT = 25.0  # seconds until a page in hand is worked on again: 15, and 10 more if the sweep that queues it dies
DOWN = 40.0  # seconds for which the machine of a spider that died is down
SEEDS = range(25)  # of the short form
COUNTED_EVERY = sample(4, 1)  # steps between looks at the counts
EXTRACTED: dict[tuple[bytes, str], Any] = {}  # articles by page and URL: each is extracted once in all histories


class Killed(BaseException):
    """The part died."""


@dataclass
class Plan:
    """What happens to the steps and between the turns of a history: a fault at each `stride`-th step from `first` on.

    `kinds`: of the faults of a step. `after_write`: the probability that a part dies when it has written rows, in
    addition. `between`: what may happen between two turns.
    """

    seed: int
    stride: int = 23
    kinds: tuple[str, ...] = ("before", "after", "reply", "reply", "half")
    after_write: float = 0.0
    between: tuple[str, ...] = ("publish",)
    longest_wait: float = float("inf")  # seconds until a page in hand is worked on again
    pages: int = 40
    portion: int = 9  # articles that appear together, at most


def plan_of(seed: int) -> Plan:
    """The plan of a seed: few faults, whose recovery is judged; many; lost replies; Redis goes back, or is emptied."""
    match seed % 5:
        case 0:
            return Plan(seed, stride=151, longest_wait=LONGEST_WAIT)
        case 1:
            return Plan(seed, between=("publish", "refuse", "rotate"), after_write=0.2)
        case 4:
            return Plan(seed, stride=3 + seed // 5 % 4, kinds=("reply",), portion=4 * LINKS)
        case 2:
            return Plan(seed, between=("publish", "go back"), portion=4 * LINKS)
    return Plan(seed, between=("publish", "empty"))


class Part:
    """A process of the system: its connection, and whether it is dead. A dead one can't do anything any more."""

    def __init__(self, system: "System", name: str):
        self.system, self.name, self.is_dead = system, name, False
        self.redis = client(system.url)
        self.redis.set_retry(Retry(NoBackoff(), 6))
        pool = self.redis.connection_pool
        pool.connection_class = _stepping(pool.connection_class, self)

    def die(self) -> None:
        self.is_dead = True
        raise Killed(self.name)

    def close(self) -> None:
        with contextlib.suppress(Exception):
            self.redis.connection_pool.disconnect()


def _stepping(base: type, part: Part) -> type:
    """A connection whose every command is a step of a part."""

    class Stepping(base):
        is_greeting = False

        def connect_check_health(self, *args: Any, **how: Any) -> None:
            self.is_greeting = True
            try:
                super().connect_check_health(*args, **how)
            finally:
                self.is_greeting = False

        def send_packed_command(self, command: Any, check_health: bool = True) -> None:
            if part.is_dead:
                raise Killed(part.name)
            if self.is_greeting or not self._sock:
                super().send_packed_command(command, check_health)
                return
            fault = part.system.step()
            if fault == "before":
                part.die()
            super().send_packed_command(command, check_health)
            if fault:
                lose_replies(self)
                if fault != "reply":
                    part.die()
                raise redis.ConnectionError("the reply is lost")

    return Stepping


def _path_of(file: int) -> str:
    return str(Path(f"/proc/self/fd/{file}").readlink())


@dataclass
class InHand:
    """Pages that a part had when it died, at a time of the history's clock. `holder`: the worker; empty: a spider."""

    names: set[Fingerprint]
    holder: str
    died_at: float


@dataclass
class Spider:
    """A run, and its fetches that are not answered yet."""

    part: Part
    run: SectionRun
    fetches: list[Fetch] = field(default_factory=list)


class System:
    """The parts, the site, and what happens to them."""

    def __init__(self, url: str, folder: Path, plan: Plan):
        self.url, self.folder, self.plan = url, folder, plan
        self.choose = random.Random(plan.seed)
        self.clean = redis.Redis.from_url(url)
        self.clean.flushall()
        self.began, self.offset, self.steps, self.present = time.time(), 0.0, 0, None
        self.first = plan.seed % plan.stride
        self.is_calm = False
        self.samples: list[tuple[str, dict[str, int]]] = []
        self.waits: list[float] = []
        self.in_hand: list[InHand] = []
        self.out = folder / "disk" / "out"
        self.out.mkdir(parents=True)
        self.site = Site("127.0.0.1", 1, kinds=KINDS | {"poison"}, shifting=bool(plan.seed % 2))
        self.site.url, self.site.published = "http://127.0.0.1:9", {TASK: 0}
        self.site.publish(plan.pages // 2)
        batch_folder.register()
        self.tasks = loads(task_list(self.site, "1h"), folder=folder)
        clock: Any = clock_of(self.clean)
        clock.now = self.now
        self.ledger = Ledger(self.clean, TASK)
        self.spiders: list[Spider | None] = [None, None]
        self.workers: list[tuple[Part, ExtractionWorker] | None] = [None, None]
        self.down_until = [0.0, 0.0]  # when the machine of a spider that died is up again
        self.places: dict[str, float] = {}  # when each spider renewed its place in the crew
        self.saved: dict[bytes, bytes | None] | None = None
        self.epochs = 0

    def now(self) -> float:
        return self.began + self.offset

    # -- steps ------------------------------------------------------------------------------------------------------

    def step(self) -> str:
        """What happens at this step; empty: nothing."""
        self.steps += 1
        if self.steps % COUNTED_EVERY == 0:
            counts = self.ledger.counts()
            if counts.seen != sum(counts.states.values()):
                self.samples.append((TASK, counts.to_dict()))
        if self.is_calm or self.steps % self.plan.stride != self.first:
            return ""
        return self.choose.choice(self.plan.kinds)

    @contextlib.contextmanager
    def as_part(self, part: Part) -> Iterator[None]:
        """Let writes and syncs of output files be steps of this part."""
        write, truncate, sync = os.write, os.ftruncate, os.fdatasync

        def is_ours(file: int) -> bool:
            if part.is_dead:
                raise Killed(part.name)
            return _path_of(file).endswith(".jsonl")

        def written(file: int, data: Any) -> int:
            fault = self.step() if is_ours(file) else ""
            if not self.is_calm and "/out/" in _path_of(file) and self.choose.random() < self.plan.after_write:
                fault = "after"
            if fault == "before":
                part.die()
            if fault == "half" and "/out/" in _path_of(file):
                write(file, bytes(data)[: len(data) // 2])
                part.die()
            done = write(file, data)
            if fault in ("after", "half"):
                part.die()
            return done

        def truncated(file: int, size: int) -> None:
            is_ours(file)
            truncate(file, size)

        def synced(file: int) -> None:
            if is_ours(file) and self.step() in ("before", "half"):
                part.die()
            sync(file)

        replaced = {"write": written, "ftruncate": truncated, "fdatasync": synced}
        with patch.multiple(os, **replaced):
            yield

    # -- parts ------------------------------------------------------------------------------------------------------

    def crawl(self, place: int) -> None:
        """A turn of a spider: it begins a run, answers some fetches, or ends the run."""
        spider = self.spiders[place]
        if spider is None and self.now() < self.down_until[place]:
            return
        part = spider.part if spider else Part(self, "spider")
        with self.living(part):
            if spider is None:
                bounds = RunBounds(now=lambda: datetime.fromtimestamp(self.now(), UTC), monotonic=self.now)
                spider = Spider(part, SectionRun(part.redis, self.tasks[TASK], bounds=bounds))
                self.spiders[place] = spider
                spider.run.begin()
                return
            spider.run.beat()
            spider.fetches += spider.run.next()
            is_over = not spider.fetches and spider.run.pause() is None
            for fetch in spider.fetches[:4]:
                answer = self.answer(fetch)
                spider.fetches += spider.run.settle(fetch, answer)
                spider.fetches.remove(fetch)
            if is_over:
                spider.run.end("finished")
                part.close()
                self.spiders[place] = None
            return
        self.bury(place)
        part.close()

    def bury(self, place: int) -> None:
        """A spider is dead: what it had waits for others."""
        spider, self.spiders[place] = self.spiders[place], None
        if spider is None:
            return
        held = {each.decode() for each in self.clean.zrange(self.ledger.keys["leased"], 0, -1)}
        names = {fetch.leased.fingerprint for fetch in spider.fetches if isinstance(fetch, ArticleFetch)} & held
        self.in_hand.append(InHand(names, "", self.now()))
        if self.plan.longest_wait < DOWN and self.now() >= self.down_until[1 - place]:
            self.down_until[place] = self.now() + DOWN  # the other spider has to take its pages

    def answer(self, fetch: Fetch) -> Answered:
        path = "/" + fetch.url.removeprefix(self.site.url).lstrip("/")
        self.site.requests.append((self.now(), path))
        status, headers, body = self.site.answer(path)
        if target := headers.get("Location"):
            return self.answer(replace(fetch, url=self.site.url + target))
        page = StoredPage(fetch.url, body, "text/html; charset=utf-8", datetime.fromtimestamp(self.now(), UTC))
        refusal = HostProblem("http 429", 1.0, slow=True) if status == 429 else None
        return Answered(status, page, {}, refusal=refusal)

    def extract(self, place: int) -> None:
        """A turn of a worker: a job."""
        raw = self.clean.lpop(Inbox(self.clean).queue.key)
        if raw is None:
            return
        try:
            job = Job.fetch(raw.decode(), connection=self.clean, serializer=JSONSerializer)
            task, names = job.args
            job.delete()
        except Exception:  # its Redis went back
            return
        self.present = None
        part, worker = self.workers[place] or (Part(self, f"w{place}-{self.steps}"), None)
        with self.living(part):
            worker = worker or ExtractionWorker(part.redis, part.name)
            self.workers[place] = part, worker
            worker.extract_pages(task, names)
            return
        with contextlib.suppress(BaseException):
            worker.close()  # its files and databases, which the kernel would close
        part.close()
        self.workers[place] = None
        held = self.clean.hgetall(self.ledger.keys["holders"])
        mine = {name.decode() for name, holder in held.items() if holder.decode() == part.name}
        self.in_hand.append(InHand(mine, part.name, self.now()))
        if self.present is not None or self.choose.random() < 0.5:  # its supervisor lives
            others = [name for name in mine if name != self.present]
            freed = self.ledger.free(
                part.name, uncounted=others if self.present else (), killed=[] if self.present else others
            )
            Inbox(self.clean).wake(TASK, freed, first=True)

    def sweep(self) -> None:
        part = Part(self, "supervisor")
        with self.living(part):
            Inbox(part.redis).sweep()
        part.close()

    def deliver(self) -> None:
        part = Part(self, "delivery")
        with self.living(part):
            delivery = Delivery(part.redis, f"d-{self.steps}", draining="now" if self.is_calm else "")
            delivery.deliver_due()
        part.close()

    @contextlib.contextmanager
    def living(self, part: Part) -> Iterator[None]:
        """What a part does; what follows its `return` within the block is left out if it died."""
        self.active = part
        with self.as_part(part), contextlib.suppress(Killed):
            yield

    # -- between turns ----------------------------------------------------------------------------------------------

    def happen(self, what: str) -> None:
        if what == "publish":
            self.site.publish(self.choose.randint(1, self.plan.portion))
        elif what == "rotate" and (self.out / f"{TASK}.jsonl").exists():
            (self.out / f"{TASK}.jsonl").rename(self.out / f"{TASK}.jsonl.{self.steps}")
        elif what == "refuse" and (database := self.out / f"{TASK}.db").exists() and not self.planned:
            refusing = contextlib.ExitStack()
            refusing.enter_context(refusing_database(database, self.clean))
            self.later(self.choose.uniform(4.0, 10.0), refusing.close)
        elif what == "go back":
            self.site.publish(self.plan.portion)
            self.later(self.choose.uniform(0.2, 2.0), self._save)
        elif what == "empty":
            self.clean.flushall()
            self._new_epoch()
            publish(self.clean, self.tasks, self.folder / "tasks.yaml", take_over=True)

    def _save(self) -> None:
        self.saved = {key: self.clean.dump(key) for key in self.clean.keys("*")}
        self.later(self.choose.uniform(0.3, 1.5), self._go_back)

    def _go_back(self) -> None:
        saved, self.saved = self.saved or {}, None
        self.clean.flushall()
        for key, value in saved.items():
            if value is not None:
                self.clean.restore(key, 0, value)
        self._new_epoch()

    def _new_epoch(self) -> None:
        self.epochs += 1
        self.in_hand.clear()  # Redis knows nothing of it
        self.clean.delete(keys.EPOCH)
        facts = {"id": f"epoch-{self.epochs}", "run_id": self.clean.info("server")["run_id"]}
        self.clean.hset(keys.EPOCH, mapping=facts)

    def _end_places(self) -> None:
        """Let places in the crew expire by the clock of the history: by that of Redis hardly any time passes."""
        present = {token for token, at in self.places.items() if at > self.now() - SILENT_SECONDS}
        members = self.clean.zrange(keys.of_task(TASK, CREW), 0, -1)
        if ended := [token for token in members if token.decode() not in present]:
            self.clean.zrem(keys.of_task(TASK, CREW), *ended)

    def later(self, seconds: float, act: Callable[[], object]) -> None:
        self.planned.append((self.now() + seconds, act))

    # -- the history ------------------------------------------------------------------------------------------------

    def run(self) -> list[Violation]:
        """Let it happen; return what was broken."""
        self.planned: list[tuple[float, Callable[[], object]]] = []
        judge = extraction_worker.judge

        def judged(section: Any, lease: Any) -> Any:
            number = re.search(r"/(\d+)\.html$", lease.url)
            if number and self.site.kind_of(int(number[1])) == "poison" and lease.attempts <= 3:
                self.present = lease.fingerprint
                self.active.die()
            return judge(section, lease)

        places, now = self.places, self.now

        class Place(Crew):
            """A place that expires by the clock of the history alone."""

            def __init__(self, *words: Any):
                super().__init__(*words, silent=86_400.0)

            def renew(self) -> bool:
                is_kept = super().renew()
                places[self._token] = now()
                return is_kept

        real, extract = RedisClock.now, Section.extract

        def extracted(section: Section, html: bytes, url: str, **how: Any) -> Any:
            if (html, url) not in EXTRACTED:
                EXTRACTED[html, url] = extract(section, html, url, **how)
            return EXTRACTED[html, url]

        with (
            patch("crawler.run.section_run.Crew", Place),
            patch.object(RedisClock, "now", lambda clock: self.now()),
            patch.object(extraction_worker, "judge", judged),
            patch.object(Section, "extract", extracted),
            patch.object(Section, "learn"),
        ):
            publish(self.clean, self.tasks, self.folder / "tasks.yaml", take_over=True)
            for turn in range(TURNS):
                self.is_calm = turn >= CALM_AFTER
                try:
                    self.take_turn(turn)
                except (
                    redis.ResponseError,
                    ValueError,
                    KeyError,
                    TypeError,
                ) as error:  # that of a part, which would end
                    return [Violation("error", TASK, f"{type(error).__name__}: {error}")]
                if self.is_calm and turn % 5 == 0 and not self.planned:
                    if self.is_settled():
                        break
                    self._skip_wait()
            history = self.history()
        assert RedisClock.now is real
        return violations(history)

    def take_turn(self, turn: int) -> None:
        self.offset += TURN
        due, self.planned = (
            [e for e in self.planned if e[0] <= self.now()],
            [e for e in self.planned if e[0] > self.now()],
        )
        for _, act in due:
            act()
        self._end_places()
        if not self.is_calm and turn % 15 == 14:
            self.happen(self.choose.choice(self.plan.between))
        number = turn % 8
        if number in (0, 3):
            self.crawl(number % 2)
        elif number in (1, 4, 6):
            self.extract(number % 2)
        elif number == 2:
            self.sweep()
        elif number == 5:
            self.deliver()
        else:
            self.crawl(self.choose.choice([0, 1]))
        self.look()

    def look(self) -> None:
        """See which pages of dead parts are worked on again."""
        mine = {
            fetch.leased.fingerprint
            for spider in self.spiders if spider for fetch in spider.fetches if isinstance(fetch, ArticleFetch)
        }  # fmt: skip
        for hand in self.in_hand:
            for name in list(hand.names):
                if hand.holder:
                    is_again = is_taken_again(self.ledger, name, hand.holder)
                else:
                    is_again = name in mine or self.clean.zscore(self.ledger.keys["leased"], name) is None
                if is_again:
                    hand.names.discard(name)
                    self.waits.append(self.now() - hand.died_at)
        self.in_hand = [hand for hand in self.in_hand if hand.names]

    def _skip_wait(self) -> None:
        """Set the clock forward to the next attempt if all else is done: a page that failed often waits for minutes."""
        _, delayed, due = self.ledger.pending()
        if due is not None and self.ledger.counts().open == delayed and not has_queues(self.clean):
            self.offset = max(self.offset, due - self.began)

    def is_settled(self) -> bool:
        counts = self.ledger.counts()
        return counts.seen == self.site.published[TASK] and not counts.open and not has_queues(self.clean)

    def history(self) -> History:
        waits = sorted([*self.waits, *(self.now() - hand.died_at for hand in self.in_hand for _ in hand.names)])
        history = history_of(self.site, self.clean, self.out)
        lossy = self.epochs > 0
        return replace(history, samples=self.samples, waits=waits, longest_wait=self.plan.longest_wait, is_lossy=lossy)


def first_violations(url: str, folder: Path, seeds: Iterable[int]) -> tuple[int, list[Violation]]:
    """The first seed whose history breaks a promise, and how; (-1, []) if none does."""
    for seed in seeds:
        if found := System(url, folder / str(seed), plan_of(seed)).run():
            return seed, found
    return -1, []


def main() -> int:
    """`python -m tests.chaos.stepwise --seeds 0-199`: exit code 1 at the first history that breaks a promise."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.stepwise")
    parser.add_argument("--seeds", default=f"0-{SEEDS[-1]}")
    first, _, last = parser.parse_args().seeds.partition("-")
    logging.disable(logging.CRITICAL)
    with running(BINARIES[0]) as url, tempfile.TemporaryDirectory() as folder:
        seed, found = first_violations(url, Path(folder), range(int(first), int(last or first) + 1))
    for violation in found[:5]:
        print(f"seed {seed}: {violation}")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
