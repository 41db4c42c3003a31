from collections.abc import Iterator
from pathlib import Path

import pytest

from console.runner import Accounting
from tests.console.calls import edit
from tests.console.conftest import Exemplar
from tests.redis_servers import free_port, redis_server
from workers.url_states import FINAL_STATES, OPEN_STATES, Counts


@pytest.fixture
def guarded_redis(tmp_path: Path) -> Iterator[str]:
    port = free_port()
    with redis_server(tmp_path, port, "--requirepass", "hunter2"):
        yield f"redis://:hunter2@127.0.0.1:{port}/0"


def test_run_on_a_redis_with_password_never_shows_it(folder: Path, exemplar: Exemplar, guarded_redis: str) -> None:
    edit(folder, "defaults:\n", "defaults:\n  limit: 2\n")
    done = exemplar("run", "zh-news", "--once", "--json", REDIS_URL=guarded_redis).succeeded()
    assert "hunter2" not in done.out + done.err
    assert done.events[0]["redis"].startswith("redis://:***@")


def test_a_missing_password_is_said_in_plain_words(exemplar: Exemplar, guarded_redis: str) -> None:
    exemplar("status", REDIS_URL=guarded_redis.replace(":hunter2@", "")).failed(
        2, "requires a password; put it into REDIS_URL"
    )
    done = exemplar("status", REDIS_URL=guarded_redis.replace("hunter2", "wrong")).failed(
        2, "refuses the login: invalid username-password pair"
    )
    assert "wrong@" not in done.err


def test_new_rows_of_pages_that_were_written_before_are_named() -> None:
    states = dict.fromkeys((*OPEN_STATES, *FINAL_STATES), 0) | {"written": 1}
    accounting = Accounting({"forum": Counts(1, states, rows=6)}, {"forum": Counts(1, states, rows=8)})
    [row] = accounting.rows()
    assert (row["written"], row["remarks"]) == (0, ["new rows: 2 (`written` counts URLs)"])


def test_rows_that_no_output_gets_are_counted() -> None:
    states = dict.fromkeys((*OPEN_STATES, *FINAL_STATES), 0)
    accounting = Accounting(
        {"news": Counts(1, states, left_out=4)}, {"news": Counts(4, states | {"written": 3}, rows=1, left_out=6)}
    )
    [row] = accounting.rows()
    assert row["remarks"] == ["rows that `where` keeps out of every output: 2"]


def test_pages_that_wait_for_their_recheck_do_not_count_as_minus_written() -> None:
    none = dict.fromkeys((*OPEN_STATES, *FINAL_STATES), 0)
    before, after = (Counts(9, none | {"written": written, "waiting": 9 - written}, rows=9) for written in (9, 4))
    [row] = Accounting({"news": before}, {"news": after}).rows()
    assert (row["written"], row["waiting"], row["remarks"]) == (0, 5, [])
