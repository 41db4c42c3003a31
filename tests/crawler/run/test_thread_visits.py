"""Visits of a thread that grows: which of its pages are fetched, and that each post is written once."""

import json
import re
from datetime import timedelta

import pytest

from benchmarks.blocked_visits import Crawl
from crawler.run.outcomes import Outcome
from tests.crawler.run.sections import EXAMPLE, LIST, PROSE, links, task, url
from tests.extractors.threads import THREAD, TITLE, Said, phpbb
from tests.samples import sample
from tests.workers.helpers import extracted_again
from workers.ledger import Ledger
from workers.worker_processes.extraction_worker import ExtractionWorker

A_PAGE = 5  # posts
VISITS = sample(4, 20)
GONE = Outcome("reject", "http 404")


def said(number):
    one = THREAD[number % len(THREAD)]
    return Said(one.author, one.time + timedelta(days=number), f"{one.text} Post {number}, as it was written.")


class Board:
    """A thread at `url(1)` whose posts are on pages, and a spider and a worker that visit it."""

    def __init__(self, connection, folder, **keys_):
        self.task, self.posts = task(rows="posts", **keys_), []
        self.fetched, self.gone, self.elsewhere = [], set(), {}
        self.crawl = Crawl(connection, self.task, self.answer, folder)
        self.crawl.publish()
        self.ledger, self.output = Ledger(connection, self.task.name), folder / "a.jsonl"

    def grow(self, count):
        self.posts += [said(number) for number in range(len(self.posts), len(self.posts) + count)]

    def page(self, number):
        """Return a page of the thread, from 1; a number beyond the last one has no page."""
        pages = [self.posts[at : at + A_PAGE] for at in range(0, len(self.posts), A_PAGE)]
        if number > len(pages) or number in self.gone:
            return None
        shown = phpbb(pages[number - 1])
        own = [re.search(r"Post (\d+),", one.text)[1] for one in pages[number - 1]]  # its id stays if it moves
        shown = re.sub(r"(p|content|profile)3(\d\d)\b", lambda at: f"{at[1]}{1000 + int(own[int(at[2]) - 1])}", shown)
        shown = shown.replace(TITLE, f"{TITLE} - Page {number}") if number > 1 else shown
        pager = "".join(f'<a href="{self.url(other)}">{other}</a> ' for other in range(1, len(pages) + 1))
        return shown.replace("<div class='footer'>", f"<div class='pages'>{pager}</div><div class='footer'>").encode()

    @staticmethod
    def url(number):
        return url(1) if number == 1 else url(f"1_{number}")

    def answer(self, address):
        if address in (LIST, EXAMPLE):
            body = links(1) if address == LIST else PROSE
        else:
            match = re.search(r"/1(?:_(\d+))?\.html$", address)
            body = self.page(int(match[1] or 1)) if match else None
            self.fetched += [address] if match else []
        if body is None:
            return 404, address, "text/html", b""
        return 200, self.elsewhere.get(address, address), "text/html", body

    def visit(self):
        """Let a spider and a worker run; return the pages of the thread that were fetched."""
        self.fetched = []
        self.crawl.visit()
        return self.fetched

    def texts(self):
        return [json.loads(line)["text"] for line in self.output.read_text("utf-8").splitlines()]


@pytest.fixture
def board(connection, tmp_path, monkeypatch):
    board = Board(connection, tmp_path, revisit="1h for 10d")
    monkeypatch.setattr(
        Ledger, "start_rechecks", lambda ledger: ledger.step("start_rechecks", ledger.clock() + 7200, 9)
    )
    return board


def test_a_visit_of_a_thread_that_grows_reads_its_last_pages(board):
    board.grow(3 * A_PAGE + 2)
    assert board.visit() == [board.url(number) for number in (1, 2, 3, 4)]
    for _ in range(VISITS):
        last = -(-len(board.posts) // A_PAGE)
        board.grow(2)
        now_last = -(-len(board.posts) // A_PAGE)
        assert board.visit() == [board.url(number) for number in range(last, now_last + 1)]
    assert board.texts() == [one.text for one in board.posts]
    rows = [json.loads(line) for line in board.output.read_text("utf-8").splitlines()]
    assert {row["canonical_url"].partition("#")[0] for row in rows} == {url(1)}
    assert {row["title"] for row in rows} == {TITLE}


def test_a_thread_of_one_page_is_read_from_its_first_page(board):
    board.grow(2)
    assert board.visit() == [url(1)]
    board.grow(2)
    assert board.visit() == [url(1)]
    assert board.texts() == [one.text for one in board.posts]


@pytest.mark.parametrize("happens", ["gone", "redirected"])
def test_a_thread_that_became_shorter_is_read_from_its_first_page(board, happens):
    board.grow(3 * A_PAGE)
    board.visit()
    if happens == "gone":
        board.posts = board.posts[: 2 * A_PAGE]
    else:
        board.elsewhere = {board.url(3): url(1)}
    assert board.visit()[:2] == [board.url(3), url(1)]
    board.elsewhere = {}
    board.grow(2)
    board.visit()
    assert set(board.texts()) >= {one.text for one in board.posts}
    assert len(board.texts()) == len(set(board.texts()))


def test_a_thread_is_read_from_its_first_page_after_a_visit_that_found_no_known_post(board):
    board.grow(2 * A_PAGE + 1)
    board.visit()
    del board.posts[:2]  # so the known post of the last page moves to the page before, and the first new one with it
    board.posts += [said(2 * A_PAGE + number) for number in range(1, 5)]
    assert board.visit() == [board.url(3)]
    assert board.visit() == [board.url(1), board.url(2), board.url(3)]
    assert set(board.texts()) >= {one.text for one in board.posts}
    assert board.visit() == [board.url(3)]


def test_a_missing_page_is_read_at_the_next_visit(board):
    board.grow(4 * A_PAGE)
    board.gone = {3}
    assert len(board.visit()) == 4
    assert len(board.texts()) == 3 * A_PAGE
    board.gone = set()
    assert board.visit() == [board.url(3), board.url(4)]
    assert sorted(board.texts()) == sorted(one.text for one in board.posts)


def test_a_thread_whose_newest_post_comes_first_is_read_from_its_first_page(board):
    board.grow(3 * A_PAGE)
    board.posts.reverse()
    assert len(board.visit()) == 3
    board.posts.insert(0, said(len(board.posts)))
    assert len(board.visit()) == 4
    assert len(board.texts()) == 3 * A_PAGE + 1


def test_kept_pages_of_later_visits_are_extracted_again_as_such(connection, tmp_path, board):
    board = Board(connection, tmp_path, revisit="1h for 10d", keep_pages="30d")
    for _ in range(3):
        board.grow(A_PAGE + 2)
        board.visit()
    assert (
        extracted_again(ExtractionWorker(connection, "again"), board.ledger.task).total() == 4
    )  # with the example, no thread
    assert board.texts() == [one.text for one in board.posts]
