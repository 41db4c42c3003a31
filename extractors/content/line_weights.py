"""Priors of a page's lines, independent of their texts: names of elements, the title's place, comments, links.

A prior is a factor of what a line may add to the body: about 1, larger in a declared article, small in an element whose
name means noise. It never excludes a line by itself.
"""

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from ..html.lines import Floats, Lines
from ..html.paths import HEADINGS
from ..html.phrases import find_heading_of

BODY_FACTOR = (1.0, 1.2, 1.5, 2.5, 4.0)  # by `Role.body`
NOISE_FACTOR = (1.0, 0.5, 0.15, 0.05)  # by `Role.noise`
CONTENT_COST, CONTENT_MAX = 10, 600  # bytes; a line's share in the body, bounded so that no single line decides
LINK_WEIGHT = 2  # bytes inside a link count this often against the body
DECLARED = 3  # `Role.body` from which an element is a declared body
DECLARED_SHARE = 0.3  # share of its context that a declared body needs to be no noise
SOFT_SHARE = 0.5  # the same for soft names
TITLED_SHARE, TITLED_TAG_SHARE = 0.3, 0.85  # shares of the page that make what also holds the title the page
TITLE_MIN, TITLE_MAX = 4, 300  # characters
TITLE_SCORE = 0.5  # share of the longer of two titles that the shorter covers, from which they are the same
TITLE_SURE = 0.6  # the same, from which the title's place counts
REWORDED = 0.6  # Levenshtein similarity from which an <h1> is the title in other words …
HEADINGS_TRIED = 3  # … and how many are compared
BEFORE_TITLE = 0.4
NEAR_TITLE, NEAR_LINES = 1.5, 15
TEASER = 0.1
AFTER_COMMENTS = 0.2
PROSE_BEFORE_COMMENTS = 300  # bytes …
COMMENTS_SHARE = 0.02  # … and share of what follows, that come before the comments' heading
PROSE_LINE = 60  # bytes
LINK_WINDOW = 3  # lines on each side
LINK_FREE, LINK_SLOPE, LINK_LEAST = 0.2, 1.5, 0.1  # link share that costs nothing; what more costs; the least factor

OPENING_SIGNS = " \"'«»“”„‘’‹›([{【《「『—–-•·>#*"
_SIGNS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Prior:
    """The priors of a page's lines.

    `by_line`: the factors. `title`: the line that repeats the page's title, or -1. `noise`: the level of noise that
    each path's own name means, by number in the page's outline; 0 if the element clearly is the page. `plain`: the
    lines' unlinked bytes.
    """

    by_line: Floats
    title: int
    noise: list[int]
    plain: Floats


def prior_of(lines: Lines, titles: list[str]) -> Prior:
    """Return the priors of a page; `titles`: those in its head."""
    plain = plain_of(lines)
    title, score = find_title_line(lines, titles)
    noise, factors = _named(lines, plain, title)
    by_line = np.array(factors, np.float32)[lines.outline.of_line] * _link_window(lines)
    start = max(title, 0)
    if score >= TITLE_SURE:
        by_line[:title] *= BEFORE_TITLE
        by_line[title : title + NEAR_LINES] *= NEAR_TITLE
    by_line[lines.teasers] *= TEASER
    by_line[_comments_from(lines, plain, start) :] *= AFTER_COMMENTS
    return Prior(by_line, title, noise, plain)


def plain_of(lines: Lines) -> Floats:
    """Return the unlinked bytes of each line that count as content."""
    plain: Floats = np.minimum(np.maximum(lines.width - LINK_WEIGHT * lines.linked - CONTENT_COST, 0), CONTENT_MAX)
    return plain


def find_title_line(lines: Lines, titles: list[str]) -> tuple[int, float]:
    """Return the line that best repeats one of the titles, and how well (above 1 in a heading); -1 if none does."""
    wanted = list(dict.fromkeys(folded for folded in map(_fold, titles) if folded))
    longest = min(TITLE_MAX, 3 * max(map(len, wanted), default=0) + 20)
    raw = "\n".join(titles).lower()
    openings = {title.strip().lower()[:TITLE_MIN] for title in titles if len(title.strip()) >= TITLE_MIN}
    best, found = 0.0, -1
    for index, text in enumerate(lines.texts):
        if len(text) > longest:  # most of a page's text: no need for it in lower case
            continue
        lowered = text.lower()
        if not TITLE_MIN <= len(lowered) <= longest:
            continue
        opening = lowered.lstrip(OPENING_SIGNS) if lowered[0] in OPENING_SIGNS else lowered
        if opening[:TITLE_MIN].rstrip() not in raw:  # cheaper than to fold every line
            for start in openings:
                if start in lowered:
                    break
            else:
                continue
        folded = _fold(lowered)
        score = max((_overlap(folded, title) for title in wanted), default=0.0) if len(folded) >= TITLE_MIN else 0.0
        if not score:
            continue
        tag = lines.trie.tag[lines.paths[index]]
        score += 0.3 if tag == "h1" else 0.15 if tag in HEADINGS else 0.0
        score -= 0.3 if lines.linked[index] > 0.8 * lines.width[index] else 0.0
        if score > best + 1e-9:
            best, found = score, index
    return (found, best) if best >= TITLE_SCORE else _find_reworded(lines, wanted)


