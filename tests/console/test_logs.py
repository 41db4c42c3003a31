"""The log as JSON lines: each with its ids, so that a page is followed from the list that shows it to its row."""

import io
import json
import logging
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from crawler.logs import JsonFormatter, PlainFormatter, printable
from tests.console.conftest import Crawled, Exemplar
from workers.log_ids import LOG_IDS, log_ids

SECRETS = 'redis://u:secret1@h/ token=secret2 "api_key": "secret4" Authorization: Bearer secret3'
HOSTILE = f"a \x1b[31mred\x07 \u202etitle\x9b\ud800 of {SECRETS}"


def lines_of(text: str) -> list[dict[str, Any]]:
    """All lines as objects: a line that is none fails the test."""
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def logger() -> tuple[logging.Logger, logging.StreamHandler[io.StringIO]]:
    """A logger outside the hierarchy: pytest would capture lines that no report of its processes can hold."""
    logger = logging.Logger("tests.of_logs", logging.DEBUG)
    handler = logging.StreamHandler(io.StringIO())
    logger.addHandler(handler)
    return logger, handler


Logger = tuple[logging.Logger, logging.StreamHandler[io.StringIO]]


# -- one line


def test_a_line_has_time_level_logger_message_node_and_ids(logger: Logger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXEMPLAR_NODE", "node-7")
    log, handler = logger
    handler.setFormatter(JsonFormatter())
    with log_ids(task="t", run="r"), log_ids(page="p", run=""):
        log.warning("%d pages", 3, extra={"page": "other"})
    log.info("outside")
    first, second = lines_of(handler.stream.getvalue())
    assert list(first) == ["time", "level", "logger", "message", "node", "task", "run", "page"]
    assert datetime.fromisoformat(first["time"]).utcoffset() == timedelta(0)
    del first["time"]
    assert first == {
        "level": "WARNING", "logger": "tests.of_logs", "message": "3 pages", "node": "node-7",
        "task": "t", "run": "r", "page": "other",
    }  # fmt: skip
    assert not {*LOG_IDS} & {*second}


def test_no_secret_and_nothing_that_a_terminal_obeys_is_written(logger: Logger) -> None:
    log, handler = logger
    for formatter in (JsonFormatter(), PlainFormatter("%(levelname)s %(message)s")):
        handler.setFormatter(formatter)
        with log_ids(task=HOSTILE, page=HOSTILE):
            log.error("%s", HOSTILE)
            try:
                raise ValueError(HOSTILE)
            except ValueError:
                log.exception("%s", "an error")
    text = handler.stream.getvalue()
    assert printable(text) == text
    assert not [secret for secret in ("secret1", "secret2", "secret3", "secret4") if secret in text]
    assert "redis://u:***@h/" in text
    json_lines = lines_of("\n".join(line for line in text.splitlines() if line.startswith("{")))
    assert json_lines[0]["message"].startswith("a \x1b[31mred")
    assert "ValueError" in json_lines[1]["error"]


def test_a_plain_line_names_the_page_of_a_step_only(logger: Logger) -> None:
    log, handler = logger
    handler.setFormatter(PlainFormatter("%(levelname)s %(message)s"))
    log.info("fetched", extra={"page": "91d4"})
    log.warning("task t: killed", extra={"page": "91d4"})
    assert handler.stream.getvalue().splitlines() == ["INFO fetched [91d4]", "WARNING task t: killed"]


def test_lines_of_libraries_warnings_threads_and_uncaught_errors_have_the_same_form() -> None:
    script = """
import logging, threading, warnings, redis
from crawler.logs import start_logging
start_logging(form="json")
logging.getLogger("rq.worker").error("a job of %s", "rq")
logging.getLogger("scrapy.core.engine").error("of scrapy")
logging.getLogger("twisted").debug("no step of a library")
warnings.warn("old")
def fail(error): raise error
for error in (redis.TimeoutError("no answer"), KeyError("of a thread")):
    thread = threading.Thread(target=fail, args=(error,), name="commands")
    thread.start(); thread.join()
raise ValueError("token=secret1")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    *lines, quiet, loud, last = lines_of(done.stderr)
    assert [line["logger"] for line in (*lines, last)] == ["rq.worker", "scrapy.core.engine", "py.warnings", "exemplar"]
    assert (quiet["level"], quiet["message"]) == ("INFO", "thread commands ends: no answer")
    assert "error" not in quiet
    assert (loud["level"], loud["message"]) == ("CRITICAL", "KeyError: 'of a thread'")
    assert "Traceback" in loud["error"]
    assert (last["level"], last["message"]) == ("CRITICAL", "ValueError: token=***")
    assert "secret1" not in done.stderr


def test_scrapy_does_not_write_the_lines_of_our_log_once_more() -> None:
    script = """
import logging
from crawler.fetching.scrapy_process import scrapy_process
from crawler.logs import start_logging
start_logging(verbose=True)
scrapy_process()
logging.getLogger("crawler.run").warning("a task pauses: token=secret1")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == "WARNING a task pauses: token=***"
    assert done.stderr.count("pauses") == 1
    assert "Versions" not in done.stderr


# -- the program


def test_plain_is_the_default_and_shows_no_steps(crawled: Crawled) -> None:
    assert not [line for line in crawled.done.err.splitlines() if line.startswith("{") or "found http" in line]


def test_errors_are_lines_of_the_log(tmp_path: Path, exemplar: Exemplar) -> None:
    done = exemplar("work", "extract", "--log-format", "json", REDIS_URL="redis://127.0.0.1:1/0").failed(3)
    [line] = lines_of(done.err)
    assert (line["level"], "does not answer" in line["message"]) == ("ERROR", True)
    assert exemplar("work", "extract", "--log-format", "xml").code == 2
