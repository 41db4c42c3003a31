"""A snapshot of Redis: what one release leaves there, so that a test of a later one can go on from it.

    python -m tests.workers.snapshot 0.3.0      the present code → snapshots/0.3.0.json

A release's snapshot is made once, with its own code, and never changed. That of 0.2.0, which had no such script, was
made by a form of this one for its code.

The state is small and invented: of three tasks, the second run of `gazette` was killed, that of `courier` ended, and
`board` reads list pages. All of it is written by the system's own code: publication, runs, inbox, workers, schedule,
pace. Each key is a JSON object of `type`, `ttl` (milliseconds; null without one) and `value`. Text that is not UTF-8 is
`{"base64": …}`; hashes and sorted sets are lists of pairs. The folder of the outputs is `FOLDER`. `at`: when the
snapshot was made, in Unix seconds.
"""

import base64
import json
import re
import socket
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

import redis

from crawler.politeness.host_files import HostFile, HostFiles
from crawler.politeness.pace import HostProblem, Pace
from crawler.run.fetches import Answered, ArticleFetch, Unanswered
from crawler.run.outcomes import Outcome
from crawler.run.section_run import SectionRun
from crawler.scheduling.schedule import Schedule
from crawler.task_list.file import loads
from crawler.task_list.publication import publish
from workers.inbox import Inbox, StoredPage
from workers.ledger import Ledger
from workers.redis_access.embedded import Embedded
from workers.reporting.presence import Presence
from workers.task_state.forgetting import expire
from workers.url_states import Found, fingerprint
from workers.worker_processes.extraction_worker import ExtractionWorker

from .helpers import FETCHED_AT, WORDS, list_page, news, number_of, take

FOLDER = "/srv/exemplar"  # stands for the folder of tasks.yaml
MACHINE = "machine.example"  # stands for the name of this one
HTML = "text/html; charset=utf-8"
GAZETTE, COURIER = "http://gazette.example", "http://courier.example"
TASKS = """
tasks:
  gazette:
    example: http://gazette.example/a/100.html
    pattern: /a/{id}.html
    start: /a/
    every: 1h
    output: ["{task}.jsonl", articles.db]
    drop: [obituary]
    revisit: 1h for 30d
    forget: 180d
  courier:
    example: http://courier.example/n/100.html
    pattern: /n/{id}.html
    start: /n/
    every: auto
    output: courier.jsonl
  board:
    example: http://board.example/b/1.html
    pattern: /b/{id}.html
    every: 1d
    output: board.jsonl
    method: list-rank
"""


def article(number, *, word="", **more):
    """A page of an invented article; those of other numbers have other texts."""
    return news(number, said=f"Story {number}{word}", **more)


def page(url, body, **more):
    """A fetched page."""
    return StoredPage(url, body, HTML, FETCHED_AT, **more)


def links(path, *numbers, following=""):
    """A list page that links to articles, and to the list page that follows it."""
    more = f'<a rel="next" href="{following}">Next page</a>' if following else ""
    return ("".join(f'<a href="{path}{number}.html">Story {number}</a>' for number in numbers) + more).encode()


def entries(*numbers):
    """A list page with an entry for each number."""
    words = WORDS.split()
    titles = {n: f"{words[n].title()} news: the {words[n + 1]} and the {words[n + 2]} of the town" for n in numbers}
    return list_page(titles)


# -- filling -----------------------------------------------------------------------------------------------------------


def fill(connection, folder):
    """Let the system write its state into an empty Redis. `folder`: where the outputs of its workers are written."""
    tasks = loads(TASKS, folder=folder)
    publish(connection, tasks, folder / "tasks.yaml")
    run_that_ends(connection, tasks["courier"], COURIER, "/n/")
    courier_ledger(connection)
    run_that_ends(connection, tasks["gazette"], GAZETTE, "/a/")
    extract(connection, "gazette", folder)
    extract(connection, "courier", folder, most=3)
    board(connection, folder)
    take_jobs(connection)
    run_that_is_killed(connection, tasks["gazette"])
    Inbox(connection).wake("courier", [fingerprint(f"{COURIER}/n/23.html")])
    dead_worker(connection)
    schedule_and_hosts(connection)