def _find_reworded(lines: Lines, titles: list[str]) -> tuple[int, float]:
    """Return the first <h1> similar to one of the folded titles, and how similar (0 to 1); -1 if there is none."""
    tag = lines.trie.tag
    for index in [index for index, path in enumerate(lines.paths) if tag[path] == "h1"][:HEADINGS_TRIED]:
        folded = _fold(lines.texts[index][:TITLE_MAX])
        score = max((Levenshtein.normalized_similarity(folded, title[:TITLE_MAX]) for title in titles), default=0.0)
        if score >= REWORDED:
            return index, score
    return -1, 0.0


def _overlap(line: str, title: str) -> float:
    if line in title:
        return len(line) / len(title)
    return len(title) / len(line) if len(title) >= 2 * TITLE_MIN and title in line else 0.0


def _fold(text: str) -> str:
    return _SIGNS.sub("", text).lower()


def _named(lines: Lines, plain: Floats, title: int) -> tuple[list[int], list[float]]:
    """Return, for each path of the outline, the noise by its own name, and the factor of its lines."""
    trie, outline = lines.trie, lines.outline
    roles = [trie.role[path] for path in outline.paths]
    amounts = outline.totals(plain)
    total = amounts[0] or 1.0
    titled = set(trie.up(lines.paths[title])) if title >= 0 else set()
    count = len(outline)
    own, noise, body, context = [0] * count, [0] * count, [0] * count, [total] * count
    for number in range(1, count):
        above, (named_body, level), amount = outline.parent[number], roles[number], amounts[number]
        around = context[above]
        if level:
            path, tag = outline.paths[number], outline.tags[number]
            if tag in ("body", "html") or (named_body >= DECLARED and amount >= DECLARED_SHARE * around):
                level = 0
            elif level == 1 or (level == 2 and named_body) or tag == "form":
                level = level if amount < SOFT_SHARE * around else 0
            if path in titled and amount >= (TITLED_TAG_SHARE if level == 3 else TITLED_SHARE) * total:
                level = 0
            own[number] = level
        first = named_body >= DECLARED or (named_body and not body[above])
        context[number] = amount or 1.0 if first else around
        noise[number] = level if level > noise[above] else noise[above]
        body[number] = named_body if named_body > body[above] and not noise[number] else body[above]
    return own, [BODY_FACTOR[b] * NOISE_FACTOR[n] for b, n in zip(body, noise, strict=True)]


def _link_window(lines: Lines) -> Floats:
    """Return a factor for each line by the share of links in it and its neighbours."""
    share = _windows(lines.linked) / np.maximum(_windows(lines.width), 1)
    factors = np.minimum(np.maximum(1 - LINK_SLOPE * (share - LINK_FREE), LINK_LEAST), 1)
    return factors.astype(np.float32)


def _windows(amounts: Floats) -> NDArray[np.float64]:
    """Return for each line the sum of `amounts` of itself and `LINK_WINDOW` lines on each side."""
    width = 2 * LINK_WINDOW + 1
    padded = np.zeros(len(amounts) + width)
    padded[LINK_WINDOW + 1 : len(amounts) + LINK_WINDOW + 1] = amounts
    sums: NDArray[np.float64] = padded.cumsum()
    return sums[width:] - sums[:-width]


def _comments_from(lines: Lines, plain: Floats, start: int) -> int:
    """Return the line of the comments' heading, if enough prose comes before it; else the number of lines."""
    before = np.cumsum(np.where(lines.width[start:] >= PROSE_LINE, plain[start:], 0))
    enough = np.flatnonzero((before >= PROSE_BEFORE_COMMENTS) & (before >= COMMENTS_SHARE * (before[-1:] - before)))
    return find_heading_of("comments", lines.texts, start + int(enough[0])) if len(enough) else len(lines)
