"""The clustering of pages by template: by their surrounding matches, pair by pair, without a known section."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .article import NoArticle
from .content.assembly import ParsedPage, read
from .content.page_body import rules_body
from .content.similarity import align
from .errors import UnusablePage
from .html.lines import Floats
from .html.paths import PathTrie
from .methods.example.extractor import DISSIMILAR, ODD, lines_around, surrounding_match
from .page import Page


class TemplateCluster(NamedTuple):
    """Pages of one template. `members`: their places; `order`: the same, the most central one first."""

    members: tuple[int, ...]
    order: tuple[int, ...]


def pairwise_matches(pages: Sequence[Page]) -> Floats:
    """Return the surrounding match of each page (column) with each other one as its example (row), 0 to 1.

    The diagonal is 0, as are the rows and columns of pages from which nothing can be read.
    """
    trie = PathTrie()
    parsed = [_read(page, trie) for page in pages]
    matches = np.zeros((len(pages), len(pages)), np.float32)
    for column, page in enumerate(parsed):
        around = lines_around(page.lines, rules_body(page.lines, page.prior).kept) if page is not None else []
        for row, example in enumerate(parsed):
            if row != column and page is not None and example is not None:
                matches[row, column] = surrounding_match(around, align(example.lines, page.lines).page)
    return matches


def largest_cluster(matches: Floats) -> TemplateCluster:
    """Return the largest set of pages that fit one of them. Two pages fit if their match is that of one template.

    The thresholds are those for the pages of a section: `DISSIMILAR`, and the share `ODD` of the best match.
    """
    mutual = np.minimum(matches, matches.T)
    if not mutual.size:
        return TemplateCluster((), ())
    fits = mutual >= max(DISSIMILAR, ODD * float(np.median(mutual.max(axis=0))))
    centre = int(np.argmax(fits.sum(axis=0) + mutual.sum(axis=0) / (len(matches) + 1)))
    members = sorted({centre, *np.flatnonzero(fits[centre]).tolist()})
    means = mutual[np.ix_(members, members)].sum(axis=0)
    order = [members[place] for place in np.argsort(-means, kind="stable")]
    return TemplateCluster(tuple(members), tuple(order))


def _read(page: Page, trie: PathTrie) -> ParsedPage | None:
    try:
        parsed = read(page, trie)
    except UnusablePage:
        return None
    return None if isinstance(parsed, NoArticle) else parsed
