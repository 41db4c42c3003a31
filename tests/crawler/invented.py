"""Small invented sites as pages in memory, and a survey of them without any network."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from urllib.parse import urljoin

from extractors.html.urls import normalise
from workers.inbox import StoredPage

HOST = "https://town.example"
WHEN = datetime(2026, 11, 3, 12, tzinfo=UTC)
SUBJECTS = ("harbour", "ferry", "bridge", "market", "library", "school", "river", "tram", "museum", "storm", "garden")
DOINGS = ("opens again", "is late", "waits for its owner", "gets a new roof", "closes for winter", "asks for help")


def title_of(number: int) -> str:
    return f"The {SUBJECTS[number % 11]} {DOINGS[number // 11 % 6]} after {number + 2} days"


def article(number: int, nav: str, crumbs: str = "", side: str = "") -> bytes:
    """An article of the town's paper; each has its own words."""
    subject, title = SUBJECTS[number % 11], title_of(number)
    paragraphs = "".join(
        f"<p>On day {number * 7 + n} the town council spoke about the {subject} for {n + 2} hours. "
        f"Nobody at the meeting knew how the {SUBJECTS[(number + n) % 11]} could be paid for, said clerk {number}-{n}, "
        f"and so it was put off until the {n + 3}rd of the month, when all will be there.</p>"
        for n in range(4)
    )
    return page(
        title,
        f"{nav}<div class='breadcrumb'>{crumbs}</div><article><h1>{title}</h1>"
        f"<p class='date'>2026-11-{number % 28 + 1:02d}</p>{paragraphs}</article><aside>{side}</aside>",
    )


def listing(nav: str, entries: Iterable[tuple[str, int]], more: str = "") -> bytes:
    """A list page: links with titles and teasers."""
    items = "".join(
        f"<li><a href='{path}'>{title_of(n)}</a> <span>2026-11-{n % 28 + 1:02d}</span></li>" for path, n in entries
    )
    return page("The Town Paper", f"{nav}<ul class='list'>{items}</ul><div class='pages'>{more}</div>")


def page(title: str, body: str) -> bytes:
    footer = "<footer><a href='/about/'>About</a> <a href='/contact/'>Contact</a> The Town Paper, since 1897</footer>"
    return f"<!doctype html><html><head><title>{title}</title></head><body>{body}{footer}</body></html>".encode()


def menu(*paths: str) -> str:
    links = "".join(
        f"<a href='{path}'>{path.strip('/').rpartition('/')[2].capitalize() or 'Home'}</a> " for path in paths
    )
    return f"<nav>{links}</nav>"


class Site:
    """Pages by path; `asked` is what was fetched."""

    def __init__(self, pages: Mapping[str, bytes], moved: Mapping[str, str] | None = None) -> None:
        self.pages, self.moved = dict(pages), dict(moved or {})
        self.asked: list[str] = []

    def answer(self, url: str) -> StoredPage | str:
        self.asked.append(url)
        path = self.moved.get(url.removeprefix(HOST), url.removeprefix(HOST))
        if path not in self.pages:
            return "http 404"
        body = self.pages[path]
        kind = "text/html; charset=utf-8" if b"<html" in body else "text/xml"
        return StoredPage(normalise(urljoin(HOST, path)), body, kind, WHEN)

    async def fetch(self, url: str) -> StoredPage | str:
        """Give a survey or a trial its pages."""
        return self.answer(url)
