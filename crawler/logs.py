"""The log on standard error: plain lines, or one JSON object per line (`EXEMPLAR_LOG_FORMAT=json`).

    {"time": "2026-11-22T10:00:00.123+00:00", "level": "INFO", "logger": "crawler.run.section_articles",
     "message": "fetched https://…", "node": "a", "task": "kuaibao", "run": "5f0c…", "page": "91d4…"}

Lines of libraries get the same form. Secrets are redacted, and control sequences of terminals are made visible here,
in the log as in all that the command line prints (`printable`). Child processes take the form from the environment.
"""

import json
import logging
import os
import re
import sys
import threading
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Literal, get_args

from workers.log_ids import ids_of, node_name
from workers.redaction import redact

LogForm = Literal["plain", "json"]
LOG_FORMS: tuple[LogForm, ...] = get_args(LogForm)
LOG_FORMAT = "EXEMPLAR_LOG_FORMAT"  # environment variable
LOG_VERBOSE = "EXEMPLAR_LOG_VERBOSE"  # likewise, set for child processes only
OWN = ("console", "crawler", "extractors", "workers")  # this program's loggers, whose steps `verbose` shows
TEXT_MOST = 20_000  # characters of a message or of a traceback
BY_PREFIX = {"error: ": logging.ERROR, "problem: ": logging.ERROR}  # levels of the command line's messages

log = logging.getLogger("exemplar")
# C0 without \t and \n, DEL, C1, embedded, overridden and isolated directions, surrogates
_COMMANDS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


class PlainFormatter(logging.Formatter):
    """Level and message. A line on a step, which only `verbose` shows, ends with the id of its page."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        text, page = super().format(record), ids_of(record).get("page")
        return printable(redact(f"{text} [{page}]" if page and record.levelno <= logging.INFO else text))


class JsonFormatter(logging.Formatter):
    """One JSON object per line: time (UTC), level, logger, message, node, and the known ids."""

    def __init__(self) -> None:
        super().__init__()
        self.node = node_name()

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": redact(record.getMessage())[:TEXT_MOST],
            "node": self.node,
            **{name: redact(str(value)) for name, value in ids_of(record).items()},
        }
        if record.exc_info:
            line["error"] = redact(self.formatException(record.exc_info))[-TEXT_MOST:]
        return json_line(line)


def start_logging(verbose: bool = False, form: str | None = None) -> None:
    """Log to standard error: warnings and errors, with JSON also steps, with `verbose` all lines of this program.

    `form`: by default that of the environment, else plain. This process' children get the same.
    """
    form = form or os.environ.get(LOG_FORMAT, "plain")
    is_json = form == "json"
    if verbose:
        os.environ[LOG_VERBOSE] = "1"
    verbose = LOG_VERBOSE in os.environ
    if is_json:
        os.environ[LOG_FORMAT] = form
        logging.captureWarnings(True)
    else:
        os.environ.pop(LOG_FORMAT, None)
    sys.excepthook = _log_uncaught
    threading.excepthook = _log_end_of_thread
    handler = logging.StreamHandler(sys.stderr)
    handler.setLevel(logging.DEBUG if verbose else logging.INFO if is_json else logging.WARNING)
    handler.setFormatter(JsonFormatter() if is_json else PlainFormatter("%(levelname)s %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.INFO if is_json or verbose else logging.WARNING)
    if verbose:
        for name in OWN:
            logging.getLogger(name).setLevel(logging.DEBUG)


def logs_json() -> bool:
    """Whether this process logs JSON."""
    return any(isinstance(handler.formatter, JsonFormatter) for handler in logging.getLogger().handlers)


def log_message(text: str) -> None:
    """Log a message of the command line with the level that its beginning gives."""
    level = next((level for prefix, level in BY_PREFIX.items() if text.startswith(prefix)), logging.INFO)
    log.log(level, "%s", text)


def complain(text: str) -> None:
    """Print an error on standard error, or log it if this process logs JSON."""
    if logs_json():
        log.error("%s", text)
    else:
        print(text, file=sys.stderr, flush=True)


def _log_uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> Any:
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
    else:
        log.critical("%s: %s", kind.__name__, error, exc_info=(kind, error, trace))


def _log_end_of_thread(uncaught: threading.ExceptHookArgs) -> None:
    """Log an error that ended a thread; RQ's thread for commands ends if Redis does not answer in time."""
    from redis import RedisError

    if isinstance(uncaught.exc_value, RedisError):
        log.info("thread %s ends: %s", uncaught.thread and uncaught.thread.name, uncaught.exc_value)
    elif uncaught.exc_value is not None:
        _log_uncaught(uncaught.exc_type, uncaught.exc_value, uncaught.exc_traceback)


def printable(text: str) -> str:
    """Return `text` with the characters escaped (`\\x1b`) that control a terminal or hide text.

    Titles, reasons, file names and URLs come from outside: they may contain commands for a terminal (C0, C1),
    characters that change the direction of writing, and lone surrogates, which cannot be encoded.
    """
    return _COMMANDS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def json_line(value: Any) -> str:
    """Return a value as one line of JSON, without the line end; characters that control a terminal are escaped."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return _COMMANDS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
