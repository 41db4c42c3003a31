"""The sample site of the demo: a Chinese section in GBK and an English one in UTF-8, served on loopback.

`python -m evaluation.sample_site` writes `pages.jsonl`: for each page a line with path, status, headers, encoding and
body, and with the text that is to be extracted from an article. The server's address is served in place of `BASE`.
"""

import base64
import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple, Self
from urllib.parse import parse_qsl, urlencode, urlsplit

FOLDER = Path(__file__).parent
BASE = "http://sample.invalid"
HOST = "127.0.0.1"
IDLE_SECONDS = 30  # seconds after which an idle connection is closed


class Response(NamedTuple):
    """A response of the site; the server adds Content-Length."""

    status: int
    headers: dict[str, str]
    body: bytes


NOT_FOUND = Response(404, {"Content-Type": "text/html"}, b"<html><title>404</title><h1>Not found</h1></html>")


def recorded() -> Iterator[dict[str, Any]]:
    """Yield the recorded pages."""
    yield from map(json.loads, (FOLDER / "pages.jsonl").read_text("utf-8").splitlines())


def tasks_yaml(base_url: str, out_dir: str = "out") -> str:
    """Return a complete tasks.yaml for the site at `base_url`; outputs are written to `out_dir`."""
    text = (FOLDER / "tasks.yaml").read_text("utf-8")
    return text.replace(BASE, base_url.rstrip("/")).replace("OUT/", f"{out_dir}/")


def _response(page: dict[str, Any], base_url: str) -> Response:
    body = page["body"].replace(BASE, base_url)
    encoded = base64.b64decode(body) if page["encoding"] == "base64" else body.encode(page["encoding"])
    return Response(page["status"], page["headers"], encoded)


class SiteServer:
    """`with SiteServer() as site:` serves the site at `site.url` until the block ends."""

    def __init__(self) -> None:
        self._http = _SiteHttp((HOST, 0), self)
        self.url = f"http://{HOST}:{self._http.server_port}"
        self._pages = {page["path"]: _response(page, self.url) for page in recorded()}

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

    def do_HEAD(self) -> None:
        """Answer without the body."""
        self.do_GET()

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
