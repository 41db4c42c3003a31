"""The numbers by which a text line is classified as body or not: the result of the rules, and the lines around it.

All are computed from arrays of the extraction. None depends on which words a line has, only on which it shares with
other lines. Shares are 0 to 1, amounts log(1 + n) or shares of the page. "Prose" means the unlinked bytes of long
lines, bounded so that no line outweighs a page.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...article import KINDS_OF_PAGES, PageType
from ...html.lines import Floats, Lines
from ..body import Body
from ..line_weights import Prior
from . import cohesion, regions

FAR = 60  # lines; every larger distance from a turning point counts as this one
PROSE_WIDTH, PROSE_LINKED = 80, 0.35  # least bytes and largest link share of a line of prose …
PROSE_MAX = 1_500  # … and the most bytes that count of a line
PRIOR_LEAST = 1e-3  # added to a prior before its logarithm is taken
SENTENCE_ENDS = frozenset(".!?…。！？」”\"'’»:：;；)）")
TAGS = {
    "p": 0, "li": 1, "h1": 2, "h2": 3, "h3": 4, "h4": 5, "h5": 5, "h6": 5,
    "td": 6, "th": 6, "tr": 6, "blockquote": 7, "pre": 8, "div": 9, "section": 10, "article": 10, "main": 10, "dd": 11,
    "dt": 11, "figcaption": 12, "caption": 12, "figure": 12, "body": 13,
}  # fmt: skip
OTHER_TAG = 14

NAMES = (
    "kept", "caption", "below_root", "in_segment", "from_head", "to_tail",
    "prior", "prior_before", "prior_after",
    "width", "width_before", "linked", "tag", "heading", "ends", "repeated", "noise",
    "prose_before", "prose_after", "position",
    "box_prose", "box_long", "box_width", "box_lines", "box_linked", "box_mean", "box_headings", "box_family",
    "around_prose", "around_long", "around_lines", "around_linked", "around_family",
    "outer_prose", "outer_linked", "next_prose_in_box",
    "place_lines", "like_lines", "like_mean",
    "page_lines", "page_prose", "page_linked", "page_long", "page_place", "page_family",
    *regions.REGION_NAMES, *regions.SHARED_NAMES, *regions.LEVEL_NAMES, *cohesion.NAMES,
)  # fmt: skip
NAMES_OF_ANY_KIND = (*NAMES, *(f"kind_{kind}" for kind in KINDS_OF_PAGES))


@dataclass(frozen=True, slots=True)
class _Amounts:
    """Sums over the lines at and below each path of the outline."""

    lines: NDArray[np.float64]
    width: NDArray[np.float64]
    linked: NDArray[np.float64]
    prose: NDArray[np.float64]
    long: NDArray[np.float64]
    headings: NDArray[np.float64]


def features_of(lines: Lines, prior: Prior, body: Body, similarity: list[float] | None = None) -> Floats:
    """Return the numbers, float32, shape (lines, len(NAMES)).

    `body`: that of the rules, or of the vote; `similarity`: of the lines to an example's, None if there is none.
    """
    count, outline = len(lines), lines.outline
    width, linked = lines.width, lines.linked
    at = outline.of_line
    prose = prose_of(lines)
    long = prose > 0
    direct = {
        name: np.bincount(at, amount, minlength=len(outline))
        for name, amount in (("width", width), ("linked", linked), ("prose", prose), ("long", long),
                             ("headings", lines.headings))
    }  # fmt: skip
    direct["lines"] = np.bincount(at, minlength=len(outline)).astype(np.float64)
    below = _Amounts(**{name: np.array(outline.gather(amount.tolist())) for name, amount in direct.items()})
    all_width, all_prose = (max(1.0, float(direct[name].sum())) for name in ("width", "prose"))
    box = np.array(outline.boxes, np.intp)
    parent = np.array(outline.parent)
    inner = box[at]
    around = box[parent[inner]]
    outer = box[parent[around]]
    family = outline.families
    # Sums over each path and the paths below it.
    least_lines = np.maximum(1, below.lines)
    prose_share, long_share, lines_log = below.prose / all_prose, below.long / least_lines, np.log1p(below.lines)
    linked_share = below.linked / np.maximum(1, below.width)
    family_share = (np.bincount(family, below.prose) / all_prose)[family]
    like = _like(lines)
    like_lines, like_width = np.bincount(like, direct["lines"]), np.bincount(like, direct["width"])
    like = like[at]
    index = np.arange(count)
    prior_log = np.log(prior.by_line + PRIOR_LEAST)
    width_log = np.log1p(width)
    before = np.cumsum(prose)
    following = _following(long)
    kept = flags_of(body.kept, count)
    of_regions, levels = regions.region_columns(lines, prior, kept, prose)
    of_words = cohesion.cohesion_columns(lines.texts, prior.title, kept, long, inner)
    columns = (
        kept, flags_of(body.captions, count), _below_root(lines, body.root)[at],
        (index >= body.head) & (index < body.tail),
        *(np.maximum(np.minimum(far, FAR), -FAR) for far in (index - body.head, body.tail - index)),  # np.clip is slow
        prior_log, regions.shifted(prior_log, 1), regions.shifted(prior_log, -1),
        width_log, regions.shifted(width_log, 1), linked / np.maximum(width, 1), _tags(lines)[at],
        lines.headings, _ends(lines), _repeats(lines), np.array(prior.noise)[at] if prior.noise else 0,
        (before - prose) / all_prose, (all_prose - before) / all_prose, index / max(1, count - 1),
        prose_share[inner], long_share[inner], (below.width / all_width)[inner], lines_log[inner], linked_share[inner],
        np.log1p(below.width / least_lines)[inner], (below.headings / least_lines)[inner], family_share[inner],
        prose_share[around], long_share[around], lines_log[around], linked_share[around], family_share[around],
        prose_share[outer], linked_share[outer], (following >= 0) & (inner[following] == inner),
        np.log1p(direct["lines"])[at], np.log1p(like_lines)[like],
        np.log1p(like_width / np.maximum(1, like_lines))[like],
        np.log1p(count), np.log1p(all_prose), float(linked.sum()) / all_width, float(long.mean()),
        float(direct["prose"].max()) / all_prose, float(np.bincount(family, direct["prose"]).max()) / all_prose,
        *of_regions, *regions.shared_columns(lines, prior, prose, similarity), *levels, *of_words,
    )  # fmt: skip
    values: Floats = np.empty((len(NAMES), count), np.float32)
    for row, column in zip(values, columns, strict=True):
        row[:] = column
    return values.T


def with_kinds(values: Floats, kinds: Mapping[PageType, float]) -> Floats:
    """Return the numbers of lines with the probability of each kind of page, as the model of any kind reads them."""
    chances = np.array([kinds.get(kind, 0.0) for kind in KINDS_OF_PAGES], np.float32)
    return np.hstack([values, np.tile(chances, (len(values), 1))])


def prose_of(lines: Lines) -> Floats:
    """Return the bytes of prose of each line: unlinked, bounded, 0 for a short or a linked line."""
    width, linked = np.array(lines.widths), np.array(lines.linked_bytes)
    are_prose = (width >= PROSE_WIDTH) & (linked < PROSE_LINKED * width)
    return np.where(are_prose, np.minimum(width - linked, PROSE_MAX), 0).astype(np.float32)


def flags_of(chosen: list[int], count: int) -> NDArray[np.bool_]:
    """Return whether each of `count` lines is one of the chosen ones."""
    flags = np.zeros(count, np.bool_)
    flags[chosen] = True
    return flags


def _below_root(lines: Lines, root: int) -> NDArray[np.bool_]:
    """Whether each path of the outline is the body's root, one of its family, or below one."""
    outline, trie = lines.outline, lines.trie
    family = trie.family[root]
    below = [family == 0] * len(outline)
    for number in range(1, len(outline)):
        below[number] = below[outline.parent[number]] or trie.family[outline.paths[number]] == family
    return np.array(below, np.bool_)


def _like(lines: Lines) -> NDArray[np.intp]:
    """Return a number for each path of the outline; paths with the same signature get the same number."""
    numbers: dict[int, int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in lines.outline.signatures], np.intp)


def _tags(lines: Lines) -> NDArray[np.intp]:
    return np.array([TAGS.get(tag, OTHER_TAG) for tag in lines.outline.tags], np.intp)


def _ends(lines: Lines) -> NDArray[np.bool_]:
    return np.array([text[-1] in SENTENCE_ENDS for text in lines.texts], np.bool_)


def _repeats(lines: Lines) -> Floats:
    """Return the logarithm of the number of times that each line's text occurs on the page."""
    counts = Counter(lines.texts)
    return np.log(np.array([counts[text] for text in lines.texts], np.float32))


def _following(long: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the next long line after each line, -1 if there is none."""
    count = len(long)
    places = np.where(long, np.arange(count), count)
    nearest = np.minimum.accumulate(places[::-1])[::-1]
    following = np.append(nearest[1:], count)
    following[following == count] = -1
    return following
