"""A site on an address of this machine, whose responses a function of the path says."""

import socketserver
import sys
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, TypeVar

Response = tuple[int, Mapping[str, str], bytes]  # status, headers in addition to length and type, body
Server = TypeVar("Server", bound="Serving")


class Serving(socketserver.ThreadingTCPServer):
    """A server that works in threads of this process as long as a `with` block."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def __enter__(self: Server) -> Server:
        threading.Thread(target=self.serve_forever, args=(0.02,), name="site", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    @property
    def port(self) -> int:
        """Where it serves."""
        return int(self.server_address[1])


class HttpSite(Serving, HTTPServer):
    """`with HttpSite(respond) as site:` serves it in threads of this process, at `site.url`."""

    def __init__(self, respond: Callable[[str], Response], host: str = "127.0.0.1", port: int = 0):
        super().__init__((host, port), _Handler)
        self.respond = respond
        self.url = f"http://{host}:{self.port}"

    def answer_to(self, handler: BaseHTTPRequestHandler) -> Response | None:
        """Return the response to a request; None if it has been sent."""
        return self.respond(handler.path)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed hangs up."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: HttpSite

    def do_GET(self) -> None:
        if (answer := self.server.answer_to(self)) is None:
            return
        status, headers, body = answer
        fields = {"Content-Type": "text/html; charset=utf-8", "Content-Length": len(body), **headers}
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, str(value).encode().decode("latin-1"))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *_: object) -> None:
        """Print nothing."""
