"""From similarities to the body: turning points, the example's profile, the body's root, the lines kept below it.

Source: the example-page method (004) names two turning points, the head and the tail of the body, without a rule that
finds them. Ours: a line that has no partner speaks for the body with its unlinked width, one that has a partner against
it, and the body lies between the ends of the segment with the largest sum. Beyond the source, the body has a root (the
deepest element that holds most of it), and the example shows by which elements its template writes prose. Without an
example the same steps run with no line matched and no profile.

The constants were measured on the development pages, over all ordered pairs of pages of one section.
"""

from dataclasses import dataclass, field

import numpy as np

from .lines import PLAIN, Flags, Floats, Lines, PathTrie

LINK_WEIGHT = 2  # bytes inside a link count this often against the body
LINE_COST = 15  # bytes a line must have to speak for the body
MATCH_WEIGHT, MATCH_COST = 2, 10  # a matched line speaks against it with twice its bytes and this
CONTENT_COST, CONTENT_MAX = 10, 600  # bytes; a line's share in the body, bounded so that no single line decides
PROFILE_GAIN = 3  # paths with a third of the example's strongest path's share are as good as that one
FOREIGN_WEIGHT = 0.3  # weight, in the segment, of lines whose paths the example doesn't use
FOREIGN_ROOT_WEIGHT = 0.1  # the same where the root is sought
ROOT_SHARE = 0.75  # share of the content that the root must hold; flat from .75 to .9
WRAPPER_SHARE = 0.15  # share of the content from which a wrapper below the root counts as part of the body
LEAF_SHARE = 0.5  # share of the example's body from which a path is exempt from that
MAIN_SHARE = 0.15  # share of the content from which a path is a main path
OUT, IN_SEGMENT, IN = range(3)  # how a path stands to the body: out, in between the turning points, in
LINKED_PARAGRAPH, LINKED_LINE = 0.9, 0.6  # link share from which a <p>, any other line is a link
LINKED_BYTES = 4  # shorter lines may be links: footnote marks
REPEATED = 0.9  # similarity from which a line repeats the example
HEADINGS = frozenset({"h2", "h3", "h4", "h5", "h6"})


@dataclass(frozen=True, slots=True)
class Profile:
    """How a page's body is written: its content's shares (0 to 1) by signature and by leaf (see `PathTrie`)."""

    by_signature: dict[int, float] = field(default_factory=dict)
    by_leaf: dict[int, float] = field(default_factory=dict)

    def familiarity(self, lines: Lines) -> dict[int, float]:
        """Return, for each path of `lines`, how usual it is for the profile's body: 0 to 1."""
        signature = lines.trie.signature
        share, strongest = self.by_signature.get, max(self.by_signature.values(), default=1.0)
        return {path: min(1.0, PROFILE_GAIN * share(signature[path], 0.0) / strongest) for path in set(lines.paths)}


NO_PROFILE = Profile()


@dataclass(frozen=True, slots=True)
class Body:
    """The lines of a body: their indices, the path of the body's root, and the bytes of content that spoke for it."""

    kept: list[int]
    root: int = 0
    content: float = 0.0


def turning_points(weights: Floats) -> tuple[int, int]:
    """Return head and tail (exclusive) of the contiguous segment with the largest sum; (0, 0) if none is positive."""
    if not len(weights):
        return 0, 0
    sums = np.concatenate([np.zeros(1, np.float32), np.cumsum(weights)])
    gains = sums - np.minimum.accumulate(sums)
    tail = int(gains.argmax())
    if gains[tail] <= 0:
        return 0, 0
    return tail - int(sums[: tail + 1][::-1].argmin()), tail


def line_weights(lines: Lines, similarity: Floats) -> Floats:
    """Return how much each line speaks for the body, in bytes; negative: against it."""
    unmatched = lines.width - (1 + LINK_WEIGHT) * lines.linked - LINE_COST
    matched = -(MATCH_WEIGHT * lines.width + MATCH_COST)
    between = similarity * matched + (1 - similarity) * np.minimum(unmatched, 0)
    return np.where(similarity > 0, between, unmatched).astype(np.float32)


def line_content(lines: Lines, similarity: Floats, head: int, tail: int) -> Floats:
    """Return what each line between head and tail adds to the body, in bytes; 0 outside."""
    within = slice(head, tail)
    content = np.zeros(len(lines), np.float32)
    new = (lines.width[within] - LINK_WEIGHT * lines.linked[within]) * (1 - similarity[within])
    content[within] = np.clip(new - CONTENT_COST, 0, CONTENT_MAX) * lines.weight[within]
    return content


def profile_of(lines: Lines, similarity: Floats) -> Profile:
    """Return the profile of a page's own body, as the similarity to another page shows it."""
    return profile_from(lines, line_content(lines, similarity, *turning_points(line_weights(lines, similarity))))


def profile_from(lines: Lines, content: Floats) -> Profile:
    """Return the profile of a body with the given content for each line."""
    by_path = _by_path(lines.paths, content)
    total = sum(by_path.values())
    profile = Profile()
    trie = lines.trie
    for path, amount in by_path.items():
        _add(profile.by_signature, trie.signature[path], amount / total)
        _add(profile.by_leaf, trie.leaf[path], amount / total)
    return profile


