"""Where a page of the section holds its body, and where it holds none: what an example shows beyond its profile.

The profile says by which elements a template writes prose; the layout says in which places. A place where the example
has text, none of it body, is the template's (comments, teasers, an author's box), however much prose it holds on the
page at hand.
"""

from dataclasses import dataclass

import numpy as np

from .lines import Flags, Floats, Lines

BARREN = 0.05  # share of a place's bytes in the body, up to which it is the template's
BARREN_FACTOR = 0.02  # what a line in such a place may add to a body


@dataclass(frozen=True, slots=True)
class Layout:
    """For each path that the example uses, the body's share of its bytes; -1 if only paths below it hold any."""

    share: dict[int, float]

    def factors(self, lines: Lines) -> Floats:
        """Return what each line may add to a body: 1, or `BARREN_FACTOR` in a place where the example has none."""
        if not self.share:
            return np.ones(len(lines), np.float32)
        outline, share = lines.outline, self.share
        known = [1.0] * len(outline)
        for number in range(1, len(outline)):
            path = outline.paths[number]
            seen = share.get(path)
            known[number] = known[outline.parent[number]] if seen is None else 1.0 if seen < 0 else seen
        factors = [BARREN_FACTOR if value <= BARREN else 1.0 for value in known]
        return np.array(factors, np.float32)[outline.of_line]

    def holds_body(self, lines: Lines) -> Flags:
        """Whether a line stands in a place where the example has text of its body."""
        outline = lines.outline
        return np.array([self.share.get(path, 0.0) > BARREN for path in outline.paths], np.bool_)[outline.of_line]


def layout_of(lines: Lines, kept: list[int]) -> Layout:
    """Return the layout of a page whose body is the `kept` lines."""
    outline = lines.outline
    body = np.zeros(len(lines), np.float32)
    body[kept] = lines.width[kept]
    own, own_body = outline.direct(lines.width), outline.direct(body)
    bodies = outline.gather(own_body)
    share = {}
    for number, path in enumerate(outline.paths):
        if own[number]:
            share[path] = own_body[number] / own[number]
        else:
            share[path] = -1.0 if bodies[number] else 0.0
    return Layout(share)


NO_LAYOUT = Layout({})
