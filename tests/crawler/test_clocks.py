"""Processes whose clocks are an hour off lease, renew and fire as the others do."""

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from crawler.scheduling.schedule import Schedule
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
match STEP:
    case "lease":
        ledger.lease(1, seconds=60.0)
    case "look":
        schedule = Schedule(connection)
        print(len(ledger.lease(3)), Inbox(connection).sweep(), schedule.fire(), schedule.lease())
    case "wake":
        Inbox(connection).wake("gazette", ["0123456789abcdef"])
    case "fire":
        schedule = Schedule(connection)
        schedule.plan({"gazette": "1h"})
        print(schedule.fire())
    case "run":
        print(Schedule(connection).lease().task)
"""


def process(off, url, step):
    """What a process whose clock is `off` seconds ahead prints."""
    command = [sys.executable, "-c", _OFF, str(off), url, step]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr


def test_a_lease_of_a_machine_that_is_off_is_valid_for_its_time(connection, redis_url):
    ledger = Ledger(connection, "gazette")
    ledger.add([Found(url, float(place)) for place, url in enumerate(URLS)])
    process(HOUR, redis_url, "lease")
    [(_, ends)] = connection.zrange(ledger.keys["leased"], 0, -1, withscores=True)
    assert 30 < ends - clock_of(connection).now() <= 60
    assert [leased.url for leased in ledger.lease(3)] == URLS[1:]


@pytest.mark.parametrize("off", [HOUR, -HOUR], ids=["ahead", "behind"])
def test_a_machine_that_is_off_takes_nothing_from_the_others_and_says_so(connection, redis_url, off):
    ledger, schedule = Ledger(connection, "gazette"), Schedule(connection)
    ledger.add([Found(url, float(place)) for place, url in enumerate(URLS)])
    [first, second, _] = ledger.lease(3)
    pages = {first.fingerprint: StoredPage(first.url, b"<p>Tide", "text/html", datetime.now(UTC))}
    Inbox(connection).deliver(ledger, pages)
    ledger.take(first.fingerprint, "other", seconds=30)
    schedule.plan({"gazette": "1h"})
    schedule.fire_now(["gazette"])
    lease = schedule.lease()
    out, err = process(off, redis_url, "look")
    assert out == "0 0 [] None"
    assert f"the clock of this machine is {HOUR} s {'ahead of' if off > 0 else 'behind'} that of Redis" in err
    assert ledger.holds(first.fingerprint, "other")
    assert schedule.renew(lease)
    assert ledger.counts().states["leased"] == 2
    assert second.url == URLS[1]


def test_a_plan_of_a_machine_that_is_off_is_in_time(connection, redis_url):
    process(-HOUR, redis_url, "fire")
    [at] = Schedule(connection).next_times().values()
    assert HOUR * 0.9 <= at - clock_of(connection).now() <= HOUR  # it was new, has started, and is due an hour later


def test_a_run_lease_of_a_machine_that_is_off_is_valid_for_its_time(connection, redis_url):
    schedule = Schedule(connection)
    schedule.plan({"gazette": "1h"})
    schedule.fire_now(["gazette"])
    assert process(HOUR, redis_url, "run")[0] == "gazette"
    assert schedule.lease() is None
    [(_, ends)] = connection.zrange("exemplar:running", 0, -1, withscores=True)
    assert 0 < ends - clock_of(connection).now() <= 60


def test_a_job_of_a_machine_that_is_off_is_as_old_as_it_is(connection, redis_url):
    before = clock_of(connection).now()
    process(HOUR, redis_url, "wake")
    assert before - 1 <= Inbox(connection).oldest_job() <= clock_of(connection).now()
