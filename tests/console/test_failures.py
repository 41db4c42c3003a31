"""`exemplar failures`: failed pages by task and reason, one of them, again, or no more."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
import redis

from tests.console.conftest import Exemplar
from workers.ledger import DROPPED, Ledger
from workers.page_store import StoredPage
from workers.pages.quarantine import keep_page, kept_notes
from workers.url_states import Found, fingerprint
from workers.writing.output_states import queue_states
from workers.writing.refused_rows import keep_refused, refused_rows
from workers.writing.row_queue import all_queues

NEWS, BOARD = "http://a.example/{}", "http://b.example/{}"


@pytest.fixture
def failed(connection: "redis.Redis") -> "redis.Redis":
    """Two tasks with failed pages: three of `news`, one of them kept; one of `board`."""
    news, board = Ledger(connection, "news"), Ledger(connection, "board")
    news.add([Found(NEWS.format(number)) for number in range(4)])
    board.add([Found(BOARD.format(1))])
    for number, reason in enumerate(("http 500", "http 500", "unusable page: no text")):
        news.settle(fingerprint(NEWS.format(number)), "failed", reason)
    news.settle(fingerprint(NEWS.format(3)), "rejected", "http 404")
    board.settle(fingerprint(BOARD.format(1)), "failed", "empty answer")
    page = StoredPage(NEWS.format(2), b"<p>\x1b[31m</p>", "text/html", datetime(2026, 3, 12, tzinfo=UTC))
    keep_page(connection, "news", fingerprint(page.url), page, "unusable page: no text")
    return connection


def test_of_one_task_some_urls_are_shown_and_in_json_all(failed: "redis.Redis", on_redis: Exemplar) -> None:
    shown = on_redis("failures", "news", "--reason", "http").out.splitlines()
    assert shown[0] == "news: 2 failures by 1 reason"
    assert [line.strip() for line in shown[4:]] == [NEWS.format(1), NEWS.format(0)]
    rows = on_redis("failures", "list", "news", "--json").events
    assert {(row["url"], row["reason"], row["kept"]) for row in rows} == {
        (NEWS.format(0), "http 500", False),
        (NEWS.format(1), "http 500", False),
        (NEWS.format(2), "unusable page: no text", True),
    }


def test_a_failed_page_is_shown_and_its_bytes_are_written(
    failed: "redis.Redis", on_redis: Exemplar, tmp_path: Path
) -> None:
    done = on_redis("failures", "show", "news", NEWS.format(2), "--page", "page.html", "--json")
    [facts] = done.events
    assert (facts["reason"], facts["kept"], facts["bytes"]) == ("unusable page: no text", True, 12)
    assert (tmp_path / "page.html").read_bytes() == b"<p>\x1b[31m</p>"
    text = on_redis("failures", "show", "news", NEWS.format(0)).out
    assert "reason: http 500" in text
    assert "kept: False" in text


def test_failed_pages_wait_again_or_are_dropped(failed: "redis.Redis", on_redis: Exemplar) -> None:
    ledger = Ledger(failed, "news")
    assert on_redis("failures", "retry", "news", "--reason", "http 500").code == 0
    assert [ledger.state_of(NEWS.format(number)) for number in (0, 1)] == [("waiting", ""), ("waiting", "")]
    [leased] = [one for one in ledger.lease(9) if one.url == NEWS.format(0)]
    assert leased.tries == 1
    [row] = on_redis("failures", "drop", "news", NEWS.format(2), "--json").events
    assert row == {"task": "news", "dropped": [NEWS.format(2)], "refused": []}
    assert ledger.state_of(NEWS.format(2)) == ("rejected", DROPPED)
    assert kept_notes(failed, "news") == {}
    assert ledger.counts().unaccounted == 0
    assert on_redis("failures", "news").err.strip() == "news: no failed pages"
    [dropped] = [row for row in on_redis("status", "--problems", "news", "--json").events if row["reason"] == DROPPED]
    assert dropped["url"] == NEWS.format(2)


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        ("failures nowes", 2, "unknown task 'nowes'; did you mean 'news'?"),
        ("failures retry news", 2, "give URLs, a group by --reason TEXT, or --all"),
        ("failures retry news --all --reason x", 2, "give URLs"),
        ("failures retry news --reason nothing", 1, "no such URL with a reason that begins with 'nothing'"),
        ("failures retry news http://a.example/3", 1, "http://a.example/3: it has not failed"),
        ("failures drop news http://a.example/9", 1, "http://a.example/9: it has not failed"),
        ("failures show news http://a.example/3", 1, "has not failed: it is rejected"),
        ("failures show news http://a.example/0 --page x", 1, "the page is not kept"),
    ],
)
def test_mistakes(arguments: str, code: int, text: str, failed: "redis.Redis", on_redis: Exemplar) -> None:
    done = on_redis(*arguments.split())
    assert (done.code, text in done.err) == (code, True), done.err


@pytest.fixture
def refused(failed: "redis.Redis") -> "redis.Redis":
    """Refused rows of `news` beside its failed pages: two of a database, one of a server."""
    for output, number, reason in (("out.db", 5, "no 5"), ("out.db", 6, "no 6"), ("server", 5, "too long")):
        row = {"task": "news", "url": NEWS.format(number), "canonical_url": NEWS.format(number), "version": 1}
        keep_refused(failed, "news", output, [row], {("news", NEWS.format(number), 1): reason})
    return failed


def test_refused_rows_are_counted_by_output_and_reason(refused: "redis.Redis", on_redis: Exemplar) -> None:
    shown = on_redis("failures").out
    assert "board: 1 failures by 1 reason" in shown
    assert "     1  unusable page: no text (1 kept)\n" in shown
    assert shown.index("rows that outputs refused: 3") < shown.index("     2  out.db: no N (2 kept)\n")
    rows = on_redis("failures", "news", "--json").events
    assert {(row["output"], row["url"], row["reason"]) for row in rows if row["output"]} == {
        ("out.db", NEWS.format(5), "no 5"),
        ("out.db", NEWS.format(6), "no 6"),
        ("server", NEWS.format(5), "too long"),
    }


def test_a_refused_row_is_shown_delivered_again_or_dropped(
    refused: "redis.Redis", on_redis: Exemplar, tmp_path: Path
) -> None:
    shown = on_redis("failures", "show", "news", NEWS.format(6), "--page", "row.json").out
    assert "output: out.db\nreason: no 6" in shown
    assert json.loads((tmp_path / "row.json").read_text())["url"] == NEWS.format(6)
    done = on_redis("failures", "retry", "news", NEWS.format(5))
    assert (done.code, done.err.strip()) == (0, "news: 2 refused rows retried; they are delivered again")
    assert {(state.output, state.waiting) for state in queue_states(refused, all_queues(refused))} == {
        ("out.db", 1),
        ("server", 1),
    }
    [row] = on_redis("failures", "drop", "news", "--reason", "no", "--json").events
    assert row == {"task": "news", "dropped": [], "refused": []}
    assert refused_rows(refused, "news") == []
