"""A URL on its way through the ledger: its name, its states, and what of it is told and given out at each step."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Literal

State = Literal["waiting", "leased", "fetched", "written", "duplicate", "rejected", "failed", "forgotten"]
OPEN_STATES: tuple[State, ...] = ("waiting", "leased", "fetched")
FINAL_STATES: tuple[State, ...] = ("written", "duplicate", "rejected", "failed", "forgotten")
MOST_CUTS = 3  # times a page may take its worker down with it

Fingerprint = str  # 16 hex digits


def fingerprint(url: str) -> Fingerprint:
    """The name of a normalised URL in the ledger: 64 bits of BLAKE2b (one clash expected among 6 billion URLs)."""
    return blake2b(url.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


@dataclass(frozen=True, slots=True)
class Found:
    """A URL to be fetched. `rank` orders the waiting ones: the smallest is fetched first."""

    url: str
    rank: float = 0.0
    info: Mapping[str, Any] = field(default_factory=dict)  # what discovery knows of it, JSON-ready


@dataclass(frozen=True, slots=True)
class RecheckPlan:
    """When a written article is looked at again: `every` so many seconds `until` a Unix time. What it was last time."""

    every: float
    until: float
    version: int
    hash: str  # content_hash of the article as the example alone cuts it


@dataclass(frozen=True, slots=True)
class Leased:
    """A URL that a spider may fetch now. `tries` counts this time too."""

    fingerprint: Fingerprint
    url: str
    tries: int
    info: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PageLease:
    """A page that a worker may cut now.

    `cuts` counts the attempts that did not end well, this one too; beyond `MOST_CUTS` it must not be tried. `again`:
    somebody had it before, so that its row may have been written already.
    """

    fingerprint: Fingerprint
    url: str
    cuts: int
    again: bool
    page: Mapping[str, bytes]  # the stored page: body (compressed), url, type, status, at
    info: Mapping[str, Any] = field(default_factory=dict)

    @property
    def accepted(self) -> bool:
        """Whether a person took the URL for an article after it had been rejected."""
        return bool(self.info.get("accepted"))

    @property
    def visits(self) -> RecheckPlan | None:
        """What the article was at the last visit, if it was written before."""
        said = self.info.get("visits")
        return RecheckPlan(**said) if said else None


@dataclass(frozen=True, slots=True)
class Counts:
    """How many URLs of a task are in each state."""

    seen: int
    states: Mapping[State, int]

    @property
    def unaccounted(self) -> int:
        """URLs that were seen and are in no state: always 0, or the ledger is broken."""
        return self.seen - sum(self.states.values())

    @property
    def open(self) -> int:
        """URLs whose fate is still open."""
        return sum(self.states[state] for state in OPEN_STATES)

    def to_dict(self) -> dict[str, int]:
        """Seen, each state, and what is unaccounted for."""
        return {
            "seen": self.seen,
            **{str(state): n for state, n in self.states.items()},
            "unaccounted": self.unaccounted,
        }
