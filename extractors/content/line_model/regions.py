"""The numbers that show to which region of the page a line belongs: the body, teasers, comments, another article.

What separates regions is repeated: on the page, as the headlines of teasers, the names above comments and the titles
of further articles are, or on the section's other pages, as the headings of boxes are. A *headline* is a short line
that is mostly a link; a *short text* has no link and fewer bytes than a paragraph usually has; a *unit* is a headline
with the short texts after it. `similarity` to the lines of an example is 0 to 1, or −1 if there is none.
"""

import re
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...html.lines import Floats, Lines
from ...html.paths import Outline
from ...html.phrases import lines_of
from ..line_weights import Prior

HEADLINE, TEASER_TEXT = (12, 240), 420  # bytes: least and most of a headline, most of a teaser's text
HEADLINE_LINKED = 0.6  # link share of a headline
LABEL = 60  # bytes; a shorter line without a link may be a name, a date or a heading
UNIT_LINES = 4  # lines after a headline in which its text must stand
REACH = 8  # lines around a line in which units are counted
FAR_LINES = 60
LONGEST = 2_000  # characters of a link
SAME = 0.8  # similarity from which a line is shared with the example
CUT_OFF = ("…", "...", "[…]")
EXTERNAL, SAME_HOST, SIBLING = 1, 2, 3  # where a link leads; a sibling's URL has the form of the page's own
REGION_NAMES = (
    "in_unit", "units_before", "units_after", "leads_to", "unit_leads_to", "linked_before", "width_2_before", "cut_off",
    "dates_near", "dates_before", "titles_before", "top_headings_before", "since_heading", "since_title",
    "others_before", "since_others", "same_place_after", "places_near",
    "run_before", "run_after", "run_lines", "gap_before", "main_before", "main_after",
    "restarts", "since_restart", "label_run", "since_label_run", "opened", "since_opened", "since_repeated",
)  # fmt: skip
SHARED_NAMES = ("similarity", "shared_before", "between_prose", "between_before", "anchor_width", "anchor_repeats")
LEVEL_NAMES = (
    "title_levels", "levels_to_title", "opening_levels", "levels_to_opening", "main_levels", "levels_to_main",
)  # fmt: skip
_DATED = re.compile(r"\d{4}.{0,2}[-/.年]?.{0,2}\d|\d{1,2}[:.：]\d\d\b|\d+ (?:min|hour|day|week)|\d+\s?(?:分钟|小时|天)")
_DIGITS = re.compile(r"\d+")
_ADDRESS = re.compile(r"(?:https?:)?(?://([^/?#]*))?([^?#:]*)(?:[?#]|$)", re.IGNORECASE)  # host, path; no other scheme


