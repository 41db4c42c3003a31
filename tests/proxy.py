"""A proxy of this machine with faults: it cuts connections at random moments, loses replies, or is silent."""

import contextlib
import random
import socket
import struct
import threading
import time
from pathlib import Path

HANDSHAKE = 3000  # bytes; with TLS a connection that is cut after fewer is not open yet
RESET = struct.pack("ii", 1, 0)  # SO_LINGER: close by RST


class Proxy:
    """The proxy in front of a port, or of a unix socket. `cuts`, `lost`: how many connections and replies it has cut.

    `loss`: the share of replies that are lost at random, each with its connection; their commands were executed.
    """

    def __init__(self, target: int | Path, seed: int = 1):
        self.target, self.choose = target, random.Random(seed)
        self.cuts = self.lost = 0
        self.loss = 0.0
        self.is_cutting = False
        self.is_silent = False  # nothing is refused, nothing answers
        self.is_open = True  # whether connections are accepted; no longer after `close`
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._connections: list[tuple[socket.socket, socket.socket]] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Cut all connections and accept no more, as at the begin of a partition."""
        self.is_open = False
        for connection in self._connections:
            self._end(*connection, False)

    def open(self) -> None:
        """Accept connections again."""
        self.is_open = True

    def _accept(self) -> None:
        while True:
            near, _ = self._listener.accept()
            if not self.is_open:
                near.close()
                continue
            try:
                far = self._connected()
            except OSError:
                near.close()
                continue
            self._connections.append((near, far))
            by_bytes, is_reset = self.choose.random() < 0.5, self.choose.random() < 0.5
            left = [self.choose.randrange(HANDSHAKE)] if self.is_cutting and by_bytes else []
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self._pipe, args=(source, sink, left, near, far, is_reset), daemon=True).start()
            if self.is_cutting and not by_bytes:
                timer = threading.Timer(self.choose.uniform(0, 2), self._cut, (near, far, is_reset))
                timer.daemon = True
                timer.start()

    def _connected(self) -> socket.socket:
        if isinstance(self.target, int):
            return socket.create_connection(("127.0.0.1", self.target))
        far = socket.socket(socket.AF_UNIX)
        far.connect(str(self.target))
        return far

    def _pipe(
        self, source: socket.socket, sink: socket.socket, left: list[int], near: socket.socket, far: socket.socket,
        is_reset: bool,
    ) -> None:  # fmt: skip
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                while self.is_silent:
                    time.sleep(0.02)
                if source is far and self.choose.random() < self.loss:
                    self.lost += 1
                    break
                if left and left[0] < len(data):
                    sink.sendall(data[: left[0]])
                    self._cut(near, far, is_reset)
                    return
                left[:] = [left[0] - len(data)] if left else []
                sink.sendall(data)
        self._end(near, far, False)

    def _cut(self, near: socket.socket, far: socket.socket, is_reset: bool) -> None:
        self.cuts += 1
        self._end(near, far, is_reset)

    @staticmethod
    def _end(near: socket.socket, far: socket.socket, is_reset: bool) -> None:
        for end in (near, far):
            with contextlib.suppress(OSError):
                if is_reset:
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                end.shutdown(socket.SHUT_RDWR)
            end.close()
