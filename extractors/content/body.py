"""From similarities to the body: turning points, the example's profile, the body's root, the lines kept below it.

Source: the example-page method (004) names two turning points, the head and the tail of the body, without a rule that
finds them. Ours: the unlinked width of a line without a partner counts for the body, that of a line with a partner
against it, and the body is the segment with the largest sum. Beyond the source, the body has a root (the deepest
element that contains most of it), and the example shows in which elements its template has prose. Without an example
the same steps are used with no line matched and no profile.

The constants were measured on the development pages, over all ordered pairs of pages of one section.
"""

from dataclasses import dataclass, field

import numpy as np

from ..html.lines import Flags, Floats, Lines
from ..tracing import tracing
from . import line_membership as keeping
from .layout import NO_LAYOUT, Layout
from .line_weights import CONTENT_COST, CONTENT_MAX, LINK_WEIGHT, Prior
from .profile import NO_PROFILE, Profile
from .roots import family_shares, find_root, root_and_shares

LINE_COST = 15  # bytes a line must have to speak for the body
MATCH_WEIGHT, MATCH_COST = 2, 10  # a matched line speaks against it with twice its bytes and this
FOREIGN_WEIGHT = 0.3  # weight, in the segment, of lines whose paths the example doesn't use
FOREIGN_ROOT_WEIGHT = 0.1  # the same where the root is sought
MAIN_SHARE = 0.15  # share of the content from which a path is a main path
MOSTLY_BODY = 0.9  # share of a place's text in the example's body, from which a repeated heading stays there
REPEATED = 0.9  # similarity from which a line repeats the example


@dataclass(frozen=True, slots=True)
class Body:
    """A body: indices of its lines, path of its root, its turning points, and the captions among its lines."""

    kept: list[int]
    root: int = 0
    head: int = 0
    tail: int = 0
    captions: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class CutSteps:
    """How `cut_body` decided on a page; noted only if its extraction is traced. Sequences have one entry a line.

    `evidence`: what it was given; `places`: factors by the example's layout; `weights`: bytes for the body, negative
    against it, of which `head` and `tail` enclose the largest sum; `content`: bytes that count when the root is sought.
    `standing`: see `line_membership`; empty, like `template` and `under_picture`, if there was no body.
    """

    lines: Lines
    evidence: "LineEvidence"
    places: Floats
    weights: Floats
    head: int
    tail: int
    content: Floats
    root: int = 0
    shares: list[float] = field(default_factory=list)  # of the content, by number in the outline
    standing: keeping.Standing = field(default_factory=lambda: np.zeros(0, np.int8))
    kept: list[int] = field(default_factory=list)
    template: Flags = field(default_factory=lambda: np.zeros(0, np.bool_))
    under_picture: Flags = field(default_factory=lambda: np.zeros(0, np.bool_))


@dataclass(frozen=True, slots=True)
class LineEvidence:
    """The evidence for and against the lines of a page.

    Their similarity to the example's lines (0: no example), the page's priors, and the example's profile and layout.
    """

    similarity: Floats
    prior: Prior
    profile: Profile = NO_PROFILE
    layout: Layout = NO_LAYOUT


def turning_points(weights: Floats) -> tuple[int, int]:
    """Return head and tail (exclusive) of the contiguous segment with the largest sum; (0, 0) if none is positive."""
    if not len(weights):
        return 0, 0
    sums = np.concatenate([np.zeros(1, np.float32), np.cumsum(weights)])
    gains = sums - np.minimum.accumulate(sums)
    tail = int(gains.argmax())
    if gains[tail] <= 0:
        return 0, 0
    return tail - int(sums[: tail + 1][::-1].argmin()), tail


def line_weights(lines: Lines, similarity: Floats) -> Floats:
    """Return the evidence of each line for the body, in bytes; negative: against it."""
    unmatched: Floats = lines.width - (1 + LINK_WEIGHT) * lines.linked - LINE_COST
    if not similarity.any():
        return unmatched
    matched = -(MATCH_WEIGHT * lines.width + MATCH_COST)
    between = similarity * matched + (1 - similarity) * np.minimum(unmatched, 0)
    return np.where(similarity > 0, between, unmatched).astype(np.float32)


