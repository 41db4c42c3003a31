"""Processes whose clocks are an hour off lease, renew and fire as the others do."""

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from crawler.scheduling.schedule import Schedule
from tests.workers.helpers import holds, take
from workers.inbox import Inbox
from workers.ledger import Ledger
from workers.page_store import StoredPage
from workers.redis_access.redis_clock import clock_of
from workers.url_states import Found

ROOT = Path(__file__).parents[2]
URLS = [f"http://gazette.example/a/{number}.html" for number in range(3)]
HOUR = 3600

# The process that is off: its wall clock is set before anything of ours is imported.
_OFF = """
import datetime, sys, time
OFF, URL, STEP = float(sys.argv[1]), sys.argv[2], sys.argv[3]
real = time.time
time.time = lambda: real() + OFF
class Shifted(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return super().fromtimestamp(time.time(), tz)
datetime.datetime = Shifted
from workers.redis_access.connection import client
from workers.inbox import Inbox
from workers.ledger import Ledger
from crawler.scheduling.schedule import Schedule
connection = client(URL)
ledger = Ledger(connection, "gazette")
schedule = Schedule(connection)
match STEP:
    case "take":
        ledger.lease(1, seconds=60.0)
        schedule.plan({"gazette": "1h"})
        schedule.fire()
        schedule.lease()
        Inbox(connection).wake("gazette", ["0123456789abcdef"])
    case "look":
        print(len(ledger.lease(3)), Inbox(connection).sweep(), schedule.fire(), schedule.lease())
"""


def process(off, url, step):
    """What a process whose clock is `off` seconds ahead prints."""
    command = [sys.executable, "-c", _OFF, str(off), url, step]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr


@pytest.mark.parametrize("off", [HOUR, -HOUR], ids=["ahead", "behind"])
def test_a_machine_that_is_off_takes_nothing_from_the_others_and_says_so(connection, redis_url, off):
    ledger, schedule = Ledger(connection, "gazette"), Schedule(connection)
    ledger.add([Found(url, float(place)) for place, url in enumerate(URLS)])
    [first, second, _] = ledger.lease(3)
    pages = {first.fingerprint: StoredPage(first.url, b"<p>Tide", "text/html", datetime.now(UTC))}
    Inbox(connection).deliver(ledger, pages)
    take(ledger, first.fingerprint, "other", seconds=30)
    schedule.plan({"gazette": "1h"})
    schedule.fire_now(["gazette"])
    lease = schedule.lease()
    out, err = process(off, redis_url, "look")
    assert out == "0 0 [] None"
    assert f"the clock of this machine is {HOUR} s {'ahead of' if off > 0 else 'behind'} that of Redis" in err
    assert holds(ledger, first.fingerprint, "other")
    assert schedule.renew(lease)
    assert ledger.counts().states["leased"] == 2
    assert second.url == URLS[1]


def test_what_a_machine_that_is_off_leases_plans_and_wakes_is_valid_for_its_time(connection, redis_url):
    ledger, schedule, clock = Ledger(connection, "gazette"), Schedule(connection), clock_of(connection)
    ledger.add([Found(url, float(place)) for place, url in enumerate(URLS)])
    before = clock.now()
    process(HOUR, redis_url, "take")
    [(_, ends)] = connection.zrange(ledger.keys["leased"], 0, -1, withscores=True)
    assert 30 < ends - clock.now() <= 60
    assert [leased.url for leased in ledger.lease(3)] == URLS[1:]
    [at] = schedule.next_times().values()
    assert HOUR * 0.9 <= at - clock.now() <= HOUR  # it was new, has started, and is due an hour later
    assert schedule.lease() is None
    [(_, ends)] = connection.zrange("exemplar:running", 0, -1, withscores=True)
    assert 0 < ends - clock.now() <= 60
    assert before - 1 <= Inbox(connection).oldest_job() <= clock.now()