def region_columns(
    lines: Lines, prior: Prior, kept: NDArray[np.bool_], prose: Floats
) -> tuple[list[ArrayLike], list[ArrayLike]]:
    """Return the columns of `REGION_NAMES` and `LEVEL_NAMES`, each with one number a line.

    `kept`, `prose`: of the lines.
    """
    count, index = len(lines), np.arange(len(lines))
    width, linked, texts = lines.width, lines.linked, lines.texts
    places, tags = lines.outline.of_line, lines.outline.tags
    share = linked / np.maximum(width, 1)
    long, heading = prose > 0, lines.headings
    title = max(prior.title, 0)
    after_title = index > title
    first = int(np.argmax(long & after_title)) if (long & after_title).any() else count - 1
    after_first = index > first
    headline = (share > HEADLINE_LINKED) & (width >= HEADLINE[0]) & (width <= HEADLINE[1])
    text, owner = _units(headline, (share < 0.3) & (width <= TEASER_TEXT), width)
    unit_head = np.zeros(count, np.bool_)
    unit_head[owner[text]] = True
    in_unit, units = text | unit_head, np.cumsum(unit_head)
    leads = _targets(lines)
    opened = (leads == SIBLING) & headline & after_first
    label = (width <= LABEL) & (share < 0.5)
    dated = _dated(texts, label)
    titled = (places == places[title]) & after_title & (prior.title >= 0)
    top = np.array([tag in ("h1", "h2") for tag in tags], np.bool_)[places] & after_title
    others = _others(texts, title)
    # A region begins at a heading, at a unit's border and where the rules' body is interrupted.
    border = (heading & ~shifted(heading, 1)) | (in_unit != shifted(in_unit, 1)) | (kept != shifted(kept, 1))
    border[:1] = True
    run, all_prose = np.cumsum(border) - 1, max(1.0, float(prose.sum()))
    run_prose = np.bincount(run, prose) / all_prose
    runs_before = np.cumsum(run_prose) - run_prose
    main = int(np.bincount(places, prose * kept).argmax())  # the place of most of the rules' prose
    on_main = np.cumsum(prose * (places == main))
    on_main = on_main / max(1.0, float(on_main[-1]))
    begins = np.zeros(len(tags), np.bool_)
    begins[places[title : first + 1][~long[title : first + 1]]] = True
    restart = begins[places] & after_first & ~long
    named = label & ~long
    label_run = np.cumsum(named & ~shifted(named, 1))
    in_run = named & (shifted(named, 1) | shifted(named, -1)) & after_first
    run_size = np.where(in_run, np.bincount(label_run, named)[label_run], 0)
    columns = [
        in_unit, np.log1p(units), np.log1p(units[-1] - units), leads, in_unit * leads[np.where(text, owner, index)],
        shifted(share, 1), np.log1p(shifted(width, 2)), [line.endswith(CUT_OFF) for line in texts],
        _near(dated, REACH), np.log1p(np.cumsum(dated & after_title)), np.cumsum(titled), np.cumsum(top),
        _since(heading), np.maximum(np.minimum(index - title, FAR_LINES), -FAR_LINES) * (prior.title >= 0),
        np.cumsum(others), _since(others),
        shifted(places, -1, -1) == places, _near(shifted(places, 1, -1) != places, REACH),
        runs_before[run], (run_prose.sum() - runs_before - run_prose)[run], np.log1p(np.bincount(run))[run],
        _gap(kept), on_main, 1 - on_main,
        np.cumsum(restart), _since(restart), np.maximum.accumulate(run_size), _since(in_run), np.cumsum(opened),
        _since(opened), _since(_repeated(texts) & after_title),
    ]  # fmt: skip
    starts = (
        places[title] if prior.title >= 0 else -1,
        places[first] if long[first] else -1,
        main if (long & kept).any() else -1,
    )
    return columns, [column for start in starts for column in _levels(lines.outline, start)]


def shared_columns(lines: Lines, prior: Prior, prose: Floats, similarity: list[float] | None) -> list[ArrayLike]:
    """Return the columns of `SHARED_NAMES`, about lines that the example shares; all −1 if there is no example.

    An *anchor* is the last shared line before a line, and what is between two anchors is a region of the page's own.
    """
    if similarity is None:
        return [-1] * len(SHARED_NAMES)
    width, places, after_title = lines.width, lines.outline.of_line, np.arange(len(lines)) > max(prior.title, 0)
    alike = np.array(similarity, np.float32)
    shared = alike > SAME
    anchor, between = np.maximum(_last(shared), 0), np.cumsum(shared)
    all_prose = max(1.0, float(prose.sum()))
    before = np.cumsum(prose * after_title) - prose * after_title
    return [
        alike, np.log1p(np.cumsum(shared & after_title)),
        np.bincount(between, prose * ~shared)[between] / all_prose, before[anchor] / all_prose,
        np.log1p(width)[anchor], np.bincount(places)[places[anchor]],
    ]  # fmt: skip


def _levels(outline: Outline, place: int) -> list[ArrayLike]:
    """Return, for each line, the levels of the outline to the nearest element that holds a place and the line.

    The first column counts from the place, the second from the line; both are −1 without a place. The text of an
    article is nearer to its title, and to its first paragraph, than other texts are.
    """
    if place < 0:
        return [np.full(len(outline.of_line), -1)] * 2
    above = {place: 0}
    while place:
        place = outline.parent[place]
        above[place] = len(above)
    shared, levels = [0] * len(outline), [0] * len(outline)
    for path in range(len(outline)):
        parent = outline.parent[path]
        shared[path] = above[path] if path in above else shared[parent]
        levels[path] = 0 if path in above else levels[parent] + 1
    return [np.array(one)[outline.of_line] for one in (shared, levels)]


