"""Source 003's own measure: the Hamming distance of two texts, by 64-bit simhash.

A text is right below a distance of 30 and complete below 10; P = right / all, R = complete / right. The source does not
name its hash. Ours is simhash over the shingles of the common measure. Of unrelated texts 27% are below 30, so it is
always reported together with shingle F1. A text without words has the largest distance to any text, so an empty text
is never right.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

import numpy as np

from ..scores import shingles

BITS = 64
RIGHT, COMPLETE = 30, 10  # bits, as in the source


@dataclass(frozen=True, slots=True)
class Hits:
    """P and R as the source defines them; R is None if nothing was right."""

    precision: float
    recall: float | None


def distance(a: str, b: str) -> int:
    """Return the Hamming distance of two texts, 0 to 64; 64 if one of them, or both, have no words."""
    if not (shingles(a) and shingles(b)):
        return BITS
    return (simhash(a) ^ simhash(b)).bit_count()


def simhash(text: str) -> int:
    """Return 64 bits, each set if it is set in the hashes of most shingles; 0 for a text without words."""
    counts = shingles(text)
    if not counts:
        return 0
    hashes = np.array([_hash(shingle) for shingle in counts], ">u8")
    weights = np.fromiter(counts.values(), np.int64, len(counts))
    bits = np.unpackbits(hashes.view(np.uint8).reshape(-1, 8), axis=1).astype(np.int64)
    set_ = ((2 * bits - 1) * weights[:, None]).sum(axis=0) > 0
    return int.from_bytes(np.packbits(set_).tobytes(), "big")


def hits(distances: Sequence[int]) -> Hits:
    """Return the source's figures for pages with these distances. Raises `ValueError` for none."""
    if not distances:
        raise ValueError("no pages")
    right = sum(found < RIGHT for found in distances)
    complete = sum(found < COMPLETE for found in distances)
    return Hits(right / len(distances), complete / right if right else None)


@lru_cache(100_000)
def _hash(shingle: tuple[str, ...]) -> int:
    return int.from_bytes(blake2b(" ".join(shingle).encode(), digest_size=8).digest(), "big")
