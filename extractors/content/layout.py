"""The places of a section's pages that contain the body, and those that do not, learned from an example.

It complements the profile, which describes the elements in which a template has prose; the layout describes their
places. If a place of the example has text but no body, it belongs to the template (comments, teasers, an author's
box), however much prose it contains on the present page.
"""

from dataclasses import dataclass

import numpy as np

from ..html.lines import Lines

BARREN = 0.05  # share of a place's bytes in the body, up to which the place belongs to the template
BARREN_FACTOR = 0.02  # factor of the content of a line in such a place


@dataclass(frozen=True, slots=True)
class Layout:
    """By the example's paths: the share of a path's bytes in the body, and whether any body is at or below the path."""

    share: dict[int, float]
    holds: dict[int, bool]

    def factors(self, lines: Lines) -> list[float]:
        """Return the factor of each line's content: 1, or `BARREN_FACTOR` in a place where the example has no body.

        A place that the example does not have gets the factor of the nearest element around it that the example has.
        """
        if not self.share:
            return [1.0] * len(lines)
        outline = lines.outline
        fertile = [True] * len(outline)
        for number in range(1, len(outline)):
            path = outline.paths[number]
            fertile[number] = self.holds.get(path, fertile[outline.parent[number]])
        useful = [self.share.get(path, 1.0 if fertile[n] else 0.0) > BARREN for n, path in enumerate(outline.paths)]
        return [1.0 if useful[place] else BARREN_FACTOR for place in outline.places]

    def holds_body(self, path: int, least: float = BARREN) -> bool:
        """Whether more than the share `least` of the example's text in a place is body."""
        return self.share.get(path, 0.0) > least


def layout_of(lines: Lines, kept: list[int]) -> Layout:
    """Return the layout of a page whose body is the `kept` lines."""
    outline = lines.outline
    body = np.zeros(len(lines), np.float32)
    body[kept] = lines.width[kept]
    own, own_body = outline.direct(lines.width), outline.direct(body)
    bodies = outline.gather(own_body)
    share = {path: own_body[n] / own[n] for n, path in enumerate(outline.paths) if own[n]}
    return Layout(share, {path: bodies[n] > 0 for n, path in enumerate(outline.paths)})


NO_LAYOUT = Layout({}, {})
