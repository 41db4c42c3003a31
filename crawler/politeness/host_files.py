"""A host's own files (robots.txt, tdmrep.json) in Redis: one spider requests a file once a day, the others wait."""

from dataclasses import dataclass
from typing import cast

import redis
import zstandard

from crawler.politeness.robots import PARSED
from workers import keys

CLAIM_SECONDS = 60.0  # after this time the requesting spider may be dead, and another one requests the file


@dataclass(frozen=True, slots=True)
class HostFile:
    """A host's last response: status, and the part of the body that is read."""

    status: int
    body: bytes


class HostFiles:
    """The files of one kind, such as `robots`. Without a connection nothing is kept."""

    def __init__(self, connection: "redis.Redis | None", kind: str):
        self.redis, self.kind = connection, kind

    def get(self, host: str) -> tuple[HostFile, float] | None:
        """Return the file of a host, and for how many seconds it is still valid; None if none is."""
        if self.redis is None:
            return None
        pipe = self.redis.pipeline(transaction=True)
        pipe.get(self._key(host))
        pipe.pttl(self._key(host))
        raw, left = cast("tuple[bytes | None, int]", tuple(pipe.execute()))
        if raw is None:
            return None
        status, _, body = raw.partition(b" ")
        return HostFile(
            int(status), zstandard.ZstdDecompressor().decompress(body, max_output_size=PARSED + 1)
        ), left / 1e3

    def put(self, host: str, file: HostFile, seconds: float) -> None:
        """Keep a host's response for all spiders."""
        if self.redis is not None:
            # One octet more than is read, to show that the file is longer.
            body = zstandard.ZstdCompressor().compress(file.body[: PARSED + 1])
            self.redis.set(self._key(host), b"%d " % file.status + body, px=int(seconds * 1000))

    def claim(self, host: str) -> bool:
        """Acquire the right to request the file, until `release` or for a minute. False if another spider has it."""
        if self.redis is None:
            return True
        return bool(self.redis.set(self._key(host) + ":asked", b"1", nx=True, px=int(CLAIM_SECONDS * 1000)))

    def release(self, host: str) -> None:
        """Release the right."""
        if self.redis is not None:
            self.redis.delete(self._key(host) + ":asked")

    def _key(self, host: str) -> str:
        return keys.of_host(host, self.kind)
