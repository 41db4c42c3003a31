"""From clusters to the body's segment, and from the segment to its text: steps of `tag-paths`."""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from math import inf

from .clusters import Leaf, LeafOutline, Leaves, cluster, length, noise, period, split, variance

# Chosen by mean F1 over the development sets, or, where values give the same (LENGTH_SHARE, ALIKE), over the perturbed
# ones; `python -m evaluation.reproduction.constants` prints the result on each set with the values best on the
# others.
VARIANCE = 1000.0  # σ², leaves squared: a cluster above it is split
NOISE = 0.3  # Cn, not in percent
LENGTH_SHARE = 0.35  # share of the page's longest cluster, which is the page's own Length_Threshold
ALIKE = 0.5  # characters per leaf around a body's div, as a share of those within, from which they belong to the body
FREQUENCY_SHARE = 0.1  # share of the groups' mean, which is the page's own Frequency_Threshold
MAX_SIZE = 1  # leaves: the source's MAXSIZE, which a body exceeds
PRE_SPAN = 0.5  # leaves: the source's PreSpan; every ΔT is above it


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Lower limits for a body: `length` in half-width characters, `noise` as Cn; and the `frequency` of its groups.

    A group's frequency is the length of its text, in half-width characters.
    """

    length: float
    noise: float
    frequency: float


DEFAULTS = Thresholds(length=0, noise=NOISE, frequency=0)  # values that every body exceeds


def page_thresholds(leaves: list[Leaf], least: float = NOISE, share: float = LENGTH_SHARE) -> Thresholds:
    """Return the thresholds by the page itself: `length` is a share of its longest cluster that may be a body."""
    free = Thresholds(0, least, inf)
    longest = max((length(leaves, found) for found in cluster(leaves) if is_body(leaves, found, free)), default=0)
    return Thresholds(share * longest, least, inf)


def body_segment(leaves: list[Leaf], thresholds: Thresholds, spread: float = VARIANCE) -> Leaves:
    """Return the leaves of the first cluster with the marks of a body, or none. `spread`: the largest σ²."""
    waiting = cluster(leaves)  # a heap, since it is sorted: the first is the one whose first leaf is first
    while waiting:
        found = heappop(waiting)
        if variance(found) > spread and len(pieces := split(found)) > 1:
            for piece in pieces:
                heappush(waiting, piece)
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
    """Return the cluster with most text outside links, if that is more than its text inside links."""
    found = max(cluster(leaves), key=lambda one: length(leaves, one), default=[])
    return found if 2 * length(leaves, found) > sum(leaves[n].strings + leaves[n].links for n in found) else []


def region(outline: LeafOutline, segment: Leaves, least: float = NOISE, alike: float = ALIKE) -> range:
    """Return the leaves of the innermost table or div around a segment, and of those around that if they are similar.

    The text around a table or div is similar if its Cn is above `least`, and its leaves have at least the share `alike`
    of the characters inside.
    """
    leaves, parents, starts, ends = outline
    box = leaves[segment[0]].box
    while box and ends[box] <= segment[-1]:
        box = parents[box]
    if not box:
        return range(segment[0], segment[-1] + 1)
    within = length(leaves, range(starts[box], ends[box]))
    while outer := parents[box]:
        around = [*range(starts[outer], starts[box]), *range(ends[box], ends[outer])]
        size = length(leaves, around)
        if around and (
            noise(leaves, around) <= least or size / len(around) < alike * within / (ends[box] - starts[box])
        ):
            break
        box, within = outer, within + size
    return range(starts[box], ends[box])


def groups(leaves: list[Leaf], found: Sequence[int]) -> list[Leaves]:
    """Return leaves by the path of the enclosing table or div."""
    by_path: dict[int, Leaves] = {}
    for number in found:
        by_path.setdefault(leaves[number].container, []).append(number)
    return list(by_path.values())


def mean_frequency(leaves: list[Leaf], found: Sequence[int]) -> float:
    """Return the mean frequency of the groups."""
    return length(leaves, found) / max(1, len(groups(leaves, found)))


def frequent(leaves: list[Leaf], found: Sequence[int], threshold: float) -> Leaves:
    """Return the leaves of the groups that are frequent enough, in document order."""
    kept = (group for group in groups(leaves, found) if length(leaves, group) >= threshold)
    return sorted(number for group in kept for number in group)
