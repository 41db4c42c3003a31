"""The profile of an example's body: in which elements its template has prose."""

from dataclasses import dataclass, field

from ..html.lines import Floats, Lines

PROFILE_GAIN = 3  # a path with a third of the share of the example's strongest path counts as much as that path


@dataclass(frozen=True, slots=True)
class Profile:
    """The markup of a page's body: the shares (0 to 1) of its content by signature and by leaf (see `PathTrie`)."""

    by_signature: dict[int, float] = field(default_factory=dict)
    by_leaf: dict[int, float] = field(default_factory=dict)

    def familiarity(self, lines: Lines) -> list[float]:
        """Return, for each line, how usual its path is for the profile's body: 0 to 1; 1 for an empty profile."""
        if not self.by_signature:
            return [1.0] * len(lines)
        shares, outline = self.by_signature, lines.outline
        gain = PROFILE_GAIN / max(shares.values())
        usual = [min(shares.get(signature, 0.0) * gain, 1.0) for signature in outline.signatures]
        return [usual[place] for place in outline.places]


NO_PROFILE = Profile()


def profile_of(lines: Lines, kept: list[int], similarity: Floats) -> Profile:
    """Return the profile of a page whose body is the `kept` lines, without the part that another page repeats."""
    weight = lines.width[kept] * lines.weight[kept] * (1 - similarity[kept])
    total = float(weight.sum())
    profile, trie = Profile(), lines.trie
    for index, amount in zip(kept, weight.tolist(), strict=True):
        if amount > 0:
            path = lines.paths[index]
            add(profile.by_signature, trie.signature(path), amount / total)
            add(profile.by_leaf, trie.leaf(path), amount / total)
    return profile


def add(sums: dict[int, float], key: int, amount: float) -> None:
    """Add `amount` to the sum under `key`."""
    sums[key] = sums.get(key, 0.0) + amount
