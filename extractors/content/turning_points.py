"""The turning points of a page: head and tail of the segment that contains the body, by the evidence of its lines.

Source: the example-page method (004) names two turning points, the head and the tail of the body, without a rule that
finds them. Our rule: the unlinked width of a line without a partner counts for the body, that of a line with a partner
against it, and the body is in the segment with the largest sum.

The constants were measured on the development pages, over all ordered pairs of pages of one section.
"""

from dataclasses import dataclass
from operator import mul
from typing import NamedTuple

from ..html.lines import CODE_WEIGHT, Lines
from .line_weights import CONTENT_COST, CONTENT_MAX, LINK_WEIGHT, Prior
from .profile import NO_LAYOUT, NO_PROFILE, Layout, Profile

LINE_COST = 15  # bytes from which a line counts for the body
MATCH_WEIGHT, MATCH_COST = 2, 10  # a matched line counts against it with twice its bytes plus this cost
FOREIGN_WEIGHT = 0.3  # weight of lines whose paths the example does not use


@dataclass(frozen=True, slots=True)
class LineEvidence:
    """The evidence for and against the lines of a page.

    Their similarity to the example's lines (0: no example), the page's priors, and the example's profile and layout.
    """

    similarity: list[float]
    prior: Prior
    profile: Profile = NO_PROFILE
    layout: Layout = NO_LAYOUT


class Segment(NamedTuple):
    """The turning points of a page and how they were found.

    `places`: factors of the paths by the example's layout, or []; `familiarity`: of the lines by its profile, or [].
    `weights`: of the lines in bytes for the body, negative against it, of which `head` and `tail` (exclusive) enclose
    the largest sum; `content`: what each line adds to the body, in bytes; 0 outside.
    """

    places: list[float]
    familiarity: list[float]
    weights: list[float]
    head: int
    tail: int
    content: list[float]


def segment_of(lines: Lines, evidence: LineEvidence, places: list[float]) -> Segment:
    """Return the segment. `places`: the factors of the page's paths by the example's layout, or []."""
    similarity, factors = evidence.similarity, evidence.prior.factors
    if places:
        by_layout = [places[place] for place in lines.outline.places]
        factors = list(map(mul, factors, by_layout))
    familiarity = evidence.profile.familiarity(lines)
    weights = segment_weights(_line_weights(lines, similarity), factors, familiarity)
    head, tail = turning_points(weights)
    content = [0.0] * len(lines)
    content[head:tail] = map(mul, _content(lines, similarity, head, tail), factors[head:tail])
    return Segment(places, familiarity, weights, head, tail, content)


def weights_in_segment(lines: Lines, evidence: LineEvidence) -> list[float]:
    """Return the weights of the lines between which the turning points lie."""
    return segment_of(lines, evidence, evidence.layout.factors_of_paths(lines)).weights


def new_bytes(lines: Lines, similarity: list[float]) -> float:
    """Return what is new on a page compared with an example, in bytes: the content of its body by similarity alone."""
    head, tail = turning_points(_line_weights(lines, similarity))
    return sum(_content(lines, similarity, head, tail))


def _line_weights(lines: Lines, similarity: list[float]) -> list[float]:
    """Return the evidence of each line for the body, in bytes; negative: against it."""
    found = []
    for width, linked, alike in zip(lines.widths, lines.linked_bytes, similarity, strict=True):
        weight = width - (1 + LINK_WEIGHT) * linked - LINE_COST
        if alike > 0:
            weight = (1 - alike) * min(weight, 0.0) - alike * (MATCH_WEIGHT * width + MATCH_COST)
        found.append(weight)
    return found


def segment_weights(weights: list[float], factors: list[float], familiarity: list[float]) -> list[float]:
    """Return the weights between which the turning points lie: positive ones are multiplied by the line's factors.

    `factors`: by the page's priors and the example's layout; `familiarity`: by its profile, or [].
    """
    if familiarity:
        factors = [
            factor * min(usual + FOREIGN_WEIGHT, 1.0) for factor, usual in zip(factors, familiarity, strict=True)
        ]
    return [weight * factor if weight > 0 else weight for weight, factor in zip(weights, factors, strict=True)]


def turning_points(weights: list[float]) -> tuple[int, int]:
    """Return head and tail (exclusive) of the contiguous segment with the largest sum; (0, 0) if none is positive."""
    total = least = best = 0.0
    start = head = tail = 0
    for line, weight in enumerate(weights, 1):
        total += weight
        if total <= least:
            least, start = total, line
        elif total - least > best:
            best, head, tail = total - least, start, line
    return head, tail


def _content(lines: Lines, similarity: list[float], head: int, tail: int) -> list[float]:
    """Return what each line between head and tail can add to a body, in bytes."""
    inside = slice(head, tail)
    amounts = (lines.widths[inside], lines.linked_bytes[inside], similarity[inside], lines.are_code[inside])
    found = []
    for width, linked, alike, code in zip(*amounts, strict=True):
        amount = (width - LINK_WEIGHT * linked) * (1 - alike) - CONTENT_COST
        amount = 0.0 if amount < 0 else CONTENT_MAX if amount > CONTENT_MAX else amount
        found.append(amount * CODE_WEIGHT if code else amount)
    return found
