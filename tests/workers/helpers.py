"""Pages, extraction configs and patience for the tests of the workers."""

import json
import multiprocessing
import random
import time
from contextlib import closing
from datetime import UTC, datetime

from workers import keys
from workers.extraction.re_extraction import ReExtraction, kept_pages_for
from workers.extraction_config import ExtractionConfig, keep_example
from workers.inbox import Inbox
from workers.ledger import Ledger, day_of
from workers.page_store import StoredPage
from workers.reporting.worker_reports import Watch
from workers.url_states import FINAL_STATES, Counts, Found, fingerprint
from workers.worker_processes.extraction_worker import ExtractionWorker

TASK = "gazette"
SITE = "http://gazette.example/a/"
FETCHED_AT = datetime(2026, 3, 12, 8, 30, tzinfo=UTC)
CHEAP = "article-deviation"  # a method that takes a sixth of the time of `auto`, for tests of what comes after it
CLOCKS_DIFFER = 0.5  # seconds by which Redis' time, as two connections measure it, may differ at most
PATIENCE = 60.0  # seconds that processes may take; a busy machine needs many times a quiet one's

_SENTENCES = (
    "The harbour office opened its new tide station on Monday after two years of repairs.",
    "Engineers say that the old gauge had been wrong by almost a hand's breadth since the storm.",
    "Fishermen may read the numbers on a board beside the pier, day and night, free of charge.",
    "A second gauge is to follow in spring, if the council allows the mast.",
)


class Reports(Watch):
    """Keeps what a worker reports."""

    def __init__(self):
        super().__init__()
        self.messages = []

    def send(self, message):
        self.messages.append(message)

    @property
    def problems(self):
        return [message["problem"] for message in self.messages if "problem" in message]


def url(number):
    return f"{SITE}{number}.html"


def number_of(url):
    """The number of an article in its URL."""
    return int(url.rpartition("/")[2].removesuffix(".html"))


def article(number, *, word="plain", said="", canonical=None, head="", sentences=_SENTENCES):
    """An article that says its number, or what is `said`, in every paragraph.

    `canonical`: what the page names as its own URL.
    """
    link = f'<link rel="canonical" href="{canonical}">' if canonical else ""
    text = "".join(f"<p>{said or f'Story {number}, {word}'}: {sentence}</p>" for sentence in sentences)
    return f"""<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Story {number} - The Gazette</title>
        {link}{head}</head><body><div class="nav"><a href="/">Home</a> <a href="/town">Town</a></div>
        <div class="main"><h1>Story {number}</h1><div class="story">{text}</div></div>
        <div class="foot">The Gazette, 7 Market Square.</div></body></html>""".encode()


WORDS = (
    "harbour tide gauge mast council storm pier winter ferry lantern bakery market orchard bridge school river clock "
    "museum garden library marsh engine station village charter meadow festival regatta workshop quarry"
)


def news(number, **more):
    """An article that says something else than those of other numbers. `more` as for `article`."""
    chance = random.Random(number)
    sentences = [" ".join(chance.choices(WORDS.split(), k=14)) + "." for _ in range(6)]
    return article(number, sentences=sentences, **more)


def rows(folder, name="out.jsonl"):
    """The rows of an output; none if nothing was written."""
    path = folder / name
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def publish(connection, folder, *outputs, task=TASK, **more):
    """Publish an extraction config as the crawler does, and keep an example page for it."""
    outputs = outputs or ("out.jsonl",)
    config = ExtractionConfig(task, url(0), r"http://gazette\.example/a/\d+\.html", outputs, str(folder), **more)
    connection.hset(keys.CONFIGS, task, config.to_json())
    keep_example(connection, task, StoredPage(url(0), article(0), "text/html", FETCHED_AT), url(0))
    return config


def list_page(titles, day=3):
    """A list page with an entry for each title (by the number in its URL), of a day in March 2026."""
    entries = "".join(
        f'<li class="entry"><a href="/town/{number}.html">{title}</a> <span>2026-03-0{day}</span></li>'
        for number, title in titles.items()
    )
    return f"""<!DOCTYPE html><html lang="en"><head><title>Town news - The Gazette</title></head><body>
        <div class="nav"><a href="/">Home</a> <a href="/town">Town</a></div><h1>Town news</h1>
        <ul class="list">{entries}</ul><div class="foot">The Gazette, 7 Market Square.</div></body></html>""".encode()


_HEADLINES = (
    "The bakery in the old town bakes again", "Library van stops in villages", "How the salt marsh was built again",
    "The clock that pupils mended", "An argument about a bench", "A goose holds up the regatta",
)  # fmt: skip


def archive():
    """A list with teasers that might be prose, and with another template than the articles'."""
    entries = "".join(
        f'<div class="entry"><h2>{headline}</h2><span>2026-11-0{number}</span><p>{_SENTENCES[number % 3][:60]} and '
        f'so on with the rest … <a href="/town/{number}.html">Read more</a></p></div>'
        for number, headline in enumerate(_HEADLINES * 2)
    )
    return f"""<!DOCTYPE html><html><head><title>All news, page 2 - The Courier</title>
        <link rel="next" href="/town/?page=3"></head><body class="archive">
        <nav><a href="/start">Start</a> <a href="/all">All</a></nav><h1>All news, page 2</h1>{entries}
        <a href="/town/?page=2">Next page</a> <a href="/town/?page=3">3</a></body></html>""".encode()


