"""SimHash: a fingerprint of 64 bits that changes little when a text changes little.

Charikar, "Similarity estimation techniques from rounding algorithms" (STOC 2002); its use on web pages: Manku, Jain and
Das Sarma, "Detecting near-duplicates for web crawling" (WWW 2007). Features are runs of letters and digits of `SHINGLE`
characters without anything else, so that one setting suits Chinese and alphabetic text, and punctuation, spaces and
line breaks do not count.
"""

import re

import numpy as np

SHINGLE = 5  # characters
_NOT_WORD = re.compile(r"[\W_]+")
_MULTIPLIERS = np.array(
    [0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5, 0x85EBCA77C2B2AE63],
    dtype=np.uint64,
)  # odd constants without pattern; any would do


def simhash(text: str) -> int:
    """Return the SimHash of a text, 0 ≤ value < 2**64; 0 for a text without letters or digits."""
    letters = np.frombuffer(_NOT_WORD.sub("", text.casefold()).encode("utf-32-le", "replace"), dtype="<u4")
    if len(letters) == 0:
        return 0
    if len(letters) < SHINGLE:
        letters = np.pad(letters, (0, SHINGLE - len(letters)))
    hashes = _mixed(np.unique(_shingles(letters.astype(np.uint64))))
    bits = np.unpackbits(hashes.view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
    votes = 2 * bits.sum(axis=0, dtype=np.int64) > len(hashes)
    return int.from_bytes(np.packbits(votes, bitorder="little").tobytes(), "little")


def distance(a: int, b: int) -> int:
    """Return in how many of the 64 bits two fingerprints differ."""
    return (a ^ b).bit_count()


def _shingles(letters: "np.ndarray") -> "np.ndarray":
    """Return uint64, one number for each run of `SHINGLE` characters."""
    count = len(letters) - SHINGLE + 1
    total = np.zeros(count, dtype=np.uint64)
    for place, multiplier in enumerate(_MULTIPLIERS):
        total += letters[place : place + count] * multiplier
    return total


def _mixed(values: "np.ndarray") -> "np.ndarray":
    """Return the values with each bit depending on all bits (the finaliser of MurmurHash3)."""
    for shift, multiplier in ((33, 0xFF51AFD7ED558CCD), (33, 0xC4CEB9FE1A85EC53)):
        values = (values ^ (values >> np.uint64(shift))) * np.uint64(multiplier)
    mixed: np.ndarray = values ^ (values >> np.uint64(33))
    return mixed
