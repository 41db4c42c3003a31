"""Which processes of the cluster are alive: each shows itself every few seconds in one hash."""

import json
import os
import socket
import time
from typing import Any, cast

import redis

from . import keys

GONE_AFTER = 15.0  # seconds without a sign
FORGET_AFTER = 3600.0  # seconds until a process that never left properly is dropped from the list


class Presence:
    """The sign of life of one process. `role`: schedule, crawl or extract."""

    def __init__(self, connection: "redis.Redis", role: str):
        self.redis = connection
        self.role = role
        self.name = f"{role}@{socket.gethostname()}:{os.getpid()}"

    def show(self, **facts: Any) -> None:
        """Say that the process is alive, and what it does."""
        sign = {"role": self.role, "at": time.time(), "host": socket.gethostname(), "pid": os.getpid(), **facts}
        self.redis.hset(keys.ALIVE, self.name, json.dumps(sign, ensure_ascii=False))

    def leave(self) -> None:
        """Say goodbye."""
        self.redis.hdel(keys.ALIVE, self.name)


def alive(connection: "redis.Redis") -> list[dict[str, Any]]:
    """The processes that showed themselves in the last seconds, by name."""
    now = time.time()
    found = []
    for name, raw in cast(dict[bytes, bytes], connection.hgetall(keys.ALIVE)).items():
        sign = json.loads(raw)
        if now - sign["at"] > FORGET_AFTER:
            connection.hdel(keys.ALIVE, name.decode())
        elif now - sign["at"] <= GONE_AFTER:
            found.append({"name": name.decode(), **sign})
    return sorted(found, key=lambda sign: str(sign["name"]))
