"""A site of lists only: what a test puts at a path is served, with a state by which it can be asked for."""

import hashlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

ARTICLE = "<html><title>{path}</title><h1>{path}</h1><p>{text}</p></html>"


class Asked(NamedTuple):
    """One request: its path, by which state it asked, and what was answered."""

    path: str
    state: str
    status: int


class ListServer:
    """`with ListServer() as site:`; `site.pages[path]` is a body, any `/a/…` an article. `asked`: the requests."""

    def __init__(self) -> None:
        self.pages: dict[str, bytes | str] = {}
        self.asked: list[Asked] = []
        self.states = True  # whether answers name their state
        self._http = _Http(self)
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> "ListServer":
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def lists(self) -> list[str]:
        """The paths that were asked for, articles left out, in order."""
        return [asked.path for asked in self.asked if not asked.path.startswith("/a/")]

    def answer(self, path: str, state: str) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body for a request."""
        body = self.pages.get(path)
        if body is None and path.startswith("/a/"):
            body = ARTICLE.format(path=path, text=f"The text of {path}. " * 20)
        if body is None:
            return 404, {}, b"not here"
        body = body.encode() if isinstance(body, str) else body
        etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        if self.states and state == etag:
            return 304, {"ETag": etag}, b""
        return 200, {"ETag": etag} if self.states else {}, body


class _Http(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, site: ListServer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.site = site


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Http

    def do_GET(self) -> None:
        site = self.server.site
        state = self.headers.get("If-None-Match", "")
        status, headers, body = site.answer(self.path, state)
        site.asked.append(Asked(self.path, state, status))
        self.send_response(status)
        for name, value in {"Content-Type": "text/html; charset=utf-8", **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        """Requests are kept in `ListServer.asked`, not printed."""
