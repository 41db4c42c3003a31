"""The numbers that show to which region of the page a line belongs: the body, teasers, comments, another article.

What separates regions is repeated: on the page, as the headlines of teasers, the names above comments and the titles
of further articles are, or on the section's other pages, as the headings of boxes are. A *headline* is a short line
that is mostly a link; a *short text* has no link and fewer bytes than a paragraph usually has; a *unit* is a headline
with the short texts after it. `similarity` to the lines of an example is 0 to 1, or −1 if there is none.
"""

import re
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from ...html.lines import Floats, Lines
from ...html.phrases import lines_of
from ..line_weights import Prior

HEADLINE, TEASER_TEXT = (12, 240), 420  # bytes: least and most of a headline, most of a teaser's text
HEADLINE_LINKED = 0.6  # link share of a headline
LABEL = 60  # bytes; a shorter line without a link may be a name, a date or a heading
UNIT_LINES = 4  # lines after a headline in which its text must stand
REACH = 8  # lines around a line in which units are counted
FAR_LINES = 60
EXTERNAL, SAME_HOST, SIBLING = 1, 2, 3  # where a link leads; a sibling's URL has the form of the page's own
NAMES = (
    "headline", "in_unit", "unit_text", "units_near", "units_before", "units_after", "unit_share",
    "leads_to", "unit_leads_to", "siblings_near", "linked_1_before", "linked_2_before", "linked_1_after", "linked_2_after",
    "width_2_before", "width_2_after", "cut_off", "dated", "dates_near", "dates_before",
    "titles_before", "top_headings_before", "since_heading", "heading_linked", "since_title",
    "others_before", "since_others", "same_place_before", "same_place_after", "since_same_place", "places_near",
    "labels_near", "run_prose", "run_before", "run_after", "run_lines", "gap_before", "gap_after", "kept_before", "kept_after",
    "main_before", "main_after", "like_titled",
    "restarts", "since_restart", "label_run", "since_label_run", "opened", "since_opened", "since_repeated",
    "similarity", "similar_before", "similar_after", "since_shared", "shared_since_title", "shared_near",
    "between_prose", "between_before", "between_lines", "anchor_heading", "anchor_width", "anchor_kept", "anchor_repeats",
)  # fmt: skip
_DATED = re.compile(r"\d{4}.{0,2}[-/.年]?.{0,2}\d|\d{1,2}[:.：]\d\d\b|\d+ (?:min|hour|day|week)|\d+\s?(?:分钟|小时|天)")
_DIGITS = re.compile(r"\d+")


