"""An invented section for runs without a network: its task, its addresses, and the bodies of its lists and pages."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import redis

from crawler.discovery.listings import ListPage
from crawler.run.run_report import BOUNDS, RunBounds, RunOptions, RunReport
from crawler.run.section_run import SectionRun
from crawler.task_list.file import loads
from crawler.task_list.models import Task
from workers.inbox import StoredPage
from workers.ledger import Ledger

HOST = "http://127.0.0.1:9"
LIST = HOST + "/a/"
EXAMPLE = HOST + "/a/5.html"
STATE = {"etag": '"1"', "date": "Sat, 21 Nov 2026 12:00:00 GMT"}  # headers of a list
PROSE = b"<h1>The ferry</h1>" + b"<p>The old ferry was late again today, said the harbour master at noon.</p>" * 9


def task(**keys: Any) -> Task:
    chosen = {"example": EXAMPLE, "pattern": HOST + "/a/{id}.html", "start": LIST, "every": "1h", "output": "a.jsonl"}
    lines = "".join(f"    {name}: {value}\n" for name, value in (chosen | keys).items())
    return loads(f"tasks:\n  news:\n{lines}")["news"]


def url(number: int | str) -> str:
    """The address of an article."""
    return f"{HOST}/a/{number}.html"


def page(address: str, body: bytes = PROSE) -> StoredPage:
    return StoredPage(address, body, "text/html", datetime.now(UTC))


def links(*numbers: int) -> bytes:
    return "".join(f'<a href="/a/{n}.html">x</a>' for n in numbers).encode()


def place_of(address: str) -> int:
    """The place of a list among those of the section, from 1; 0 if it is none of them."""
    if not address.startswith(LIST):
        return 0
    return int(address.removeprefix(LIST + "list_").removesuffix(".html")) if "/list_" in address else 1


def list_of(address: str, newest: int, on_each: int) -> bytes:
    """A list of a section with the articles from `newest` down to 1, `on_each` on each list, which links the next."""
    place = place_of(address)
    top = newest - on_each * (place - 1) if place else 0
    more = f'<a href="/a/list_{place + 1}.html">{place + 1}</a>' if top > on_each else ""
    return links(*range(top, max(0, top - on_each), -1)) + more.encode()


def states(ledger: Ledger) -> Mapping[str, int]:
    """How many URLs are in each state, those without any left out."""
    return {state: n for state, n in ledger.counts().states.items() if n}


class Driver:
    """A run begun, with the steps a spider would take."""

    def __init__(
        self, connection: "redis.Redis", chosen: Task | None = None, bounds: RunBounds = BOUNDS, **options: Any
    ) -> None:
        self.run = SectionRun(connection, chosen or task(), RunOptions(**options), bounds)
        self.run.begin()

    def read(self, *numbers: int, more: bytes = b"") -> "Driver":
        return self.read_body(links(*numbers) + more, headers={})

    def read_days(self, *days: str) -> "Driver":
        return self.read_body("".join(f'<a href="/a/{day}/1.html">x</a>' for day in days).encode())

    def read_body(self, body: bytes, listed: ListPage | None = None, headers: Mapping[str, str] = STATE) -> "Driver":
        listed = listed or self.run.next_list()
        assert listed is not None, "no list is left"
        self.run.lists.read(listed, page(listed.url, body), headers)
        return self

    def walk(self, body_of: Callable[[str], bytes], headers: Mapping[str, str] = STATE) -> list[str]:
        """Read all lists, each with the body that `body_of` gives for its URL; return these URLs."""
        read = []
        while listed := self.run.next_list():
            self.read_body(body_of(listed.url), listed, headers)
            read.append(listed.url)
        return read

    def fail_list(self, why: str = "http 404", *, passing: bool = False) -> "Driver":
        listed = self.run.next_list()
        assert listed is not None, "no list is left"
        self.run.lists.record_failure(listed, why, passing=passing)
        return self

    def complete(self) -> RunReport:
        self.fetch_all()
        return self.end()

    def fetch_all(self) -> list[str]:
        leased = self.run.articles.lease(1000)
        for one in leased:
            self.run.articles.hand_in(one.fingerprint, page(one.url))
        return [one.url for one in leased]

    def end(self, outcome: str = "finished") -> RunReport:
        return self.run.end(outcome)
