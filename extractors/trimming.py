"""What is left of a body without the template's own lines at its head, within it and at its tail, known by their words.

These rules know text only. They never take most of a body: if they would, the body stays as it was.
"""

import numpy as np

from .body import Body
from .lines import Lines
from .paths import HEADINGS
from .phrases import is_byline, is_credit, is_end, is_heading_of, is_lead, is_tail
from .priors import Prior

TITLE_REST = 0.1  # share of the body that may stand before its title
BYLINES, PROSE_LINE = 6, 150  # kept lines in which date and byline stand; bytes of a line that ends the search
END_AFTER = 0.3  # share of the body after which a line that names the editor is its end
RELATED_AFTER, RELATED_BYTES = 0.25, 150  # share and bytes after which a heading of related articles is the body's end
RESUME_LINES, RESUME_SHARE, RESUME_WIDTH = 3, 0.15, 80  # lines, share of the body and bytes a line, to go on after it
LEAST = 0.2  # share of the body that must be left


def trim(lines: Lines, body: Body, prior: Prior) -> list[int]:
    """Return the kept lines without those that are the template's by their words."""
    kept = _without_title(body.kept, lines, prior)
    kept = _without_bylines(kept, lines)
    texts, tags = lines.texts, [lines.trie.tag[path] for path in lines.paths]
    kept = [i for i in kept if tags[i] == "pre" or not (is_heading_of("interface", texts[i]) or is_credit(texts[i]))]
    kept = _up_to_end(kept, lines, prior)
    kept = [i for i in kept if not (is_lead(texts[i]) and lines.linked[i] > 0.4 * lines.width[i])]
    kept = _without_related(kept, lines, prior)
    while kept and is_tail(texts[kept[-1]]):
        kept.pop()
    return kept if lines.width[kept].sum() >= LEAST * lines.width[body.kept].sum() else body.kept


def _without_title(kept: list[int], lines: Lines, prior: Prior) -> list[int]:
    if prior.title not in kept:
        return kept
    before = sum(prior.plain[i] for i in kept if i < prior.title)
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
    return [index for index in kept if index not in dropped]


def _up_to_end(kept: list[int], lines: Lines, prior: Prior) -> list[int]:
    before = np.cumsum(prior.plain[kept])
    for place, index in enumerate(kept):
        if is_end(lines.texts[index]) and before[place] >= END_AFTER * before[-1]:
            return kept[:place]
    return kept


def _without_related(kept: list[int], lines: Lines, prior: Prior) -> list[int]:
    """Cut at a heading of related articles or comments, unless enough of the body's own paragraphs follow."""
    before = np.cumsum(prior.plain[kept])
    for place, index in enumerate(kept):
        text = lines.texts[index]
        heading = lines.trie.tag[lines.paths[index]] in HEADINGS or text.endswith((":", "："))
        if not heading or not (is_heading_of("related", text) or is_heading_of("comments", text)):
            continue
        if before[place] < max(RELATED_AFTER * before[-1], RELATED_BYTES):
            continue
        family = lines.trie.family
        own = {family[lines.paths[i]] for i in kept[:place] if prior.plain[i] >= RESUME_WIDTH}
        later = [i for i in kept[place + 1 :] if family[lines.paths[i]] in own and lines.width[i] >= RESUME_WIDTH
                 and lines.linked[i] < 0.3 * lines.width[i]]  # fmt: skip
        if len(later) >= RESUME_LINES and prior.plain[later].sum() >= RESUME_SHARE * before[-1]:
            return kept[:place] + [i for i in kept if i >= later[0]]
        return kept[:place]
    return kept
