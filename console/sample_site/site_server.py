"""The sample site on a real HTTP server on loopback."""

import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qsl, urlencode, urlsplit

from console.sample_site.site_pages import NOT_FOUND, Response, render_site

HOST = "127.0.0.1"
IDLE_SECONDS = 30  # seconds after which an idle connection is closed


class SiteServer:
    """`with SiteServer() as site:` serves the site at `site.url` until the block ends."""

    def __init__(self) -> None:
        self._http = _SiteHttp((HOST, 0), self)
        self.url = f"http://{HOST}:{self._http.server_port}"
        self._pages = render_site(self.url)

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def answer(self, method: str, path: str, user_agent: str) -> Response:
        """Return the response to a request."""
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
        """Print nothing: a demo needs no log."""


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
