"""A site on loopback with numbered articles, and the task that crawls it."""

from datetime import UTC, datetime
from pathlib import Path

import redis

from crawler.task_list.file import load
from crawler.task_list.publication import publish
from tests.http_site import HttpSite, Response
from workers.page_store import StoredPage

TASK = "site"
LINKS = 50  # articles of a list page
_SENTENCE = "The harbour office said on day {n} that ferry {n} will run again from pier {m}, whatever the weather. "


class NumberedSite(HttpSite):
    """Numbered articles, on list pages with a link to the next."""

    def __init__(self, pages: int):
        super().__init__(self._respond)
        self.pages = pages

    def publish(self, connection: "redis.Redis", folder: Path, *, every: str, delay: float) -> None:
        """Publish the task of the site."""
        file = folder / "tasks.yaml"
        file.write_text(
            "settings: {contact: https://example.org/our-crawler, allow_hosts: [127.0.0.1]}\n"
            f"tasks:\n  {TASK}:\n    example: {self.url}/a/1.html\n    pattern: /a/{{id}}.html\n"
            f"    start: {self.url}/list/1.html\n    every: {every}\n    output: out.jsonl\n    delay: {delay}\n"
            "    limit: null\n    near_duplicates: keep\n",
            "utf-8",
        )
        publish(connection, load(file), file)

    def stored(self, number: int) -> StoredPage:
        """Return the page of an article as a spider stores it."""
        path = f"/a/{number}.html"
        return StoredPage(self.url + path, self.page(path), "text/html", datetime.now(UTC))

    def page(self, path: str) -> bytes:
        """Return the page at a path; empty if there is none."""
        kind, _, name = path.strip("/").partition("/")
        if not name.removesuffix(".html").isdigit():
            return b""
        number = int(name.removesuffix(".html"))
        if kind == "list":
            first = (number - 1) * LINKS + 1
            links = [f'<a href="/a/{n}.html">Ferry {n}</a>' for n in range(first, min(first + LINKS, self.pages + 1))]
            more = f'<a href="/list/{number + 1}.html">next</a>' if first + LINKS <= self.pages else ""
            return f"<html><body>{'<br>'.join(links)}<p>{more}</p></body></html>".encode()
        text = "".join(f"<p>{_SENTENCE.format(n=number, m=number * 7 + line)}</p>" for line in range(6))
        title = f"Ferry {number}"
        return f"<html><head><title>{title}</title></head><body><h1>{title}</h1>{text}</body></html>".encode()

    def _respond(self, path: str) -> Response:
        body = self.page(path)
        return 200 if body else 404, {}, body
