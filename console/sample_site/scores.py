"""The common yardstick: F1 over 4-word shingles as a multiset; each CJK character is a word of its own."""

import re
from collections import Counter

SHINGLE = 4  # words
WORD = re.compile(
    r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]|[^\W\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)


def shingle_f1(predicted: str, expected: str) -> float:
    """Return the F1 of two texts, 0 to 1; 1 for two texts without words."""
    found, wanted = shingles(predicted), shingles(expected)
    if not found and not wanted:
        return 1.0
    return 2 * (found & wanted).total() / (found.total() + wanted.total())


def shingles(text: str) -> Counter[tuple[str, ...]]:
    """Return the counts of all runs of four words; a shorter text is one run."""
    words = WORD.findall(text)
    starts = range(max(1, len(words) - SHINGLE + 1)) if words else ()
    return Counter(tuple(words[start : start + SHINGLE]) for start in starts)
