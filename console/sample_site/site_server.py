"""The sample site on a real HTTP server on loopback. Tests can change its responses while it runs."""

import sys
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

from console.sample_site.site_pages import NOT_FOUND, Response, render_site

HOST = "127.0.0.1"
IDLE_SECONDS = 30  # seconds after which an idle connection is closed


class LoggedRequest(NamedTuple):
    """One request, as received; `time` is `time.monotonic()`, `path` includes the query."""

    time: float
    method: str
    path: str
    user_agent: str
    status: int


class SiteServer:
    """`with SiteServer() as site:` serves the site at `site.url` until the block ends.

    `requests` lists all requests; `robots_txt`, if set, replaces the site's own; `override` changes one path.
    """

    def __init__(self, design: str = "classic", unpublished: int = 0) -> None:
        self.requests: list[LoggedRequest] = []
        self.robots_txt: str | None = None
        self._overrides: dict[str, tuple[float, Callable[[LoggedRequest], Response]]] = {}
        self._closing = threading.Event()
        self._http = _SiteHttp((HOST, 0), self)
        self.url = f"http://{HOST}:{self._http.server_port}"
        self.relaunch(design, unpublished)

    def relaunch(self, design: str = "classic", unpublished: int = 0) -> None:
        """Serve the site in another design, or with more articles: the newest `unpublished` ones are left out."""
        self._pages = render_site(self.url, design, unpublished)

    def __enter__(self) -> "SiteServer":
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def override(
        self,
        path: str,
        answer: Callable[[LoggedRequest], Response] | None = None,
        *,
        delay: float = 0.0,
        **changes: Any,
    ) -> None:
        """Change the responses at `path` (with its query). `delay`: seconds before the first byte.

        `changes`: fields of `Response` in place of those of the page.
        """
        self._overrides[path] = delay, answer or (lambda request: self._page(path)._replace(**changes))

    def restore(self, path: str) -> None:
        """Undo `override`."""
        del self._overrides[path]

    def answer(self, method: str, path: str, user_agent: str) -> Response:
        """Log one request and return its response."""
        arrived = LoggedRequest(time.monotonic(), method, path, user_agent, 0)
        delay, answer = self._overrides.get(path, (0.0, lambda request: self._page(path)))
        if delay:
            self._closing.wait(delay)
        response: Response = answer(arrived)
        self.requests.append(arrived._replace(status=response.status))
        return response

    def _page(self, path: str) -> Response:
        if path == "/robots.txt" and self.robots_txt is not None:
            return Response(200, {"Content-Type": "text/plain"}, self.robots_txt.encode())
        return self._pages.get(path) or self._pages.get(without_tracking(path), NOT_FOUND)


def without_tracking(path: str) -> str:
    """Return the path without `utm_…` parameters, which sites ignore."""
    parts = urlsplit(path)
    query = [(name, value) for name, value in parse_qsl(parts.query) if not name.startswith("utm_")]
    return parts._replace(query=urlencode(query)).geturl()


class _SiteHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = IDLE_SECONDS
    server: "_SiteHttp"

    def do_GET(self) -> None:
        response = self.server.site.answer(self.command, self.path, self.headers.get("User-Agent", ""))
        self.send_response(response.status)
        for name, value in {"Content-Length": str(len(response.body)), **response.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(response.body)

    do_HEAD = do_GET  # noqa: N815 - the standard library's naming

    def log_message(self, *args: Any) -> None:
        """Print nothing: requests are kept in `SiteServer.requests`."""


class _SiteHttp(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], site: SiteServer) -> None:
        self.site = site
        super().__init__(address, _SiteHandler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore closed connections, which tests cause on purpose; print other errors."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)
