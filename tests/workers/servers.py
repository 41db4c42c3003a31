"""A Redis of a test's own, which may be stopped, robbed of its last writes and started again; and a faulty network."""

import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from tests.redis_servers import started
from workers.redis_access.connection import client
from workers.redis_access.redis_binary import redis_binary


class Server:
    """A Redis with an append-only file on a unix socket."""

    def __init__(self, *options):
        self.folder = Path(tempfile.mkdtemp(prefix="rs-"))
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
    """A client of a Redis on a unix socket, to which chosen replies do not come."""

    def __init__(self, socket_path):
        self.dropped = 0
        self._url = f"unix://{socket_path}"
        self.marks = []

    def client(self):
        connection = client(self._url)
        connection.set_retry(Retry(NoBackoff(), 6))
        pool = connection.connection_pool
        pool.connection_class = _lossy(pool.connection_class, self)
        return connection

    def drop_reply_to(self, mark):
        """Drop the reply to the next request that contains these bytes."""
        self.marks.append(mark.encode() if isinstance(mark, str) else mark)


def _lossy(base, proxy):
    class Lossy(base):
        def send_packed_command(self, command, check_health=True):
            super().send_packed_command(command, check_health)
            data = command if isinstance(command, bytes) else b"".join(command)
            if mark := next((mark for mark in proxy.marks if mark in data), None):
                proxy.marks.remove(mark)
                proxy.dropped += 1
                lose_replies(self)
                raise redis.ConnectionError("the reply is lost")

    return Lossy


def lose_replies(connection):
    """Let the server execute what a connection has sent, and end the connection without the replies."""
    wait = 5.0
    while connection.can_read(timeout=wait):
        with suppress(redis.ResponseError):
            connection.read_response()
        wait = 0.003
    connection.disconnect()
