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
def supervisors(url, *, told=None, **usual):
    """Yield a function that starts a supervisor, and returns its process; end all of them.

    `told`: the folder of the files to which they add their problems and notices; `usual`: their options.
    """
    started = []

    def start(count=2, *, url=url, **options):
        process = multiprocessing.get_context("fork").Process(
            target=_supervise, args=(url, count, os.getpid(), told, {"times": TIMES, **usual, **options})
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


def _supervise(url, count, parent, told, options):
    die_with_parent(parent=parent)
    supervisor = Supervisor(url, count, sweep_every=0.1, pause_after_early_exit=0.05, **options)
    signal.signal(signal.SIGTERM, supervisor.stop)

    def add(name, text):
        with (told / name).open("a") as file:
            file.write(text + "\n")

    listeners = (lambda problem, is_over: add("problems", problem.in_words(is_over)), lambda text: add("notices", text))
    raise SystemExit(0 if supervisor.run(*(listeners if told else ())) else 1)
