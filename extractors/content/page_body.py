"""The body of one page by rules alone, without an example: the steps of `body` with no line matched and no profile.

If the rules would remove everything, they are relaxed one after the other, so that a page with text gives text.
"""

from dataclasses import replace

import numpy as np

from ..html.lines import Lines
from .body import Body, find_body
from .line_weights import Prior
from .trimming import trim
from .turning_points import LineEvidence


def rules_body(lines: Lines, prior: Prior) -> Body:
    """Return the body of a page alone, trimmed."""
    body = find_body(lines, LineEvidence(unmatched(lines), prior))
    if not body.kept:
        body = replace(body, kept=_something(lines, prior, body))
    return replace(body, kept=trim(lines, body, prior))


def unmatched(lines: Lines) -> list[float]:
    """Return the similarity of a page's lines where there is no example: all zero."""
    return [0.0] * len(lines)


def _something(lines: Lines, prior: Prior, body: Body) -> list[int]:
    """Return other lines if the rules removed the whole body: those of its root or segment, or unlinked ones."""
    unlinked = lines.linked <= 0.9 * lines.width
    inside = np.zeros(len(lines), np.bool_)
    inside[body.head : body.tail] = True
    under_root = {path: body.root in lines.trie.up(path) for path in {*lines.paths}}
    below = np.array([under_root[path] for path in lines.paths], np.bool_)
    quiet = np.array(prior.noise)[lines.outline.of_line] < 3 if len(lines) else inside
    for chosen in (below & unlinked, inside & unlinked, (lines.linked <= 0.5 * lines.width) & quiet):
        if chosen.any():
            return np.flatnonzero(chosen).tolist()
    return []
