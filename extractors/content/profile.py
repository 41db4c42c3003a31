"""The profile of an example's body: in which elements its template has prose."""

from collections import defaultdict
from dataclasses import dataclass, field

from ..html.lines import Lines

PROFILE_GAIN = 3  # a path with a third of the share of the example's strongest path counts as much as that path
MAIN_SHARE = 0.15  # share of the content from which a path is a main path
LEAF_SHARE = 0.5  # share of the example's body from which a path is exempt from the rules on captions and wrappers


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
