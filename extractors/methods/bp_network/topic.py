"""A page's topic (页面主题), and a line's relevance to it (相关度, s): steps 1 and 3 of the source's section 2.2.2.

The topic is <title> without what follows its last "-" or "_", where sites write their name. In the form that is used a
"-" between letters or digits ("covid-19", "well-known") is part of a word and separates nothing. The topic's words and
the line's are compared, and the matches are counted and weighted; stop words do not count. The source gives no weights.
Ours: a title word weighs its characters, and s is the share of the title's weight that the line has, 0 to 1; how often
a word occurs in the line does not matter. `matches` counts as the source does, for the verbatim form.

A word of the title that is not in the line's text cannot be one of its words, and each run of Chinese is segmented
independently. So only runs that contain such a word are segmented, until the word is found: the result is the same, in
a fraction of jieba's time. For a title without Chinese jieba is not needed.
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .words import FIRST_HAN, HAN, LAST_HAN, STOP_WORDS, cut_run, words

SEPARATOR = re.compile(rf"_|-(?<![^\W_{FIRST_HAN}-{LAST_HAN}]-)|-(?![^\W_{FIRST_HAN}-{LAST_HAN}])")
VERBATIM_SEPARATOR = re.compile("[-_]")
MAX_WORDS = 50  # words of a title; a longer text is not a title


def article_title(title: str, verbatim: bool = False) -> str:
    """Return the content of <title> without what follows its last separator; `verbatim`: any "-" is one."""
    places = [found.start() for found in (VERBATIM_SEPARATOR if verbatim else SEPARATOR).finditer(title)]
    return title[: places[-1] if places else 0].strip() or title


def title_words(title: str, verbatim: bool = False) -> tuple[str, ...]:
    """Return the words t₁ … t_m of a page's title, each once, without stop words and single characters."""
    found = (word for word in words(article_title(title, verbatim)) if len(word) > 1 and word not in STOP_WORDS)
    return tuple(dict.fromkeys(found))[:MAX_WORDS]


def relevance(texts: Sequence[str], title: Sequence[str]) -> list[float]:
    """Return the relevance s of each line, 0 to 1; `title`: the title's words. All 0 for a title without words."""
    if not title:
        return [0.0] * len(texts)
    lowered = list(texts) if all(map(HAN.match, title)) else [text.lower() for text in texts]
    whole = sum(map(len, title))
    return [sum([len(word) for word in title if word in text and _is_word_of(text, word)]) / whole for text in lowered]


def _is_word_of(text: str, word: str) -> bool:
    """Whether a part of a text is one of its words. Both are in lower case."""
    if HAN.match(word):
        return any(word in cut_run(run) for run in HAN.findall(text) if word in run)
    start = text.find(word)
    while start >= 0:
        end = start + len(word)
        if not (_is_letter(text[start - 1 : start]) or _is_letter(text[end : end + 1])):
            return True
        start = text.find(word, start + 1)
    return False


def _is_letter(sign: str) -> bool:
    """Whether the character next to an occurrence of a word, not in Chinese, makes it part of a longer one."""
    return sign.isalnum() and not FIRST_HAN <= sign <= LAST_HAN


def matches(texts: Sequence[str], title: Sequence[str]) -> NDArray[np.float64]:
    """Return, for each line, how often its words match one of the title's, each match weighted by its characters."""
    known = frozenset(title)
    return np.array([sum(len(word) for word in words(text) if word in known) for text in texts], np.float64)
