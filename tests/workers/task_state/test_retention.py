"""Nothing grows without a bound: what a section leaves in Redis over a simulated year."""

import pytest

from benchmarks.retention import EXPIRING, simulate, sizes
from crawler.discovery.crawl_state import WalkMemory
from crawler.discovery.list_yield import MOST_COUNTED, ListYield
from crawler.discovery.listings import ListPage
from crawler.discovery.sitemap_frontier import SitemapFrontier
from tests.samples import sample
from tests.workers.helpers import TASK, days_of, publish, url
from workers import keys
from workers.extraction_config import config_of
from workers.ledger import Ledger
from workers.task_state.forgetting import DAYS_KEPT, forget_days, forget_task
from workers.url_states import Found

GROWS = {  # each with its bound
    "days": DAYS_KEPT * 8 * 40,
    "near": 2 * 8192 * 12,
    "near:urls": 2 * 8192 * 100,
    "problems": 100_000 * 200,
    "runs": 50 * 2000,
    "walk": MOST_COUNTED * 200,
}


@pytest.mark.timeout(400)
def test_after_half_a_year_nothing_grows_beyond_its_bound(connection):
    days = simulate(connection, 371, sample(2, 6), forget="60d", step=7)
    seen = {day: sizes(connection) for day in days if day in (182, 371)}
    half, year = seen[182], seen[371]
    assert {"done", "claims", "problems", "runs", "walk", "queue", "refused (expires)"} <= year.keys()
    assert not {"rows", "queued", "queues"} & year.keys()
    for family, size in year.items():
        if not family.endswith(EXPIRING) and family not in GROWS:
            assert size <= 1.3 * half.get(family, 0) + 500, (
                f"{family}: {half.get(family)} bytes, half a year later {size}"
            )
    for family, bound in GROWS.items():
        assert year.get(family, 0) < bound


def test_counts_of_old_days_are_forgotten_without_forget_too(ledger, clock):
    ledger.add([Found(url(1))])
    clock.forward((DAYS_KEPT + 2) * 86400)
    ledger.add([Found(url(2))])
    forget_days(ledger)
    assert len(days_of(ledger)) == 1


def test_lists_are_counted_up_to_a_bound_the_latest_of_equal_ones_stay(connection):
    lists = ListYield(WalkMemory(new_by_list={f"http://a.example/{number}/": 1 for number in range(MOST_COUNTED + 9)}))
    lists.record_read(ListPage("http://a.example/new/", "follow", 1, ""), 5, 1)
    kept = lists.to_memory(SitemapFrontier({})).new_by_list
    assert len(kept) == MOST_COUNTED
    assert "http://a.example/new/" in kept
    assert "http://a.example/0/" not in kept


def test_a_forgotten_task_that_is_not_published_leaves_nothing(connection, tmp_path):
    publish(connection, tmp_path)
    Ledger(connection, TASK).add([Found(url(1))])
    connection.hset(keys.HISTORIES, TASK, "{}")
    forget_task(connection, TASK)
    assert config_of(connection, TASK) is None
    assert not connection.exists(keys.HISTORIES, keys.LEDGERS, keys.FETCHED)
