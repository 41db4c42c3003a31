"""The turning points of a page: head and tail of the segment that contains the body, by the evidence of its lines.

Source: the example-page method (004) names two turning points, the head and the tail of the body, without a rule that
finds them. Our rule: the unlinked width of a line without a partner counts for the body, that of a line with a partner
against it, and the body is in the segment with the largest sum.

The constants were measured on the development pages, over all ordered pairs of pages of one section.
"""

from dataclasses import dataclass, field
from operator import mul
from typing import NamedTuple

from ..html.lines import CODE_WEIGHT, Lines
from .line_weights import CONTENT_COST, CONTENT_MAX, LINK_WEIGHT, Prior
from .profile import NO_PROFILE, Profile

LINE_COST = 15  # bytes from which a line counts for the body
MATCH_WEIGHT, MATCH_COST = 2, 10  # a matched line counts against it with twice its bytes plus this cost
FOREIGN_WEIGHT = 0.3  # weight of lines whose paths the example does not use


@dataclass(frozen=True, slots=True)
class LineEvidence:
    """The evidence for and against the lines of a page.

    Their similarity to the example's lines (0: no example), the page's priors, and what the example's body shows: its
    profile, the factors of the page's paths by its layout ([]: all 1), and the paths in which nearly all text is body.
    """

    similarity: list[float]
    prior: Prior
    profile: Profile = NO_PROFILE
    places: list[float] = field(default_factory=list)
    mostly_body: frozenset[int] = frozenset()


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


def segment_of(lines: Lines, evidence: LineEvidence) -> Segment:
    """Return the segment of a page that contains its body by the evidence."""
    similarity, factors = evidence.similarity, evidence.prior.factors
    places, familiarity = evidence.places, evidence.profile.familiarity(lines)
    if places:
        factors = list(map(mul, factors, [places[place] for place in lines.outline.places]))
    weights = segment_weights(_line_weights(lines, similarity), factors, familiarity)
    head, tail = turning_points(weights)
    content = [0.0] * len(lines)
    content[head:tail] = map(mul, content_of(lines, similarity, head, tail), factors[head:tail])
    return Segment(places, familiarity, weights, head, tail, content)


def new_segment(lines: Lines, similarity: list[float]) -> tuple[int, int]:
    """Return head and tail of the segment that is new compared with an example, by similarity alone."""
    return turning_points(_line_weights(lines, similarity))


def _line_weights(lines: Lines, similarity: list[float]) -> list[float]:
    """Return the evidence of each line for the body, in bytes; negative: against it."""
    weights = []
    for width, linked, alike in zip(lines.widths, lines.linked_bytes, similarity, strict=True):
        new, old = width - (1 + LINK_WEIGHT) * linked - LINE_COST, -(MATCH_WEIGHT * width + MATCH_COST)
        weights.append(new if not alike else old if alike == 1 else (1 - alike) * min(new, 0.0) + alike * old)
    return weights


def segment_weights(weights: list[float], factors: list[float], familiarity: list[float]) -> list[float]:
    """Return the weights between which the turning points lie: positive ones are multiplied by the line's factors.

    `factors`: by the page's priors and the example's layout; `familiarity`: by its profile, or [].
    """
    if familiarity:
        factors = list(map(mul, factors, with_foreign(familiarity, FOREIGN_WEIGHT)))
    return [weight * factor if weight > 0 else weight for weight, factor in zip(weights, factors, strict=True)]


def with_foreign(familiarity: list[float], weight: float) -> list[float]:
    """Return factors by familiarity: `weight` for a line whose path the example does not use, 1 at most."""
    unusual = 1 - weight
    return [usual + weight if usual < unusual else 1.0 for usual in familiarity]


def turning_points(weights: list[float], *, with_empty: bool = False) -> tuple[int, int]:
    """Return head and tail (exclusive) of the contiguous segment with the largest sum; (0, 0) if none is positive.

    `with_empty`: lines before it whose weights add up to 0 belong to it.
    """
    total = least = best = 0.0
    start = head = tail = 0
    for line, weight in enumerate(weights, 1):
        total += weight
        if total < least or (total == least and not with_empty):
            least, start = total, line
        elif total - least > best:
            best, head, tail = total - least, start, line
    return head, tail


def content_of(lines: Lines, similarity: list[float], head: int, tail: int) -> list[float]:
    """Return what each line between head and tail can add to a body, in bytes."""
    inside = slice(head, tail)
    amounts = (lines.widths[inside], lines.linked_bytes[inside], similarity[inside], lines.are_code[inside])
    found = []
    for width, linked, alike, code in zip(*amounts, strict=True):
        amount = (width - LINK_WEIGHT * linked) * (1 - alike) - CONTENT_COST
        amount = 0.0 if amount < 0 else CONTENT_MAX if amount > CONTENT_MAX else amount
        found.append(amount * CODE_WEIGHT if code else amount)
    return found
