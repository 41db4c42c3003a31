"""Supervisors, as processes of their own."""

import multiprocessing
import os
import signal
from contextlib import contextmanager

from workers.processes import die_with_parent
from workers.reporting.worker_reports import WorkerTimes
from workers.worker_processes.supervisor import Supervisor

TIMES = WorkerTimes(sink_pause=0.2, page_lease=3.0, renew_every=0.5)


@contextmanager
def supervisors(url):
    """Yield a function that starts a supervisor, with options of its own, and returns its process; end all of them."""
    started = []

    def start(url=url, count=2, **options):
        process = multiprocessing.get_context("fork").Process(
            target=_supervise, args=(url, count, os.getpid(), options)
        )
        process.start()
        started.append(process)
        return process

    try:
        yield start
    finally:
        for process in started:
            process.terminate()
            process.join(30)
    assert not any(process.is_alive() for process in started)


def _supervise(url, count, parent, options):
    die_with_parent(parent=parent)
    supervisor = Supervisor(url, count, times=TIMES, sweep_every=0.1, pause_after_early_exit=0.05, **options)
    signal.signal(signal.SIGTERM, supervisor.stop)
    raise SystemExit(0 if supervisor.run() else 1)