def run_that_ends(connection, task, host, path):
    """A first run: the example, a list, four articles, a dead link, and one that is tried again later."""
    run = SectionRun(connection, task)
    run.begin()
    [example] = run.next()
    run.settle(example, Answered(200, page(task.example, article(100))))
    headers = {
        "etag": '"one"',
        "last-modified": "Mon, 02 Mar 2026 08:00:00 GMT",
        "date": "Thu, 12 Mar 2026 08:30:00 GMT",
    }
    answers = {
        f"{host}{path}": Answered(200, page(f"{host}{path}", links(path, *range(1, 9))), headers),
        f"{host}{path}4.html": Answered(200, page(f"{host}{path}4.html", article(4, canonical=f"{host}{path}44.html"))),
        f"{host}{path}5.html": Answered(404, page(f"{host}{path}5.html", b"gone")),
        f"{host}{path}6.html": Unanswered(Outcome("again", "no answer in time"), f"{host}{path}6.html"),
        f"{host}{path}7.html": Answered(200, page(f"{host}{path}7.html", article(7, word=" obituary"))),
        f"{host}{path}8.html": Answered(200, page(f"{host}{path}8.html", article(1, canonical=f"{host}{path}1.html"))),
    }
    while fetches := run.next():
        for fetch in fetches:
            if fetch.url in answers:
                answer = answers[fetch.url]
            elif isinstance(fetch, ArticleFetch):
                answer = Answered(200, page(fetch.url, article(number_of(fetch.url))))
            else:
                answer = Unanswered(Outcome("reject", "http 404"), fetch.url)
            run.settle(fetch, answer)
    run.end("finished")


def courier_ledger(connection):
    """What a run does not bring about: a forgotten URL, failed ones, an accepted one, an article of several pages."""
    ledger = Ledger(connection, "courier")
    old, failed, taken, whole = (f"{COURIER}/n/{number}.html" for number in (20, 21, 22, 23))
    ledger.add([Found(old)])
    ledger.settle(fingerprint(old), "rejected", "栏目页")
    expire(ledger, timedelta(days=-1))
    ledger.add([Found(failed), Found(taken), Found(whole, -5.0, {"days": ["2026-01-01", None]})])
    ledger.settle(fingerprint(failed), "failed", "http 500")
    ledger.settle(fingerprint(taken), "rejected", "a list page")
    ledger.accept(taken)
    ledger.lease(100)
    ledger.put_back([fingerprint(taken)])
    parts = tuple(page(f"{whole}?page={number}", article(23, word=f" page {number}")) for number in (2, 3))
    headers = {"x-robots-tag": ["noarchive", "bot: none"], "tdm-reservation": ["1"]}
    first = page(whole, article(23), headers=headers, parts=parts, missing=(f"{whole}?page=4",))
    deliver(connection, ledger, fingerprint(whole), first)


def board(connection, folder):
    """A list page whose entries have their rows, and one that shares two of them and waits for extraction."""
    ledger = Ledger(connection, "board")
    for number, shown in ((1, entries(1, 2, 3, 4)), (2, entries(3, 4, 5, 6))):
        url = f"http://board.example/b/{number}.html"
        ledger.add([Found(url)])
        ledger.lease(1)
        deliver(connection, ledger, fingerprint(url), page(url, shown))
        if number == 1:
            extract(connection, "board", folder)


def deliver(connection, ledger, name, fetched):
    """Hand a page in as a spider does."""
    Inbox(connection).deliver(ledger, {name: fetched})


def extract(connection, task, folder, most=None):
    """Let a worker extract pages that wait: those of the first jobs, `most` of them."""
    worker = ExtractionWorker(connection, "worker-one")
    names = [raw.decode() for raw in connection.zrange(f"exemplar:task:{task}:fetched", 0, -1)]
    worker.extract_pages(task, sorted(names)[:most])
    worker.close()


def take_jobs(connection):
    """Remove the wake-up jobs, as workers do that run them."""
    for key in connection.scan_iter("rq:*"):
        connection.delete(key)


def run_that_is_killed(connection, task):
    """A second run finds four new articles, fetches two of them, and ends without a word."""
    run = SectionRun(connection, task)
    run.begin()
    changed = Answered(
        200, page(f"{GAZETTE}/a/", links("/a/", *range(5, 15), following="/a/?page=2")), {"etag": '"two"'}
    )
    fetched = 0
    for _ in range(3):
        for fetch in run.next():
            if fetch.url == f"{GAZETTE}/a/":
                run.settle(fetch, changed)
            elif isinstance(fetch, ArticleFetch) and fetched < 3:
                fetched += 1
                run.settle(fetch, Answered(200, page(fetch.url, article(number_of(fetch.url)))))
    run.articles.flush()


