"""A rejected URL that a person accepts: it waits again, is taken for an article, and gives one row."""

import json

from tests.workers.helpers import TASK, archive, deliver, fetch_waiting, publish, rows, states, url
from workers.task_state.problems import Problem, problems
from workers.url_states import Found, fingerprint


def test_a_row_that_an_earlier_example_gave_is_not_written_twice(connection, worker, ledger, tmp_path):
    publish(connection, tmp_path)
    worker.extract_pages(TASK, deliver(connection, {1: archive()}))
    (tmp_path / "out.jsonl").write_text(
        json.dumps({"task": TASK, "url": url(1), "canonical_url": url(1), "version": 1}) + "\n", "utf-8"
    )
    ledger.accept(url(1))
    worker.extract_pages(TASK, fetch_waiting(ledger, lambda _: archive()))
    assert states(connection, 1) == ["written"]
    assert [row["url"] for row in rows(tmp_path)] == [url(1)]


# -- all problems -----------------------------------------------------------------------------------------------------


def test_a_problem_whose_url_is_not_kept_is_counted(ledger):
    ledger.add([Found(url(number)) for number in range(2)])
    ledger.settle(fingerprint(url(0)), "rejected", "beyond a bound", listed=False)
    ledger.settle(fingerprint(url(1)), "failed", "http 418")
    named, counted = problems(ledger)
    assert (named.url, named.state, named.reason) == (url(1), "failed", "http 418")
    assert counted == Problem("rejected", "beyond a bound")


def test_a_url_that_was_rejected_again_for_another_reason_has_the_later_one(ledger):
    for reason in ("a list", "drop: keyword mast"):
        ledger.add([Found(url(1))])
        ledger.settle(fingerprint(url(1)), "rejected", reason)
        ledger.accept(url(1))
    ledger.settle(fingerprint(url(1)), "rejected", "a list")
    assert [(each.url, each.reason) for each in problems(ledger)] == [(url(1), "a list")]
