"""What an example's body shows of its template: the elements with prose (profile) and the places of the body (layout).

The profile describes the elements in which a template has prose, the layout their places. If a place of the example has
text but no body, it belongs to the template (comments, teasers, an author's box), however much prose it contains on the
present page.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain

from ..html.lines import Lines

PROFILE_GAIN = 3  # a path with a third of the share of the example's strongest path counts as much as that path
MAIN_SHARE = 0.15  # share of the content from which a path is a main path
LEAF_SHARE = 0.5  # share of the example's body from which a path is exempt from the rules on captions and wrappers
BARREN = 0.05  # share of a place's bytes in the body, up to which the place belongs to the template
BARREN_FACTOR = 0.02  # factor of the content of a line in such a place
MOSTLY_BODY = 0.9  # share of a place's text that is in the example's body, from which a repeated heading is kept


@dataclass(frozen=True, slots=True)
class Profile:
    """The markup of a page's body, by signatures and leaves (see `PathTrie`).

    `usual`: how usual a signature is for the body, 0 to 1; `main`: the signatures of its main paths; `strong`: the
    leaves with most of its content.
    """

    usual: dict[int, float] = field(default_factory=dict)
    main: frozenset[int] = frozenset()
    strong: frozenset[int] = frozenset()

    def familiarity(self, lines: Lines) -> list[float]:
        """Return, for each line, how usual its path is for the profile's body: 0 to 1; [] for an empty profile."""
        if not self.usual:
            return []
        of_paths = [self.usual.get(signature, 0.0) for signature in lines.outline.signatures]
        return [of_paths[place] for place in lines.outline.places]


NO_PROFILE = Profile()


@dataclass(frozen=True, slots=True)
class BodyMarkup:
    """The markup of a page's body, line by line: numbers, bytes that count, signatures and leaves of its `kept` lines.

    `profile`: that of the whole body.
    """

    kept: list[int]
    weights: list[float]
    signatures: list[int]
    leaves: list[int]
    profile: Profile


def markup_of(lines: Lines, kept: list[int]) -> BodyMarkup:
    """Return the markup of a page whose body is the `kept` lines."""
    trie, paths = lines.trie, [lines.paths[line] for line in kept]
    weights = (lines.width[kept] * lines.weight[kept]).tolist()
    signatures, leaves = [trie.signature(path) for path in paths], [trie.leaf(path) for path in paths]
    return BodyMarkup(kept, weights, signatures, leaves, _profile(weights, signatures, leaves))


def profile_of(markup: BodyMarkup, similarity: list[float]) -> Profile:
    """Return the profile of a body without the part that another page repeats. `similarity`: of the lines to it."""
    alike = [similarity[line] for line in markup.kept]
    if not any(alike):
        return markup.profile
    weights = [weight * (1 - repeated) for weight, repeated in zip(markup.weights, alike, strict=True)]
    return _profile(weights, markup.signatures, markup.leaves)


def _profile(weights: list[float], signatures: list[int], leaves: list[int]) -> Profile:
    """Return the profile of a body, from the content of its lines, their signatures and leaves."""
    total = sum(weights)
    by_signature, by_leaf = defaultdict[int, float](float), defaultdict[int, float](float)
    for weight, signature, leaf in zip(weights, signatures, leaves, strict=True):
        if weight > 0:
            by_signature[signature] += weight / total
            by_leaf[leaf] += weight / total
    gain = PROFILE_GAIN / max(by_signature.values(), default=1.0)
    return Profile(
        {signature: min(share * gain, 1.0) for signature, share in by_signature.items()},
        frozenset([signature for signature, share in by_signature.items() if share >= MAIN_SHARE]),
        frozenset([leaf for leaf, share in by_leaf.items() if share >= LEAF_SHARE]),
    )


def by_half(values: Sequence[Sequence[float]]) -> list[float]:
    """Return at each place the largest value that at least half of several pages reach."""
    return [sorted(found)[len(found) // 2] for found in zip(*values, strict=True)]


def in_half(found: Sequence[frozenset[int]]) -> frozenset[int]:
    """Return what at least half of several sets have."""
    return frozenset([one for one, count in Counter(chain(*found)).items() if 2 * count >= len(found)])


def common_profile(profiles: Sequence[Profile]) -> Profile:
    """Return the profile on which at least half of several pages agree."""
    if len(profiles) == 1:
        return profiles[0]
    signatures = [*{signature for one in profiles for signature in one.usual}]
    usual = by_half([[one.usual.get(signature, 0.0) for signature in signatures] for one in profiles])
    main, strong = in_half([one.main for one in profiles]), in_half([one.strong for one in profiles])
    return Profile(dict(zip(signatures, usual, strict=True)), main, strong)


@dataclass(frozen=True, slots=True)
class Layout:
    """By the example's paths: the share of a path's bytes in the body, and whether any body is at or below the path.

    `mostly`: the paths in which nearly all text is body.
    """

    share: dict[int, float]
    holds: dict[int, bool]
    mostly: frozenset[int] = frozenset()

    def factors_of_paths(self, lines: Lines) -> list[float]:
        """Return the factor of the content in each path of the page's outline.

        The factor is 1, or `BARREN_FACTOR` in a place where the example has no body. A place that the example does not
        have gets the factor of the nearest element around it that the example has.
        """
        outline = lines.outline
        fertile, factors = [True], [self._factor(0, True)]
        for path, above in zip(outline.paths[1:], outline.parent[1:], strict=True):
            fertile.append(self.holds.get(path, fertile[above]))
            factors.append(self._factor(path, fertile[-1]))
        return factors

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
