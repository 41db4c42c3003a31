"""Processes that end in the middle of their work, at a chosen step or at any moment.

with dying_at(Ledger, "settle_all"): …                         the test's own process goes on after the block
rows = deliver_with_kills(open_sink, batch_of, kills=6)        processes that are killed at random moments
"""

import multiprocessing
import random
import time
from contextlib import contextmanager

import pytest

from tests.redis_servers import eventually
from tests.samples import sample
from workers.errors import SinkUnavailable
from workers.rows import key_of
from workers.sinks.interface import RowBatch

FORK = multiprocessing.get_context("fork")
PAUSE = 0.02  # seconds until a batch is tried again
KILLS = sample(6, 20)  # of the processes that write to one output
LIMIT = 100.0  # seconds that a process may take, on a loaded machine


@contextmanager
def dying_at(owner, name):
    """What runs in the block ends as if it were killed, where it calls this function of a class or module."""

    def die(*_, **__):
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, die)
        with pytest.raises(KeyboardInterrupt):
            yield


def deliver_with_kills(open_sink, batch_of, *, kills, away=None, outage=0.3, after_kill=lambda: None):
    """Deliver batches by processes that are killed in the middle; return the rows of all batches.

    `open_sink`: returns a sink of the output. `batch_of`: from 0, 1, … to a batch; there is no last one, so that no
    process ends before it is killed. `away`: returns a context manager in which the target is unavailable; two of the
    processes meet that, for `outage` seconds. `after_kill`: called after each death.
    """
    chance = random.Random(1)
    begun, done = (FORK.Value("q", 0, lock=False) for _ in range(2))  # a killed process could hold a lock

    def work(number, end=None):
        sink = open_sink()
        while not _is_available(sink):
            time.sleep(PAUSE)
        begun.value = number
        _deliver(sink, batch_of, done, end)

    def begin(number, end=None):
        process = FORK.Process(target=work, args=(number, end))
        process.start()
        eventually(lambda: begun.value == number, LIMIT)
        return process

    first, started = begin(1, 2), time.monotonic()
    first.join(LIMIT)
    seconds = time.monotonic() - started  # for two batches
    for kill in range(kills):
        process = begin(kill + 2)
        time.sleep(chance.uniform(0, seconds))
        if away is not None and kill in (kills // 3, 2 * kills // 3):
            with away():
                time.sleep(outage)
            time.sleep(chance.uniform(0, seconds))
        process.kill()
        process.join(LIMIT)
        after_kill()
    number = done.value + 2
    work(0, number)
    return [row for batch in map(batch_of, range(number)) for row in batch.rows if key_of(row) not in batch.again]


def _deliver(sink, batch_of, done, end):
    """Deliver batches in order, up to number `end`; the first one, and one that failed, may be there."""
    is_again = True
    while end is None or done.value < end:
        batch = batch_of(done.value)
        try:
            sink.write(RowBatch(batch.id, batch.rows, frozenset(map(key_of, batch.rows)) if is_again else batch.again))
        except SinkUnavailable:
            time.sleep(PAUSE)
            is_again = True
            continue
        done.value += 1
        is_again = False


def _is_available(sink):
    try:
        sink.check()
    except SinkUnavailable:
        return False
    return True
