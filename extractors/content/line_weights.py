"""Priors of a page's lines, independent of their texts: names of elements, the title's place, comments, links.

A prior is a factor of what a line may add to the body: about 1, larger in a declared article, small in an element whose
name means noise. It never excludes a line by itself.
"""

from functools import cached_property

import numpy as np
from rapidfuzz.distance import Levenshtein

from ..html.lines import Floats, Lines
from ..html.phrases import lines_of
from .weight_loops import (
    AFTER_COMMENTS,
    TEASER,
    TITLE_MAX,
    best_title,
    fold_title,
    line_factors,
    named_factors,
    prose_before_comments,
    unlinked_bytes,
)

TITLE_SCORE = 0.5  # share of the longer of two titles that the shorter one covers, from which they are the same
TITLE_SURE = 0.6  # the same share, from which the title's place counts
REWORDED = 0.6  # Levenshtein similarity from which an <h1> is the title, reworded …
HEADINGS_TRIED = 3  # … and the number of <h1> elements that are compared


class Prior:
    """The priors of a page's lines.

    `factors`: one for each line. `title`: the line that repeats the page's title, or -1. `noise`: the level of noise
    that each path's own name means, by number in the page's outline; 0 if the element clearly is the page. `unlinked`:
    the lines' unlinked bytes that count as content.
    """

    def __init__(self, factors: list[float], title: int, noise: list[int], unlinked: list[float]) -> None:
        self.factors = factors
        self.title = title
        self.noise = noise
        self.unlinked = unlinked

    @cached_property
    def by_line(self) -> Floats:
        """Return the factors, one for each line, float32."""
        return np.array(self.factors, np.float32)

    @cached_property
    def plain(self) -> Floats:
        """Return the unlinked bytes of each line, float32."""
        return np.array(self.unlinked, np.float32)


def prior_of(lines: Lines, titles: list[str]) -> Prior:
    """Return the priors of a page; `titles`: those in its head."""
    width, linked, outline, trie = lines.widths, lines.linked_bytes, lines.outline, lines.trie
    unlinked = unlinked_bytes(width, linked)
    title, score = find_title_line(lines, titles)
    titled = set(trie.up(lines.paths[title])) if title >= 0 else set()
    noise, named = named_factors(
        outline.paths, outline.parent, outline.tags, trie.role, outline.totals(unlinked), titled
    )
    factors = line_factors(named, outline.places, width, linked, title, score >= TITLE_SURE)
    for line in lines.teaser_lines:
        factors[line] *= TEASER
    enough = prose_before_comments(width, unlinked, max(title, 0))
    if enough >= 0:
        headings = lines_of("comments", lines.texts, range(enough, len(factors)))
        for line in range(headings[0] if headings else len(factors), len(factors)):
            factors[line] *= AFTER_COMMENTS
    return Prior(factors, title, noise, unlinked)


def find_title_line(lines: Lines, titles: list[str]) -> tuple[int, float]:
    """Return the line that best repeats one of the titles, and how well (above 1 in a heading); -1 if none does."""
    outline = lines.outline
    found = best_title(lines.texts, titles, lines.widths, lines.linked_bytes, outline.tags, outline.places)
    return found if found[1] >= TITLE_SCORE else _find_reworded(lines, titles)


def _find_reworded(lines: Lines, titles: list[str]) -> tuple[int, float]:
    """Return the first <h1> similar to one of the titles, and how similar (0 to 1); -1 if there is none."""
    wanted = [folded[:TITLE_MAX] for folded in dict.fromkeys(map(fold_title, titles)) if folded]
    tags = lines.outline.tags
    if "h1" not in tags:
        return -1, 0.0
    for index in [index for index, place in enumerate(lines.outline.places) if tags[place] == "h1"][:HEADINGS_TRIED]:
        folded = fold_title(lines.texts[index][:TITLE_MAX])
        score = max((Levenshtein.normalized_similarity(folded, title) for title in wanted), default=0.0)
        if score >= REWORDED:
            return index, score
    return -1, 0.0
