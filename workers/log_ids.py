"""The ids of a log line: its task, run and page, the list page on which a URL was found, and its machine (node).

    with log_ids(task="kuaibao", page=lease.fingerprint): …      for all lines within
    log.info("fetched %s", url, extra={"page": fingerprint})     for one line

The page is named as in the ledger (its fingerprint), the run as in its report. `crawler.logs` writes them.
"""

import logging
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

NODE = "EXEMPLAR_NODE"  # environment variable: the name of this machine; by default its host name
LOG_IDS = ("task", "run", "page", "list")

_present: ContextVar[Mapping[str, str]] = ContextVar("log_ids")


def node_name() -> str:
    """Return the name of this machine."""
    return os.environ.get(NODE) or socket.gethostname()


@contextmanager
def log_ids(**ids: str) -> Iterator[None]:
    """Add ids to the lines that are logged within the block; an empty id does not replace that of an outer block."""
    token = _present.set({**_present.get({}), **{name: value for name, value in ids.items() if value}})
    try:
        yield
    finally:
        _present.reset(token)


def set_log_ids(**ids: str) -> None:
    """Add ids to all lines that are logged from now on in the present task of asyncio, and in those that it starts."""
    _present.set({**_present.get({}), **ids})


def ids_of(record: logging.LogRecord) -> dict[str, str]:
    """Return the ids of a line that is logged now, by name, in the order of `LOG_IDS`."""
    own = {name: getattr(record, name) for name in LOG_IDS if hasattr(record, name)}
    known = {**_present.get({}), **own}
    return {name: known[name] for name in LOG_IDS if known.get(name)}
