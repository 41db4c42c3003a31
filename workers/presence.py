"""Which processes of the cluster are alive: each writes a heartbeat into one hash every few seconds."""

import json
import os
import socket
import time
from typing import Any, cast

import redis

from . import keys
from .clock import Clock

GONE_AFTER = 15.0  # seconds without a heartbeat
FORGET_AFTER = 3600.0  # seconds until the heartbeat of a process that crashed is removed
NODE = "EXEMPLAR_NODE"  # the environment's variable: a name of this node in place of the host's


def node_name() -> str:
    """Return the name of this node: `$EXEMPLAR_NODE`, or the host's name."""
    return os.environ.get(NODE) or socket.gethostname()


class Presence:
    """The heartbeat of one process. `role`: schedule, crawl or extract."""

    def __init__(self, connection: "redis.Redis", role: str, *, clock: Clock = time.time):
        self.redis = connection
        self.role = role
        self.clock = clock
        self.name = f"{role}@{node_name()}:{os.getpid()}"

    def show(self, **facts: Any) -> None:
        """Write a heartbeat with what the process does."""
        beat = {"role": self.role, "at": self.clock(), "host": node_name(), "pid": os.getpid(), **facts}
        self.redis.hset(keys.ALIVE, self.name, json.dumps(beat, ensure_ascii=False))

    def leave(self) -> None:
        """Remove the heartbeat: the process ends."""
        self.redis.hdel(keys.ALIVE, self.name)


def alive(connection: "redis.Redis", *, clock: Clock = time.time) -> list[dict[str, Any]]:
    """Return the processes with a heartbeat within `GONE_AFTER`, by name."""
    now = clock()
    processes = []
    for name, raw in cast(dict[bytes, bytes], connection.hgetall(keys.ALIVE)).items():
        beat = json.loads(raw)
        if now - beat["at"] > FORGET_AFTER:
            connection.hdel(keys.ALIVE, name.decode())
        elif now - beat["at"] <= GONE_AFTER:
            processes.append({"name": name.decode(), **beat})
    return sorted(processes, key=lambda beat: str(beat["name"]))
