"""Numbers about a page's type, by its text lines: 85 of them.

A list has many linked titles in one place of the template, each perhaps with a date and a few words; an article is one
run of prose in consecutive lines. Further signs are pagers, sorting, prices and bylines. Widths are UTF-8 bytes, as
everywhere; `SHORT` and the other limits are ours, chosen by judgement and not tuned.
"""

from collections import Counter
from dataclasses import dataclass
from math import log1p
from re import Pattern

import numpy as np
from numpy.typing import NDArray

from ..html.elements import IMAGE, KINDS
from ..html.lines import Flags, Floats, Lines
from . import words

Numbers = NDArray[np.float64]

LINKED = 0.6  # link share from which a line counts as a link
PROSE, PROSE_LINKED = 120, 0.4  # unlinked bytes, and largest link share, of a line of prose
LONG = 300  # bytes of a line that is surely prose
RUNNING = 40  # unlinked bytes of a line that belongs to a text or a summary
ENTRY_MIN, ENTRY_MAX, ENTRY_SPACES, ENTRY_WIDE = 15, 260, 2, 15  # bytes, spaces, bytes beyond ASCII: a linked title
SHORT = 80  # characters of a line in which dates, prices, pagers and bylines are looked for
LINE_COST, LINE_MAX = 15, 600  # bytes from which a line counts in a run; bytes that count of a line at most
NEAR_TITLE = 30  # lines
FAR = 400  # lines; means "no title found", since no title is this far from its text


@dataclass(frozen=True, slots=True)
class Marked:
    """The lines of a page with their properties; all arrays have one entry per line."""

    lines: Lines
    plain: Floats  # unlinked bytes
    link: Flags
    prose: Flags
    heading: Flags
    entry: Flags
    family: NDArray[np.intp]


def line_features(lines: Lines, title: int) -> dict[str, float]:
    """Return the numbers by name; `title` is the line that repeats the page's title, or -1."""
    marked = _mark(lines)
    start, end = _densest_run(marked)
    return {
        **_amounts(marked),
        **_run(marked, start, end),
        **_prose(marked),
        **_entries(marked),
        **_around_title(marked, title),
        **_signs(lines),
        **_media(marked, start, end),
    }


def _mark(lines: Lines) -> Marked:
    plain = np.maximum(lines.width - lines.linked, 0)
    link = lines.linked > LINKED * lines.width
    prose = (plain >= PROSE) & (lines.linked <= PROSE_LINKED * lines.width)
    entry = link & (lines.width >= ENTRY_MIN) & (lines.width <= ENTRY_MAX)
    for index in np.flatnonzero(entry & ~lines.headings).tolist():
        entry[index] = _reads_as_title(lines.texts[index])
    family = np.array([lines.trie.family[path] for path in lines.paths], np.intp)
    return Marked(lines, plain, link, prose, lines.headings, entry, family)


def _reads_as_title(text: str) -> bool:
    """Whether a link has enough words for a title; menus mostly have one or two."""
    return text.count(" ") >= ENTRY_SPACES or len(text.encode()) - len(text) >= ENTRY_WIDE


def _densest_run(marked: Marked) -> tuple[int, int]:
    """Return the first and the last line + 1 of the run of lines with most unlinked text: the possible body."""
    lines = marked.lines
    weights = np.minimum(marked.plain - 2 * lines.linked - LINE_COST, LINE_MAX) * lines.weight
    sums = np.concatenate([[0.0], np.cumsum(weights, dtype=np.float64)])
    gains = sums - np.minimum.accumulate(sums)
    end = int(np.argmax(gains))
    return int(np.argmin(sums[: end + 1])), end


def _amounts(marked: Marked) -> dict[str, float]:
    lines, plain = marked.lines, marked.plain
    width, unlinked = _sum(lines.width), _sum(plain)
    return {
        "lines": log1p(len(lines)),
        "unlinked": log1p(unlinked),
        "link_share": _share(_sum(lines.linked), width),
        "link_lines": _mean(marked.link),
        "prose_lines": log1p(int(marked.prose.sum())),
        "prose_share": _share(_sum(plain[marked.prose]), width),
        "prose_of_unlinked": _share(_sum(plain[marked.prose]), unlinked),
        "long_share": _share(_sum(plain[plain >= LONG]), unlinked),
        "longest": log1p(_largest(plain)),
        "plain_per_link": log1p(unlinked) - log1p(len(lines.links)),
        "links": log1p(len(lines.links)),
        "items": log1p(len(set(lines.items))),
        "headings": log1p(int(marked.heading.sum())),
        "linked_headings": log1p(int((marked.heading & marked.link).sum())),
        "linked_headings_share": _share(int((marked.heading & marked.link).sum()), int(marked.heading.sum())),
        "code_share": _share(_sum(plain[lines.weight < 1]), unlinked),
        "teasers": log1p(int(lines.teasers.sum())),
    }


