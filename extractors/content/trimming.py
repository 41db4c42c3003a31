"""Removes the template's own lines from a body, at its head, within it and at its tail, by their words.

The rules depend on the text only. They never remove most of a body: if they would, the body stays unchanged.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, compress, takewhile

from ..expressions import expression
from ..html import phrases
from ..html.lines import Lines
from ..tracing import note
from .body import Body
from .line_weights import Prior

TITLE_REST = 0.1  # share of the body that may precede its title
BYLINES, PROSE_LINE = 6, 150  # kept lines that are searched for date and byline; bytes of a line that ends the search
LABELS = 3  # least number of labels in a table of labels and values, in which at least half of the cells begin with one
_LABEL = expression(r"[^:：]{2,10}[:：]")
END_AFTER = 0.3  # share of the body after which a line that names the editor is its end
OTHERS_AFTER = 0.25  # share of the body after which a heading of comments or other articles is its end …
OWN_WIDTH, OWN_SHARE = 80, 0.15  # … unless paragraphs of this width, marked up like those before, are this share
LEAD_LINKED = 0.4  # link share from which a line that begins like "Read more:" leads to another article
LEAST = 0.2  # share of the body that must remain

Step = Callable[[list[int], Lines, Prior], list[int]]


@dataclass(frozen=True, slots=True)
class Trimming:
    """The lines that `trim` removed from a body, with the reasons; noted only if the extraction is traced."""

    removed: dict[int, str]


def trim(lines: Lines, body: Body, prior: Prior) -> list[int]:
    """Return the kept lines without those that belong to the template by their words."""
    kept, removed = body.kept, dict[int, str]()
    for why, step in _STEPS:
        left = step(kept, lines, prior)
        if len(left) < len(kept):
            removed.update(dict.fromkeys({*kept} - {*left}, why))
        kept = left
    if len(kept) < len(body.kept) and _sum(lines.widths, kept) < LEAST * _sum(lines.widths, body.kept):
        kept, removed = body.kept, {}
    note(Trimming(removed))
    return kept


def up_to_end(kept: list[int], lines: Lines, prior: Prior) -> list[int]:
    """Return the kept lines of a body up to the line that names the editor and up to comments or other articles.

    The same rules as in `trim`, for a body whose short lines should stay.
    """
    return _after((_up_to_end, _up_to_others), kept, lines, prior)


def without_template_words(kept: list[int], lines: Lines, prior: Prior) -> list[int]:
    """Return the lines of an article without bylines, controls, and boilerplate at the tail."""
    steps = _without_labels, without_bylines, _without_controls, partial(_without_tail, headings=False)
    return _after(steps, kept, lines, prior)


def _after(steps: tuple[Step, ...], kept: list[int], lines: Lines, prior: Prior) -> list[int]:
    left = kept
    for step in steps:
        left = step(left, lines, prior)
    return left if _sum(lines.widths, left) >= LEAST * _sum(lines.widths, kept) else kept


def _without_title(kept: list[int], lines: Lines, prior: Prior) -> list[int]:
    if prior.title not in kept:
        return kept
    before = _sum(prior.unlinked, [i for i in kept if i < prior.title])
    return [i for i in kept if i > prior.title] if before <= TITLE_REST * _sum(prior.unlinked, kept) else kept


def without_bylines(kept: list[int], lines: Lines, prior: Prior) -> list[int]:
    """Return the kept lines of a body without date, author and source at its head."""
    dropped = set()
    has_begun = False  # times of day after a sentence are those of a ticker's entries
    for index in kept[:BYLINES]:
        text = lines.texts[index]
        if lines.are_code[index] or _cells({index}, kept, lines):  # of a table of data, not of the layout
            break
        if phrases.is_byline(text) and not (has_begun and phrases.is_time_of_day(text)):
            dropped.add(index)
        elif lines.widths[index] > PROSE_LINE:
            break
        has_begun = has_begun or not phrases.may_be_byline(text)
    return [index for index in kept if index not in dropped] if dropped else kept


def _without_labels(kept: list[int], lines: Lines, prior: Prior) -> list[int]:
    """Return the kept lines without a table of labels before them: number, issuer and dates of an official document."""
    tags, places, width = lines.outline.tags, lines.outline.places, lines.widths
    cells = list(takewhile(lambda i: tags[places[i]] in ("th", "td") and width[i] <= 2 * PROSE_LINE, kept))
    labels = sum(_LABEL.match(lines.texts[i]) is not None for i in cells)
    return kept[len(cells) :] if labels >= LABELS and len(cells) <= 2 * labels else kept


def _without_controls(kept: list[int], lines: Lines, prior: Prior) -> list[int]:
    found = phrases.lines_of("interface", lines.texts, kept) + phrases.credits_among(lines.texts, kept)
    dropped = {i for i in found if not lines.are_code[i]}
    dropped -= _cells(dropped, kept, lines)
    return [i for i in kept if i not in dropped] if dropped else kept


def _cells(controls: set[int], kept: list[int], lines: Lines) -> set[int]:
    """Return those of some lines in cells of rows with others that are no byline: a column may be named "Share"."""
    tags, places, items = lines.outline.tags, lines.outline.places, lines.items
    cells = {i for i in controls if tags[places[i]] in ("th", "td")}
    others = (i for i in kept if i not in controls and tags[places[i]] in ("th", "td")) if cells else ()
    rows = {items[i] for i in others if not phrases.is_byline(lines.texts[i])}
    return {i for i in cells if items[i] in rows}


def _without_leads(kept: list[int], lines: Lines, prior: Prior) -> list[int]:
    width, linked = lines.widths, lines.linked_bytes
    leads = {i for i in kept if linked[i] and linked[i] > LEAD_LINKED * width[i] and phrases.is_lead(lines.texts[i])}
    return [i for i in kept if i not in leads] if leads else kept


def _without_related(kept: list[int], lines: Lines, prior: Prior) -> list[int]:
    related = phrases.lines_of("related", lines.texts, _headings(kept, lines))
    return [i for i in kept if i not in related] if related else kept


def _without_tail(kept: list[int], lines: Lines, prior: Prior, *, headings: bool = True) -> list[int]:
    kept = [*kept]
    while kept and (phrases.is_tail(lines.texts[kept[-1]]) or (headings and lines.are_headings[kept[-1]])):
        kept.pop()
    return kept


def _up_to_end(kept: list[int], lines: Lines, prior: Prior) -> list[int]:
    ends = _places(kept, phrases.ends_among(lines.texts, kept))
    before = _running_sums(prior.unlinked, kept) if ends else []
    return kept[: next((place for place in ends if before[place] >= END_AFTER * before[-1]), len(kept))]


def up_to_notice(lines: Lines, body: Body, prior: Prior) -> Body:
    """Cut at the first legal notice, unless the lines after it are marked up like the body."""
    texts, code = lines.texts, lines.are_code
    notices = [
        i
        for i in phrases.short_lines(texts, body.kept, phrases.MAX_CREDIT)
        if phrases.is_notice(texts[i]) and not code[i]
    ]
    return Body(_up_to(notices, body.kept, lines, prior, END_AFTER), body.root)


def _up_to_others(kept: list[int], lines: Lines, prior: Prior) -> list[int]:
    """Cut at a heading of comments or other articles, unless the lines after it are marked up like the body."""
    others = phrases.lines_of("comments", lines.texts, kept) + phrases.lines_of(
        "related", lines.texts, _headings(kept, lines)
    )
    return _up_to(others, kept, lines, prior, OTHERS_AFTER)


def _up_to(ends: list[int], kept: list[int], lines: Lines, prior: Prior, after: float) -> list[int]:
    """Cut at the first of the lines `ends` that has enough before it and little of the same kind after it."""
    places = _places(kept, ends)
    if not places:
        return kept
    before, later = _running_sums(prior.unlinked, kept), _alike_later(kept, lines, prior)
    for place in places:
        if before[place] >= after * before[-1] and later[place] < OWN_SHARE * before[-1]:
            return kept[:place]
    return kept


def _headings(kept: list[int], lines: Lines) -> list[int]:
    return list(compress(kept, map(lines.are_headings.__getitem__, kept)))


def _places(kept: list[int], lines: list[int]) -> list[int]:
    """Return the places of some lines among the kept ones."""
    if not lines:
        return []
    chosen = set(lines)
    return [place for place, line in enumerate(kept) if line in chosen]


def _sum(amounts: list[float], kept: list[int]) -> float:
    return sum(map(amounts.__getitem__, kept))


def _running_sums(amounts: list[float], kept: list[int]) -> list[float]:
    return list(accumulate(map(amounts.__getitem__, kept)))


def _alike_later(kept: list[int], lines: Lines, prior: Prior) -> list[float]:
    """Return, for each kept line, how many of the bytes after it are marked up like the paragraphs before it."""
    families = [lines.trie.family[lines.paths[index]] for index in kept]
    widths = [prior.unlinked[index] for index in kept]
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


_STEPS: tuple[tuple[str, Step], ...] = (  # description of the lines that a step removes, and the step
    ("is the title, or stands before it", _without_title),
    ("is a byline or a date", without_bylines),
    ("is a control of the page, or a credit", _without_controls),
    ("follows the end of the article, such as the editor's line", _up_to_end),
    ("leads to another article", _without_leads),
    ("follows the heading of comments or of other articles", _up_to_others),
    ("is the heading of other articles", _without_related),
    ("is boilerplate or a heading at the tail", _without_tail),
)
