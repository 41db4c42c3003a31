"""The confidence in a body: the probability that its text is right, learned from pages whose text is known.

Numbers about the body (what the line model expects of it, what stands inside, what was left out) give the probability
of an F1 of at least .8. The training is `python -m evaluation.judgement DATA`; what was learned is described in
MODEL_CARD.md.
"""

from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import learned
from ...html.lines import Floats, Lines
from ...metadata.declared_metadata import DESCRIPTION, Head
from ..line_model.expected_f1 import agreement, expected
from ..line_model.line_columns import NAMES as COLUMNS
from ..line_model.line_columns import flags_of
from ..line_model.opinion import Opinion
from ..line_model.trees import Trees, load

Flags = NDArray[np.bool_]

ENDS = 0.15  # share of the body's bytes that counts as its beginning, and as its end
DESCRIBED, LEAST_DESCRIPTION = 40, 12  # characters of a description that are looked for; a shorter one says nothing
MUCH, RUN_COST = 1e-4, 60  # share of the page's prose from which a line has prose; bytes that a line of a run must have
WINDOW = 3  # lines whose mean probability counts for the least one
NAMES = (
    "expected", "inside_doubt", "outside_hope", "first_chance", "last_chance", "least_chance", "undecided",
    "bytes", "lines", "prose_share", "linked", "mean_width", "largest", "headings", "sentences",
    "in_units", "after_others", "after_opened", "after_titles", "label_run", "dates", "cut_off",
    "agrees_rules", "agrees_model", "agrees_run", "agrees_prose", "agrees_place", "agrees_clean",
    "probability", "described", "match", "support", "shared", "page_prose",
    "title_levels", "title_levels_most",
    "once_expected", "once_doubt", "agrees_once", "readings_differ",
)  # fmt: skip
_AT = {name: place for place, name in enumerate(COLUMNS)}
WEIGHTS = Path(__file__).parent / "weights.json"
LEAST, MOST = 0.02, 0.995  # a confidence is never more certain than the training data
DOUBTS: dict[str, tuple[float, Callable[[float], str]]] = {  # value from which it is a doubt; words
    "in_units": (0.1, lambda share: f"{share:.0%} of the text looks like teasers of other articles"),
    "after_titles": (0.1, lambda share: f"{share:.0%} of the text follows another title"),
    "after_opened": (0.3, lambda share: f"{share:.0%} of the text follows a link to another article"),
    "after_others": (0.2, lambda share: f"{share:.0%} of the text follows a heading of other articles or comments"),
    "cut_off": (0.1, lambda share: f"{share:.0%} of the text is cut off"),
    "inside_doubt": (0.1, lambda share: f"{share:.0%} of the text may belong to something else"),
    "outside_hope": (0.1, lambda share: f"text as long as {share:.0%} of the body may be missing"),
}  # fmt: skip
SHOWN = {  # numbers that an explanation shows: their names and meanings
    "expected": ("Expected agreement", "of the lines of the text with those that are body, by the line model"),
    "inside_doubt": ("Doubtful text", "share of the text that may belong to something else"),
    "outside_hope": ("Missing text", "text left out that may be body, as a share of the text"),
    "in_units": ("Teasers", "share of the text in linked headlines with short texts"),
}
CHOSEN: ContextVar[Trees | None] = ContextVar("confidence_model", default=None)  # see `learned.using`


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a page and its body besides the lines.

    `probability`: that the page is an article, 1 without doubt. `described`: whether the body has the beginning of the
    page's declared description; −1 if there is none. With examples, `match`: their surrounding match; `support`: mean
    share of the votes for a line of the body; both −1 without an example.
    """

    probability: float = 1.0
    described: int = -1
    match: float = -1.0
    support: float = -1.0


def known_of(lines: Lines, head: Head, kept: list[int], probability: float | None) -> Known:
    """Return what is known of a page extracted alone. `probability` of an article: None without doubt."""
    begun = head.first(DESCRIPTION)[:DESCRIBED].lower().split()
    if len(" ".join(begun)) < LEAST_DESCRIPTION:
        return Known(1.0 if probability is None else probability)
    start = " ".join(begun)
    described = any(start in lines.lowered[line] for line in kept)
    return Known(1.0 if probability is None else probability, described)


def doubts_of(values: Floats, chance: Floats, read_once: Floats, kept: Flags, rules: Flags, known: Known) -> Floats:
    """Return the numbers, float32, shape (len(NAMES),).

    `values`, `chance`: numbers and probabilities of the lines by the line model; `read_once`: probabilities by its
    first reading, which is less sure; `kept`: lines of the body, at least one; `rules`: those of the body before the
    line model.
    """
    width = np.expm1(values[:, _AT["width"]])
    inside, model = width * kept, chance > 0.5
    size, all_width = max(1.0, float(inside.sum())), max(1.0, float(width.sum()))
    share = inside / size

    def mean(name: str, over: float | None = None) -> float:
        column = values[:, _AT[name]]
        return float((share * (column if over is None else column > over)).sum())

    of_body = chance[kept]
    done = np.cumsum(share[kept])
    first, last = done <= max(ENDS, done[0]), done > min(1 - ENDS, done[-1] - share[kept][-1] / 2)
    weight = share[kept]
    least = float(of_body.min())
    if len(of_body) >= WINDOW:
        around = np.convolve(weight, np.ones(WINDOW), "valid")
        least = float((np.convolve(of_body * weight, np.ones(WINDOW), "valid") / np.maximum(around, 1e-9)).min())
    likely = chance * width
    prose = values[:, _AT["prose_before"]]
    last_line = int(np.flatnonzero(kept)[-1])
    numbers = (
        2 * float(likely[kept].sum()) / max(1e-9, size + float(likely.sum())), float((share * (1 - chance)).sum()),
        float((likely * ~kept).sum()) / size, _weighted(of_body, weight, first), _weighted(of_body, weight, last),
        least, float((width * np.minimum(chance, 1 - chance)).sum()) / size,
        np.log1p(size), np.log1p(kept.sum()), size / all_width, mean("linked"), np.log1p(size / kept.sum()),
        float(share.max()), mean("heading"), mean("ends"),
        mean("in_unit"), mean("others_before", 0), mean("opened", 0), mean("titles_before", 0),
        float(values[last_line, _AT["label_run"]]), float(values[last_line, _AT["dates_before"]]), mean("cut_off"),
        *(agreement(width, kept, other) for other in (rules, model, *_cheap_bodies(values, width))),
        known.probability, known.described, known.match, known.support,
        mean("similarity"), float(prose[last_line] - prose[int(np.argmax(kept))]),
        mean("title_levels"), float(values[kept, _AT["title_levels"]].max()),
        expected(read_once, width, kept), float((share * (1 - read_once)).sum()),
        agreement(width, kept, read_once > 0.5), float((width * np.abs(chance - read_once)).sum()) / size,
    )  # fmt: skip
    return np.array(numbers, np.float32)


def _cheap_bodies(values: Floats, width: Floats) -> Iterator[Flags]:
    """Yield bodies by single simple ideas: the densest run of lines; all prose; the place with most prose; and prose
    that follows no heading of something else, no teaser and no further title.
    """
    prose = np.diff(values[:, _AT["prose_before"]], append=1.0) > MUCH
    unlinked = width * (1 - values[:, _AT["linked"]])
    yield _densest_run(unlinked - RUN_COST)
    yield prose
    yield np.diff(values[:, _AT["main_before"]], prepend=0.0) > 0
    others = np.maximum.reduce([values[:, _AT[name]] for name in ("others_before", "in_unit", "titles_before")])
    yield prose & (others == 0) & (values[:, _AT["since_title"]] >= 0)


def _densest_run(gain: Floats) -> Flags:
    """Return the run of lines with the largest sum."""
    sums = np.concatenate(([0.0], np.cumsum(gain)))
    lowest = np.minimum.accumulate(sums)[:-1]
    end = int(np.argmax(sums[1:] - lowest)) + 1
    run = np.zeros(len(gain), np.bool_)
    run[int(np.argmin(sums[:end])) : end] = True
    return run


def _weighted(values: Floats, weights: NDArray[Any], chosen: Flags) -> float:
    total = float(weights[chosen].sum())
    return float((values[chosen] * weights[chosen]).sum()) / total if total else float(values.mean())


@dataclass(frozen=True, slots=True)
class Trust:
    """The confidence in a body, and the numbers from which it follows, by the names in `NAMES`."""

    confidence: float
    numbers: Floats

    def number(self, name: str) -> float:
        """Return one of the numbers."""
        return float(self.numbers[NAMES.index(name)])

    @property
    def doubt(self) -> str:
        """The largest doubt in words; "" if there is none."""
        found = ((self.number(name) / limit, name) for name, (limit, _) in DOUBTS.items())
        size, name = max(found)
        return DOUBTS[name][1](self.number(name)) if size >= 1 else ""


def trust_of(opinion: Opinion, known: Known) -> Trust:
    """Return the confidence in the body of an opinion."""
    kept = flags_of(opinion.kept, len(opinion.rules))
    numbers = doubts_of(opinion.values, opinion.chance, opinion.read_once, kept, opinion.rules, known)
    share = float(learned.logistic((CHOSEN.get() or _stored()).log_odds(numbers[np.newaxis]))[0])
    return Trust(min(MOST, max(LEAST, share)), numbers)


@lru_cache(1)
def _stored() -> Trees:
    return load(WEIGHTS, NAMES)
