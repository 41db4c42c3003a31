"""From clusters to the body's segment, and from the segment to its text: steps of `tag_paths`."""

from dataclasses import dataclass

from .tag_path_clusters import Leaf, Leaves, cluster, length, noise, period, split, variance

# Chosen by macro F1 on the development pages; flat around these values.
VARIANCE = 1000.0  # σ², leaves squared: a cluster above it is split
MAX_SIZE = 1  # leaves: the source's MAXSIZE, which a body exceeds
PRE_SPAN = 0.5  # leaves: the source's PreSpan; every ΔT is above it


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What a body exceeds: `length` in half-width characters, `noise` as Cn; and what its groups reach: `frequency`."""

    length: float
    noise: float
    frequency: float


DEFAULTS = Thresholds(length=600, noise=0.5, frequency=1)


def body_segment(leaves: list[Leaf], thresholds: Thresholds) -> Leaves:
    """Return the leaves of the first cluster that is like a body; none if there is none."""
    waiting = cluster(leaves)
    while waiting:
        found = waiting.pop(0)
        if variance(found) > VARIANCE and len(pieces := split(found)) > 1:
            waiting = sorted(pieces + waiting)
        elif is_body(leaves, found, thresholds):
            return found
    return []


def is_body(leaves: list[Leaf], found: Leaves, thresholds: Thresholds) -> bool:
    """Whether a cluster fulfils the source's four conditions."""
    return (
        len(found) > MAX_SIZE
        and length(leaves, found) > thresholds.length
        and noise(leaves, found) > thresholds.noise
        and period(found) > PRE_SPAN
    )


def longest(leaves: list[Leaf]) -> Leaves:
    """Return the cluster with most text outside links, if it has more there than in links."""
    found = max(cluster(leaves), key=lambda one: length(leaves, one), default=[])
    return found if 2 * length(leaves, found) > sum(leaves[n].strings + leaves[n].links for n in found) else []


def groups(leaves: list[Leaf], segment: Leaves) -> dict[int, Leaves]:
    """Return all leaves from a segment's first to its last by the path of the enclosing table or div."""
    found: dict[int, Leaves] = {}
    for number in range(segment[0], segment[-1] + 1) if segment else ():
        found.setdefault(leaves[number].container, []).append(number)
    return found


def frequent(leaves: list[Leaf], segment: Leaves, threshold: float) -> Leaves:
    """Return the leaves of the groups that are frequent enough, in document order."""
    found = groups(leaves, segment).values()
    return sorted(number for group in found if len(group) >= threshold for number in group)
