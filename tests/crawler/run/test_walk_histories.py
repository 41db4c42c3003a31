"""Random histories of a section: it grows, spiders die in their walks, lists are unavailable, Redis goes back to an
earlier state or is emptied, and the ledger learns rows from the output. Then every article is known after two runs.

Redis goes back by `DUMP` and `RESTORE` of all keys; that it is another server is written to the epoch.
"""

import random

import pytest

from crawler.run.run_report import RunBounds
from crawler.run.section_run import SectionRun
from crawler.run.spider_coordination import disband
from tests.crawler.run.sections import list_of, page, task, url
from tests.samples import sample
from tests.workers.sink_suite import row, write
from workers import keys
from workers.extraction.ledger_recovery import heal
from workers.extraction_config import ExtractionConfig
from workers.ledger import Ledger
from workers.redis_access.redis_clock import clock_of
from workers.sinks import JsonLinesSink
from workers.url_states import fingerprint
from workers.writing.outputs import Output

CONFIG = ExtractionConfig("news", "", ".*", ("out.jsonl",), ".")

ARTICLES_OF_A_LIST = 3
TASK = task(example=url(1), limit="null")
STEPS = ["grow"] * 2 + ["read"] * 10 + ["fetch"] * 2 + ["write"] * 2 + ["die", "save", "save", "save", "go_back"]
STEPS_OF_A_HISTORY = 100


class SpiderKilled(Exception):
    """The spider died between entering a list's links and recording the end of the list."""


class Section:
    """A section, the system that crawls it, and the chance by which things happen to both."""

    def __init__(self, connection, folder, seed):
        self.redis, self.choose = connection, random.Random(seed)
        self.articles, self.epoch = 5, 0
        self.ledger, self.run = Ledger(connection, "news"), None
        sink = JsonLinesSink(folder / "a.jsonl")
        self.output = Output(sink.name, sink, pause=1.0, patience=1.0)
        self.saved = []  # earlier states of Redis
        self.is_calm = False
        self._begin_epoch()

    def grow(self):
        self.articles += self.choose.choice([0, 1, 2, 3, 7, 12])

    def read(self):
        """Read one list, or end the run if there is none; begin a run if there is none."""
        if self.run is None:
            at_once = self.choose.choice([1, ARTICLES_OF_A_LIST])
            bounds = RunBounds(now=clock_of(self.redis).moment, entered_at_once=at_once)
            self.run = SectionRun(self.redis, TASK, bounds=bounds)
            self.run.begin()
        if self.choose.random() < 0.5:
            self.run.beat()
        listed = self.run.next_list()
        if listed is None:
            self._end()
        elif not self.is_calm and self.choose.random() < 0.1:
            self.run.lists.record_failure(listed, "http 503", passing=True)
        else:
            self._read(listed)

    def complete_a_run(self):
        """Let the present run, or a new one, come to its end without a disturbance."""
        self.is_calm = True
        self.read()
        while self.run is not None:
            self.read()
        self.is_calm = False

    def fetch(self):
        """Fetch all that waits."""
        if self.run is not None:
            for lease in self.run.articles.lease(1000):
                self.run.articles.hand_in(lease.fingerprint, page(lease.url))
            self.run.articles.flush()

    def write(self):
        """Do what a worker does that writes some of the pages and dies before it has settled all of them."""
        with self.output.exclusive():
            heal(self.ledger, CONFIG, self.output, [self.output], f"epoch {self.epoch}", lambda: None)
        numbers = {fingerprint(url(number)): number for number in range(1, self.articles + 1)}
        names = [name.decode() for name in self.redis.zrange(self.ledger.keys["fetched"], 0, -1)]
        for name in self.choose.sample(names, self.choose.randint(0, len(names))):
            address = url(numbers[name])
            write(self.output.sink, row(numbers[name], task="news", url=address, canonical_url=address))
            if self.choose.random() < 0.9:
                self.ledger.settle(name, "written", "")

    def die(self):
        """The spider is killed, and its leases expire."""
        disband(self.redis, "news")
        self.ledger.reclaim()
        self.run = None

    def save(self):
        self.saved.append({key: self.redis.dump(key) for key in self.redis.keys("*")})

    def go_back(self):
        """Redis is emptied or goes back to an earlier state, while a spider runs or not."""
        if self.choose.random() < 0.5:
            self.die()
        self.redis.flushall()
        self.saved = self.saved[-8:]
        del self.saved[0 if self.choose.random() < 0.1 else self.choose.randint(1, 8) :]
        for key, value in (self.saved[-1] if self.saved else {}).items():
            self.redis.restore(key, 0, value)
        self._begin_epoch()
        disband(self.redis, "news")  # these keys would have expired
        if self.run is None:
            self.ledger.reclaim()

    def unknown(self):
        return [number for number in range(1, self.articles + 1) if self.ledger.state_of(url(number)) is None]

    def _read(self, listed):
        if not self.is_calm and self.choose.random() < 0.05:
            self.run.lists.state.end_list = self._kill
        try:
            body = list_of(listed.url, self.articles, ARTICLES_OF_A_LIST)
            self.run.lists.read(listed, page(listed.url, body))
        except SpiderKilled:
            self.die()

    def _end(self):
        self.fetch()
        if self.choose.random() < 0.3:
            self.save()
        if self.run.pause() != 0.0:  # else it has begun the walk again
            self.run.end("finished")
            self.run = None

    def _kill(self, *_):
        raise SpiderKilled

    def _begin_epoch(self):
        self.epoch += 1
        run_id = self.redis.info("server")["run_id"]
        self.redis.delete(keys.EPOCH)
        self.redis.hset(keys.EPOCH, mapping={"id": f"epoch {self.epoch}", "run_id": run_id})


@pytest.mark.parametrize("seed", range(sample(4, 30)))
def test_every_article_is_known_after_whatever_happened(connection, tmp_path, seed):
    section = Section(connection, tmp_path, seed)
    section.complete_a_run()  # later walks end at known articles
    for _ in range(STEPS_OF_A_HISTORY):
        getattr(section, section.choose.choice(STEPS))()
    for _ in range(2):
        section.complete_a_run()
    assert section.unknown() == []
