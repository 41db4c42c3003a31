"""The numbers that show which words a line shares with the first paragraphs, the body and the lines near it.

The text of an article shares words with its beginning; a teaser, a comment or another article shares fewer. A *word* is
the first letters of a word of an alphabet, or two Chinese characters in a row. The rarer a word is on the page, the
more it counts. Lines that differ in digits only are one text, so that captions of a gallery do not confirm each other.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...html.lines import without_digits

STEM, LEAST_LETTERS = 6, 4  # letters by which words are the same; words with fewer than the least count for nothing
OPENING = 2  # long lines after the title that are the opening, with it
REACH, NEAR = 8, 4  # lines before or after a line; lines on both sides whose mean is taken
OF_LINE = ("of_opening", "of_body", "of_before", "of_after")  # shares of a line's words …
OF_LINES = ("near_of_body", "box_of_body", "box_of_opening", "page_of_body")  # … and of those of several lines
NAMES = ("words", *OF_LINE, *OF_LINES)
_LETTER, _CHINESE = 1, 2
_BEYOND = 0xFFFF  # the largest code in the table; it stands for all larger ones
_PRIME = np.uint64(1_099_511_628_211)
_TEXT_BITS = 24  # bits of the number of a text
_HASHED = ~np.uint64((1 << _TEXT_BITS) - 1)


def _kinds() -> NDArray[np.uint8]:
    """Return for each code whether it is a Chinese character, a letter of an alphabet in lower case, or neither."""
    kinds = np.zeros(_BEYOND + 1, np.uint8)
    for first, end in ((ord("a"), ord("z") + 1), (0xC0, 0x2000), (0x3040, 0x3400), (0xA000, 0xFE00)):
        kinds[first:end] = _LETTER
    kinds[0x3400:0xA000] = _CHINESE
    return kinds


_KIND = _kinds()


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a page's distinct texts, each once a text, sorted by word and text, which have numbers from 0.

    `weight`: of each word; `of_line`: the text of each line; `all_weight`: of each text's words together.
    """

    word: NDArray[np.intp]
    text: NDArray[np.intp]
    weight: NDArray[np.float64]
    of_line: NDArray[np.intp]
    all_weight: NDArray[np.float64]

    @classmethod
    def of(cls, texts: list[str]) -> "_Words":
        numbers: dict[str, int] = {}
        of_line = np.array([numbers.setdefault(text, len(numbers)) for text in without_digits(texts)], np.intp)
        word, text = _words(list(numbers))
        weight = np.log(1 + len(texts) / np.bincount(word))[word] if len(word) else np.zeros(0)
        return cls(word, text, weight, of_line, np.bincount(text, weight, len(numbers)).astype(np.float64))

    def share(self, shared: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the share of each line's words, by weight, that are `shared`."""
        sums = np.bincount(self.text, self.weight * shared, len(self.all_weight))
        return np.asarray((sums / np.maximum(self.all_weight, 1e-9))[self.of_line])

    def elsewhere(self, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return whether each word of each text stands in another text that has one of the chosen lines."""
        own = (np.bincount(self.of_line, chosen, len(self.all_weight)) > 0)[self.text]
        return np.bincount(self.word, own)[self.word] > own


def cohesion_columns(
    texts: list[str], title: int, kept: NDArray[np.bool_], long: NDArray[np.bool_], box: NDArray[np.intp]
) -> list[ArrayLike]:
    """Return the columns of `NAMES`: log(1 + number of words) of each of the lines, and shares of their weight, 0 to 1.

    `title`: the title's line, −1 if there is none; `kept`: whether the rules keep each line; `long`: whether it is
    prose; `box`: number of the box in which it stands.
    """
    words = _Words.of(texts)
    word, text, of_line, count = words.word, words.text, words.of_line, len(texts)
    index, opening = np.arange(count), np.zeros(count, np.bool_)
    opening[title : title + 1] = title >= 0
    opening[np.flatnonzero(long & (index > max(title, 0)))[:OPENING]] = True
    place = np.flatnonzero(_changes(np.maximum.accumulate(of_line)))  # the first line of each text
    soon = (word[1:] == word[:-1]) & (place[text[1:]] - place[text[:-1]] <= REACH)
    apart = np.zeros(min(1, len(word)), np.bool_)
    of_body, of_opening = words.share(words.elsewhere(kept)), words.share(words.elsewhere(opening))
    total = words.all_weight[of_line]
    low, high = np.maximum(index - NEAR, 0), np.minimum(index + NEAR + 1, count)
    sums, totals = (np.concatenate(([0], np.cumsum(amount))) for amount in (of_body * total, total))
    in_box = np.maximum(np.bincount(box, total), 1e-9)
    return [
        np.log1p(np.bincount(text, minlength=len(words.all_weight)))[of_line], of_opening, of_body,
        words.share(np.concatenate((apart, soon))), words.share(np.concatenate((soon, apart))),
        (sums[high] - sums[low]) / np.maximum(totals[high] - totals[low], 1e-9),
        *((np.bincount(box, amount * total) / in_box)[box] for amount in (of_body, of_opening)),
        float((of_body * total * kept).sum()) / max(float((total * kept).sum()), 1e-9),
    ]  # fmt: skip


def _words(texts: list[str]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the words of the texts, each once a text, as numbers from 0: (word, text), sorted by both."""
    lowered = [f"{text.lower()}\n" for text in texts]
    codes = np.frombuffer("".join(lowered).encode("utf-32-le", "replace"), np.uint32)
    number = np.repeat(np.arange(len(texts), dtype=np.uint64), [len(text) for text in lowered])
    kinds = _KIND.take(np.minimum(codes, _BEYOND))
    chinese, letter = kinds == _CHINESE, kinds == _LETTER
    pairs = np.flatnonzero(chinese[:-1] & chinese[1:])
    borders = np.flatnonzero(_changes(np.concatenate(([False], letter)))[1:])  # each text ends with no letter
    starts, ends = borders[::2], borders[1::2]
    is_word = ends - starts >= LEAST_LETTERS
    starts, ends = starts[is_word], ends[is_word]
    stems = np.zeros(len(starts), np.uint64)
    for at in range(STEM):
        stems = stems * _PRIME + np.where(starts + at < ends, codes[np.minimum(starts + at, len(codes) - 1)], 0)
    hashes = np.concatenate((codes[pairs] * _PRIME + codes[pairs + 1], stems)) * _PRIME
    found = np.sort((hashes & _HASHED) | np.concatenate((number[pairs], number[starts])))
    found = found[_changes(found)]
    return np.cumsum(_changes(found & _HASHED)) - 1, (found & ~_HASHED).astype(np.intp)


def _changes(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Return whether each value differs from the one before; the first one does."""
    changes = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=changes[1:])
    return changes