def _run(marked: Marked, start: int, end: int) -> dict[str, float]:
    lines, within = marked.lines, slice(start, end)
    width = lines.width[within]
    families = Counter[int]()
    for family, plain in zip(marked.family[within].tolist(), marked.plain[within].tolist(), strict=True):
        families[family] += plain
    links = marked.link[within]
    return {
        "run_bytes": log1p(_sum(marked.plain[within])),
        "run_lines": log1p(end - start),
        "run_of_unlinked": _share(_sum(marked.plain[within]), _sum(marked.plain)),
        "run_link_share": _share(_sum(lines.linked[within]), _sum(width)),
        "run_link_lines": _mean(links),
        "run_entries": log1p(int(marked.entry[within].sum())),
        "run_prose_lines": _mean(marked.prose[within]),
        "run_mean": log1p(_mean(width)),
        "run_median": log1p(_median(width)),
        "run_headings": _mean(marked.heading[within]),
        "run_linked_headings": log1p(int((marked.heading & marked.link)[within].sum())),
        "run_families": log1p(len(families)),
        "run_family_share": _share(max(families.values(), default=0.0), sum(families.values())),
        "run_items": log1p(len(set(lines.items[within]))),
        "run_begins": _share(_sum(marked.plain[:start]), _sum(marked.plain)),
    }


def _prose(marked: Marked) -> dict[str, float]:
    """Return the numbers of the place in the template with most running text.

    An article has consecutive lines there.
    """
    running = ~marked.link & (marked.plain >= RUNNING)
    best, share = _heaviest(marked.family[running], marked.plain[running])
    places = np.flatnonzero(running & (marked.family == best))
    gaps = np.diff(places)
    after = marked.link[np.maximum(places - 1, 0)] & (places > 0)
    texts = [marked.lines.texts[place] for place in places.tolist()]
    sentences = [len(words.SENTENCE.findall(text)) for text in texts]
    prose = np.flatnonzero(marked.prose)
    return {
        "place_share": share,
        "place_lines": log1p(len(places)),
        "place_mean": log1p(_mean(marked.plain[places])),
        "place_near": _mean(gaps <= 2),
        "place_gap": log1p(_median(gaps)),
        "place_after_link": _mean(after),
        "place_items": _share(len({marked.lines.items[place] for place in places.tolist()}), len(places)),
        "place_varies": _share(
            float(np.std(marked.plain[places])) if len(places) else 0.0, _mean(marked.plain[places])
        ),
        "sentences": log1p(sum(sentences)),
        "sentences_a_line": _mean(np.array(sentences, np.float64)),
        "ending_lines": _mean(np.array([count > 0 for count in sentences], np.bool_)),
        "cut_off": _mean(np.array([bool(words.CUT_OFF.search(text[-40:])) for text in texts], np.bool_)),
        "prose_after_link": _mean(marked.link[np.maximum(prose - 1, 0)] & (prose > 0)),
        "prose_after_entry": _mean(_any_before(marked.entry, prose)),
    }


def _entries(marked: Marked) -> dict[str, float]:
    """Return the numbers of the place in the template with most linked titles."""
    lines = marked.lines
    entries = np.flatnonzero(marked.entry)
    paths = np.array(lines.paths, np.intp)[entries]
    best, share = _heaviest(paths, np.ones(len(paths)))
    places = entries[paths == best]
    count = len({lines.texts[place] for place in places.tolist()})
    span = int(places[-1] - places[0] + 1) if len(places) else 0
    following = np.minimum(places + 1, max(len(lines) - 1, 0))
    within = slice(int(places[0]), int(places[-1]) + 1) if len(places) else slice(0, 0)
    return {
        "entries": log1p(len(entries)),
        "entry_lines": _share(len(entries), len(lines)),
        "entry_bytes": _share(_sum(lines.width[entries]), _sum(lines.width)),
        "like_entries": log1p(count),
        "like_share": share,
        "like_width": log1p(_mean(lines.width[places])),
        "like_headings": _mean(marked.heading[places]),
        "like_span": _share(span, len(lines)),
        "like_text_span": _share(_sum(marked.plain[within]), _sum(marked.plain)),
        "like_gap": log1p(_median(np.diff(places))),
        "like_followed": _mean(~marked.link[following]),
        "like_begin": _share(int(places[0]), len(lines)) if len(places) else 1.0,
        **_targets(lines, set(places.tolist())),
    }


