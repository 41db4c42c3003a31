"""What every output of pages has to pass."""

import random
from abc import abstractmethod
from datetime import UTC, datetime

from workers.page_store import StoredPage
from workers.sinks import SourcePage

from .helpers import news, url
from .sink_suite import HeldOutputSuite

FIRST = 1_773_300_000


class StoppedClock:
    """A clock that stands at `now`, in Unix seconds, until a test moves it."""

    now = float(FIRST)

    def __call__(self):
        return self.now


def source(number, *, body=None, at=0, kind="article", version=1, task="gazette", **more):
    """A page with its row."""
    body = news(number) if body is None else body
    fetched = datetime.fromtimestamp(FIRST + at, UTC)
    row = {
        "task": task,
        "url": url(number),
        "canonical_url": url(number),
        "title": f"Story {number}",
        "text": "text",
        "content_hash": f"{number:064x}",
        "version": version,
        "near_duplicate_of": None,
        "listed_on": None,
    }
    page = StoredPage(url(number), body, "text/html; charset=utf-8", fetched, **more)
    return SourcePage(url(number), page, () if kind == "refused" else (row,), kind, {"rank": -1.5, "day": "50c1"})


def write(sink, *pages):
    with sink.exclusive():
        sink.write_pages(pages)


class PageSinkSuite(HeldOutputSuite):
    """What every output of pages has to pass."""

    @abstractmethod
    def read(self, folder):
        """Return pairs of URL and body, in any order."""

    def put(self, sink, *numbers, again=()):
        write(sink, *map(source, numbers))

    def numbers(self, place):
        found = sorted(self.read(place))
        numbers = sorted(int(found_url.rpartition("/")[2].removesuffix(".html")) for found_url, _ in found)
        assert found == sorted((url(number), news(number)) for number in numbers)
        return numbers

    def test_a_page_that_is_fetched_again_is_another_one(self, sink, tmp_path):
        write(sink, source(1), source(1, at=60, version=2, body=b"other"))
        assert sorted(self.read(tmp_path)) == [(url(1), news(1)), (url(1), b"other")]

    def test_any_bytes_come_back(self, sink, tmp_path):
        noise = random.Random(1).randbytes(50_000)
        bodies = [b"", b"\0" * 100_000, noise, bytes(range(256)), b"HTTP/1.1 200 OK\r\n\r\n"]
        write(sink, *(source(number, body=body) for number, body in enumerate(bodies)))
        assert sorted(self.read(tmp_path)) == sorted((url(number), body) for number, body in enumerate(bodies))

    def test_it_names_no_row_and_lacks_none(self, sink, tmp_path):
        sink.check()
        assert (list(sink.newest("t")), self.read(tmp_path)) == ([], [])
