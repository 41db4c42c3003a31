"""The places of a section's pages that contain the body, and those that do not, learned from an example.

It complements the profile, which describes the elements in which a template has prose; the layout describes their
places. If a place of the example has text but no body, it belongs to the template (comments, teasers, an author's
box), however much prose it contains on the present page.
"""

from dataclasses import dataclass

from ..html.lines import Lines

BARREN = 0.05  # share of a place's bytes in the body, up to which the place belongs to the template
BARREN_FACTOR = 0.02  # factor of the content of a line in such a place
MOSTLY_BODY = 0.9  # share of a place's text that is in the example's body, from which a repeated heading is kept


@dataclass(frozen=True, slots=True)
class Layout:
    """By the example's paths: the share of a path's bytes in the body, and whether any body is at or below the path.

    `mostly`: the paths in which nearly all text is body.
    """

    share: dict[int, float]
    holds: dict[int, bool]
    mostly: frozenset[int] = frozenset()

    def factors_of_paths(self, lines: Lines) -> list[float]:
        """Return the factor of the content in each path of the page's outline; [] if all are 1.

        The factor is 1, or `BARREN_FACTOR` in a place where the example has no body. A place that the example does not
        have gets the factor of the nearest element around it that the example has.
        """
        if not self.share:
            return []
        outline = lines.outline
        fertile, factors = [True], [self._factor(0, True)]
        for path, above in zip(outline.paths[1:], outline.parent[1:], strict=True):
            fertile.append(self.holds.get(path, fertile[above]))
            factors.append(self._factor(path, fertile[-1]))
        return factors

    def factors(self, lines: Lines) -> list[float]:
        """Return the factor of each line's content."""
        of_paths = self.factors_of_paths(lines)
        return [of_paths[place] for place in lines.outline.places] if of_paths else [1.0] * len(lines)

    def holds_body(self, path: int) -> bool:
        """Whether more than the share `BARREN` of the example's text in a place is body."""
        return self.share.get(path, 0.0) > BARREN

    def _factor(self, path: int, fertile: bool) -> float:
        return 1.0 if self.share.get(path, 1.0 if fertile else 0.0) > BARREN else BARREN_FACTOR


def layout_of(lines: Lines, kept: list[int]) -> Layout:
    """Return the layout of a page whose body is the `kept` lines."""
    outline = lines.outline
    body = [0.0] * len(lines)
    for line in kept:
        body[line] = lines.widths[line]
    own, own_body = outline.direct(lines.widths), outline.direct(body)
    bodies = outline.gather(own_body)
    share = {path: own_body[n] / own[n] for n, path in enumerate(outline.paths) if own[n]}
    holds = {path: bodies[number] > 0 for number, path in enumerate(outline.paths)}
    return Layout(share, holds, frozenset([path for path, part in share.items() if part > MOSTLY_BODY]))


NO_LAYOUT = Layout({}, {})
