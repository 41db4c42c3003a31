"""Text → words (分词), for titles and lines, and the stop words, which are ignored.

A run of Chinese characters is segmented by jieba, or by rjieba if that is installed: the same dictionary and model, 10
to 14 times as fast. Of all distinct runs of the development pages they segment 3 differently, all of them 常在 (常 在
in jieba): a tie that rounding decides. Any other run of letters and digits is one word, in lower case.

Departures. Stop words: the source has a list (停止词) and names 的 and 是; ours is short, and in two languages. Other
scripts: jieba ends a word at é and separates Cyrillic letters; here they are words like any other, so the method works
in languages with spaces. A word of mixed script (T恤) is divided into its parts.

The dictionary is loaded (jieba about 1 s, rjieba .1 s) with the first Chinese run, not before. The tokenizers are
separate ones, so words that a program adds to jieba's shared tokenizer have no effect here.
"""

import logging
import re
from collections.abc import Callable
from functools import cache, lru_cache

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