class HandClock:
    """The present time in Unix seconds and, on top of it, the `offset` by which a test has moved it."""

    def __init__(self):
        self.offset = 0.0

    def __call__(self):
        return time.time() + self.offset

    def forward(self, seconds):
        self.offset += seconds


def deliver(connection, pages, *, task=TASK, wake=True, info=None, **more):
    """Pages (number → bytes) come in as from a spider, in one job of ten; says their fingerprints.

    `info`: the data on their URLs from discovery; `more`: as for `StoredPage`.
    """
    ledger, inbox = Ledger(connection, task), Inbox(connection)
    ledger.add([Found(url(number), info=info or {}) for number in pages])
    slightly_later = Ledger(connection, task)
    slightly_later.clock = lambda: ledger.clock() + CLOCKS_DIFFER
    slightly_later.lease(len(pages))
    fetched = {
        fingerprint(url(number)): StoredPage(url(number), body, "text/html; charset=utf-8", FETCHED_AT, **more)
        for number, body in pages.items()
    }
    inbox.deliver(ledger, fetched)
    if not wake:
        connection.delete(inbox.queue.key)
    return list(fetched)


def extracted_again(worker, task, **more):
    """The kept pages of a task are extracted again by one worker; says how many had which result."""
    ledger = Ledger(worker.redis, task)
    work = ReExtraction(ledger, kept_pages_for(ledger), **more)
    while not work.step():
        worker.extract_pages(task, [name.decode() for name in worker.redis.zrange(ledger.keys["fetched"], 0, -1)])
    return work.counts


def days_of(ledger):
    """The counts of the URLs that were first seen on each day; all open URLs count as waiting."""
    by_day = {}
    for raw, number in ledger.redis.hgetall(ledger.keys["days"]).items():
        code, _, state = raw.decode().partition(":")
        by_day.setdefault(day_of(code), {})[state] = int(number)
    return {day: _counts_of_day(row) for day, row in by_day.items() if row.get("seen")}


def _counts_of_day(row):
    final = {state: row.get(state, 0) for state in FINAL_STATES}
    open_ = row["seen"] - sum(final.values())
    return Counts(row["seen"], {"waiting": open_, "leased": 0, "fetched": 0, **final})


def take(ledger, name, worker, *, seconds):
    """Lease a fetched page to a worker that begins to work on it; None if it is settled or leased to another."""
    lease = next((lease for batch in ledger.take_all([name], worker, seconds=seconds) for lease in batch), None)
    if lease is not None:
        ledger.begin(lease, worker, seconds=seconds)
    return lease


def claim(ledger, name, canonical, worker):
    """Claim a canonical URL for one leased page."""
    return ledger.claim_all([(name, canonical)], worker)[0]


def holds(ledger, name, worker):
    """Whether a worker still holds a page."""
    return ledger.redis.hget(ledger.keys["holders"], name) == worker.encode()


def fetch_waiting(ledger, body_of, **more):
    """Let the pages of all URLs that wait come in (`body_of`: number → bytes); says their fingerprints."""
    pages = {
        leased.fingerprint: StoredPage(
            leased.url, body_of(number_of(leased.url)), "text/html; charset=utf-8", FETCHED_AT, **more
        )
        for leased in ledger.lease(100)
    }
    Inbox(ledger.redis).deliver(ledger, pages)
    return list(pages)


def come_again(ledger, clock, body, seconds, **more):
    """Let the time be so many seconds after the test's begin, and the pages come in whose recheck is due: their names.

    `more`: as for `StoredPage`.
    """
    clock.offset = seconds
    ledger.start_rechecks()
    return fetch_waiting(ledger, lambda _: body, **more)


def extract(connection, names, *, name="other", **more):
    """Let a worker that ends then extract pages."""
    with closing(ExtractionWorker(connection, name, **more)) as worker:
        worker.extract_pages(TASK, names)


def lose_ledger(connection):
    """Redis loses what it knows of the task, its example excepted, and is in another epoch then."""
    connection.delete(*[key for key in connection.keys(f"exemplar:task:{TASK}:*") if b":example" not in key])
    connection.hset(keys.EPOCH, mapping={"id": "another", "run_id": "another"})


def states(connection, *numbers, task=TASK):
    ledger = Ledger(connection, task)
    return [found[0] if (found := ledger.state_of(url(number))) else None for number in numbers]


def at_once(work, *arguments):
    """Let processes do a work at the same time, one for each tuple of arguments."""
    processes = [multiprocessing.get_context("fork").Process(target=work, args=each) for each in arguments]
    for process in processes:
        process.start()
    for process in processes:
        process.join(PATIENCE)
    assert [process.exitcode for process in processes] == [0] * len(processes)
