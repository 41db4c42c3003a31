"""A site on this machine whose own log says what was requested: sections of articles that are published over time.

Articles are of several kinds, by their numbers: dead links, duplicates, slow ones, such that fail or are blocked for a
while (by a status, a captcha or a login), and such of several pages. `Site.expected` says what must have become of
each.
"""

import random
import time
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal

from tests.http_site import HttpSite, Response

LINKS = 8  # articles of a list page
Kind = Literal[
    "plain", "gone", "duplicate", "near", "parts", "slow", "failing", "blocked", "captcha", "login", "poison"
]
PERIOD = 20  # after so many articles their kinds come again
KIND_OF: dict[int, Kind] = {
    3: "gone", 5: "duplicate", 7: "parts", 9: "near", 10: "parts", 12: "slow", 14: "failing", 16: "blocked",
    17: "captcha", 18: "gone", 19: "login",
}  # fmt: skip
KINDS: frozenset[Kind] = frozenset(("plain", *KIND_OF.values()))
# A kind that is not tried unless it is named, and in whose place it comes: a poison crashes its worker each time.
FURTHER: dict[Kind, Kind] = {"poison": "slow"}
PARTS = 3  # pages of an article of several pages
REFUSED_FIRST = 1  # requests for a failing or blocked article that are refused
SLOW = 1.5  # seconds that a slow article takes
_WORDS = (
    "harbour", "tide", "gauge", "mast", "council", "storm", "pier", "winter", "ferry", "lantern", "bakery", "market",
    "orchard", "bridge", "school", "river", "clock", "museum", "garden", "library", "marsh", "engine", "station",
)  # fmt: skip


@dataclass(frozen=True)
class Expected:
    """What must have become of a URL: its state is one of `states`; its row, if it has one, has these values.

    `twin`: the URL of the same article; one of both is written, and the other is its duplicate.
    """

    states: frozenset[str]
    title: str
    text: str
    parts: int
    published: str
    canonical_url: str
    twin: str = ""


