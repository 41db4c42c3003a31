"""The common yardstick: F1 over 4-word shingles as a multiset, each CJK character a word of its own.

Scrapinghub's article-extraction benchmark scores this way; precision and recall are averaged over pages.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

SHINGLE = 4  # words
_WORD = re.compile(r"[぀-ヿ㐀-䶿一-鿿豈-﫿가-힣]|[^\W_぀-ヿ㐀-䶿一-鿿豈-﫿가-힣]+", re.UNICODE)


@dataclass(frozen=True, slots=True)
class Score:
    """Precision and recall of one text, or their means over several."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """Their harmonic mean."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def shingles(text: str) -> Counter[tuple[str, ...]]:
    """The text's 4-word shingles, counted; a shorter text is one shingle."""
    words = _WORD.findall(text.lower())
    if not words:
        return Counter()
    count = max(1, len(words) - SHINGLE + 1)
    return Counter(tuple(words[start : start + SHINGLE]) for start in range(count))


def score(text: str, truth: str) -> Score:
    """The score of a text against its truth. Two empty texts agree."""
    found, wanted = shingles(text), shingles(truth)
    if not wanted:
        return Score(1.0 if not found else 0.0, 1.0)
    common = (found & wanted).total()
    return Score(common / found.total() if found else 1.0, common / wanted.total())


def mean(scores: Iterable[Score]) -> Score:
    """Mean precision and mean recall."""
    rows = list(scores)
    if not rows:
        return Score(0.0, 0.0)
    return Score(sum(s.precision for s in rows) / len(rows), sum(s.recall for s in rows) / len(rows))
