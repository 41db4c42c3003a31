"""Processes that end in the middle of their work as if they were killed, at a step of it, however fast the machine is.

    steps = steps_of(work, 2)                       a process does `work(begin, 2)` to its end
    die_at(chance.randrange(steps), work, 5)        another one dies on the way of `work(begin, 5)`
    rows = deliver_with_kills(open_sink, batch_of, kills=6)

A step is a call of a function, in Python or in C, or its return, in any thread of the process. The work calls `begin`
when it is prepared: steps count from there. `dying_at` lets the test's own process go on instead.
"""

import itertools
import multiprocessing
import os
import random
import signal
import sys
import threading
import time
from contextlib import contextmanager

import pytest

from tests.samples import sample
from workers.errors import SinkUnavailable
from workers.rows import key_of
from workers.sinks.interface import RowBatch

FORK = multiprocessing.get_context("fork")
DELAY = 0.002  # seconds from the step to the end, at most, so that some processes end within a system call
PAUSE = 0.02  # seconds until a batch is tried again
KILLS = sample(6, 20)  # of the processes that write to one output
LIMIT = 100.0  # seconds that a process may take, on a loaded machine
HANG = 30.0  # seconds; a fork that has not come to its halt by then hangs in a lock of its parent's threads …
FORKS = 3  # … and another one is tried


@contextmanager
def dying_at(owner, name):
    """What runs in the block ends as if it were killed, where it calls this function of a class or module."""

    def die(*_, **__):
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, die)
        with pytest.raises(KeyboardInterrupt):
            yield


def counter():
    """An integer that processes share, without a lock, which a killed process could hold."""
    return FORK.Value("q", 0, lock=False)


def steps_of(work, *arguments):
    """Let a process do this work to its end; return its steps."""
    steps = _Steps(counted=counter())
    with _process(work, arguments, steps) as process:
        pass
    assert process.exitcode == 0
    return steps.counted.value


def die_at(step, work, *arguments, delay=0.0, halt=None, during=None, outage=0.3):
    """Let a process do this work until it dies at a step, or up to `delay` seconds later; return whether it did.

    `halt`: an earlier step at which the process waits until the test has entered the context manager `during`, which
    lasts for `outage` seconds more. False: the work was over before.
    """
    for _ in range(FORKS):
        steps = _Steps(last=step, delay=delay, halt=halt)
        with _process(work, arguments, steps) as process:
            if halt is not None and not steps.halted.wait(HANG):
                process.kill()
                continue
            if halt is not None:
                with during:
                    steps.goes_on.set()
                    time.sleep(outage)
        assert process.exitcode in (0, -signal.SIGALRM)
        return process.exitcode != 0
    raise AssertionError("the work was over before the step at which it halts, or hangs")


def deliver_with_kills(open_sink, batch_of, *, kills, away=None, outage=0.3, after_kill=lambda: None):
    """Deliver batches by processes that die in the middle; return the rows of all batches.

    `open_sink`: returns a sink of the output. `batch_of`: from 0, 1, … to a batch; there is no last one, so that no
    process ends before it dies. `away`: returns a context manager in which the target is unavailable; two of the
    processes meet that. `after_kill`: called after each death.
    """
    chance, done = random.Random(1), counter()

    def work(begin, end=None):
        sink = open_sink()
        while not _is_available(sink):
            time.sleep(PAUSE)
        begin()
        _deliver(sink, batch_of, done, end)

    steps = steps_of(work, 2)
    for kill in range(kills):
        step = chance.randrange(1, steps)
        delay = chance.choice((0.0, chance.uniform(0, DELAY)))
        if away is not None and kill in (kills // 3, 2 * kills // 3):
            last = step + chance.randrange(1, steps)
            assert die_at(last, work, delay=delay, halt=step, during=away(), outage=outage)
        else:
            assert die_at(step, work, delay=delay)
        after_kill()
    number = done.value + 2
    work(lambda: None, number)
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


class _Steps:
    """Counts the steps of a process, and halts or ends it."""

    def __init__(self, *, last=None, delay=0.0, halt=None, counted=None):
        self.halted, self.goes_on, self.counted = FORK.Event(), FORK.Event(), counted
        self._last, self._delay, self._halt = last, delay, halt
        self._numbers, self._pid, self._is_dying = itertools.count(), 0, False

    def run(self, work, arguments):
        """Do the work in this process."""
        signal.signal(signal.SIGALRM, signal.SIG_DFL)  # which ends a process without any clean-up, as SIGKILL does
        work(self._begin, *arguments)
        _profile(None)
        if self.counted is not None:
            self.counted.value = next(self._numbers)
        if self._is_dying:
            time.sleep(LIMIT)

    def _begin(self):
        self._pid = os.getpid()
        _profile(self._step)

    def _step(self, frame, event, argument):
        if os.getpid() != self._pid:  # a child of the process
            _profile(None)
            return
        number = next(self._numbers)
        if number == self._halt:
            self.halted.set()
            self.goes_on.wait(LIMIT)
        elif number == self._last:
            self._is_dying = True
            _profile(None)
            signal.setitimer(signal.ITIMER_REAL, max(self._delay, 1e-6))


def _profile(function):
    threading.setprofile(function)
    sys.setprofile(function)


@contextmanager
def _process(work, arguments, steps):
    """A process that does the work. After the block it has ended."""
    process = FORK.Process(target=steps.run, args=(work, arguments))
    process.start()
    try:
        yield process
        process.join(LIMIT)
    finally:
        process.kill()
        process.join()
