"""A page's topic (页面主题), and a line's relevance to it (相关度, s): steps 1 and 3 of the source's section 2.2.2.

The topic is <title> without what follows its last "-" or "_", where sites write their name. Its words and the line's
are compared, and the matches are counted and weighted; stop words do not count. The source gives no weights.
Ours: a title word weighs its characters, and s is the share of the title's weight that the line has, 0 to 1; how often
a word occurs in the line does not matter. `matches` counts as the source does, for the verbatim form.

A word of the title that is not in the line's text cannot be one of its words, and each run of Chinese is segmented
independently. So only runs that contain such a word are segmented, until the word is found: the result is the same, in
a fraction of jieba's time. For a title without Chinese jieba is not needed.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from .words import HAN, STOP_WORDS, cut_run, words

SEPARATORS = "-_"
MAX_WORDS = 50  # words of a title; a longer text is not a title


def article_title(title: str) -> str:
    """Return the content of <title> without what follows its last "-" or "_"."""
    end = max(title.rfind(sign) for sign in SEPARATORS)
    return title[: max(end, 0)].strip() or title


def title_words(title: str) -> tuple[str, ...]:
    """Return the words t₁ … t_m of a page's title, each once, without stop words and single characters."""
    found = (word for word in words(article_title(title)) if len(word) > 1 and word not in STOP_WORDS)
    return tuple(dict.fromkeys(found))[:MAX_WORDS]


def relevance(texts: Sequence[str], title: Sequence[str]) -> NDArray[np.float64]:
    """Return the relevance s of each line, 0 to 1; `title`: the title's words. All 0 for a title without words."""
    lowered = [text.lower() for text in texts]
    page = "\n".join(lowered)
    ends = list(accumulate([len(text) + 1 for text in lowered]))
    shared = [0] * len(lowered)
    for word in title:
        for line in _lines_with(word, page, ends):
            shared[line] += len(word)
    return np.array(shared, np.float64) / (sum(map(len, title)) or 1)


def matches(texts: Sequence[str], title: Sequence[str]) -> NDArray[np.float64]:
    """Return, for each line, how often its words match one of the title's, each match weighted by its characters."""
    known = frozenset(title)
    return np.array([sum(len(word) for word in words(text) if word in known) for text in texts], np.float64)


def _lines_with(word: str, page: str, ends: list[int]) -> Iterator[int]:
    """Yield the lines that contain a word as one of their words; `ends`: the exclusive end of each line of the page."""
    is_word = _is_chinese_word if HAN.match(word) else _is_whole
    start = page.find(word)
    while start >= 0:
        if is_word(page, start, word):
            line = bisect_right(ends, start)
            yield line
            start = page.find(word, ends[line])
        else:
            start = page.find(word, start + 1)


def _is_chinese_word(page: str, start: int, word: str) -> bool:
    """Whether an occurrence of `word`, in Chinese, is a word of its run."""
    begin = start
    while begin and HAN.match(page, begin - 1):
        begin -= 1
    run = HAN.match(page, begin)
    return run is not None and word in cut_run(run[0])


def _is_whole(page: str, start: int, word: str) -> bool:
    """Whether an occurrence of `word`, in another script, is no part of a longer word."""
    end = start + len(word)
    return not (_goes_on(page[start - 1 : start]) or _goes_on(page[end : end + 1]))


def _goes_on(sign: str) -> bool:
    """Whether the character next to an occurrence makes it part of a longer word."""
    return sign.isalnum() and not HAN.match(sign)