def segment_weights(weights: Floats, known: Floats, familiarity: Floats) -> Floats:
    """Return the weights between which the turning points lie: positive ones are multiplied by the line's factors.

    `known`: factor of each line by the page's priors and the example's layout; `familiarity`: by its profile.
    """
    favour = known * np.minimum(FOREIGN_WEIGHT + familiarity, 1)
    return np.where(weights > 0, weights * favour, weights)


def line_content(lines: Lines, similarity: Floats, head: int, tail: int) -> Floats:
    """Return what each line between head and tail adds to the body, in bytes; 0 outside."""
    within = slice(head, tail)
    content = np.zeros(len(lines), np.float32)
    new = (lines.width[within] - LINK_WEIGHT * lines.linked[within]) * (1 - similarity[within])
    content[within] = np.minimum(np.maximum(new - CONTENT_COST, 0), CONTENT_MAX) * lines.weight[within]
    return content


def cut_body(lines: Lines, evidence: LineEvidence) -> Body:
    """Return the body of a page; without lines if there is no evidence for a body."""
    if not len(lines):
        return Body([])
    similarity, places = evidence.similarity, evidence.layout.factors(lines)
    known, familiarity = evidence.prior.by_line * places, evidence.profile.familiarity(lines)
    weights = segment_weights(line_weights(lines, similarity), known, familiarity)
    head, tail = turning_points(weights)
    content = line_content(lines, similarity, head, tail) * known
    trace = tracing()
    if not content.any():
        if trace is not None:
            trace.note(CutSteps(lines, evidence, places, weights, head, tail, content))
        return Body([], head=head, tail=tail)
    if evidence.profile.by_signature:
        root = find_root(lines, content * np.minimum(FOREIGN_ROOT_WEIGHT + familiarity, 1))
        shares = family_shares(lines, content)
    else:
        root, shares = root_and_shares(lines, content)
    standing = keeping.standing_of(lines, root, shares, evidence.prior, evidence.profile)[lines.outline.of_line]
    kept = _kept(lines, evidence.similarity, places, standing, (head, tail), root)
    under_picture = lines.captions | keeping.is_under_picture(lines, standing > keeping.OUT, root, shares)
    template = _is_template(lines, evidence, content)
    kept &= ~(template | under_picture)
    captions = ((standing == keeping.CAPTION) | (under_picture & (standing > keeping.OUT))) & ~kept
    captions[:head] = captions[tail:] = False
    body = Body(np.flatnonzero(kept).tolist(), root, head, tail, np.flatnonzero(captions).tolist())
    if trace is not None:
        place = (root, shares, standing, body.kept, template, under_picture)
        trace.note(CutSteps(lines, evidence, places, weights, head, tail, content, *place))
    return body


def _kept(
    lines: Lines, similarity: Floats, places: Floats, standing: keeping.Standing, segment: tuple[int, int], root: int
) -> Flags:
    """Return the lines that belong to the body by their places and their links."""
    inside = np.zeros(len(lines), np.bool_)
    inside[slice(*segment)] = True
    headings = lines.headings
    doubtful = (standing == keeping.IN_SEGMENT) & inside
    kept = standing == keeping.IN
    if doubtful.any():
        kept |= doubtful & headings & keeping.is_alone_in_wrapper(lines)
        new = (similarity == 0) & (places == 1)
        kept |= keeping.is_alone_among_body(lines, doubtful & new, kept, root)
    kept &= ~(keeping.is_line_numbers(lines) | lines.teasers)
    return keeping.without_links(lines, kept, headings, inside, root)


def _is_template(lines: Lines, evidence: LineEvidence, content: Floats) -> Flags:
    """Whether a line repeats the example in a place where prose is not usual. A repeated line stays on a main path.

    So does a repeated heading ("Conclusion") if the example's body has headings.
    """
    if not evidence.similarity.any():
        return np.zeros(len(lines), np.bool_)
    outline, share = lines.outline, evidence.profile.by_signature.get
    least = MAIN_SHARE * float(content.sum())
    both = zip(outline.direct(content), outline.signatures, strict=True)
    main = [amount >= least or share(signature, 0.0) >= MAIN_SHARE for amount, signature in both]
    usual = np.array(main, np.bool_)[outline.of_line]
    usual |= evidence.layout.holds_body(lines, MOSTLY_BODY) & lines.headings
    return (evidence.similarity >= REPEATED) & ~usual
