"""A small real proxy on loopback for tests."""

import select
import socket
import socketserver
from contextlib import suppress
from urllib.parse import urlsplit

from tests.http_site import Serving


class Proxy(Serving):
    """Passes on what it is asked for to 127.0.0.1, whatever the name; `targets`: (method, host:port, authorization).

    `refusal`: the status line it answers with instead.
    """

    def __init__(self, refusal=""):
        self.refusal, self.targets = refusal, []
        super().__init__(("127.0.0.1", 0), _Passing)


class _Passing(socketserver.BaseRequestHandler):
    def handle(self):
        with suppress(OSError):
            while head := self.head():
                self.one(head)

    def head(self):
        data = b""
        while b"\r\n\r\n" not in data:
            piece = self.request.recv(65536)
            if not piece:
                return b""
            data += piece
        return data

    def one(self, head):
        first, *lines = head.decode("latin-1").split("\r\n")
        method, target, _ = first.split(" ")
        place = target if method == "CONNECT" else urlsplit(target).netloc
        said = [line.partition(": ")[2] for line in lines if line.lower().startswith("proxy-authorization:")]
        self.server.targets.append((method, place, said[0] if said else ""))
        if self.server.refusal:
            self.request.sendall(f"HTTP/1.1 {self.server.refusal}\r\nContent-Length: 0\r\n\r\n".encode())
            return
        with socket.create_connection(("127.0.0.1", int(place.rpartition(":")[2])), timeout=10) as far:
            if method == "CONNECT":
                self.request.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                self.relay(far)
            else:
                kept = [line for line in lines if not line.lower().startswith(("proxy-", "connection:"))]
                path = target[target.index("/", 8) :]
                far.sendall("\r\n".join([f"{method} {path} HTTP/1.1", "Connection: close", *kept]).encode("latin-1"))
                while piece := far.recv(65536):
                    self.request.sendall(piece)
                self.request.shutdown(socket.SHUT_RDWR)

    def relay(self, far):
        ends = {self.request: far, far: self.request}
        while True:
            for one in select.select([*ends], [], [], 20)[0]:
                piece = one.recv(65536)
                if not piece:
                    return
                ends[one].sendall(piece)
