"""A snapshot of Redis: what a release left there, so that a test can go on from it.

The state is small and invented: of three tasks, the second run of `gazette` was killed, that of `courier` ended, and
`board` reads list pages. All of it was written by the system's own code: publication, runs, inbox, workers, schedule,
pace. Each key is a JSON object of `type`, `ttl` (milliseconds; null without one) and `value`. Text that is not UTF-8 is
`{"base64": …}`; hashes and sorted sets are lists of pairs. The folder of the outputs is `FOLDER`. `at`: when the
snapshot was made, in Unix seconds. A snapshot is never changed.
"""

import base64

from workers.inbox import StoredPage

from .helpers import FETCHED_AT, news

FOLDER = "/srv/exemplar"  # stands for the folder of tasks.yaml
HTML = "text/html; charset=utf-8"
GAZETTE, COURIER = "http://gazette.example", "http://courier.example"


def article(number, *, word="", **more):
    """A page of an invented article; those of other numbers have other texts."""
    return news(number, said=f"Story {number}{word}", **more)


def page(url, body, **more):
    """A fetched page."""
    return StoredPage(url, body, HTML, FETCHED_AT, **more)


def load(connection, stored, folder):
    """Write a snapshot into an empty Redis; its outputs are in `folder`."""
    for name, entry in stored["keys"].items():
        value = _mapped(entry["value"], lambda text: _bytes(text, folder))
        key = _bytes(name, folder)
        match entry["type"]:
            case "string":
                connection.set(key, value)
            case "hash":
                connection.hset(key, mapping=dict(value))
            case "list":
                connection.rpush(key, *value)
            case "set":
                connection.sadd(key, *value)
            case "zset":
                connection.zadd(key, dict(value))
        if entry["ttl"] is not None:
            connection.pexpire(key, entry["ttl"])


def _bytes(text, folder):
    if isinstance(text, dict):
        return base64.b64decode(text["base64"])
    return text.replace(FOLDER, str(folder)).encode()


def _mapped(value, change):
    """Return a value with each of its strings changed."""
    if isinstance(value, list):
        return [_mapped(part, change) for part in value]
    return value if isinstance(value, float) else change(value)
