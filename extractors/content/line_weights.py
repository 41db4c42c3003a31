"""Priors of a page's lines, independent of their texts: names of elements, the title's place, comments, links.

A prior is a factor of what a line may add to the body: about 1, larger in a declared article, small in an element whose
name means noise. It never excludes a line by itself.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np
from rapidfuzz.distance import Levenshtein

from ..html.lines import Floats, Lines
from ..html.paths import HEADINGS
from ..html.phrases import lines_of

BODY_FACTOR = (1.0, 1.2, 1.5, 2.5, 4.0)  # by `Role.body`
NOISE_FACTOR = (1.0, 0.5, 0.15, 0.05)  # by `Role.noise`
CONTENT_COST, CONTENT_MAX = 10, 600  # bytes; a line's content is bounded so that no single line decides
LINK_WEIGHT = 2  # bytes inside a link count this many times against the body
DECLARED = 3  # `Role.body` from which an element is a declared body
DECLARED_SHARE = 0.3  # share of its context from which a declared body is not noise
SOFT_SHARE = 0.5  # the same for soft names
TITLED_SHARE, TITLED_TAG_SHARE = 0.3, 0.85  # shares from which an element with the title is the page itself
BEFORE_TITLE = 0.4
NEAR_TITLE, NEAR_LINES = 1.5, 15
TEASER = 0.1
AFTER_COMMENTS = 0.2
PROSE_BEFORE_COMMENTS = 300  # bytes of prose before the heading of comments …
COMMENTS_SHARE = 0.02  # … which are also at least this share of the prose after it
PROSE_LINE = 60  # bytes
LINK_WINDOW = 3  # lines on each side
LINK_FREE, LINK_SLOPE, LINK_LEAST = 0.2, 1.5, 0.1  # link share without effect, slope above it, smallest factor
TITLE_MIN, TITLE_MAX = 4, 300  # characters
TITLE_SCORE = 0.5  # share of the longer of two titles that the shorter one covers, from which they are the same
TITLE_SURE = 0.6  # the same share, from which the title's place counts
REWORDED = 0.6  # Levenshtein similarity from which an <h1> is the title, reworded …
HEADINGS_TRIED = 3  # … and the number of <h1> elements that are compared
_OPENING_SIGNS = " \"'«»“”„‘’‹›([{【《「『—–-•·>#*"
_SIGNS = re.compile(r"[\W_]+")


@dataclass(eq=False)
class Prior:
    """The priors of a page's lines.

    `factors`: one for each line. `title`: the line that repeats the page's title, or -1. `noise`: the level of noise
    that each path's own name means, by number in the page's outline; 0 if the element clearly is the page. `unlinked`:
    the lines' unlinked bytes that count as content.
    """

    factors: list[float]
    title: int
    noise: list[int]
    unlinked: list[float]

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
    unlinked = unlinked_bytes(lines)
    title, score = find_title_line(lines, titles)
    noise, named = _named_factors(lines, unlinked, title)
    factors = _line_factors(lines, named, title, score >= TITLE_SURE)
    for line in lines.teaser_lines:
        factors[line] *= TEASER
    enough = _enough_before_comments(lines.widths, unlinked, max(title, 0))
    if enough >= 0:
        headings = lines_of("comments", lines.texts, range(enough, len(factors)))
        for line in range(headings[0] if headings else len(factors), len(factors)):
            factors[line] *= AFTER_COMMENTS
    return Prior(factors, title, noise, unlinked)


def unlinked_bytes(lines: Lines) -> list[float]:
    """Return the unlinked bytes of each line that count as content."""
    found = []
    for width, linked in zip(lines.widths, lines.linked_bytes, strict=True):
        amount = width - LINK_WEIGHT * linked - CONTENT_COST
        found.append(0.0 if amount < 0 else CONTENT_MAX if amount > CONTENT_MAX else amount)
    return found


def _named_factors(lines: Lines, unlinked: list[float], title: int) -> tuple[list[int], list[float]]:
    """Return, for each path of the outline, the noise by its own name, and the factor of its lines."""
    outline, trie = lines.outline, lines.trie
    paths, tags, roles, amounts = outline.paths, outline.tags, trie.role, outline.totals(unlinked)
    titled = set(trie.up(lines.paths[title])) if title >= 0 else set()
    total = amounts[0] or 1.0
    own, noise, body, context = [0], [0], [0], [total]
    factors = [BODY_FACTOR[0] * NOISE_FACTOR[0]]
    for number in range(1, len(paths)):
        path, parent, amount = paths[number], outline.parent[number], amounts[number]
        named_body, level = roles[path]
        around, inherited_body, inherited_noise = context[parent], body[parent], noise[parent]
        if level:
            tag = tags[number]
            soft = level == 1 or (level == 2 and named_body > 0) or tag == "form"
            if tag in ("body", "html") or (named_body >= DECLARED and amount >= DECLARED_SHARE * around):
                level = 0
            if soft and amount >= SOFT_SHARE * around:
                level = 0
            if level and path in titled and amount >= (TITLED_TAG_SHARE if level == 3 else TITLED_SHARE) * total:
                level = 0
        if named_body >= DECLARED or (named_body and not inherited_body):
            around = amount or 1.0
        kept_noise = level if level > inherited_noise else inherited_noise
        kept_body = named_body if named_body > inherited_body and not kept_noise else inherited_body
        own.append(level)
        context.append(around)
        noise.append(kept_noise)
        body.append(kept_body)
        factors.append(BODY_FACTOR[kept_body] * NOISE_FACTOR[kept_noise])
    return own, factors


def _line_factors(lines: Lines, named: list[float], title: int, surely: bool) -> list[float]:
    """Return the factor of each line by its path, by the links around it, and, if it is sure, by the title's place.

    `named`: the factors by path of the outline.
    """
    width, linked, count = lines.widths, lines.linked_bytes, len(lines)
    sum_width, sum_linked = sum(width[:LINK_WINDOW]), sum(linked[:LINK_WINDOW])
    result = []
    for line, place in enumerate(lines.outline.places):
        if line + LINK_WINDOW < count:
            sum_width += width[line + LINK_WINDOW]
            sum_linked += linked[line + LINK_WINDOW]
        if line > LINK_WINDOW:
            sum_width -= width[line - LINK_WINDOW - 1]
            sum_linked -= linked[line - LINK_WINDOW - 1]
        factor = 1 - LINK_SLOPE * (sum_linked / (sum_width if sum_width > 1 else 1.0) - LINK_FREE)
        factor = LINK_LEAST if factor < LINK_LEAST else 1.0 if factor > 1 else factor
        factor *= named[place]
        if surely and line < title:
            factor *= BEFORE_TITLE
        elif surely and line < title + NEAR_LINES:
            factor *= NEAR_TITLE
        result.append(factor)
    return result


def _enough_before_comments(width: list[float], unlinked: list[float], start: int) -> int:
    """Return the first line, from `start` on, with enough prose before it to be the comments' heading; else -1."""
    both = zip(width[start:], unlinked[start:], strict=True)
    prose = [amount if bytes_ >= PROSE_LINE else 0.0 for bytes_, amount in both]
    whole = sum(prose)
    for line, before in enumerate(accumulate(prose), start):
        if before >= PROSE_BEFORE_COMMENTS and before >= COMMENTS_SHARE * (whole - before):
            return line
    return -1


