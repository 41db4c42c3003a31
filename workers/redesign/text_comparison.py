"""The similarity of two texts: F1 over 4-word shingles as a multiset; each CJK character is a word of its own."""

import re
from collections import Counter

SHINGLE = 4  # words
_WORD = re.compile(
    r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]|[^\W\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)


def shingle_f1(one: str, other: str) -> float:
    """Return the F1 of two texts, 0 to 1; 1 for two texts without words."""
    first, second = _shingles(one), _shingles(other)
    if not first and not second:
        return 1.0
    return 2 * (first & second).total() / (first.total() + second.total())


def _shingles(text: str) -> Counter[tuple[str, ...]]:
    """Return the counts of all runs of four words; a shorter text is one run."""
    words = _WORD.findall(text)
    starts = range(max(1, len(words) - SHINGLE + 1)) if words else ()
    return Counter(tuple(words[start : start + SHINGLE]) for start in starts)