def cut_body(lines: Lines, similarity: Floats, profile: Profile) -> Body:
    """Return the body of a page, given how like its lines are to the example's, and the example's profile."""
    familiarity = profile.familiarity(lines)
    weights = line_weights(lines, similarity)
    familiar = np.array([familiarity[path] for path in lines.paths], np.float32)
    weights = np.where(weights > 0, weights * np.minimum(FOREIGN_WEIGHT + familiar, 1), weights)
    head, tail = turning_points(weights)
    by_path = _by_path(lines.paths, line_content(lines, similarity, head, tail))
    total = sum(by_path.values())
    if total <= 0:
        return Body([])
    root = _find_root(by_path, familiarity, lines.trie)
    main = {path for path, amount in by_path.items() if amount >= MAIN_SHARE * total}
    main |= {p for p in by_path if profile.by_signature.get(lines.trie.signature[p], 0.0) >= MAIN_SHARE}
    standing = _standing(root, lines, _subtree_shares(by_path, lines.trie), profile)
    below = np.array([standing[path] for path in lines.paths], np.int8)
    below[:head] -= below[:head] == IN_SEGMENT
    below[tail:] -= below[tail:] == IN_SEGMENT
    kept = (below > OUT) & ~_is_linked(lines) & ~_is_template(lines, similarity, main) & ~_is_line_numbers(lines)
    return Body(np.flatnonzero(kept).tolist(), root, total)


def _standing(root: int, lines: Lines, shares: dict[int, float], profile: Profile) -> dict[int, int]:
    """Return for each path of `lines` whether lines there belong to the body below `root`."""
    trie = lines.trie
    supported = {root: True}  # whether all wrappers between root and path hold enough; no entry: not below the root
    for path in trie.with_ancestors(lines.paths):
        parent = trie.parent[path]
        if parent in supported:
            weak = trie.is_wrapper(path) and shares.get(path, 0.0) < WRAPPER_SHARE
            supported[path] = supported[parent] and not weak

    def judge(path: int) -> int:
        if path not in supported or trie.noise_depth[path] > trie.depth[root]:
            return OUT
        tag = trie.tag[path]
        if supported[path] or tag == "pre" or profile.by_leaf.get(trie.leaf[path], 0.0) >= LEAF_SHARE:
            return IN
        return IN_SEGMENT if tag in HEADINGS else OUT

    return {path: judge(path) for path in set(lines.paths)}


def _find_root(by_path: dict[int, float], familiarity: dict[int, float], trie: PathTrie) -> int:
    """Return the deepest path that holds most of the content, out of elements that only hold a part of a text."""
    weighted = {p: amount * min(1.0, FOREIGN_ROOT_WEIGHT + familiarity[p]) for p, amount in by_path.items()}
    shares = _subtree_shares(weighted, trie)
    root = max((path for path, share in shares.items() if share >= ROOT_SHARE), key=lambda p: trie.depth[p], default=0)
    while (trie.tag[root] in PLAIN or trie.tag[root] == "figure") and trie.parent[root] > 0:
        root = trie.parent[root]
    return root


def _is_linked(lines: Lines) -> Flags:
    """Whether a line is little but links."""
    tag = lines.trie.tag
    limit = np.array([LINKED_PARAGRAPH if tag[p] == "p" else LINKED_LINE for p in lines.paths], np.float32)
    return (lines.linked > limit * lines.width) & (lines.width > LINKED_BYTES)


def _is_template(lines: Lines, similarity: Floats, main: set[int]) -> Flags:
    """Whether a line repeats the example where prose is not usual. On a main path a repeated line stays."""
    aside = np.array([path not in main for path in lines.paths], np.bool_)
    return (similarity >= REPEATED) & aside


def _is_line_numbers(lines: Lines) -> Flags:
    """Whether a line is a <pre> that counts 1, 2, 3 …: the line numbers beside a listing."""
    tag = lines.trie.tag
    both = zip(lines.paths, lines.texts, strict=True)
    return np.array([tag[path] == "pre" and _counts(text) for path, text in both], np.bool_)


def _counts(text: str) -> bool:
    numbers = text.split()
    return numbers[0] == "1" and numbers == [str(number) for number in range(1, len(numbers) + 1)]


def _by_path(paths: list[int], content: Floats) -> dict[int, float]:
    """Return the content's sums by path, for paths that have any."""
    sums: dict[int, float] = {}
    for index in np.flatnonzero(content > 0).tolist():
        _add(sums, paths[index], float(content[index]))
    return sums


def _subtree_shares(by_path: dict[int, float], trie: PathTrie) -> dict[int, float]:
    """Return, for each path and its ancestors, the share of the content at or below it."""
    total = sum(by_path.values())
    shares = {path: amount / total for path, amount in by_path.items()}
    for path in reversed(trie.with_ancestors(by_path)):
        if trie.parent[path] > 0:
            _add(shares, trie.parent[path], shares[path])
    return shares


def _add(sums: dict[int, float], key: int, amount: float) -> None:
    sums[key] = sums.get(key, 0.0) + amount
