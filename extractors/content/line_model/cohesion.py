"""The numbers that show which words a line shares with the first paragraphs, the body and the lines near it.

The text of an article shares words with its beginning; a teaser, a comment or another article shares fewer. A *word* is
the first letters of a word of an alphabet, or two Chinese characters in a row. The rarer a word is on the page, the
more it counts. Lines that differ in digits only are one text, so that captions of a gallery do not confirm each other.
"""

import re
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

STEM, LEAST_LETTERS = 6, 4  # letters by which words are the same; words with fewer than the least count for nothing
OPENING = 2  # long lines after the title that are the opening, with it
REACH, NEAR = 8, 4  # lines before or after a line; lines on both sides whose mean is taken
OF_LINE = ("of_opening", "of_body", "of_before", "of_after")  # shares of a line's words …
OF_LINES = ("near_of_body", "box_of_body", "box_of_opening", "page_of_body")  # … and of those of several lines
NAMES = ("words", *OF_LINE, *OF_LINES)
_DIGITS = re.compile(r"\d+")
_PRIME = np.uint64(1_099_511_628_211)
_TEXT_BITS = 24  # bits of the number of a text
_HASHED = ~np.uint64((1 << _TEXT_BITS) - 1)


def cohesion_columns(
    texts: list[str], title: int, kept: NDArray[np.bool_], long: NDArray[np.bool_], box: NDArray[np.intp]
) -> list[ArrayLike]:
    """Return the columns of `NAMES`: log(1 + number of words) of each of the lines, and shares of their weight, 0 to 1.

    `title`: the title's line, −1 if there is none; `kept`: whether the rules keep each line; `long`: whether it is
    prose; `box`: number of the box in which it stands.
    """
    numbers: dict[str, int] = {}
    of_line = np.array([numbers.setdefault(_DIGITS.sub("0", text), len(numbers)) for text in texts], np.intp)
    count, distinct = len(texts), len(numbers)
    word, text = _words(list(numbers))
    weight = np.log(1 + count / np.bincount(word))[word] if len(word) else np.zeros(0)
    all_weight = np.bincount(text, weight, distinct)

    def share(shared: NDArray[np.bool_]) -> NDArray[np.float64]:
        sums = np.bincount(text, weight * shared, distinct)
        return np.asarray((sums / np.maximum(all_weight, 1e-9))[of_line])

    def elsewhere(chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Whether each word of each text stands in another text that has one of the chosen lines."""
        own = (np.bincount(of_line, chosen, distinct) > 0)[text]
        return np.bincount(word, own)[word] > own

    index, opening = np.arange(count), np.zeros(count, np.bool_)
    opening[title : title + 1] = title >= 0
    opening[np.flatnonzero(long & (index > max(title, 0)))[:OPENING]] = True
    _, place = np.unique(of_line, return_index=True)  # the first line of each text
    soon = (word[1:] == word[:-1]) & (place[text[1:]] - place[text[:-1]] <= REACH)
    apart = np.zeros(min(1, len(word)), np.bool_)
    of_body, of_opening, total = share(elsewhere(kept)), share(elsewhere(opening)), all_weight[of_line]
    low, high = np.maximum(index - NEAR, 0), np.minimum(index + NEAR + 1, count)
    sums, totals = (np.concatenate(([0], np.cumsum(amount))) for amount in (of_body * total, total))

    def of_box(amount: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray((np.bincount(box, amount * total) / np.maximum(np.bincount(box, total), 1e-9))[box])

    return [
        np.log1p(np.bincount(text, minlength=distinct))[of_line], of_opening, of_body,
        share(np.concatenate((apart, soon))), share(np.concatenate((soon, apart))),
        (sums[high] - sums[low]) / np.maximum(totals[high] - totals[low], 1e-9), of_box(of_body), of_box(of_opening),
        float((of_body * total * kept).sum()) / max(float((total * kept).sum()), 1e-9),
    ]  # fmt: skip


def _words(texts: list[str]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the words of the texts, each once a text, as numbers from 0: (word, text), sorted by both."""
    lowered = [f"{text.lower()}\n" for text in texts]
    codes = np.frombuffer("".join(lowered).encode("utf-32-le", "replace"), np.uint32).astype(np.uint64)
    number = np.repeat(np.arange(len(texts), dtype=np.uint64), [len(text) for text in lowered])
    chinese = (codes >= 0x3400) & (codes <= 0x9FFF)
    other = ((codes >= 0xC0) & (codes < 0x2000)) | ((codes >= 0x3040) & (codes < 0x3400)) | (codes >= 0xA000)
    letter = ((codes >= ord("a")) & (codes <= ord("z"))) | (other & (codes < 0xFE00))
    pairs = np.flatnonzero(chinese[:-1] & chinese[1:])
    borders = np.flatnonzero(np.diff(letter, prepend=False, append=False))
    starts, ends = borders[::2], borders[1::2]
    is_word = ends - starts >= LEAST_LETTERS
    starts, ends = starts[is_word], ends[is_word]
    stems = np.zeros(len(starts), np.uint64)
    for at in range(STEM):
        stems = stems * _PRIME + np.where(starts + at < ends, codes[np.minimum(starts + at, len(codes) - 1)], 0)
    hashes = np.concatenate((codes[pairs] * _PRIME + codes[pairs + 1], stems)) * _PRIME
    found = np.unique((hashes & _HASHED) | np.concatenate((number[pairs], number[starts])))
    begun = np.diff(found & _HASHED, prepend=found[:1] & _HASHED) != 0
    return np.cumsum(begun), (found & ~_HASHED).astype(np.intp)