def region_columns(
    lines: Lines, prior: Prior, kept: NDArray[np.bool_], prose: Floats, similarity: list[float] | None
) -> list[Floats]:
    """Return the columns of `NAMES`, each with one number a line. `kept`, `prose`: of the lines."""
    count = len(lines)
    width, linked = lines.width, lines.linked
    places, tags, texts = lines.outline.of_line, lines.outline.tags, lines.texts
    share = linked / np.maximum(width, 1)
    index = np.arange(count)
    headline = (share > HEADLINE_LINKED) & (width >= HEADLINE[0]) & (width <= HEADLINE[1])
    short = (share < 0.3) & (width <= TEASER_TEXT)
    text, owner = _units(headline, short, width)
    unit_head = np.zeros(count, np.bool_)
    unit_head[owner[text]] = True
    in_unit = text | unit_head
    leads = _targets(lines)
    sibling = leads == SIBLING
    top = np.array([tag in ("h1", "h2") for tag in tags], np.bool_)[places]
    heading = lines.headings
    label = (width <= LABEL) & (share < 0.5)
    dated = np.zeros(count, np.bool_)
    for line in np.flatnonzero(label):
        dated[line] = _DATED.search(texts[line]) is not None
    title = max(prior.title, 0)
    after_title = index > title
    titled = (places == places[title]) & after_title if prior.title >= 0 else np.zeros(count, np.bool_)
    signatures = np.array(lines.outline.signatures)[places] if count else places
    like_titled = (signatures == signatures[title]) & after_title if prior.title >= 0 else titled
    others = np.zeros(count, np.bool_)
    others[lines_of("related", texts, range(count)) + lines_of("comments", texts, range(count))] = True
    main = int(np.bincount(places, prose * kept).argmax()) if count else 0
    on_main = prose * (places == main)
    all_main = max(1.0, float(on_main.sum()))
    same_before, same_after = _shift(places, 1, -1) == places, _shift(places, -1, -1) == places
    changed = np.cumsum(~same_before)
    run = np.cumsum(_borders(lines, in_unit, heading, kept)) - 1
    run_prose = np.bincount(run, prose)
    all_prose = max(1.0, float(prose.sum()))
    runs_before = np.cumsum(run_prose) - run_prose
    units = np.cumsum(unit_head)
    alike = np.full(count, -1.0, np.float32) if similarity is None else np.array(similarity, np.float32)
    shared = alike > 0.8
    long = prose > 0
    first = int(np.argmax(long & after_title)) if (long & after_title).any() else count - 1
    opening = places[title:first + 1][~long[title:first + 1]]
    restart = np.isin(places, opening) & (index > first) & ~long
    labels = label & ~long
    in_run = labels & (_shift(labels, 1) | _shift(labels, -1)) & (index > first)
    run_of = np.cumsum(labels & ~_shift(labels, 1))
    run_size = np.where(in_run, np.bincount(run_of, labels)[run_of], 0)
    opened = sibling & headline & (index > first)
    repeated = _repeated(texts) & (index > title)
    anchor = _last(shared)
    between = np.cumsum(shared)
    between_prose = np.bincount(between, prose * ~shared)
    started = np.cumsum(prose * after_title) - prose * after_title
    no = similarity is None
    return [
        headline, in_unit, text, _near(unit_head, REACH), np.log1p(units), np.log1p(units[-1] - units),
        _near(in_unit, REACH) / (2 * REACH + 1),
        leads, np.where(in_unit, leads[np.where(text, owner, index)], 0), _near(sibling, REACH),
        _shift(share, 1), _shift(share, 2), _shift(share, -1), _shift(share, -2),
        np.log1p(_shift(width, 2)), np.log1p(_shift(width, -2)), _cut_off(texts), dated, _near(dated, REACH),
        np.log1p(_after(dated, title)),
        _after(titled, title), _after(top & after_title, title), _since(heading), share[_last(heading)],
        np.clip(index - title, -FAR_LINES, FAR_LINES) if prior.title >= 0 else np.zeros(count),
        np.cumsum(others & after_title), _since(others & after_title), same_before, same_after, _since_same(places),
        _near(~same_before, REACH), _near(label, REACH),
        (run_prose / all_prose)[run], (runs_before / all_prose)[run],
        ((all_prose - runs_before - run_prose) / all_prose)[run], np.log1p(np.bincount(run))[run],
        _gap(kept), _gap(kept[::-1])[::-1], _shift(kept, 1), _shift(kept, -1),
        np.cumsum(on_main) / all_main, 1 - np.cumsum(on_main) / all_main, like_titled,
        np.cumsum(restart), _since(restart), np.maximum.accumulate(run_size), _since(in_run), np.cumsum(opened), _since(opened),
        _since(repeated),
        alike, _shift(alike, 1), _shift(alike, -1), _since(shared & (index > title)), np.log1p(_after(shared, title)),
        _near(shared, REACH) if similarity is not None else np.full(count, -1),
        *([np.full(count, -1)] * 7 if no else [(between_prose / all_prose)[between], (started / all_prose)[anchor],
        np.log1p(np.bincount(between))[between], heading[anchor], np.log1p(width)[anchor], kept[anchor],
        np.bincount(places)[places[anchor]]]),
    ]  # fmt: skip