@dataclass
class Site:
    """Sections `s1` … of numbered articles, the newest first on their lists.

    `shifting`: a list page shows what is so far from the newest article, so that publishing shifts all pages; else the
    pages of the archive stay as they are. `latency`: seconds until an article is answered. `kinds`: of articles; all
    others are plain ones.
    """

    host: str
    sections: int
    latency: float = 0.0
    shifting: bool = False
    kinds: Collection[Kind] = KINDS
    published: dict[str, int] = field(default_factory=dict)
    early: int = 0  # articles of each section that were published before the first run
    refused: Counter[str] = field(default_factory=Counter)  # how often a path was refused
    requests: list[tuple[float, str]] = field(default_factory=list)  # when, and the path

    def __enter__(self) -> "Site":
        self.published = {f"s{number}": 0 for number in range(1, self.sections + 1)}
        self._server = HttpSite(self._respond, self.host)
        self.url = self._server.__enter__().url
        return self

    def __exit__(self, *_: object) -> None:
        self._server.__exit__()

    def publish(self, articles: int) -> None:
        """Add so many articles, spread over the sections."""
        for number in range(articles):
            self.published[f"s{number % self.sections + 1}"] += 1
        self.early = self.early or min(self.published.values())

    def articles(self) -> dict[str, list[str]]:
        """The URLs of all articles that are published, by section."""
        return {name: [self.article(name, n) for n in range(1, top + 1)] for name, top in self.published.items()}

    def is_walked(self, within: float) -> bool:
        """Whether an older list page was requested in the last seconds: a walk is on its way."""
        return any("/list/" in path and at > time.time() - within for at, path in self.requests[-50:])

    def article(self, section: str, number: int) -> str:
        return f"{self.url}/{section}/a/{number}.html"

    def served(self) -> list[tuple[float, str]]:
        """The requests so far: when, and the URL."""
        return [(at, self.url + path) for at, path in self.requests]

    def expected(self, url: str) -> Expected:
        """What must have become of an article."""
        section, number = _place_of(url)
        kind = self.kind_of(number)
        twin = self._twin_of(section, number)
        states = {"gone": {"rejected"}, "poison": {"failed"}}.get(kind, {"written"}) | (
            {"duplicate"} if twin else set()
        )
        parts = PARTS if kind == "parts" else 1
        canonical = self._canonical_of(section, number)
        lines = [line for part in range(1, parts + 1) for line in self._lines(section, number, part)]
        title, day = _title(section, number), _day(number)
        return Expected(frozenset(states), title, "\n\n".join(lines), parts, day, canonical, twin)

    def kind_of(self, number: int) -> Kind:
        """The kind of the articles of a number."""
        kind = KIND_OF.get(number % PERIOD, "plain")
        kind = next((other for other, place in FURTHER.items() if place == kind and other in self.kinds), kind)
        return kind if kind in self.kinds else "plain"

    def _respond(self, path: str) -> Response:
        """Answer as a server: after a while, and with a line in the log."""
        self.requests.append((time.time(), path))
        name = path.rpartition("/")[2].removesuffix(".html")
        is_slow = "/a/" in path and name.isdigit() and self.kind_of(int(name)) == "slow"
        time.sleep(SLOW if is_slow else self.latency)
        return self.answer(path)

    def answer(self, path: str) -> Response:
        """The answer to a request: status, headers, body."""
        section, _, rest = path.strip("/").partition("/")
        kind, _, name = rest.removesuffix(".html").partition("/")
        if path == "/login":
            return 200, {}, b"<html><body><form>Name <input> Password <input type=password></form></body></html>"
        top = self.published.get(section)
        if top is None or (name and not name.replace("_", "").isdigit()):
            return 404, {}, b""
        if kind == "a":
            number, _, part = name.partition("_")
            return self._article(section, int(number or 0), int(part or 1))
        return 200, {}, self._list(section, top, int(name or 0))

    def page(self, path: str) -> bytes:
        """The page at a path; empty if there is none, or if it is refused."""
        status, _, body = self.answer(path)
        return body if status == 200 else b""

    def _article(self, section: str, number: int, part: int) -> Response:
        kind = self.kind_of(number)
        if not 0 < number <= self.published[section] or part > (PARTS if kind == "parts" else 1):
            return 404, {}, b""
        if kind == "gone":
            # A dead link that a later run finds is tried once more, half an hour later; not one that is gone (410).
            return (404 if number <= self.early else 410), {}, b""
        if kind in ("failing", "blocked", "captcha", "login") and self.refused[f"{section}/{number}"] < REFUSED_FIRST:
            self.refused[f"{section}/{number}"] += 1
            return self._refusal(kind, number)
        title, canonical = _title(section, number), self._canonical_of(section, number)
        head = f'<title>{title}</title><link rel="canonical" href="{canonical}">'
        head += f'<meta property="article:published_time" content="{_day(number)}">'
        text = "".join(f"<p>{line}</p>" for line in self._lines(section, number, part))
        more = part < PARTS if kind == "parts" else False
        further = f'<p><a rel="next" href="/{section}/a/{number}_{part + 1}.html">next page</a></p>' if more else ""
        page = f'<html lang="en"><head>{head}</head><body><h1>{title}</h1>{text}{further}</body></html>'
        return 200, {}, page.encode()

    def _refusal(self, kind: Kind, number: int) -> Response:
        if kind == "captcha":
            form = "<html><head><title>Security check</title></head><body>Are you human? <input></body></html>"
            return 200, {}, form.encode()
        if kind == "login":
            return 302, {"Location": "/login"}, b""
        if kind == "failing":
            return 500, {}, b""
        return (429, {"Retry-After": "1"}, b"") if number % (3 * PERIOD) == 16 else (403, {}, b"")

    def _twin_of(self, section: str, number: int) -> str:
        """The URL of the same article, if it has two: a duplicate is that of the number before."""
        if self.kind_of(number) in ("duplicate", "near"):
            return self.article(section, number - 1)
        if self.kind_of(number + 1) in ("duplicate", "near") and number < self.published[section]:
            return self.article(section, number + 1)
        return ""

    def _canonical_of(self, section: str, number: int) -> str:
        return self.article(section, number - 1 if self.kind_of(number) == "duplicate" else number)

    def _lines(self, section: str, number: int, part: int) -> list[str]:
        """The paragraphs of one page of an article. A near-duplicate differs by a few words."""
        kind = self.kind_of(number)
        own = number - 1 if kind in ("duplicate", "near") else number
        chance = random.Random(f"{section}/{own}/{part}")
        lines = [f"Report {own} of {section}, {part}.{k}: {' '.join(chance.choices(_WORDS, k=24))}." for k in range(6)]
        if kind == "near":
            lines[-1] = lines[-1].replace(f"Report {own}", f"Report {number}")
        return lines

    def _list(self, section: str, top: int, number: int) -> bytes:
        """A list page: 0 is the newest. Of a shifting section they count from there, else from the oldest article."""
        if self.shifting:
            newest = top - number * LINKS
            older = number + 1 if newest > LINKS else 0
        else:
            newest = number * LINKS if number else top
            older = -(-(newest - LINKS) // LINKS)
        first = max(1, newest - LINKS + 1)
        links = [f'<a href="/{section}/a/{n}.html">{_title(section, n)}</a>' for n in range(newest, first - 1, -1)]
        more = f'<a rel="next" href="/{section}/list/{older}.html">next</a>' if older > 0 else ""
        return f"<html><body>{'<br>'.join(links)}<p>{more}</p></body></html>".encode()


def _place_of(url: str) -> tuple[str, int]:
    """Section and number of an article."""
    section, _, number = url.removesuffix(".html").split("/")[-3:]
    return section, int(number)


def _title(section: str, number: int) -> str:
    return f"Ferry {number} of {section}"


def _day(number: int) -> str:
    return f"2026-03-{number % 27 + 1:02d}T08:00:00+00:00"
