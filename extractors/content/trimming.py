"""Removes the template's own lines from a body, at its head, within it and at its tail, by their words.

The rules depend on the text only. They never remove most of a body: if they would, the body stays unchanged.
"""

from collections import defaultdict
from collections.abc import Callable

import numpy as np

from ..html.lines import Lines
from ..html.phrases import is_byline, is_control, is_credit, is_end, is_heading_of, is_lead, is_notice, is_tail
from .body import Body
from .line_weights import Prior

TITLE_REST = 0.1  # share of the body that may stand before its title
BYLINES, PROSE_LINE = 6, 150  # kept lines in which date and byline stand; bytes of a line that ends the search
END_AFTER = 0.3  # share of the body after which a line that names the editor is its end
OTHERS_AFTER = 0.25  # share of the body after which a heading of comments or other articles is its end …
OWN_WIDTH, OWN_SHARE = 80, 0.15  # … unless paragraphs like those before, of so many bytes, make up that share
LEAST = 0.2  # share of the body that must be left


def trim(lines: Lines, body: Body, prior: Prior) -> list[int]:
    """Return the kept lines without those that belong to the template by their words."""
    texts, headings, code = lines.texts, lines.headings, lines.code
    kept = _without_title(body.kept, lines, prior)
    kept = _without_bylines(kept, lines)
    kept = [i for i in kept if not ((is_control(texts[i]) or is_credit(texts[i])) and not code[i])]
    kept = _up_to_end(kept, lines, prior)
    kept = [i for i in kept if not (is_lead(texts[i]) and lines.linked[i] > 0.4 * lines.width[i])]
    kept = _up_to_others(kept, lines, prior)
    kept = [i for i in kept if not (headings[i] and is_heading_of("related", texts[i]))]
    while kept and (is_tail(texts[kept[-1]]) or headings[kept[-1]]):
        kept.pop()
    if len(kept) == len(body.kept):
        return kept
    return kept if lines.width[kept].sum() >= LEAST * lines.width[body.kept].sum() else body.kept


def up_to_end(kept: list[int], lines: Lines, prior: Prior) -> list[int]:
    """Return the kept lines of a body up to the line that names the editor and up to comments or other articles.

    The same rules as in `trim`, for a body whose short lines should stay.
    """
    left = _up_to_others(_up_to_end(kept, lines, prior), lines, prior)
    return left if lines.width[left].sum() >= LEAST * lines.width[kept].sum() else kept


def _without_title(kept: list[int], lines: Lines, prior: Prior) -> list[int]:
    if prior.title not in kept:
        return kept
    before = prior.plain[[i for i in kept if i < prior.title]].sum()
    return [i for i in kept if i > prior.title] if before <= TITLE_REST * prior.plain[kept].sum() else kept


def _without_bylines(kept: list[int], lines: Lines) -> list[int]:
    dropped = set()
    for index in kept[:BYLINES]:
        if lines.trie.tag[lines.paths[index]] in ("pre", "td"):
            break
        if is_byline(lines.texts[index]):
            dropped.add(index)
        elif lines.width[index] > PROSE_LINE:
            break
    return [index for index in kept if index not in dropped] if dropped else kept


def _up_to_end(kept: list[int], lines: Lines, prior: Prior) -> list[int]:
    before = np.cumsum(prior.plain[kept])
    for place, index in enumerate(kept):
        if is_end(lines.texts[index]) and before[place] >= END_AFTER * before[-1]:
            return kept[:place]
    return kept


def up_to_notice(lines: Lines, body: Body, prior: Prior) -> Body:
    """Cut at the first legal notice, unless the lines after it are marked up like the body."""
    return Body(_up_to(body.kept, lines, prior, _is_notice, END_AFTER), body.root)


def _up_to_others(kept: list[int], lines: Lines, prior: Prior) -> list[int]:
    """Cut at a heading of comments or other articles, unless the lines after it are marked up like the body."""
    return _up_to(kept, lines, prior, _announces_others, OTHERS_AFTER)


def _up_to(kept: list[int], lines: Lines, prior: Prior, ends: Callable[[Lines, int], bool], after: float) -> list[int]:
    before = np.cumsum(prior.plain[kept])
    later: list[float] | None = None
    for place, index in enumerate(kept):
        if not ends(lines, index) or before[place] < after * before[-1]:
            continue
        later = _alike_later(kept, lines, prior) if later is None else later
        if later[place] < OWN_SHARE * before[-1]:
            return kept[:place]
    return kept


def _alike_later(kept: list[int], lines: Lines, prior: Prior) -> list[float]:
    """Return for each kept line how many bytes behind it are written as paragraphs before it are."""
    families = [lines.trie.family[lines.paths[index]] for index in kept]
    widths = prior.plain[kept].tolist()
    behind: defaultdict[int, float] = defaultdict(float)  # bytes by family
    for family, width in zip(families, widths, strict=True):
        behind[family] += width
    own: set[int] = set()
    total, totals = 0.0, []
    for family, width in zip(families, widths, strict=True):
        behind[family] -= width
        total -= width if family in own else 0.0
        totals.append(total)
        if width >= OWN_WIDTH and family not in own:
            own.add(family)
            total += behind[family]
    return totals


def _is_notice(lines: Lines, index: int) -> bool:
    return is_notice(lines.texts[index]) and not lines.code[index]


def _announces_others(lines: Lines, index: int) -> bool:
    text = lines.texts[index]
    return is_heading_of("comments", text) or bool(lines.headings[index] and is_heading_of("related", text))
