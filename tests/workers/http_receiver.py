"""An HTTP server of our own for tests of outputs: it can be interrupted, and answer as a careless server does.

with Receiver() as receiver:
    receiver.answer = failing(503)          a function from a `Request` and its connection to nothing
    receiver.requests                       all that arrived whole, in order
"""

import socket
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from workers.sinks.http_client import HttpLimits

LIMITS = HttpLimits(connect=5, read=5, body=20)
QUICK = HttpLimits(connect=1, read=2, body=10)
IMPATIENT = HttpLimits(connect=0.5, read=0.4, body=1.0)


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


def reply(status, body=b"", **headers):
    """The bytes of an answer."""
    fields = {"Content-Length": len(body), **{name.replace("_", "-"): value for name, value in headers.items()}}
    return (f"HTTP/1.1 {status} x\r\n" + "".join(f"{k}: {v}\r\n" for k, v in fields.items()) + "\r\n").encode() + body


def answering(status, body=b"", **headers):
    return lambda request, connection: connection.sendall(reply(status, body, **headers))


def sending(data):
    """Answer with these bytes and close."""
    return lambda request, connection: connection.sendall(data)


def stalling(request, connection):
    time.sleep(3)


def trickling_body(request, connection):
    connection.sendall(b"HTTP/1.1 200 x\r\nContent-Length: 1000\r\n\r\n")
    for _ in range(1000):
        connection.sendall(b"x")
        time.sleep(0.1)


class Receiver:
    """Listens on one port of the loopback interface, which it keeps when it is interrupted."""

    def __init__(self, *, tls=None):
        self.requests = []
        self.answer = answering(200)
        self._tls = tls
        self._listener = None
        self._connections = set()
        self.port = 0

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *exception):
        self.stop()

    def start(self):
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self.port))
        listener.listen(64)
        self.port = listener.getsockname()[1]
        self._listener = listener
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def stop(self):
        """Close the port and all connections, in the middle of whatever they do."""
        if self._listener is not None:
            listener, self._listener = self._listener, None
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()
            for connection in list(self._connections):
                with suppress(OSError):
                    socket.socket.shutdown(connection, socket.SHUT_RDWR)

    @contextmanager
    def interrupted(self):
        """It is stopped within the block."""
        self.stop()
        yield
        self.start()

    def _accept(self, listener):
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with suppress(OSError, ValueError), connection:
            connection.settimeout(30)
            if self._tls is not None:
                connection = self._tls.wrap_socket(connection, server_side=True)
            self._connections.add(connection)
            try:
                while request := read_request(connection):
                    self.requests.append(request)
                    self.answer(request, connection)
                    if request.headers.get("connection") == "close":
                        return
            finally:
                self._connections.discard(connection)
                with suppress(OSError):
                    socket.socket.shutdown(connection, socket.SHUT_RDWR)
                connection.close()


def read_request(connection):
    """A request that arrived whole; None if the connection ended before."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65536)
        if not more:
            return None
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    method, path, _ = first.split(" ")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    size, parts = int(headers.get("content-length", 0)), [body]
    missing = size - len(body)
    while missing > 0:
        more = connection.recv(1 << 20)
        if not more:
            return None
        parts.append(more)
        missing -= len(more)
    return Request(method, path, headers, b"".join(parts))
