"""Kept pages come back as they were, take little room, and are removed when they are old."""

import random
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from threading import Barrier

import pytest

from tests.workers.helpers import news, url
from tests.workers.page_sink_suite import FIRST, PageSinkSuite, StoppedClock, source, write
from workers.extraction_config import ExtractionConfig
from workers.page_store import StoredPage
from workers.pages.kept_pages import KeptPages, kept_pages_of
from workers.sinks import SourcePage

DAY = 86400


class TestKeptPages(PageSinkSuite):
    def open(self, folder, **more):
        return KeptPages(self.path(folder), **more)

    def path(self, folder):
        return folder / "pages" / "gazette.kept"

    def read(self, folder):
        kept = self.open(folder)
        with closing(sqlite3.connect(kept.path)) as database:
            ids = [one for (one,) in database.execute("SELECT id FROM pages")]
        return [(page.url, page.page.body) for page in kept.read(ids)]


@pytest.fixture
def clock():
    return StoppedClock()


@pytest.fixture
def kept(tmp_path, clock):
    kept = KeptPages(tmp_path / "gazette.kept", keep=30 * DAY, clock=clock)
    yield kept
    kept.close()


def urls(kept, **more):
    return [page.url for page in kept.read(kept.newest_of_each_url(**more))]


def sizes(kept):
    with closing(sqlite3.connect(kept.path)) as database:
        return [database.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("pages", "articles")]


def test_everything_that_an_extraction_reads_comes_back(kept):
    at = datetime.fromtimestamp(FIRST + 0.123456, UTC)
    parts = (StoredPage(url(8), b"second", "text/html", at), StoredPage(url(9), b"third", "", at))
    page = StoredPage(url(7), b"first", "text/html; x=\xe9", at, {"x-robots-tag": ["noai", "b"]}, parts, (url(10),))
    info = {"rank": -3.25, "day": "50c1", "accepted": True, "days": ["2026-01-01", None], "name": "\ud800"}
    write(kept, SourcePage(url(1), page, (), "list", {**info, "url": "not this", "visits": {"hash": "x"}}))
    [read] = kept.read(kept.newest_of_each_url())
    assert (read.url, read.page, read.kind, read.info) == (url(1), page, "list", info)


def test_what_is_rolled_back_is_no_base(kept):
    pages = [*map(source, range(100, 150))]
    broken = replace(pages[-1], rows=({},))
    with pytest.raises(KeyError):
        write(kept, *pages[:-1], broken)
    write(kept, *map(source, range(50)))
    assert [page.page.body for page in kept.read(kept.newest_of_each_url())] == [*map(news, range(50))]


def test_of_each_url_the_newest_page_that_gave_a_row_is_extracted_again(kept):
    write(kept, source(1), source(2, kind="refused"), source(3, kind="list"), source(4))
    write(kept, source(1, at=60, kind="refused"), source(2, at=60, kind="refused"), source(3, at=60, kind="list"))
    write(kept, source(4, at=60, version=2))
    ids = kept.newest_of_each_url()
    found = sorted((page.url, page.page.fetched_at.timestamp() - FIRST) for page in kept.read(ids))
    assert found == [(url(1), 0), (url(2), 60), (url(3), 0), (url(3), 60), (url(4), 60)]
    assert sorted(urls(kept, since=FIRST + 30)) == [url(2), url(3), url(4)]
    assert kept.find(url(4)).page.fetched_at.timestamp() == FIRST + 60
    assert kept.find(url(5)) is None


def test_the_newest_version_of_each_row_is_known(kept):
    write(kept, source(1, version=2))
    write(kept, source(1, at=60, version=1))
    [(page, newest)] = kept.rows_of([1, 2]).items()
    assert (page, newest.version, f"{1:064x}".startswith(newest.hash.hex())) == (1, 2, True)


def test_a_refused_page_whose_worker_died_may_give_a_row_after_all(kept):
    write(kept, source(1, kind="refused"))
    write(kept, source(1))
    assert [page.kind for page in kept.read(kept.newest_of_each_url())] == ["article"]
    assert kept.rows_of([1])[1].version == 1


def test_old_pages_are_removed_in_small_steps_and_their_bases_with_them(kept, clock):
    for day in range(120):
        clock.now = FIRST + day * DAY
        write(kept, *(source(10 * day + number, at=day * DAY) for number in range(3)))
        assert len(kept.newest_of_each_url()) <= 3 * 31
        if day > 40:
            assert sizes(kept)[0] <= 3 * 32 + 2  # bases stay as long as pages need them
    assert sizes(kept)[1] >= 3 * 31
    size = kept.path.stat().st_size
    for day in range(120, 160):
        clock.now = FIRST + day * DAY
        write(kept, *(source(10 * day + number, at=day * DAY) for number in range(3)))
    assert kept.path.stat().st_size < 1.3 * size
    assert [page.page.body for page in kept.read(kept.newest_of_each_url())] == [
        news(10 * day + number) for day in range(129, 160) for number in range(3)
    ]


def test_a_step_of_removal_is_bounded(kept, clock):
    for start in range(0, 200, 10):
        write(kept, *(source(number) for number in range(start, start + 10)))
    clock.now += 31 * DAY
    left = []
    for _ in range(5):
        with kept.exclusive():
            kept.write_pages([])
        left.append(sizes(kept)[0])
    assert left == [110, 20, 1, 0, 0]  # the base goes after the others
    assert kept.newest_of_each_url() == []


def test_a_damaged_page_is_named_and_the_others_are_read(kept):
    write(kept, *map(source, range(50)))
    with closing(sqlite3.connect(kept.path)) as database, database:
        database.execute("UPDATE pages SET packed = substr(packed, 1, 100) WHERE id = 40")
    kept.close()
    with pytest.raises(ValueError, match="page 40 is damaged"):
        kept.read([40])
    assert len(kept.read([1, 39, 41])) == 3
    with closing(sqlite3.connect(kept.path)) as database, database:
        database.execute("UPDATE pages SET packed = substr(packed, 1, 100) WHERE id = 1")
    kept.close()
    with pytest.raises(ValueError, match="page 1 is damaged"):
        kept.read([2])


def test_a_section_takes_a_fraction_of_its_size(kept):
    template = f"<style>{random.Random(3).randbytes(5000).hex()}</style>"
    pages = [source(number, body=news(number, head=template)) for number in range(200)]
    for start in range(0, 200, 10):
        write(kept, *pages[start : start + 10])
    assert kept.path.stat().st_size < 0.06 * sum(len(page.page.body) for page in pages)


@pytest.mark.parametrize(
    ("folder", "path"),
    [("pages/{task}", "/srv/x/pages/gazette/gazette.kept"), ("${KEPT}", "/kept/gazette.kept")],
)
def test_the_folder_is_beside_the_task_list_or_where_the_setting_names_it(folder, path, monkeypatch):
    monkeypatch.setenv("KEPT", "/kept")
    config = ExtractionConfig("gazette", "", "", (), "/srv/x", keep_pages=5.0, pages_folder=folder)
    kept = kept_pages_of(config, clock=lambda: 0.0)
    assert (str(kept.path), kept.keep) == (path, 5.0)


def test_several_workers_may_make_a_new_file_at_once(tmp_path):
    together = Barrier(4)

    def first_read(path):
        with closing(KeptPages(path, keep=DAY)) as kept:
            together.wait()
            return kept.newest_of_each_url()

    with ThreadPoolExecutor(4) as pool:
        for number in range(20):
            assert [*pool.map(first_read, [tmp_path / f"{number}.kept"] * 4)] == [[]] * 4
