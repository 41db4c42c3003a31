"""A page that is settled is on the disk, whenever its worker is killed.

A worker is killed at each step from its first change of a file on. Then other workers continue in one of several ways,
and the power fails after each of them. See `interruptions` for what is on the disk then.
"""

import csv
import io
import itertools

import pytest
import redis

from tests.samples import sample
from tests.workers.helpers import CHEAP, TASK, deliver, news, publish, states, url
from tests.workers.interruptions import Disk, by_url
from tests.workers.sinks.test_warc import records
from workers.ledger import Ledger
from workers.pages.kept_pages import KeptPages
from workers.sinks import Target
from workers.sinks.reading import jsonl_rows, sqlite_rows
from workers.worker_processes.extraction_worker import ExtractionWorker

pytestmark = pytest.mark.timeout(900)
PAGES = {number: news(number) for number in (1, 2, 3)}
OTHERS = {number: news(number) for number in (4, 5)}
OUTPUTS = (
    "new/folder/{date}.jsonl", "notes/{date}/{id}.md", "out.db", "new/out.warc.gz", "kept pages",
)  # fmt: skip


def bodies(folder, output):
    """The text, or the raw page, of each URL in an output."""
    if output == "kept pages":
        kept = KeptPages(folder / "pages" / TASK / f"{TASK}.kept")
        found = kept.read(kept.newest_of_each_url()) if kept.path.exists() else []
        kept.close()
        return by_url((page.url, page.page.body) for page in found)
    if output.endswith(".warc.gz"):
        found = records(*sorted((folder / "new").glob("out*.warc.gz"))) if (folder / "new").exists() else []
        return by_url((each[1]["WARC-Target-URI"], each[3]) for each in found if each[0] == "response")
    return by_url((row["url"], row["text"]) for row in _rows(folder, output))


def _rows(folder, output):
    if output.endswith(".csv"):
        path = folder / output
        return csv.DictReader(io.StringIO(path.read_text("utf-8"))) if path.exists() else []
    if output.endswith(".md"):
        return [_article(path.read_text("utf-8")) for path in folder.glob("notes/*/*.md") if path.stat().st_size]
    target = Target(output, output, TASK, folder)
    return list(sqlite_rows(target) if output.endswith(".db") else jsonl_rows(target))


def _article(text):
    _, head, body = text.split("---\n", 2)
    [line] = [line for line in head.splitlines() if line.startswith("url: ")]
    return {"url": line.removeprefix("url: ").strip('"'), "text": body}


def extract(redis_url, name, *jobs):
    """Extract pages as a worker that stays; those of a worker that has died are free by then."""
    connection = redis.Redis.from_url(redis_url)
    Ledger(connection, TASK).free("first")
    worker = ExtractionWorker(connection, name)
    for pages in jobs:
        worker.extract_pages(TASK, pages)


def begin(connection, folder, output, **more):
    folder.mkdir(exist_ok=True)
    kept = {"keep_pages": 1e6} if output == "kept pages" else {}
    outputs = ["out.jsonl"] if output == "kept pages" else [output] + ["beside.jsonl"] * output.endswith(".warc.gz")
    publish(connection, folder, *outputs, method=CHEAP, **kept, **more)


def check(connection, disk, output, truth):
    """Compare what a power failure leaves with what is settled; return how many pages are."""
    left = bodies(disk.after_power_failure(), output)
    written = {url(number) for number in (*PAGES, *OTHERS) if states(connection, number) == ["written"]}
    assert {one: left.get(one) for one in written} == {one: truth[one] for one in written}
    assert left.items() <= truth.items()
    return len(written)


def redelivered(connection, redis_url, disk, output, names):
    disk.run(extract, redis_url, "second", names)


def after_others(connection, redis_url, disk, output, names):
    """Other pages are written to the files first."""
    disk.run(extract, redis_url, "second", deliver(connection, OTHERS))


def emptied(connection, redis_url, disk, output, names):
    """Redis lost everything meanwhile; the rows are learnt from the output."""
    connection.flushall()
    begin(connection, disk.folder, output)
    disk.run(extract, redis_url, "second", deliver(connection, OTHERS))


@pytest.fixture(scope="module", params=OUTPUTS)
def reference(request, redis_url, tmp_path_factory):
    """An output, and what it has after a quiet run."""
    folder, connection = tmp_path_factory.mktemp("quiet"), redis.Redis.from_url(redis_url)
    connection.flushall()
    begin(connection, folder, request.param)
    extract(redis_url, "quiet", deliver(connection, PAGES | OTHERS))
    truth = bodies(folder, request.param)
    assert len(truth) == len(PAGES) + len(OTHERS)
    return request.param, truth


@pytest.mark.parametrize("goes_on", [redelivered, after_others, emptied])
def test_what_is_settled_is_on_the_disk(connection, redis_url, tmp_path, reference, goes_on):
    output, truth = reference
    # In the short form, every ninth step is killed, with one of the three continuations by turns.
    first = sample(9 * [redelivered, after_others, emptied].index(goes_on) + 1, 1)
    for kill in itertools.count(first, sample(27, 1)):
        connection.flushall()
        begin(connection, tmp_path / str(kill), output)
        names = deliver(connection, PAGES)
        disk = Disk(tmp_path / str(kill))
        is_through = disk.run(extract, redis_url, "first", names, kill_at=kill, from_first_change=True)
        check(connection, disk, output, truth)
        goes_on(connection, redis_url, disk, output, names)
        check(connection, disk, output, truth)
        disk.run(extract, redis_url, "third", deliver(connection, PAGES), names)
        assert check(connection, disk, output, truth) >= len(PAGES)
        by_url(bodies(disk.folder, output).items())
        if is_through:
            break
    assert kill > 5
