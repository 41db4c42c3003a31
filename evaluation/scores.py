"""The common measure: F1 over 4-word shingles as a multiset; each CJK character is a word.

It is that of Scrapinghub's article-extraction benchmark: precision is averaged over the pages with an extracted text,
recall over those with a truth, and F1 is computed from the two means. Our additions: case is ignored, and so are the
numbers of list items at the start of lines, in texts and truths: browsers show them, most truths do not have them.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
SHINGLE = 4  # words
RESAMPLES = 1000  # of the bootstrap, as in the source
CONFIDENCE = 1.96  # standard deviations: 95%
_ITEM_NUMBER = re.compile(r"^ *\d{1,3}\. ", re.MULTILINE)
_BAG_WORD = re.compile(r"\w+")
_WORD = re.compile(r"[぀-ヿ㐀-䶿一-鿿豈-﫿가-힣]|[^\W_぀-ヿ㐀-䶿一-鿿豈-﫿가-힣]+", re.UNICODE)


@dataclass(frozen=True, slots=True)
class Score:
    """Precision and recall of one text, or their means over several; None without a text to judge."""

    precision: float | None
    recall: float | None

    @property
    def f1(self) -> float:
        """Their harmonic mean; 1 if no text was found and the truth has none."""
        if self.precision is None and self.recall is None:
            return 1.0
        precision, recall = self.precision or 0.0, self.recall or 0.0
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


@lru_cache(maxsize=32)  # the truth of a page is used for each of its pairs
def shingles(text: str) -> Counter[tuple[str, ...]]:
    """The text's 4-word shingles, counted; a shorter text is one shingle. Shared between calls: do not change it."""
    found = words(text)
    if not found:
        return Counter()
    count = max(1, len(found) - SHINGLE + 1)
    return Counter(tuple(found[start : start + SHINGLE]) for start in range(count))


def words(text: str) -> list[str]:
    """Return the words of a text in lower case, each CJK character one."""
    return _WORD.findall(_ITEM_NUMBER.sub("", text).lower())


def bag_score(text: str, truth: str) -> Score:
    """Return the score of a text by its words as a bag (`\\w+`, lower case): the measure of WCXB."""
    found, wanted = (Counter(_BAG_WORD.findall(_ITEM_NUMBER.sub("", part).lower())) for part in (text, truth))
    common = (found & wanted).total()
    return Score(common / found.total() if found else None, common / wanted.total() if wanted else None)


def score(text: str, truth: str) -> Score:
    """Return the score of a text against its truth. Two empty texts agree."""
    found, wanted = shingles(text), shingles(truth)
    common = (found & wanted).total()
    return Score(common / found.total() if found else None, common / wanted.total() if wanted else None)


def score_with_optional(text: str, paragraphs: Sequence[str], optional: Iterable[int]) -> Score:
    """Return the score of a text against paragraphs, some of which (by index) may be present or missing.

    fundus-evaluation uses the best of all subsets. Here optional paragraphs are removed from the truth one after
    another if the score is better without them: the same for paragraphs that share no shingles, and linear.
    """
    kept = dict(enumerate(paragraphs))
    best = score(text, "\n\n".join(kept.values()))
    for index in optional:
        without = {i: paragraph for i, paragraph in kept.items() if i != index}
        tried = score(text, "\n\n".join(without.values()))
        if tried.f1 >= best.f1:
            kept, best = without, tried
    return best


def auc(values: Floats, wanted: NDArray[np.bool_], weight: Floats | None = None) -> float:
    """Return the share of pairs in which a wanted one has a higher value than another; ties count half, .5 is chance.

    `weight`: of each; by default all weigh the same. NaN if all or none are wanted.
    """
    if wanted.all() or not wanted.any():
        return float("nan")
    high, low = values[wanted][:, None], values[~wanted][None, :]
    weight = np.ones(len(values)) if weight is None else weight
    pairs = weight[wanted][:, None] * weight[~wanted][None, :]
    return float((pairs * ((high > low) + 0.5 * (high == low))).sum() / pairs.sum())


def mean(scores: Iterable[Score]) -> Score:
    """Return mean precision and mean recall, each over the texts that have one; zeros without any scores."""
    rows = list(scores)
    if not rows:
        return Score(0.0, 0.0)
    return Score(_mean(s.precision for s in rows), _mean(s.recall for s in rows))


def bootstrap(scores: Mapping[str, Sequence[Score]], seed: int) -> float:
    """Return half the width of the 95% interval of the mean F1, from resampled pages; `scores`: by page.

    Pairs that share a page are drawn together, because they are not independent.
    """
    if len(scores) < 2:
        return 0.0
    sums = np.array([_sums(rows) for rows in scores.values()])
    draws = np.random.default_rng(seed).integers(0, len(sums), (RESAMPLES, len(sums)))
    precision, precisions, recall, recalls = np.moveaxis(sums[draws].sum(axis=1), 1, 0)
    precision, recall = precision / np.maximum(precisions, 1), recall / np.maximum(recalls, 1)
    f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-12)
    return CONFIDENCE * float(f1.std(ddof=1))


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _sums(rows: Sequence[Score]) -> tuple[float, int, float, int]:
    precisions = [s.precision for s in rows if s.precision is not None]
    recalls = [s.recall for s in rows if s.recall is not None]
    return sum(precisions), len(precisions), sum(recalls), len(recalls)
