"""A Redis of a test's own, which may be stopped, robbed of its last writes and started again; and a faulty network."""

import shutil
import socket
import tempfile
import threading
import time
from pathlib import Path

from tests.redis_servers import started
from workers.redis_access.connection import client
from workers.redis_access.redis_binary import redis_binary


class Server:
    """A Redis with an append-only file on a unix socket. `folder`: that of its files; None for one that it removes."""

    def __init__(self, *options, folder=None):
        self.folder = folder or Path(tempfile.mkdtemp(prefix="rs-"))
        self.socket = self.folder / "s"
        self.url = f"unix://{self.socket}"
        self.options = options
        self.process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self):
        aof = ("--appendonly", "yes", "--appendfsync", "always", "--aof-load-truncated", "yes")
        self.process = started(str(redis_binary().path), self.folder, *aof, *self.options)

    def kill(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait(10)
            self.process = None

    @property
    def file(self):
        """The append-only file: one, or since Redis 7 the newest of a folder."""
        parts = sorted(self.folder.glob("appendonlydir/*.incr.aof"))
        return parts[-1] if parts else self.folder / "appendonly.aof"

    def size(self):
        """The bytes that are written so far, a moment to come back to."""
        return self.file.stat().st_size

    def roll_back(self, size):
        """Kill the server, remove what was written after a moment, and start it again."""
        self.kill()
        with self.file.open("r+b") as file:
            file.truncate(size)
        self.start()


class LossyProxy:
    """A TCP proxy to a Redis on a unix socket that drops replies: it forwards the request, then it closes."""

    def __init__(self, socket_path):
        self.target = str(socket_path)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"redis://127.0.0.1:{self.listener.getsockname()[1]}/0"
        self.dropped = 0
        self._marks = []
        self._connections = []
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()
        for connection in self._connections:
            connection.close()

    def client(self):
        return client(self.url)

    def drop_reply_to(self, mark):
        """Drop the reply to the next request that contains these bytes."""
        self._marks.append(mark.encode() if isinstance(mark, str) else mark)

    def _accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            far = socket.socket(socket.AF_UNIX)
            far.connect(self.target)
            self._connections += [near, far]
            threading.Thread(target=self._serve, args=(near, far), daemon=True).start()

    def _serve(self, near, far):
        """Forward requests and replies in turn: redis-py never sends a request before it has the last reply."""
        threading.Thread(target=self._forward_replies, args=(near, far), daemon=True).start()
        try:
            while data := near.recv(2**20):
                mark = next((mark for mark in self._marks if mark in data), None)
                if mark is not None:
                    self._marks.remove(mark)
                    self._lose(near, far, data)
                    return
                far.sendall(data)
        except OSError:
            pass
        finally:
            _close(near, far)

    def _lose(self, near, far, data):
        near.shutdown(socket.SHUT_RDWR)  # before the server can answer
        far.sendall(data)
        time.sleep(0.1)  # until the server has executed it
        self.dropped += 1

    def _forward_replies(self, near, far):
        try:
            while data := far.recv(2**20):
                near.sendall(data)
        except OSError:
            pass
        finally:
            _close(near, far)


def _close(*connections):
    for connection in connections:
        connection.close()
