"""A host's own files (robots.txt, tdmrep.json) in Redis: one spider requests a file once a day, the others wait.

tdmrep.json, which says which of a host's pages are reserved from text and data mining, is read here: octets → rules.
Source: TDM Reservation Protocol, final report of 10 May 2024. Its patterns are those of robots.txt; the first rule that
matches a page applies. An invalid file has no rules.
"""

import json
from dataclasses import dataclass
from typing import cast

import redis
import zstandard

from crawler.politeness.robots import PARSED, Record, Rule, rule_of, spellings_of
from workers import keys

CLAIM_SECONDS = 60.0  # after this time the requesting spider may be dead, and another one requests the file
RULES_MOST = 1000  # of a tdmrep.json


@dataclass(frozen=True, slots=True)
class HostFile:
    """A host's last response: status, and the part of the body that is read."""

    status: int
    body: bytes


class HostFiles:
    """The files of one kind, such as `robots`."""

    def __init__(self, connection: "redis.Redis", kind: str):
        self.redis, self.kind = connection, kind

    def get(self, host: str) -> tuple[HostFile, float] | None:
        """Return the file of a host, and for how many seconds it is still valid; None if none is."""
        pipe = self.redis.pipeline(transaction=True)
        pipe.get(self._key(host))
        pipe.pttl(self._key(host))
        raw, left = cast("tuple[bytes | None, int]", tuple(pipe.execute()))
        if raw is None:
            return None
        status, _, body = raw.partition(b" ")
        plain = zstandard.ZstdDecompressor().decompress(body, max_output_size=PARSED + 1)
        return HostFile(int(status), plain), left / 1e3

    def put(self, host: str, file: HostFile, seconds: float) -> None:
        """Keep a host's response for all spiders."""
        # One octet more than is read, to show that the file is longer.
        body = zstandard.ZstdCompressor().compress(file.body[: PARSED + 1])
        self.redis.set(self._key(host), b"%d " % file.status + body, px=int(seconds * 1000))

    def claim(self, host: str) -> bool:
        """Acquire the right to request the file, until `release` or for a minute. False if another spider has it."""
        return bool(self.redis.set(self._key(host) + ":asked", b"1", nx=True, px=int(CLAIM_SECONDS * 1000)))

    def release(self, host: str) -> None:
        """Release the right."""
        self.redis.delete(self._key(host) + ":asked")

    def _key(self, host: str) -> str:
        return keys.of_host(host, self.kind)


# tdmrep.json


@dataclass(frozen=True, slots=True)
class TdmRules:
    """A host's rules in their order, each with the information whether its pages are reserved."""

    rules: tuple[tuple[Rule, bool], ...] = ()

    def reserves(self, url: str) -> bool | None:
        """Whether a page is reserved; None if no rule matches."""
        spellings = spellings_of(url)
        return next((reserved for rule, reserved in self.rules if any(map(rule.matches, spellings))), None)


def parse_tdm(body: bytes) -> TdmRules:
    """Return the rules of a tdmrep.json. Never raises."""
    try:
        entries = json.loads(body)
    except (ValueError, RecursionError):
        return TdmRules()
    found = []
    for entry in entries[:RULES_MOST] if isinstance(entries, list) else []:
        if isinstance(entry, dict) and (rule := _tdm_rule(entry.get("location"), str(entry.get("tdm-reservation")))):
            found.append(rule)
    return TdmRules(tuple(found))


def _tdm_rule(location: object, flag: str) -> tuple[Rule, bool] | None:
    if not isinstance(location, str) or not location or flag not in ("0", "1"):
        return None
    return rule_of(Record(b"disallow", location.encode("utf-8", "replace"))), flag == "1"
