"""Loops of `body` and `roots` over lines and paths, in plain lists.

`places`: number of each line's path in the page's outline; lists by path are in the order of these numbers.
"""

from ..html.lines import CODE_WEIGHT
from ..html.paths import HEADINGS, PLAIN
from .line_weights import CONTENT_COST, CONTENT_MAX, LINK_WEIGHT

LINE_COST = 15  # bytes from which a line counts for the body
MATCH_WEIGHT, MATCH_COST = 2, 10  # a matched line counts against it with twice its bytes plus this cost
FOREIGN_WEIGHT = 0.3  # weight, in the segment, of lines whose paths the example does not use
FOREIGN_ROOT_WEIGHT = 0.1  # the same in the search for the root
REPEATED = 0.8999999761581421  # similarity from which a line repeats the example: .9 as float32, like similarities
ROOT_SHARE = 0.75  # share of the content that the root must contain; .75 to .9 give the same
PARTS = frozenset({"figure", "pre", "blockquote", "li", "dl"})  # elements that never contain a whole body


def line_weights(width: list[float], linked: list[float], similarity: list[float]) -> list[float]:
    """Return the evidence of each line for the body, in bytes; negative: against it."""
    found = []
    for line in range(len(width)):
        bytes_, links, alike = width[line], linked[line], similarity[line]
        weight = bytes_ - (1 + LINK_WEIGHT) * links - LINE_COST
        if alike > 0:
            weight = (1 - alike) * (weight if weight < 0 else 0.0) - alike * (MATCH_WEIGHT * bytes_ + MATCH_COST)
        found.append(weight)
    return found


def known_factors(factors: list[float], places: list[int], by_path: list[float]) -> list[float]:
    """Return the factor of each line by the page's priors, `factors`, and by its path; `by_path` may be []."""
    if not by_path:
        return factors
    found = []
    for line in range(len(factors)):
        factor, other = factors[line], by_path[places[line]]
        found.append(factor * other)
    return found


def segment_weights(weights: list[float], known: list[float], familiarity: list[float]) -> list[float]:
    """Return the weights between which the turning points lie: positive ones are multiplied by the line's factors.

    `known`: factor of each line by the page's priors and the example's layout; `familiarity`: by its profile, or [].
    """
    found = []
    for line in range(len(weights)):
        weight = weights[line]
        if weight > 0:
            factor, usual = known[line], 1.0
            if familiarity:
                usual = familiarity[line] + FOREIGN_WEIGHT
                usual = usual if usual < 1 else 1.0
            weight *= factor * usual
        found.append(weight)
    return found


def turning_points(weights: list[float]) -> tuple[int, int]:
    """Return head and tail (exclusive) of the contiguous segment with the largest sum; (0, 0) if none is positive."""
    total = least = best = 0.0
    start = head = tail = 0
    for line in range(len(weights)):
        weight = weights[line]
        total += weight
        if total <= least:
            least, start = total, line + 1
        elif total - least > best:
            best, head, tail = total - least, start, line + 1
    return head, tail


def line_content(
    width: list[float],
    linked: list[float],
    similarity: list[float],
    code: list[bool],
    known: list[float],
    head: int,
    tail: int,
) -> list[float]:
    """Return what each line between head and tail adds to the body, in bytes; 0 outside.

    `known`: factor of each line by the page's priors and the example's layout.
    """
    found = [0.0] * len(width)
    for line in range(head, tail):
        factor = known[line]
        found[line] = _content(width[line], linked[line], similarity[line], code[line]) * factor
    return found


def _content(bytes_: float, links: float, alike: float, code: bool) -> float:
    """Return what a line can add to a body, in bytes."""
    amount = (bytes_ - LINK_WEIGHT * links) * (1 - alike) - CONTENT_COST
    if amount <= 0:
        return 0.0
    amount = CONTENT_MAX if amount > CONTENT_MAX else amount
    return amount * CODE_WEIGHT if code else amount


def new_content(width: list[float], linked: list[float], similarity: list[float], code: list[bool]) -> float:
    """Return what the lines between the turning points add to the body, by similarity alone, in bytes."""
    head, tail = turning_points(line_weights(width, linked, similarity))
    total = 0.0
    for line in range(head, tail):
        total += _content(width[line], linked[line], similarity[line], code[line])
    return total


def root_content(content: list[float], familiarity: list[float]) -> list[float]:
    """Return what each line counts in the search for the root: `content` itself if it is all in usual paths.

    `familiarity`: of each line by the profile, or [].
    """
    foreign = False
    found = []
    for line in range(len(content)):
        amount = content[line]
        if amount and familiarity:
            usual = familiarity[line] + FOREIGN_ROOT_WEIGHT
            if usual < 1:
                foreign = True
                amount *= usual
        found.append(amount)
    return found if foreign else content


def deepest_fit(paths: list[int], depths: list[int], shares: list[float], own: list[float]) -> int:
    """Return the deepest path whose family has most of the content, or 0; the largest if several are equally deep.

    `depths`: by path of the trie; by number in the outline: `shares`, and `own`, the amounts at and below each path.
    """
    best, deepest, most = 0, -1, 0.0
    for number in range(1, len(paths)):
        share = shares[number]
        if share >= ROOT_SHARE:
            depth, amount = depths[paths[number]], own[number]
            if depth > deepest or (depth == deepest and amount > most):
                best, deepest, most = paths[number], depth, amount
    return best


def climb(tags: list[str], parents: list[int], root: int) -> int:
    """Return the nearest element, `root` or around it, that is neither plain nor a figure. Lists are by path."""
    while tags[root] in PLAIN or tags[root] == "figure":
        above = parents[root]
        if above <= 0:
            break
        root = above
    return root


def out_of_parts(tags: list[str], parents: list[int], root: int) -> int:
    """Return the nearest element, `root` or around it, that may contain a whole body. Lists are by path."""
    root = climb(tags, parents, root)
    step = root
    while step > 0:
        above = parents[step]
        if above > 0 and tags[step] in PARTS:
            root = above
        step = above
    return climb(tags, parents, root)


def amount_beside(
    paths: list[int], direct: list[float], tags: list[str], parents: list[int], root: int, above: int
) -> float:
    """Return the content in paragraphs of `above`, the root's parent, without headings. `direct`: by number."""
    found = 0.0
    for number in range(len(paths)):
        amount = direct[number]
        if amount > 0:
            path = paths[number]
            if path != root and tags[path] not in HEADINGS and climb(tags, parents, path) == above:
                found += amount
    return found


def repeated_elsewhere(
    similarity: list[float],
    places: list[int],
    direct: list[float],
    least: float,
    signatures: list[int],
    main: frozenset[int],
) -> list[int]:
    """Return the lines that repeat the example and are on no main path: neither of the example's body nor of this one.

    `direct`: the content of each path, from `least` on it is a main path; `main`: the signatures of the example's.
    """
    found = []
    for line in range(len(similarity)):
        alike = similarity[line]
        if alike >= REPEATED:
            place = places[line]
            amount = direct[place]
            if amount < least and signatures[place] not in main:
                found.append(line)
    return found