def dead_worker(connection):
    """One worker took a page of each task and died; another one postponed a page."""
    ledger = Ledger(connection, "gazette")
    names = sorted(raw.decode() for raw in connection.zrange(ledger.keys["fetched"], 0, -1))
    assert take(ledger, names[0], "worker-dead", seconds=60.0)
    assert take(ledger, names[1], "worker-two", seconds=60.0)
    ledger.release(names[1], "worker-two", 5.0, "output unavailable: disk full")


def schedule_and_hosts(connection):
    """The schedule with one task running and one due, heartbeats, a closed host and its robots.txt."""
    schedule = Schedule(connection)
    schedule.plan({"gazette": "1h", "courier": "auto", "board": "1d"}, edition="0")
    schedule.fire_now(["gazette"])
    schedule.lease()
    schedule.fire_now(["courier"])
    for role in ("schedule", "crawl", "extract"):
        Presence(connection, role).show(workers=2)
    pace = Pace(connection)
    host = "courier.example:80"
    pace.on_problem(
        host, pace.request_permit(host, 0).at, HostProblem("http 429; Retry-After: 600 s", 600.0, slow=True)
    )
    pace.on_response("gazette.example:80", pace.request_permit("gazette.example:80", 1.0).at, 0.2)
    pace.crawl_delay("gazette.example:80", 2.0, 86400.0)
    HostFiles(connection, "robots").put(host, HostFile(200, b"User-agent: *\nDisallow: /private/\n"), 86400.0)


# -- dumping and loading -----------------------------------------------------------------------------------------------


def dump(connection, folder):
    """Return all keys with types, values and times to live, without the names of this machine and its folders."""
    plain = _Plain({re.escape(str(folder)): FOLDER, rf"\b{re.escape(socket.gethostname())}\b": MACHINE})
    entries = {}
    for key in sorted(connection.scan_iter(count=1000)):
        kind = connection.type(key).decode()
        ttl = connection.pttl(key)
        value = READERS[kind](connection, key)
        entries[plain(key)] = {"type": kind, "ttl": ttl if ttl >= 0 else None, "value": _mapped(value, plain)}
    return {"at": time.time(), "keys": entries}


def load(connection, stored, folder):
    """Write a snapshot into an empty Redis; its outputs are in `folder`."""
    for name, entry in stored["keys"].items():
        value = _mapped(entry["value"], lambda text: _bytes(text, folder), stored=True)
        key = _bytes(name, folder)
        match entry["type"]:
            case "string":
                connection.set(key, value)
            case "hash":
                connection.hset(key, mapping=dict(value))
            case "list":
                connection.rpush(key, *value)
            case "set":
                connection.sadd(key, *value)
            case "zset":
                connection.zadd(key, dict(value))
        if entry["ttl"] is not None:
            connection.pexpire(key, entry["ttl"])


READERS = {
    "string": lambda connection, key: connection.get(key),
    "hash": lambda connection, key: [list(pair) for pair in sorted(connection.hgetall(key).items())],
    "list": lambda connection, key: connection.lrange(key, 0, -1),
    "set": lambda connection, key: sorted(connection.smembers(key)),
    "zset": lambda connection, key: [list(pair) for pair in connection.zrange(key, 0, -1, withscores=True)],
}


class _Plain:
    """Bytes as text or base64, with some patterns replaced."""

    def __init__(self, replaced):
        self._replaced = replaced

    def __call__(self, raw):
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            return {"base64": base64.b64encode(raw).decode()}
        for pattern, other in self._replaced.items():
            text = re.sub(pattern, other, text)
        return text


def _bytes(text, folder):
    if isinstance(text, dict):
        return base64.b64decode(text["base64"])
    return text.replace(FOLDER, str(folder)).encode()


def _mapped(value, change, *, stored=False):
    """Return a value with each of its strings changed."""
    if isinstance(value, list):
        return [_mapped(part, change, stored=stored) for part in value]
    return value if isinstance(value, float) else change(value)


def main(version):
    """Write the snapshot of a version beside this file."""
    with tempfile.TemporaryDirectory() as folder:
        server = Embedded(Path(folder) / "state")
        try:
            connection = redis.Redis.from_url(server.start())
            fill(connection, Path(folder) / "tasks")
            stored = dump(connection, Path(folder) / "tasks")
        finally:
            server.stop()
    path = Path(__file__).parent / "snapshots" / f"{version}.json"
    path.write_text(json.dumps(stored, ensure_ascii=False, indent=1) + "\n", "utf-8")
    print(f"{path}: {len(stored['keys'])} keys, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1])
