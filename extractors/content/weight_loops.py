"""Loops of `line_weights` over lines and paths, in plain lists."""

import re
from collections.abc import Sequence

from ..html.paths import HEADINGS

BODY_FACTOR = (1.0, 1.2, 1.5, 2.5, 4.0)  # by `Role.body`
NOISE_FACTOR = (1.0, 0.5, 0.15, 0.05)  # by `Role.noise`
CONTENT_COST, CONTENT_MAX = 10, 600  # bytes; a line's content is bounded so that no single line decides
LINK_WEIGHT = 2  # bytes inside a link count this many times against the body
DECLARED = 3  # `Role.body` from which an element is a declared body
DECLARED_SHARE = 0.3  # share of its context from which a declared body is not noise
SOFT_SHARE = 0.5  # the same for soft names
TITLED_SHARE, TITLED_TAG_SHARE = 0.3, 0.85  # shares from which an element with the title is the page itself
TITLE_MIN, TITLE_MAX = 4, 300  # characters
BEFORE_TITLE = 0.4
NEAR_TITLE, NEAR_LINES = 1.5, 15
TEASER = 0.1
AFTER_COMMENTS = 0.2
PROSE_BEFORE_COMMENTS = 300  # bytes of prose before the heading of comments …
COMMENTS_SHARE = 0.02  # … which are also at least this share of the prose after it
PROSE_LINE = 60  # bytes
PROSE_WIDTH, PROSE_LINKED = 80, 0.35  # least bytes and largest link share of a line of prose, for the line model …
PROSE_MAX = 1_500  # … and the most bytes that count of a line
LINK_WINDOW = 3  # lines on each side
LINK_FREE, LINK_SLOPE, LINK_LEAST = 0.2, 1.5, 0.1  # link share without effect, slope above it, smallest factor

OPENING_SIGNS = " \"'«»“”„‘’‹›([{【《「『—–-•·>#*"
_SIGNS = re.compile(r"[\W_]+")


def unlinked_bytes(width: list[float], linked: list[float]) -> list[float]:
    """Return the unlinked bytes of each line that count as content."""
    found = []
    for line in range(len(width)):
        bytes_, links = width[line], linked[line]
        amount = bytes_ - LINK_WEIGHT * links - CONTENT_COST
        found.append(0.0 if amount < 0 else CONTENT_MAX if amount > CONTENT_MAX else amount)
    return found


def fold_title(text: str) -> str:
    """Return the part of a title that is compared: its letters and digits in lower case."""
    return _SIGNS.sub("", text).lower()


def best_title(
    texts: list[str], titles: list[str], width: list[float], linked: list[float], tags: list[str], places: list[int]
) -> tuple[int, float]:
    """Return the line that best repeats one of the titles, and how well (above 1 in a heading); -1, 0 if none does."""
    wanted = list(dict.fromkeys([folded for folded in map(fold_title, titles) if folded]))
    longest = min(TITLE_MAX, 3 * max([len(title) for title in wanted], default=0) + 20)
    raw = "\n".join(titles).lower()
    openings = list({title.strip().lower()[:TITLE_MIN] for title in titles if len(title.strip()) >= TITLE_MIN})
    best, found = 0.0, -1
    for line in range(len(texts)):
        text = texts[line]
        if len(text) > longest:  # true of most of a page's text, which then is not lowered
            continue
        lowered = text.lower()
        if not TITLE_MIN <= len(lowered) <= longest:
            continue
        opening = lowered.lstrip(OPENING_SIGNS) if lowered[0] in OPENING_SIGNS else lowered
        if opening[:TITLE_MIN].rstrip() not in raw:  # cheaper than folding every line
            for start in openings:
                if start in lowered:
                    break
            else:
                continue
        folded = fold_title(lowered)
        score = _likeness(folded, wanted) if len(folded) >= TITLE_MIN else 0.0
        if not score:
            continue
        tag = tags[places[line]]
        score += 0.3 if tag == "h1" else 0.15 if tag in HEADINGS else 0.0
        bytes_, links = width[line], linked[line]
        score -= 0.3 if links > 0.8 * bytes_ else 0.0
        if score > best + 1e-9:
            best, found = score, line
    return found, best


