"""The exporter: `exemplar metrics --listen`, for a cluster without a console.

It only serves `/metrics`. Without a token it only responds to programs of this machine, under this machine's names.
"""

import signal
import socket
import threading
from collections.abc import Callable, Iterable
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server
from wsgiref.types import StartResponse, WSGIEnvironment

from prometheus_client import CollectorRegistry, make_wsgi_app
from prometheus_client.exposition import ThreadingWSGIServer

from console.serving import LOCAL_NAMES, PATH, CannotListen, host_name, is_bearer

TOKEN_MISSING = "send the metrics token as Authorization: Bearer TOKEN\n"


class MetricsApplication:
    """The exporter as a WSGI application."""

    def __init__(self, registry: CollectorRegistry, token: str = ""):
        self._metrics, self._token = make_wsgi_app(registry), token

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        refusal = self._refusal(environ)
        if refusal is not None:
            status, text, headers = refusal
            start_response(status, [("Content-Type", "text/plain; charset=utf-8"), *headers])
            return [text.encode()]
        answer: Iterable[bytes] = self._metrics(environ, start_response)
        return answer

    def _refusal(self, environ: WSGIEnvironment) -> tuple[str, str, list[tuple[str, str]]] | None:
        if not self._token and host_name(str(environ.get("HTTP_HOST", ""))) not in LOCAL_NAMES:
            return "421 Misdirected Request", "unknown host name\n", []
        if self._token and not is_bearer(str(environ.get("HTTP_AUTHORIZATION", "")), self._token):
            return "401 Unauthorized", TOKEN_MISSING, [("WWW-Authenticate", "Bearer")]
        if environ["PATH_INFO"] != PATH:
            return "404 Not Found", f"the metrics are at {PATH}\n", []
        if environ["REQUEST_METHOD"] not in ("GET", "HEAD"):
            return "405 Method Not Allowed", "GET only\n", [("Allow", "GET, HEAD")]
        return None


class _QuietHandler(WSGIRequestHandler):
    timeout = 30  # seconds for a request

    def log_message(self, format: str, *args: Any) -> None:
        """No-op: a log line for each scrape has no information."""


class _Server6(ThreadingWSGIServer):
    address_family = socket.AF_INET6


def serve(registry: CollectorRegistry, host: str, port: int, token: str, on_start: Callable[[int], object]) -> None:
    """Serve until SIGINT or SIGTERM. `on_start` gets the port. Raises `CannotListen`."""
    server_class = _Server6 if ":" in host else ThreadingWSGIServer
    application = MetricsApplication(registry, token)
    try:
        server = make_server(host, port, application, server_class, handler_class=_QuietHandler)
    except OSError as error:
        raise CannotListen(host, port, error, "--listen", "--listen") from None
    with server:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: threading.Thread(target=server.shutdown).start())
        on_start(server.server_port)
        server.serve_forever()
