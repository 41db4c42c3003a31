"""A small process whose forks do a test's work.

A fork of the test process, which has all tests loaded, takes several times as long as one of this process.
"""

import atexit
import gc
import multiprocessing
import os
import pickle
import subprocess
import sys
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path

from extractors import Section
from workers.extraction_config import ExtractionConfig
from workers.health.state import HealthState
from workers.stored_json import adapter_of

from .helpers import CHEAP, article, url

REPOSITORY = Path(__file__).parents[2]
LIMIT = 300.0  # seconds that a fork may take, on a loaded machine


def run_in_fork(function, *arguments):
    """Call a function of a module in a fork; return its exit code, None if it hangs and was killed."""
    process = _process()
    pickle.dump((function, arguments), process.stdin)
    process.stdin.flush()
    return pickle.load(process.stdout)


@cache
def _process():
    command = [sys.executable, "-m", __name__]
    process = subprocess.Popen(command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    atexit.register(process.communicate)
    return process


def _main():
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    for method in ("auto", CHEAP):  # so that no fork loads models
        section = Section(article(0), url(0), method=method)
        section.learn(article(1), url(1))
        section.extract(article(2), url(2))
    for stored in (ExtractionConfig, HealthState):  # as the supervisor does it; each takes longer than a page
        adapter_of(stored)
    import_module("workers.sinks.markdown")  # late imports, for the same reason
    import_module("workers.sinks.row_html")
    while True:
        function, arguments = pickle.load(requests)
        gc.freeze()  # otherwise each fork would traverse all that is loaded, and so copy its memory
        process = multiprocessing.get_context("fork").Process(target=function, args=arguments)
        process.start()
        process.join(LIMIT)
        code = process.exitcode
        if code is None:
            process.kill()
            process.join()
        pickle.dump(code, answers)
        answers.flush()


if __name__ == "__main__":
    with suppress(EOFError):
        _main()
