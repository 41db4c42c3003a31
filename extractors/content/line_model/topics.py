"""The numbers that show whether a line is about what the article is about: words that it shares with other lines.

Teasers and further articles are about other things than the body, whatever names and places their boxes have. A
*word* is a pair of neighbouring Chinese characters or the beginning of a longer word; those of many lines of the page
do not count, nor do lines beyond their first `READ` characters. Shares are 0 to 1, −1 if there is nothing to compare.
"""

from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...html.lines import Floats

READ = 160  # characters of a line
COMMON, LEAST_COMMON = 0.25, 3  # a word of more than this share of the lines is common, if it is one of more lines
OPENING = 3  # paragraphs after the title that say what the article is about
REACH, NEIGHBOURS = 4, 3  # lines around a line; paragraphs before and after one
NAMES = (
    "title_words", "of_title", "title_words_near", "opening_words", "opening_words_near", "known_words",
    "known_words_near", "words_around",
)  # fmt: skip
_LETTER, _CHARACTER = 1, 2  # kinds: words have spaces around them, or are any two neighbours
_FIRST_CHARACTER = "\u2e80"  # Chinese, Japanese and Korean
_LEAST, _STEM = 4, 6  # letters: least of a word, and those that count
_PRIME = 1_000_003


def topic_columns(texts: list[str], title: int, paragraph: NDArray[np.bool_]) -> list[ArrayLike]:
    """Return the columns of `NAMES`, each with one number a line. `title`: its line, −1 if there is none.

    `paragraph`: whether each line is one of prose.
    """
    count = len(texts)
    line, word = _words(texts)
    amounts = np.bincount(word, minlength=1)
    is_rare = amounts[word] <= max(LEAST_COMMON, COMMON * count)
    line, word = line[is_rare], word[is_rare]
    size = np.bincount(line, minlength=count)
    paragraph = paragraph & (np.arange(count) > title)
    opening = np.zeros(count, np.bool_)
    opening[np.flatnonzero(paragraph)[:OPENING]] = True
    in_title = np.zeros(len(amounts), np.bool_)
    in_title[word[line == title]] = True
    of_opening = np.bincount(word[opening[line]], minlength=len(amounts))
    first = np.full(len(amounts), count)
    np.minimum.at(first, word[paragraph[line]], line[paragraph[line]])

    def hits(are_shared: NDArray[np.bool_]) -> Floats:
        return np.bincount(line[are_shared], minlength=count).astype(np.float32)

    titled = hits(in_title[word] & (line != title))
    opened = hits((of_opening[word] > opening[line]) | in_title[word])
    known = hits(paragraph[line] & ((first[word] < line) | in_title[word]))
    around = hits(_are_near(line, word, paragraph))
    none = np.full(count, -1, np.float32)
    return [
        _share(titled, size), titled / in_title.sum() if in_title.any() else none,
        _near(titled, size) if in_title.any() else none,
        _share(opened, size), _near(opened, size), np.where(paragraph, _share(known, size), -1),
        _near(known, size * paragraph), np.where(paragraph, _share(around, size), -1),
    ]  # fmt: skip


def _words(texts: list[str]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return line and number of each word, each word once a line."""
    read = [f"{line[:READ]}\n" for line in texts]
    of_line = np.repeat(np.arange(len(texts)), list(map(len, read)))
    text = "".join(read) + "\n" * _STEM
    codes = np.minimum(np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4"), 0xFFFF).astype(np.int64)
    kinds, lower = _alphabet()
    kind, codes = kinds[codes], lower[codes]
    pairs = np.flatnonzero((kind[:-1] == _CHARACTER) & (kind[1:] == _CHARACTER))
    letter = kind == _LETTER
    starts = np.flatnonzero(letter[:-_LEAST] & ~_shifted(letter)[:-_LEAST])
    starts = starts[np.logical_and.reduce([letter[starts + place] for place in range(1, _LEAST)])]
    stems, goes_on = np.zeros(len(starts), np.int64), np.ones(len(starts), np.bool_)
    for place in range(_STEM):
        goes_on &= letter[starts + place]
        stems = stems * _PRIME + np.where(goes_on, codes[starts + place], 0)
    words = np.concatenate([codes[pairs] << 16 | codes[pairs + 1], stems])
    lines = of_line[np.concatenate([pairs, starts])]
    known, number = np.unique(words, return_inverse=True)
    both = np.unique(lines * (len(known) + 1) + number)
    return both // (len(known) + 1), both % (len(known) + 1)


@cache
def _alphabet() -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """Return kind and lower case of each character up to U+FFFF."""
    signs = [chr(code) for code in range(0xFFFF)]
    kinds = [0 if not sign.isalpha() else _CHARACTER if sign >= _FIRST_CHARACTER else _LETTER for sign in signs]
    lower = [ord(sign.lower()[0]) for sign in signs]
    return np.array([*kinds, 0], np.int8), np.array([*lower, 0], np.int64)


def _shifted(flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return np.concatenate(([False], flags[:-1]))


def _are_near(line: NDArray[np.intp], word: NDArray[np.intp], paragraph: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return whether each word of a paragraph stands in one of the `NEIGHBOURS` before or after it, too."""
    place = np.cumsum(paragraph)[line]
    order = np.lexsort((place, word))
    order = order[paragraph[line[order]]]
    is_same = (np.diff(word[order]) == 0) & (np.diff(place[order]) <= NEIGHBOURS)
    found = np.zeros(len(line), np.bool_)
    found[order[:-1][is_same]] = True
    found[order[1:][is_same]] = True
    return found


def _share(hits: Floats, size: NDArray[np.intp]) -> Floats:
    return np.where(size > 0, hits / np.maximum(size, 1), -1).astype(np.float32)


def _near(hits: Floats, size: NDArray[np.intp]) -> Floats:
    """Return the share of the words in the `REACH` lines before and after each line and in itself."""
    index = np.arange(len(hits))
    low, high = np.maximum(index - REACH, 0), np.minimum(index + REACH + 1, len(hits))
    sums, sizes = (np.concatenate(([0], np.cumsum(one))) for one in (hits, size))
    shares: Floats = ((sums[high] - sums[low]) / np.maximum(1, sizes[high] - sizes[low])).astype(np.float32)
    return shares
