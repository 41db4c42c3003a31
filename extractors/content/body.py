"""From similarities to the body: turning points, the example's profile, the body's root, the lines kept below it.

Source: the example-page method (004) names two turning points, the head and the tail of the body, without a rule that
finds them. Our rule: the unlinked width of a line without a partner counts for the body, that of a line with a partner
against it, and the body is the segment with the largest sum. Beyond the source, the body has a root (the deepest
element that contains most of it), and the example shows in which elements its template has prose. Without an example
the same steps are used with no line matched and no profile.

The constants were measured on the development pages, over all ordered pairs of pages of one section.
"""

from dataclasses import dataclass, field, replace
from itertools import compress

import numpy as np

from ..html.lines import Floats, Lines
from ..tracing import tracing
from . import line_membership as keeping
from .body_loops import line_content, line_weights, products, segment_weights, turning_points
from .layout import NO_LAYOUT, Layout
from .line_weights import Prior
from .membership_loops import caption_lines, inside_body
from .profile import NO_PROFILE, Profile
from .roots import family_shares, find_root, root_and_shares

FOREIGN_ROOT_WEIGHT = 0.1  # weight, in the search for the root, of lines whose paths the example does not use
MAIN_SHARE = 0.15  # share of the content from which a path is a main path
MOSTLY_BODY = 0.9  # share of a place's text that is in the example's body, from which a repeated heading is kept
REPEATED = float(np.float32(0.9))  # similarity from which a line repeats the example; similarities are float32


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
    """The decisions of `cut_body` on a page; noted only if its extraction is traced. Sequences have one entry per line.

    `evidence`: its input; `places`: factors by the example's layout; `weights`: bytes for the body, negative against
    it, of which `head` and `tail` enclose the largest sum; `content`: bytes that count in the search for the root.
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
    shares: list[float] = field(default_factory=list)  # shares of the content, by number of the path in the outline
    standing: list[int] = field(default_factory=list)
    kept: list[int] = field(default_factory=list)
    template: list[bool] = field(default_factory=list)
    under_picture: list[bool] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class LineEvidence:
    """The evidence for and against the lines of a page.

    Their similarity to the example's lines (0: no example), the page's priors, and the example's profile and layout.
    """

    similarity: list[float]
    prior: Prior
    profile: Profile = NO_PROFILE
    layout: Layout = NO_LAYOUT


def evidence_of(lines: Lines, similarity: list[float]) -> list[float]:
    """Return the evidence of each line for the body, in bytes; negative: against it."""
    return line_weights(lines.widths, lines.linked_bytes, similarity)


def weights_in_segment(lines: Lines, evidence: LineEvidence) -> list[float]:
    """Return the weights of the lines between which the turning points lie."""
    factors, familiarity = _factors(lines, evidence, evidence.layout.factors(lines))
    return segment_weights(evidence_of(lines, evidence.similarity), factors, familiarity)


def content_of(lines: Lines, similarity: list[float], head: int, tail: int) -> list[float]:
    """Return what each line between head and tail adds to the body, in bytes; 0 outside."""
    return line_content(lines.widths, lines.linked_bytes, similarity, lines.are_code, head, tail)


def cut_body(lines: Lines, evidence: LineEvidence) -> Body:
    """Return the body of a page; without lines if there is no evidence for a body."""
    if not len(lines):
        return Body([])
    similarity = evidence.similarity
    places = evidence.layout.factors(lines)
    known, familiarity = _factors(lines, evidence, places)
    weights = segment_weights(evidence_of(lines, similarity), known, familiarity)
    head, tail = turning_points(weights)
    content = products(content_of(lines, similarity, head, tail), known)
    trace = tracing()
    if not any(content):
        if trace is not None:
            trace.note(_steps(lines, evidence, weights, Body([], head=head, tail=tail), content))
        return Body([], head=head, tail=tail)
    if evidence.profile.by_signature:
        usual = [weight if (weight := FOREIGN_ROOT_WEIGHT + share) < 1.0 else 1.0 for share in familiarity]
        root = find_root(lines, products(content, usual))
        shares = family_shares(lines, content)
    else:
        root, shares = root_and_shares(lines, content)
    standing = keeping.standing_of(lines, root, shares, evidence.prior, evidence.profile)
    kept = _kept(lines, similarity, places, standing, range(head, tail), root)
    under_picture = keeping.under_pictures(lines, standing, root, shares).union(lines.caption_lines)
    template = _template_lines(lines, evidence, content)
    for index in (*template, *under_picture):
        kept[index] = False
    captions = caption_lines(standing, kept, under_picture, head, tail)
    body = Body(list(compress(range(len(kept)), kept)), root, head, tail, captions)
    if trace is not None:
        flags = [[index in chosen for index in range(len(lines))] for chosen in (set(template), under_picture)]
        steps = _steps(lines, evidence, weights, body, content)
        trace.note(replace(steps, shares=shares, standing=standing, template=flags[0], under_picture=flags[1]))
    return body


def _steps(lines: Lines, evidence: LineEvidence, weights: list[float], body: Body, content: list[float]) -> CutSteps:
    """Return how the body was found, as far as the root."""
    places, weighed, counted = (
        np.array(amounts, np.float32) for amounts in (evidence.layout.factors(lines), weights, content)
    )
    return CutSteps(lines, evidence, places, weighed, body.head, body.tail, counted, body.root, kept=body.kept)


def _factors(lines: Lines, evidence: LineEvidence, places: list[float]) -> tuple[list[float], list[float]]:
    """Return the factor of each line by the page's priors and the example's layout, and how usual its path is.

    `places`: the factors by the layout alone.
    """
    known = evidence.prior.factors
    if evidence.layout.share:
        known = products(known, places)
    return known, evidence.profile.familiarity(lines)


def _kept(
    lines: Lines, similarity: list[float], places: list[float], standing: list[int], segment: range, root: int
) -> list[bool]:
    """Return the lines that belong to the body by their places and their links.

    `places`: the factors by the example's layout; `standing`: see `line_membership`.
    """
    kept, doubtful = inside_body(standing, segment.start, segment.stop)
    if doubtful:
        alone = keeping.are_alone_in_wrapper(lines)
        for index in doubtful:
            kept[index] = lines.are_headings[index] and alone[index]
        new = [index for index in doubtful if similarity[index] == 0 and places[index] == 1]
        for index in keeping.alone_among_body(lines, new, kept, root):
            kept[index] = True
    for index in (*keeping.line_numbers(lines), *lines.teaser_lines):
        kept[index] = False
    return keeping.without_links(lines, kept, segment, root)


def _template_lines(lines: Lines, evidence: LineEvidence, content: list[float]) -> list[int]:
    """Return the lines that repeat the example in a place where prose is not usual. A repeated line on a main
    path is kept, and so is a repeated heading ("Conclusion") if the example's body has headings.
    """
    if not any(evidence.similarity):
        return []
    repeated = [index for index, similarity in enumerate(evidence.similarity) if similarity >= REPEATED]
    if not repeated:
        return []
    outline, share = lines.outline, evidence.profile.by_signature.get
    least = MAIN_SHARE * sum(content)
    both = zip(outline.direct(content), outline.signatures, strict=True)
    main = [amount >= least or share(signature, 0.0) >= MAIN_SHARE for amount, signature in both]
    layout, headings = evidence.layout, lines.are_headings
    unusual = [index for index in repeated if not main[outline.places[index]]]
    return [i for i in unusual if not (headings[i] and layout.holds_body(lines.paths[i], MOSTLY_BODY))]
