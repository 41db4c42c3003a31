"""Procedures of several steps, killed at each of their steps, as a worker or a person then repeats them.

Afterwards nothing is lost, nothing is there twice, the counts add up, and nothing is left that blocks.
"""

import itertools
import json
import shutil
import sqlite3
from contextlib import closing, suppress
from datetime import timedelta
from itertools import count
from unittest.mock import patch

import pytest
import redis

from tests.samples import sample
from tests.workers.sinks.test_durability import bodies, extract
from workers import keys
from workers.errors import ExemplarError
from workers.extraction import ledger_recovery
from workers.extraction.ledger_recovery import heal
from workers.extraction.re_extraction import ReExtraction, kept_pages_for
from workers.extraction.section_preparation import SectionPreparation
from workers.extraction_config import ExtractionConfig, config_of
from workers.ledger import Ledger
from workers.redesign.adoption import adopt
from workers.redesign.off_template import OffTemplatePages
from workers.redesign.proposal_finder import LOCKED_FOR, ProposalFinder
from workers.redesign.proposals import proposal_of
from workers.redis_access.epoch import current_epoch
from workers.reporting.worker_reports import Watch
from workers.sinks import OutputOptions, open_sink
from workers.task_state import forgetting
from workers.task_state.forgetting import expire, forget_task, forget_url
from workers.task_state.renaming import check_rename, rename_kept_pages, rename_task
from workers.url_states import fingerprint
from workers.worker_processes.extraction_worker import ExtractionWorker
from workers.writing.export import export_rows
from workers.writing.outputs import Output

from .helpers import CHEAP, TASK, deliver, news, number_of, publish, states, url
from .interruptions import Disk, by_url
from .redesigned import TASK as PAPER
from .redesigned import RedesignedSection
from .sink_suite import row, write
from .small_process import run_in_fork

pytestmark = pytest.mark.timeout(900)
ROWS = sample(24, 40)


@pytest.fixture
def folder(tmp_path):
    """The empty folder of a task's outputs."""
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


class Saved:
    """The state of Redis and of a folder, to begin each kill from."""

    def __init__(self, connection, folder):
        self.redis, self.folder = connection, folder
        self._values = {name: connection.dump(name) for name in connection.keys("*")}
        self._copy = folder.with_name(f"{folder.name}.saved")
        shutil.copytree(folder, self._copy)

    def restore(self):
        self.redis.flushall()
        for name, value in self._values.items():
            self.redis.restore(name, 0, value)
        shutil.rmtree(self.folder)
        shutil.copytree(self._copy, self.folder)


def each_kill(saved, work, *arguments):
    """Kill the work at each of its steps in turn, each time from the same state; yields the disk and the step.

    The short form does so at every twelfth step.
    """
    for kill in count(1, sample(12, 1)):
        saved.restore()
        disk = Disk(saved.folder)
        is_through = disk.run(work, *arguments, kill_at=kill)
        yield disk, kill
        if is_through:
            assert kill > 2
            return


def counted(connection, task=TASK):
    """The counts of a task's states; they add up."""
    counts = Ledger(connection, task).counts()
    assert counts.unaccounted == 0
    return {state: number for state, number in counts.states.items() if number}


# -- recovery of the ledger --------------------------------------------------------------------------------------------


def article_row(number):
    return row(number, task=TASK, url=url(number), canonical_url=url(number))


def outputs_of(folder, names):
    return [Output(name, open_sink(name, TASK, folder), pause=1.0, patience=9.0) for name in names]


@patch.multiple(ledger_recovery, KNOWN_IN_A_ROW=10, OTHERS_IN_A_ROW=20)
@patch.object(forgetting, "AT_ONCE", 8)
def recover(redis_url, folder, names, empty_at=None):
    """Complete the ledger from the outputs, as before a write; Redis is emptied before a batch of rows is compared."""
    connection, steps = redis.Redis.from_url(redis_url), count()
    outputs = outputs_of(folder, names)
    config = ExtractionConfig(TASK, url(0), ".*", names, str(folder))

    def progress():
        if next(steps) == empty_at:
            connection.flushall()

    for output in outputs:
        while output.healed_in != (epoch := current_epoch(connection)):
            with output.exclusive():
                heal(Ledger(connection, TASK), config, output, outputs, epoch, progress)
        output.sink.close()


