"""Comparison of texts: how similar two are, what differs, and with which lines the texts of several pages end.

Similarity is F1 over 4-word shingles as a multiset; each CJK character is a word of its own.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

SHINGLE = 4  # words
_WORD = re.compile(
    r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]|[^\W\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
ENDS = 120  # characters of a text's head and tail that are shown
LINES, LINE = 4, 100  # lines that are shown as added or removed, and characters of each
LAST_LINES, LEAST_LINE = 12, 4  # lines of a text that count as its end; characters of a line that others can share


@dataclass(frozen=True, slots=True)
class TextChange:
    """How a text differs from an earlier one: its head and tail, its first new lines, and the first missing ones."""

    head: str = ""
    tail: str = ""
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


def change_of(before: str, after: str) -> TextChange:
    """Return how a text differs from an earlier one."""
    old, new = before.splitlines(), after.splitlines()
    added, removed = _lines_without(new, old), _lines_without(old, new)
    folded = " ".join(after.split())
    return TextChange(folded[:ENDS], folded[ENDS:][-ENDS:], added, removed)


def _lines_without(lines: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    known = {line.strip() for line in others} | {""}
    found = dict.fromkeys(line.strip() for line in lines if line.strip() not in known)
    return tuple(line[:LINE] for line in list(found)[:LINES])


def shared_ends(texts: Sequence[str]) -> list[tuple[str, ...]]:
    """Return, for each text, the lines at its end with which a text of another page ends, too. Pages with the same text
    are one page.
    """
    ends = {text: _last_lines(text) for text in texts}
    counts = Counter(line for end in ends.values() for line in {*end})
    return [tuple(line for line in ends[text] if counts[line] > 1) for text in texts]


def _last_lines(text: str) -> tuple[str, ...]:
    lines = [line.strip() for line in text.splitlines() if len(line.strip()) >= LEAST_LINE]
    return tuple(lines[1:][-LAST_LINES:])  # the first line is no end


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
