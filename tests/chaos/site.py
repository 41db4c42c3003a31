"""A site on this machine whose own log says what was requested: sections of articles that are published over time."""

import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LINKS = 8  # articles of a list page
_SENTENCE = (
    "The harbour office of {section} said on day {n} that ferry {n} will run again from pier {m}, in any weather. "
)


@dataclass
class Site:
    """Sections `s1` … of numbered articles, the newest first on their lists.

    `shifting`: a list page shows what is so far from the newest article, so that publishing shifts all pages; else the
    pages of the archive stay as they are. `latency`: seconds until an article is answered.
    """

    host: str
    sections: int
    latency: float = 0.0
    shifting: bool = False
    published: dict[str, int] = field(default_factory=dict)
    requests: list[tuple[float, str]] = field(default_factory=list)  # when, and the path

    def __enter__(self) -> "Site":
        self.published = {f"s{number}": 0 for number in range(1, self.sections + 1)}
        self._server = _Server((self.host, 0), _handler_for(self))
        self.url = f"http://{self.host}:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), name="site", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def publish(self, articles: int) -> None:
        """Add so many articles, spread over the sections."""
        for number in range(articles):
            self.published[f"s{number % self.sections + 1}"] += 1

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

    def page(self, path: str) -> bytes:
        """The page at a path; empty if there is none."""
        section, _, rest = path.strip("/").partition("/")
        kind, _, name = rest.removesuffix(".html").partition("/")
        top = self.published.get(section)
        if top is None or (name and not name.isdigit()):
            return b""
        if kind == "a":
            return _article(section, int(name)) if name and 0 < int(name) <= top else b""
        return self._list(section, top, int(name or 0))

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


def title_of(url: str) -> str:
    """The title of the article at a URL: what its row must have."""
    section, _, number = url.removesuffix(".html").split("/")[-3:]
    return _title(section, int(number))


def _title(section: str, number: int) -> str:
    return f"Ferry {number} of {section}"


def _article(section: str, number: int) -> bytes:
    text = "".join(f"<p>{_SENTENCE.format(section=section, n=number, m=number * 7 + k)}</p>" for k in range(6))
    title = _title(section, number)
    return f"<html><head><title>{title}</title></head><body><h1>{title}</h1>{text}</body></html>".encode()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_: object) -> None:
        """A spider that was killed hangs up."""


def _handler_for(site: Site) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            site.requests.append((time.time(), self.path))
            time.sleep(site.latency)
            body = site.page(self.path)
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler
