"""The similarity of two texts, by their runs of words."""

import re
from collections import Counter

RUN = 4  # words
_WORD = re.compile(
    r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]|[^\W\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)


def text_f1(one: str, other: str) -> float:
    """Return the F1 of two texts by their runs of four words, 0 to 1; each Chinese character is a word of its own."""
    first, second = _runs(one), _runs(other)
    if not first and not second:
        return 1.0
    return 2 * (first & second).total() / (first.total() + second.total())


def _runs(text: str) -> Counter[tuple[str, ...]]:
    words = _WORD.findall(text)
    starts = range(max(1, len(words) - RUN + 1)) if words else ()
    return Counter(tuple(words[start : start + RUN]) for start in starts)