def _units(
    headline: NDArray[np.bool_], short: NDArray[np.bool_], width: Floats
) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Return whether each line is the text of a unit, and the headline of each such line."""
    count = len(headline)
    text, owner = np.zeros(count, np.bool_), np.zeros(count, np.intp)
    for head in np.flatnonzero(headline).tolist():
        for line in range(head + 1, min(count, head + 1 + UNIT_LINES)):
            if headline[line] or not short[line]:
                break
            text[line], owner[line] = True, head
            if width[line] > LABEL:
                break
    return text, owner


def _targets(lines: Lines) -> NDArray[np.int8]:
    """Return where the longest link of each line leads: `EXTERNAL`, `SAME_HOST`, `SIBLING`, or 0 for no link."""
    found = [0] * len(lines)
    address = _ADDRESS.match(lines.url or "")
    host, path = (address[1] or "", address[2]) if address else ("", "")
    own, slashes = _form(path), path.rstrip("/").count("/")
    for line, target in zip(lines.links, lines.hrefs, strict=True):
        if line >= len(lines) or not lines.linked_bytes[line] or len(target) > LONGEST:
            continue
        where = _where(target, host, own, slashes)
        if where > found[line]:
            found[line] = where
    return np.array(found, np.int8)


@lru_cache(4096)  # the pages of a section have the same menus
def _where(target: str, host: str, own: str, slashes: int) -> int:
    """Return where a link leads. `own`, `slashes`: form of the page's own path, and its number of slashes."""
    address = _ADDRESS.match(target)
    if address is None or not (path := address[2]):
        return 0
    if address[1] and address[1] != host:
        return EXTERNAL
    path = path.rstrip("/")
    sibling = host and path.startswith("/") and path.count("/") == slashes and _form(path) == own
    return SIBLING if sibling else SAME_HOST


def _form(path: str) -> str:
    """Return the form of the last segment of a path: a slug, its digits masked, or a word."""
    last = path.rstrip("/").rpartition("/")[2]
    masked = _DIGITS.sub("0", last)
    return "slug" if masked.count("-") >= 2 else masked if len(masked) < 20 and masked != last else "word"


def _dated(texts: list[str], label: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return whether each label names a day or a time."""
    found = np.zeros(len(texts), np.bool_)
    for line in np.flatnonzero(label).tolist():
        text = texts[line]
        found[line] = _DIGITS.search(text) is not None and _DATED.search(text) is not None  # the first one is faster
    return found


def _others(texts: list[str], title: int) -> NDArray[np.bool_]:
    """Return whether each line below the title is a heading of other articles or of comments."""
    found = np.zeros(len(texts), np.bool_)
    below = range(title + 1, len(texts))
    found[lines_of("related", texts, below) + lines_of("comments", texts, below)] = True
    return found


def _repeated(texts: list[str]) -> NDArray[np.bool_]:
    """Return whether each line has an earlier one with the same text."""
    seen: dict[str, int] = {}
    return np.array([seen.setdefault(text, line) != line for line, text in enumerate(texts)], np.bool_)


def shifted(values: NDArray[Any], by: int, empty: float = 0) -> NDArray[Any]:
    """Return the value of an earlier line (by > 0) or a later one; `empty` where there is none."""
    result = np.full_like(values, empty)
    if by > 0:
        result[by:] = values[:-by]
    else:
        result[:by] = values[-by:]
    return result


def _near(flags: NDArray[np.bool_], reach: int) -> NDArray[np.intp]:
    """Return the number of flags within `reach` lines on both sides."""
    sums = np.concatenate(([0], np.cumsum(flags)))
    index = np.arange(len(flags))
    return sums[np.minimum(index + reach + 1, len(flags))] - sums[np.maximum(index - reach, 0)]


def _last(flags: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the last flagged line up to each line, −1 if there is none."""
    index = np.arange(len(flags))
    return np.maximum.accumulate(np.where(flags, index, -1)) if len(flags) else index


def _since(flags: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the number of lines since the last flag, at most `FAR_LINES`; −1 if there is none."""
    last = _last(flags)
    return np.where(last < 0, -1, np.minimum(np.arange(len(flags)) - last, FAR_LINES))


def _gap(kept: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the number of lines since the last kept one before each line."""
    before = shifted(_last(kept), 1, -1)
    return np.where(before < 0, FAR_LINES, np.minimum(np.arange(len(kept)) - before, FAR_LINES))
