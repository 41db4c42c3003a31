"""From the evidence of lines to the body: its segment, its root, the lines kept below it.

Beyond the source of the turning points (`turning_points`), the body has a root (the deepest element that contains most
of it), and the example shows in which elements its template has prose. Without an example the same steps are used with
no line matched and no profile.
"""

from dataclasses import dataclass, field
from itertools import compress
from operator import mul

import numpy as np

from ..html.lines import Lines
from ..tracing import note
from . import line_membership as keeping
from .line_membership import without_links
from .profile import MAIN_SHARE
from .roots import content_of_paths, find_root
from .turning_points import LineEvidence, Segment, segment_of, with_foreign

REPEATED = float(np.float32(0.9))  # similarity from which a line repeats the example; rounded like the similarities
FOREIGN_ROOT_WEIGHT = 0.1  # weight, in the search for the root, of lines whose paths the example does not use
CELLS = frozenset({"td", "th", "dt", "dd"})


@dataclass(frozen=True, slots=True)
class Body:
    """A body: indices of its lines, path of its root, its turning points, and the captions among its lines."""

    kept: list[int]
    root: int = 0
    head: int = 0
    tail: int = 0
    captions: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class BodySteps:
    """The decisions of `find_body`; noted only if the extraction is traced.

    `evidence`: its input; `segment`: where the body lies by it; `shares`: of the content, by number of the path in the
    outline; `standing`: of each line, see `line_membership`; `template` and `under_picture`: lines that are left out.
    These four are empty if there was no body.
    """

    lines: Lines
    evidence: LineEvidence
    segment: Segment
    body: Body
    shares: list[float] = field(default_factory=list)
    standing: list[int] = field(default_factory=list)
    template: frozenset[int] = frozenset()
    under_picture: frozenset[int] = frozenset()


def find_body(lines: Lines, evidence: LineEvidence) -> Body:
    """Return the body of a page; without lines if there is no evidence for a body."""
    if not len(lines):
        return Body([])
    segment = segment_of(lines, evidence)
    head, tail, content = segment.head, segment.tail, segment.content
    if not any(content):
        body = Body([], head=head, tail=tail)
        note(BodySteps(lines, evidence, segment, body))
        return body
    of_paths, counted = content_of_paths(lines, content), _root_content(segment)
    root = find_root(lines, of_paths if counted == content else content_of_paths(lines, counted))
    shares = of_paths.shares
    standing = keeping.standing_of(lines, root, shares, evidence.prior, evidence.profile)
    kept = _kept(lines, evidence, segment, standing, root)
    under_picture = keeping.under_pictures(lines, standing, root, shares).union(lines.caption_lines)
    template = _template_lines(lines, evidence, standing, content, of_paths.direct)
    for index in (*template, *under_picture):
        kept[index] = False
    captions = keeping.caption_lines(standing, kept, under_picture, head, tail)
    body = Body(list(compress(range(len(kept)), kept)), root, head, tail, captions)
    note(BodySteps(lines, evidence, segment, body, shares, standing, frozenset(template), frozenset(under_picture)))
    return body


def _root_content(segment: Segment) -> list[float]:
    """Return what each line counts in the search for the root."""
    if not segment.familiarity:
        return segment.content
    return list(map(mul, segment.content, with_foreign(segment.familiarity, FOREIGN_ROOT_WEIGHT)))


def _kept(lines: Lines, evidence: LineEvidence, segment: Segment, standing: list[int], root: int) -> list[bool]:
    """Return the lines that belong to the body by their places and their links. `standing`: see `line_membership`."""
    kept = [relation == keeping.IN for relation in standing]
    doubtful = [line for line in range(segment.head, segment.tail) if standing[line] == keeping.IN_SEGMENT]
    if doubtful:
        alone, of_line = keeping.are_alone_in_wrapper(lines), lines.outline.places
        for index in doubtful:
            kept[index] = lines.are_headings[index] and alone[index]
        new = [index for index in doubtful if evidence.similarity[index] == 0]
        fertile = [index for index in new if not segment.places or segment.places[of_line[index]] == 1]
        for index in keeping.alone_among_body(lines, fertile, kept, root):
            kept[index] = True
    for index in keeping.blocks_between(lines, standing, kept, root) if any(evidence.similarity) else ():
        kept[index] = evidence.similarity[index] == 0
    for index in lines.teaser_lines:
        kept[index] = False
    return without_links(lines, kept, range(segment.head, segment.tail), root)


def _template_lines(
    lines: Lines, evidence: LineEvidence, standing: list[int], content: list[float], direct: list[float]
) -> list[int]:
    """Return the lines below the root that repeat the example in a place where prose is not usual. A repeated line on
    a main path is kept, and so is a repeated heading ("Conclusion") or cell ("Weight") if the example's body has such.

    `standing`, `content`: of the lines; `direct`: of the paths.
    """
    both = zip(standing, evidence.similarity, strict=True)
    repeated = [line for line, (relation, alike) in enumerate(both) if alike >= REPEATED and relation > keeping.CAPTION]
    if not repeated:
        return []
    outline, mostly, headings = lines.outline, evidence.mostly_body, lines.are_headings
    least, main = MAIN_SHARE * sum(content), evidence.profile.main
    found = []
    for line in repeated:
        path, place = lines.paths[line], outline.places[line]
        usual = path in mostly and (headings[line] or lines.trie.tag[path] in CELLS)
        if not usual and direct[place] < least and outline.signatures[place] not in main:
            found.append(line)
    return found