def find_title_line(lines: Lines, titles: list[str]) -> tuple[int, float]:
    """Return the line that best repeats one of the titles, and how well (above 1 in a heading); -1 if none does."""
    found = _best_repetition(lines, titles)
    return found if found[1] >= TITLE_SCORE else _find_reworded(lines, titles)


def _fold_title(text: str) -> str:
    """Return the part of a title that is compared: its letters and digits in lower case."""
    return _SIGNS.sub("", text.lower())  # the lower case of İ has a sign


def _best_repetition(lines: Lines, titles: list[str]) -> tuple[int, float]:
    """As `find_title_line`, without reworded titles; -1, 0 if no line repeats a title."""
    tags, places = lines.outline.tags, lines.outline.places
    wanted = list(dict.fromkeys([folded for folded in map(_fold_title, titles) if folded]))
    longest = min(TITLE_MAX, 3 * max(map(len, wanted), default=0) + 20)
    raw = "\n".join(titles).lower()
    openings = {title.strip().lower()[:TITLE_MIN] for title in titles if len(title.strip()) >= TITLE_MIN}
    best, found = 0.0, -1
    for line, text in enumerate(lines.texts):
        if len(text) > longest:  # true of most of a page's text, which then is not lowered
            continue
        lowered = text.lower()
        if not TITLE_MIN <= len(lowered) <= longest:
            continue
        opening = lowered.lstrip(_OPENING_SIGNS) if lowered[0] in _OPENING_SIGNS else lowered
        if opening[:TITLE_MIN].rstrip() not in raw:  # cheaper than folding every line
            for start in openings:
                if start in lowered:
                    break
            else:
                continue
        folded = _fold_title(lowered)
        score = _likeness(folded, wanted) if len(folded) >= TITLE_MIN else 0.0
        if not score:
            continue
        tag = tags[places[line]]
        score += 0.3 if tag == "h1" else 0.15 if tag in HEADINGS else 0.0
        score -= 0.3 if lines.linked_bytes[line] > 0.8 * lines.widths[line] else 0.0
        if score > best + 1e-9:
            best, found = score, line
    return found, best


def _likeness(line: str, titles: list[str]) -> float:
    """Return the largest share of the longer text that a line and one of the titles have in common."""
    best = 0.0
    for title in titles:
        if line in title:
            best = max(best, len(line) / len(title))
        elif len(title) >= 2 * TITLE_MIN and title in line:
            best = max(best, len(title) / len(line))
    return best


def _find_reworded(lines: Lines, titles: list[str]) -> tuple[int, float]:
    """Return the first <h1> similar to one of the titles, and how similar (0 to 1); -1 if there is none."""
    wanted = [folded[:TITLE_MAX] for folded in dict.fromkeys(map(_fold_title, titles)) if folded]
    tags = lines.outline.tags
    if "h1" not in tags:
        return -1, 0.0
    for index in [index for index, place in enumerate(lines.outline.places) if tags[place] == "h1"][:HEADINGS_TRIED]:
        folded = _fold_title(lines.texts[index][:TITLE_MAX])
        score = max((Levenshtein.normalized_similarity(folded, title) for title in wanted), default=0.0)
        if score >= REWORDED:
            return index, score
    return -1, 0.0