def _likeness(line: str, titles: list[str]) -> float:
    """Return the largest share of the longer text that a line and one of the titles have in common."""
    best = 0.0
    size = len(line)
    for title in titles:
        length = len(title)
        score = 0.0
        if line in title:
            score = size / length
        elif length >= 2 * TITLE_MIN and title in line:
            score = length / size
        if score > best:
            best = score
    return best


def named_factors(
    paths: list[int],
    above: list[int],
    tags: list[str],
    roles: Sequence[tuple[int, int]],
    amounts: list[float],
    titled: set[int],
) -> tuple[list[int], list[float]]:
    """Return, for each path of the outline, the noise by its own name, and the factor of its lines.

    `roles`: by path of the trie; `amounts`: unlinked bytes at and below each path of the outline; `titled`: the paths
    around the title.
    """
    total = amounts[0] or 1.0
    own, noise, body, context = [0], [0], [0], [total]
    factors = [BODY_FACTOR[0] * NOISE_FACTOR[0]]
    for number in range(1, len(paths)):
        path = paths[number]
        parent = above[number]
        role = roles[path]
        named_body, level = role[0], role[1]
        amount = amounts[number]
        around = context[parent]
        inherited_body, inherited_noise = body[parent], noise[parent]
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


def line_factors(
    factors: list[float], places: list[int], width: list[float], linked: list[float], title: int, surely: bool
) -> list[float]:
    """Return the factor of each line by its path, by the links around it, and, if it is sure, by the title's place."""
    count = len(places)
    result = []
    sum_width = sum_linked = 0.0
    for line in range(min(LINK_WINDOW, count)):
        bytes_, links = width[line], linked[line]
        sum_width += bytes_
        sum_linked += links
    for line in range(count):
        if line + LINK_WINDOW < count:
            bytes_, links = width[line + LINK_WINDOW], linked[line + LINK_WINDOW]
            sum_width += bytes_
            sum_linked += links
        if line > LINK_WINDOW:
            bytes_, links = width[line - LINK_WINDOW - 1], linked[line - LINK_WINDOW - 1]
            sum_width -= bytes_
            sum_linked -= links
        factor = 1 - LINK_SLOPE * (sum_linked / (sum_width if sum_width > 1 else 1.0) - LINK_FREE)
        factor = LINK_LEAST if factor < LINK_LEAST else 1.0 if factor > 1 else factor
        place = places[line]
        named = factors[place]
        factor = factor * named
        if surely and line < title:
            factor *= BEFORE_TITLE
        elif surely and line < title + NEAR_LINES:
            factor *= NEAR_TITLE
        result.append(factor)
    return result


def prose_before_comments(width: list[float], plain: list[float], start: int) -> int:
    """Return the first line, from `start` on, with enough prose before it to be the comments' heading; else -1."""
    whole = 0.0
    for line in range(start, len(width)):
        bytes_, amount = width[line], plain[line]
        if bytes_ >= PROSE_LINE:
            whole += amount
    before = 0.0
    for line in range(start, len(width)):
        bytes_, amount = width[line], plain[line]
        if bytes_ >= PROSE_LINE:
            before += amount
        if before >= PROSE_BEFORE_COMMENTS and before >= COMMENTS_SHARE * (whole - before):
            return line
    return -1


def prose_widths(width: list[float], linked: list[float]) -> list[float]:
    """Return the bytes of prose of each line: unlinked, bounded, 0 for a short or a linked line."""
    found = []
    for line in range(len(width)):
        bytes_, links = width[line], linked[line]
        amount = 0.0
        if bytes_ >= PROSE_WIDTH and links < PROSE_LINKED * bytes_:
            amount = bytes_ - links
            amount = PROSE_MAX if amount > PROSE_MAX else amount
        found.append(amount)
    return found