def _units(headline: NDArray[np.bool_], short: NDArray[np.bool_], width: Floats) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
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
    found = np.zeros(len(lines), np.int8)
    if not lines.links:
        return found
    own = urlsplit(lines.url or "")
    form, host = _form(own.path), own.netloc
    known: dict[str, int] = {}
    for line, target in zip(lines.links, lines.hrefs, strict=True):
        if line >= len(lines) or not lines.linked_bytes[line]:
            continue
        where = known.get(target)
        if where is None:
            where = known[target] = _where(target, host, form)
        found[line] = max(found[line], where)
    return found


def _where(target: str, host: str, form: tuple[int, str]) -> int:
    try:
        parts = urlsplit(target)
    except ValueError:
        return EXTERNAL
    if parts.scheme not in ("", "http", "https") or not parts.path:
        return 0
    if parts.netloc and parts.netloc != host:
        return EXTERNAL
    return SIBLING if host and parts.path.startswith("/") and _form(parts.path) == form else SAME_HOST


def _form(path: str) -> tuple[int, str]:
    """Return the form of a path: its number of segments, and the shape of the last one."""
    segments = path.strip("/").split("/")
    last = _DIGITS.sub("0", segments[-1])
    slug = "slug" if last.count("-") >= 2 else last if len(last) < 20 and any(map(str.isdigit, segments[-1])) else "word"
    return len(segments), slug


def _borders(lines: Lines, in_unit: NDArray[np.bool_], heading: NDArray[np.bool_], kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return whether a region begins at each line: at a heading, at a unit's border, where the body is interrupted."""
    count = len(kept)
    border = heading & ~_shift(heading, 1)
    border |= (in_unit != _shift(in_unit, 1)) | (kept != _shift(kept, 1))
    if count:
        border[0] = True
    return border


def _repeated(texts: list[str]) -> NDArray[np.bool_]:
    """Return whether each line has an earlier one with the same text."""
    seen: set[str] = set()
    return np.array([text in seen or bool(seen.add(text)) for text in texts], np.bool_)


def _cut_off(texts: list[str]) -> NDArray[np.bool_]:
    return np.array([text.endswith(("…", "...", "[…]", "……")) for text in texts], np.bool_)


def _shift(values: NDArray, by: int, empty: float = 0) -> NDArray:
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


def _after(flags: NDArray[np.bool_], start: int) -> NDArray[np.intp]:
    """Return the number of flags after line `start` up to each line."""
    counted = flags.copy()
    counted[: start + 1] = False
    return np.cumsum(counted)


def _last(flags: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the last flagged line up to each line, 0 if there is none."""
    return np.maximum.accumulate(np.where(flags, np.arange(len(flags)), 0)) if len(flags) else np.zeros(0, np.intp)


def _since(flags: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the number of lines since the last flag, at most `FAR_LINES`; −1 if there is none."""
    index = np.arange(len(flags))
    last = np.maximum.accumulate(np.where(flags, index, -1)) if len(flags) else index
    return np.where(last < 0, -1, np.minimum(index - last, FAR_LINES))


def _since_same(places: NDArray[np.intp]) -> Floats:
    """Return the number of lines since the last one in the same place, at most `FAR_LINES`; 0 if there is none."""
    seen: dict[int, int] = {}
    found = np.zeros(len(places), np.float32)
    for line, place in enumerate(places.tolist()):
        found[line] = min(line - seen.get(place, line), FAR_LINES)
        seen[place] = line
    return found


def _gap(kept: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the number of lines since the last kept one before each line."""
    index = np.arange(len(kept))
    last = np.maximum.accumulate(np.where(kept, index, -1)) if len(kept) else index
    before = np.concatenate(([-1], last[:-1])) if len(kept) else last
    return np.where(before < 0, FAR_LINES, np.minimum(index - before, FAR_LINES))
