"""The words of lines and titles (分词), and a line's relevance to its page's title (相关度, s).

A run of Chinese characters is segmented by jieba, or by rjieba if that is installed: the same dictionary and model, 10
to 14 times as fast. Of all distinct runs of the development pages they segment 3 differently, all of them 常在 (常 在
in jieba): a tie that rounding decides. Any other run of letters and digits is one word, in lower case.

Departures. Stop words: the source has a list (停止词) and names 的 and 是; ours is short, and in two languages. Other
scripts: jieba ends a word at é and separates Cyrillic letters; here they are words like any other, so the method works
in languages with spaces. A word of mixed script (T恤) is divided into its parts.

The dictionary is loaded (jieba about 1 s, rjieba .1 s) with the first Chinese run, not before. The tokenizers are
separate ones, so words that a program adds to jieba's shared tokenizer have no effect here.

Steps 1 and 3 of the source's section 2.2.2: a page's topic (页面主题), and a line's relevance to it.

The topic is <title> without what follows its last "-" or "_", where sites write their name. In the form that is used a
"-" between letters or digits ("covid-19", "well-known") is part of a word and separates nothing. The topic's words and
the line's are compared, and the matches are counted and weighted; stop words do not count. The source gives no weights.
Ours: a title word weighs its characters, and s is the share of the title's weight that the line has, 0 to 1; how often
a word occurs in the line does not matter. `matches` counts as the source does, for the verbatim form.

A word of the title that is not in the line's text cannot be one of its words, and each run of Chinese is segmented
independently. So only runs that contain such a word are segmented, until the word is found: the result is the same, in
a fraction of jieba's time. For a title without Chinese jieba is not needed.
"""

import logging
import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

FIRST_HAN, LAST_HAN = "\u4e00", "\u9fd5"  # the characters that jieba's dictionary and model cover
HAN = re.compile(f"[{FIRST_HAN}-{LAST_HAN}]+")
_RUN = re.compile(rf"[{FIRST_HAN}-{LAST_HAN}]+|[^\W_{FIRST_HAN}-{LAST_HAN}]+")
CACHED = 20_000  # runs whose words are cached: templates repeat theirs on every page
LONGEST = 1_000  # characters of a run that are segmented; prose has punctuation much earlier

_STOP = """的 了 是 在 和 与 及 或 等 就 也 都 而 着 之 于 被 把 让 向 从 对 为 以 有 不 我 你 他 她 它 这 那 个 一 上
    下 中 到 说 要 会 很 还 又 吗 呢 吧 啊 我们 你们 他们 一个 什么 没有
    a an and are as at be by for from how in is it its my of on or our that the this to was we were what when who why
    will with you your"""
STOP_WORDS = frozenset(_STOP.split())

SEPARATOR = re.compile(rf"_|-(?<![^\W_{FIRST_HAN}-{LAST_HAN}]-)|-(?![^\W_{FIRST_HAN}-{LAST_HAN}])")
VERBATIM_SEPARATOR = re.compile("[-_]")
MAX_WORDS = 50  # words of a title; a longer text is not a title


def words(text: str) -> list[str]:
    """Return the words of a text, in lower case and in order."""
    found: list[str] = []
    for run in _RUN.findall(text.lower()):
        found += cut_run(run) if HAN.match(run) else (run,)
    return found


def characters_and_words(text: str) -> list[str]:
    """Return the characters of Chinese runs and the words of all others, in lower case and in order; needs no jieba."""
    return [piece for run in _RUN.findall(text.lower()) for piece in (run if HAN.match(run) else (run,))]


@lru_cache(CACHED)
def cut_run(run: str) -> tuple[str, ...]:
    """Return the words of a run of Chinese characters."""
    return tuple(tokenizer()(run[:LONGEST]))


@cache
def tokenizer() -> Callable[[str], list[str]]:
    """Return the tokenizer for Chinese, its dictionary loaded: rjieba's if it is installed."""
    try:
        return rjieba_tokenizer()
    except ImportError:
        return jieba_tokenizer()


def rjieba_tokenizer() -> Callable[[str], list[str]]:
    """Return rjieba's tokenizer. Raises `ImportError` if rjieba is not installed."""
    import rjieba

    cut: Callable[[str], list[str]] = rjieba.Jieba().cut
    return cut


def jieba_tokenizer() -> Callable[[str], list[str]]:
    """Return jieba's tokenizer; its messages about loading are suppressed."""
    import jieba

    jieba.setLogLevel(logging.WARNING)
    own = jieba.Tokenizer()
    own.initialize()
    cut: Callable[[str], list[str]] = own.lcut
    return cut


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
