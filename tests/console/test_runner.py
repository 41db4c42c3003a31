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


NONE = dict.fromkeys((*OPEN_STATES, *FINAL_STATES), 0)


@pytest.mark.parametrize(
    ("before", "after", "written", "remarks"),
    [
        (  # new rows of pages that were written before
            Counts(1, NONE | {"written": 1}, rows=6), Counts(1, NONE | {"written": 1}, rows=8),
            0, ["new rows: 2 (`written` counts URLs)"],
        ),
        (  # rows that no output gets
            Counts(1, NONE, left_out=4), Counts(4, NONE | {"written": 3}, rows=1, left_out=6),
            3, ["rows that `where` keeps out of every output: 2"],
        ),
        # pages that wait for their recheck do not count as minus written
        (Counts(9, NONE | {"written": 9}, rows=9), Counts(9, NONE | {"written": 4, "waiting": 5}, rows=9), 0, []),
    ],
)  # fmt: skip
def test_rows_and_urls_that_differ_are_named(before: Counts, after: Counts, written: int, remarks: list[str]) -> None:
    [row] = Accounting({"news": before}, {"news": after}).rows()
    assert (row["written"], row["remarks"]) == (written, remarks)