@pytest.mark.parametrize(("names", "empty_at"), [(("a.jsonl", "b.db"), None), (("a.jsonl",), 2)])
def test_a_recovery_that_is_killed_is_continued_by_the_next_worker(connection, redis_url, folder, names, empty_at):
    """One output has rows of other tasks between, and the other one, among its rows, some that the first one lacks."""
    first, *more = outputs_of(folder, names)
    lacking = {4, 5, 20, 21} if more else set()
    mixed = [part for number in range(ROWS) for part in (article_row(number), row(number, task="other"))]
    write(first.sink, *[one for one in mixed if one["url"] not in {url(number) for number in lacking}])
    for output in more:
        write(output.sink, *map(article_row, range(ROWS)))
        output.sink.close()
    for _, kill in each_kill(Saved(connection, folder), recover, redis_url, folder, names, empty_at):
        Disk(folder).run(recover, redis_url, folder, names, empty_at, kill_at=kill // 2 + 1)
        recover(redis_url, folder, names)
        found = states(connection, *range(ROWS))
        assert [number for number in range(ROWS) if found[number] != "written"] == sorted(lacking)
        assert counted(connection) == {"written": ROWS - len(lacking)}
        page_of = Ledger(connection, TASK).keys["page"]
        for number in lacking:
            noted = connection.hget(f"{page_of}:{fingerprint(url(number))}", "delivered")
            assert json.loads(noted) == [names[1]]


# -- kept pages that are extracted again -------------------------------------------------------------------------------


def extract_again(redis_url):
    """Extract the kept pages again by one worker, after what an interrupted run left; waiting pages are fetched."""
    connection = redis.Redis.from_url(redis_url)
    ledger, worker = Ledger(connection, TASK), ExtractionWorker(connection, "again")
    ledger.free("again", uncounted=[], killed=[])
    deliver(connection, {number_of(one["url"]): news(number_of(one["url"])) for one in ledger.open_urls("waiting")})

    def extract():
        worker.extract_pages(TASK, [name.decode() for name in connection.zrange(ledger.keys["fetched"], 0, -1)])

    extract()
    work = ReExtraction(ledger, kept_pages_for(ledger))
    while not work.step():
        extract()
    worker.close()
    return work.counts


def complete(redis_url):
    """Extract again what an interrupted run left; after that there is nothing to be done."""
    extract_again(redis_url)
    assert +extract_again(redis_url) == {"same": 3}


def versions(folder):
    lines = (folder / "out.jsonl").read_text("utf-8").splitlines()
    in_lines = by_url(((one["url"], one["version"]), one["text"]) for one in map(json.loads, lines))
    with closing(sqlite3.connect(folder / "out.db")) as database:
        found = database.execute("SELECT url, version, text FROM articles").fetchall()
    assert by_url(((url, version), text) for url, version, text in found) == in_lines
    return in_lines


def test_a_re_extraction_that_is_killed_is_completed_by_the_next(connection, redis_url, folder):
    """Two rows get a new text; a page that was refused gives its first row."""
    publish(connection, folder, "out.jsonl", "out.db", method=CHEAP, keep_pages=1e8)
    extract(redis_url, "here", deliver(connection, {number: news(number) for number in (1, 2, 3)}))
    with closing(sqlite3.connect(folder / "pages" / TASK / f"{TASK}.kept")) as database, database:
        database.execute("UPDATE articles SET content_hash = zeroblob(16), example_hash = zeroblob(16)")
    texts = {one: text for (one, _), text in versions(folder).items()}
    for _ in each_kill(Saved(connection, folder), extract_again, redis_url):
        assert run_in_fork(complete, redis_url) == 0
        expected = {(url(number), version): texts[url(number)] for number in (1, 2, 3) for version in (1, 2)}
        assert versions(folder) == expected
        assert counted(connection) == {"written": 3}


# -- export ------------------------------------------------------------------------------------------------------------


def export(folder, output):
    sink = open_sink(output, TASK, folder)
    export_rows([article_row(number) for number in range(5)], sink, OutputOptions(batch_rows=2))
    sink.close()


@pytest.mark.parametrize("output", ["new/{date}.jsonl.zst", "copy.csv", "copy.db"])
def test_an_export_that_is_killed_is_completed_by_the_next(connection, folder, output):
    for disk, _ in each_kill(Saved(connection, folder), export, folder, output):
        disk.run(export, folder, output)
        for left in (folder, disk.after_power_failure()):
            assert bodies(left, output) == {url(number): article_row(number)["text"] for number in range(5)}


# -- adoption and proposals --------------------------------------------------------------------------------------------


def adopt_proposal(redis_url):
    with suppress(ExemplarError):  # it has been adopted
        adopt(redis.Redis.from_url(redis_url), PAPER)


def rows_of(folder):
    lines = (folder / "out.jsonl").read_text("utf-8").splitlines()
    return by_url(((one["url"], one["version"]), one["text"]) for one in map(json.loads, lines))


def test_an_adoption_that_is_killed_is_completed_by_the_next(connection, redis_url, folder, clock):
    section = RedesignedSection(connection, folder, clock)
    section.come("classic", range(4))
    section.come("new", range(6, 10))
    section.worker.close()
    expected = None
    for kill in itertools.chain([None], each_kill(Saved(connection, folder), adopt_proposal, redis_url)):
        adopt_proposal(redis_url)
        assert section.ledger.counts().states["waiting"] == 0  # all of the pages are in Redis
        section.worker = ExtractionWorker(connection, "here")
        section.work()
        section.worker.close()
        assert counted(connection, PAPER) == {"written": 8}
        expected = expected or rows_of(folder)
        assert rows_of(folder) == expected
        assert len(expected) > 8 or kill
        proposal = proposal_of(connection, PAPER)
        assert (proposal.state, proposal.gap is not None) == ("adopted", True)
        assert not OffTemplatePages(connection, PAPER).count()
        assert not connection.exists(keys.of_task(PAPER, "low:tried"))


def look(redis_url):
    connection = redis.Redis.from_url(redis_url)
    section = SectionPreparation(connection, Watch()).prepare(config_of(connection, PAPER))
    ProposalFinder(connection, section).look()


def test_a_search_for_an_example_that_is_killed_is_repeated_and_adopts_it(
    connection, redis_url, folder, clock, monkeypatch
):
    section = RedesignedSection(connection, folder, clock, redesign="adopt")
    section.come("classic", range(4))
    with monkeypatch.context() as patch:
        patch.setattr(ProposalFinder, "look", lambda finder: None)
        section.come("new", range(6, 10))
    section.worker.close()
    for _ in each_kill(Saved(connection, folder), look, redis_url):
        for key in connection.keys(f"{keys.PREFIX}task:{PAPER}:low:*"):
            if 0 < connection.ttl(key) <= LOCKED_FOR:
                connection.delete(key)  # as it ends by itself, two minutes later
        section.worker = ExtractionWorker(connection, "here")
        section.come("new", [10])
        section.work()
        section.come("new", range(6, 10))  # those that the spider of page 10 has leased
        section.worker.close()
        proposal = proposal_of(connection, PAPER)
        assert (proposal.state, proposal.problem) == ("adopted", "")
        assert not OffTemplatePages(connection, PAPER).count()
        assert counted(connection, PAPER) == {"written": 9}
        assert len({one for one, _ in rows_of(folder)}) == 9


# -- forgetting --------------------------------------------------------------------------------------------------------


def forget(redis_url, act, *arguments):
    connection = redis.Redis.from_url(redis_url)
    act(connection if act is forget_task else Ledger(connection, TASK), *arguments)


@pytest.fixture
def saved(connection, redis_url, folder):
    """A task with an article under another canonical URL, and two further ones."""
    publish(connection, folder, method=CHEAP)
    pages = {1: news(1, canonical=url(7)), 2: news(2), 3: news(3)}
    extract(redis_url, "here", deliver(connection, pages))
    return Saved(connection, folder)


@pytest.mark.parametrize("act", [(forget_url, url(1)), (expire, timedelta(days=-1))])
def test_a_forgotten_article_is_not_written_twice_when_forgetting_was_killed(connection, redis_url, saved, act, clock):
    for _ in each_kill(saved, forget, redis_url, *act):
        forget(redis_url, *act)
        assert not connection.hlen(Ledger(connection, TASK).keys["claims"])
        counted(connection)
        extract(redis_url, "here", deliver(connection, {7: news(1)}))  # the article under its other URL
        assert states(connection, 7) == ["written"]
        assert len(bodies(saved.folder, "out.jsonl")) == 3


def test_a_task_that_is_forgotten_leaves_nothing_when_that_was_killed(connection, redis_url, saved):
    deliver(connection, {4: news(4), 5: news(5)})
    saved = Saved(connection, saved.folder.rename(saved.folder.with_name("more")))
    for _ in each_kill(saved, forget, redis_url, forget_task, TASK):
        forget_task(connection, TASK)
        left = {name.decode() for name in connection.keys(f"{keys.PREFIX}task:{TASK}:*")}
        assert left == {Ledger(connection, TASK).keys["counts"]}
        assert set(connection.hvals(keys.STORED)) <= {b"0"}
        assert not Ledger(connection, TASK).counts().seen


# -- renaming ----------------------------------------------------------------------------------------------------------


def rename(redis_url):
    connection = redis.Redis.from_url(redis_url)
    check_rename(connection, TASK, "new")
    rename_kept_pages(connection, TASK, "new")
    rename_task(connection, TASK, "new")


def test_a_task_whose_renaming_is_killed_has_all_under_one_name(connection, redis_url, folder):
    publish(connection, folder, method=CHEAP, keep_pages=1e8)
    extract(redis_url, "here", deliver(connection, {1: news(1), 2: news(2)}))
    for _ in each_kill(Saved(connection, folder), rename, redis_url):
        if Ledger(connection, TASK).counts().seen:
            rename(redis_url)
        assert counted(connection, "new") == {"written": 2}
        assert not connection.keys(f"{keys.PREFIX}task:{TASK}:*")
        kept = [path.name for path in folder.rglob("*.kept")]
        assert kept == ["new.kept"]
