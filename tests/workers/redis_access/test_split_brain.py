"""Two servers that both think they are the primary, and workers on both sides that share their output files."""

from collections import Counter

import pytest
import redis

from tests.redis_servers import eventually, free_port, redis_server
from tests.workers.helpers import TASK, deliver, news, publish, rows, url
from workers.redis_access.connection import client
from workers.redis_access.epoch import current_epoch
from workers.worker_processes.extraction_worker import ExtractionWorker


@pytest.fixture
def sides(tmp_path):
    """Clients of an old primary and of its replica, and what promotes the replica while the old one lives on."""
    first, second = free_port(), free_port()
    with (
        redis_server(tmp_path / "first", first),
        redis_server(tmp_path / "second", second, "--replicaof", "127.0.0.1", str(first)),
        client(f"redis://127.0.0.1:{first}/0") as old,
        client(f"redis://127.0.0.1:{second}/0") as new,
        redis.Redis(port=second) as administrator,
    ):
        eventually(lambda: administrator.info("replication")["master_link_status"] == "up")

        def split():
            eventually(lambda: old.wait(1, 1000) == 1)
            administrator.replicaof("NO", "ONE")
            assert current_epoch(old) != current_epoch(new)

        yield old, new, split


def test_rows_of_the_old_side_are_known_after_the_new_side_has_compared_the_output(sides, tmp_path):
    """The new side reads the output once; rows that the old side appends after that are read, too, before the next."""
    old, new, split = sides
    publish(old, tmp_path)
    names = deliver(old, {number: news(number) for number in (1, 2, 3)}, wake=False)
    split()
    before, after = ExtractionWorker(old, "old"), ExtractionWorker(new, "new")
    after.extract_pages(TASK, names[:1])
    before.extract_pages(TASK, names[1:2])
    after.extract_pages(TASK, names[1:])
    for worker in (before, after):
        worker.close()
    assert [row["url"] for row in rows(tmp_path)] == [url(1), url(2), url(3)]


def test_two_urls_of_one_article_give_one_row_of_a_version(sides, tmp_path):
    """Both sides claim the article for another URL, since neither sees the claims of the other."""
    old, new, split = sides
    publish(old, tmp_path)
    names = deliver(old, {number: news(1, canonical=url(1)) for number in (1, 2)}, wake=False)
    split()
    for connection, name in ((old, names[0]), (new, names[1])):
        worker = ExtractionWorker(connection, "worker")
        worker.extract_pages(TASK, [name])
        worker.close()
    assert Counter((row["canonical_url"], row["version"]) for row in rows(tmp_path)) == {(url(1), 1): 1}
