"""A site on an address of this machine, whose responses a function of the path says."""

import sys
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar

Response = tuple[int, Mapping[str, str], bytes]  # status, headers in addition to length and type, body
Site = TypeVar("Site", bound="HttpSite")


class HttpSite(ThreadingHTTPServer):
    """`with HttpSite(respond) as site:` serves it in threads of this process, at `site.url`."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, respond: Callable[[str], Response], host: str = "127.0.0.1"):
        super().__init__((host, 0), _Handler)
        self.respond = respond
        self.url = f"http://{host}:{self.server_port}"

    def __enter__(self: Site) -> Site:
        threading.Thread(target=self.serve_forever, args=(0.05,), name="site", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed hangs up."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: HttpSite

    def do_GET(self) -> None:
        status, headers, body = self.server.respond(self.path)
        fields = {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(body)), **headers}
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Print nothing."""