def _targets(lines: Lines, places: set[int]) -> dict[str, float]:
    """Return numbers about the targets of some lines' links.

    Entries lead to pages of the site, references elsewhere.
    """
    everywhere = [href.strip() for href in lines.hrefs]
    hosts = [_host(href) for href in everywhere]
    counts = Counter(filter(None, hosts))
    own = max(counts, key=counts.__getitem__, default="")
    of_places = [place for place, line in enumerate(lines.links) if line in places and everywhere[place]]
    within = sum(not everywhere[place].startswith("#") and hosts[place] in ("", own) for place in of_places)
    return {
        "like_targets": log1p(len({everywhere[place] for place in of_places})),
        "like_within": _share(within, len(of_places)),
        "fragments": _share(sum(href.startswith("#") for href in everywhere), len(everywhere)),
        "outside": _share(sum(host not in ("", own) for host in hosts), len(everywhere)),
    }


def _host(href: str) -> str:
    return href.split("/", 3)[2].lower() if href.startswith(("http://", "https://", "//")) else ""


def _around_title(marked: Marked, title: int) -> dict[str, float]:
    lines = marked.lines
    start = max(title, 0)
    after = slice(start + 1, start + 1 + NEAR_TITLE)
    prose = np.flatnonzero(marked.prose[start:])
    known = title >= 0
    return {
        "title_found": float(known),
        "title_heading": float(known and lines.trie.tag[lines.paths[title]] == "h1"),
        "title_linked": float(known and bool(marked.link[title])),
        "title_place": _share(start, len(lines)),
        "title_to_prose": log1p(int(prose[0]) if len(prose) else FAR),
        "after_title_share": _share(_sum(marked.plain[after]), _sum(marked.plain)),
        "after_title_links": _share(_sum(lines.linked[after]), _sum(lines.width[after])),
        "after_title_entries": log1p(int(marked.entry[after].sum())),
        "after_title_prose": _mean(marked.prose[after]),
    }


def _signs(lines: Lines) -> dict[str, float]:
    short = [(text, lowered) for text, lowered in zip(lines.texts, lines.lowered, strict=True) if len(text) <= SHORT]
    texts, lowered = [text for text, _ in short], [text for _, text in short]
    everything = "\n".join(lowered)
    counts = {
        name: _count(form, texts, lowered, [part for part in parts if part in everything])
        for name, (form, parts) in words.SIGNS.items()
    }
    return counts | {"numbers": log1p(sum(text.isdecimal() for text in texts))}


def _media(marked: Marked, start: int, end: int) -> dict[str, float]:
    lines = marked.lines
    images = [(line, element) for line, _, element in lines.media if KINDS[element.tag] == IMAGE]
    linked = 0
    for _, element in images:
        above = element.getparent()
        further = above.getparent() if above is not None else None
        linked += any(one is not None and one.tag == "a" for one in (above, further))
    within = sum(start <= line < end for line, _ in images)
    return {
        "images": log1p(len(images)),
        "images_linked": _share(linked, len(images)),
        "images_a_line": _share(len(images), len(lines)),
        "images_in_run": _share(within, len(images)),
        "players": log1p(len(lines.media) - len(images)),
    }


def _count(form: Pattern[str], texts: list[str], lowered: list[str], parts: list[str]) -> float:
    """Return log(1 + n) for the n texts that match a form; each match contains one of the parts, in lower case."""
    places = {place for part in parts for place, text in enumerate(lowered) if part in text}
    return log1p(sum(form.search(texts[place]) is not None for place in places))


def _heaviest(keys: NDArray[np.intp], amounts: NDArray[np.floating]) -> tuple[int, float]:
    """Return the key with the largest sum of amounts (of equals the first) and its share; -1 and 0 without keys."""
    if not len(keys):
        return -1, 0.0
    distinct, numbers = np.unique(keys, return_inverse=True)
    sums = np.bincount(numbers, amounts)
    best = int(np.argmax(sums))
    return int(distinct[best]), _share(float(sums[best]), float(sums.sum()))


def _any_before(flags: Flags, places: NDArray[np.intp], reach: int = 3) -> Flags:
    """Whether one of the `reach` lines before each line is flagged."""
    sums = np.concatenate([[0], np.cumsum(flags)])
    result: Flags = sums[places] > sums[np.maximum(places - reach, 0)]
    return result


def _sum(amounts: Floats) -> float:
    return float(amounts.sum(dtype=np.float64))


def _mean(amounts: Floats | Flags | Numbers) -> float:
    return float(amounts.mean(dtype=np.float64)) if len(amounts) else 0.0


def _median(amounts: Floats | NDArray[np.intp]) -> float:
    """Return the median, 0 of an empty list; numpy's is slower for the few amounts of a page."""
    ordered = sorted(amounts.tolist())
    return float(ordered[len(ordered) // 2] + ordered[(len(ordered) - 1) // 2]) / 2 if ordered else 0.0


def _largest(amounts: Floats) -> float:
    return float(amounts.max()) if len(amounts) else 0.0


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
