"""Numbers about a page's type, by its text lines: 85 of them.

A list has many linked titles in one place of the template, each perhaps with a date and a few words; an article is one
run of prose in consecutive lines. Further signs are pagers, sorting, prices and bylines. Widths are UTF-8 bytes, as
everywhere; `SHORT` and the other limits are ours, chosen by judgement and not tuned.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, compress, pairwise
from math import log1p
from operator import and_
from typing import NamedTuple

import numpy as np

from ..content.turning_points import turning_points
from ..html.elements import IMAGE, KINDS
from ..html.lines import Lines
from . import list_words

LINKED = 0.6  # link share from which a line counts as a link
PROSE, PROSE_LINKED = 120, 0.4  # unlinked bytes, and largest link share, of a line of prose
LONG = 300  # bytes of a line that is surely prose
RUNNING = 40  # unlinked bytes of a line that belongs to a text or a summary
ENTRY_MIN, ENTRY_MAX, ENTRY_SPACES, ENTRY_WIDE = 15, 260, 2, 15  # bytes, spaces, bytes beyond ASCII: a linked title
SHORT = 80  # characters of a line in which dates, prices, pagers and bylines are looked for
LINE_COST, LINE_MAX = 15, 600  # bytes from which a line counts in a run; bytes that count of a line at most
NEAR_TITLE = 30  # lines
FAR = 400  # lines; means "no title found", since no title is this far from its text
WITH_HOST = ("http://", "https://", "//")  # beginnings of a link that names its host


@dataclass(frozen=True, slots=True)
class Marked:
    """The lines of a page with their properties; all lists have one entry per line.

    `width`, `linked` and `plain` (unlinked) are bytes, rounded to float32 as the models were trained.
    """

    lines: Lines
    width: list[float]
    linked: list[float]
    plain: list[float]
    link: list[bool]
    prose: list[bool]
    running: list[bool]
    heading: list[bool]
    entry: list[bool]
    family: list[int]

    def sums(self, start: int, end: int) -> "Sums":
        """Return the sums over the lines from `start` to before `end`."""
        width, linked, plain = (amounts[start:end] for amounts in (self.width, self.linked, self.plain))
        link, prose, heading, entry = (f[start:end] for f in (self.link, self.prose, self.heading, self.entry))
        amounts = (sum(width), sum(linked), sum(plain), sum(compress(plain, prose)))
        counts = (link.count(True), prose.count(True), heading.count(True))
        return Sums(*amounts, *counts, sum(map(and_, link, heading)), entry.count(True))


class Sums(NamedTuple):
    """Sums over some lines: bytes (all, linked, unlinked, unlinked in prose), and numbers of lines of each kind."""

    width: float
    linked: float
    plain: float
    plain_prose: float
    links: int
    prose: int
    headings: int
    linked_headings: int
    entries: int


def line_features(lines: Lines, title: int) -> dict[str, float]:
    """Return the numbers by name; `title` is the line that repeats the page's title, or -1."""
    marked = _mark(lines)
    start, end = _densest_run(marked)
    whole = marked.sums(0, len(lines))
    return {
        **_amounts(marked, whole),
        **_run(marked, whole, start, end),
        **_prose(marked),
        **_entries(marked, whole),
        **_around_title(marked, whole, title),
        **_signs(lines),
        **_media(marked, start, end),
    }


def _mark(lines: Lines) -> Marked:
    width, linked = lines.width, lines.linked
    plain = np.maximum(width - linked, 0)
    link = linked > LINKED * width
    prose = (plain >= PROSE) & (linked <= PROSE_LINKED * width)
    entry = (link & (width >= ENTRY_MIN) & (width <= ENTRY_MAX)).tolist()
    heading, family = lines.are_headings, lines.trie.family
    for index in _true(entry):
        entry[index] = heading[index] or _reads_as_title(lines.texts[index])
    amounts = (width.tolist(), linked.tolist(), plain.tolist())
    flags = (link.tolist(), prose.tolist(), (~link & (plain >= RUNNING)).tolist())
    return Marked(lines, *amounts, *flags, heading, entry, [family[path] for path in lines.paths])


def _reads_as_title(text: str) -> bool:
    """Whether a link has enough words for a title; menus mostly have one or two."""
    return text.count(" ") >= ENTRY_SPACES or len(text.encode()) - len(text) >= ENTRY_WIDE


def _densest_run(marked: Marked) -> tuple[int, int]:
    """Return the first and the last line + 1 of the run of lines with most unlinked text: the possible body."""
    lines = marked.lines
    plain = np.maximum(lines.width - lines.linked, 0)
    weights = np.minimum(plain - 2 * lines.linked - LINE_COST, LINE_MAX) * lines.weight
    return turning_points(weights.tolist(), with_empty=True)  # the model was trained so


def _amounts(marked: Marked, whole: Sums) -> dict[str, float]:
    lines, plain = marked.lines, marked.plain
    return {
        "lines": log1p(len(lines)),
        "unlinked": log1p(whole.plain),
        "link_share": _share(whole.linked, whole.width),
        "link_lines": _share(whole.links, len(lines)),
        "prose_lines": log1p(whole.prose),
        "prose_share": _share(whole.plain_prose, whole.width),
        "prose_of_unlinked": _share(whole.plain_prose, whole.plain),
        "long_share": _share(sum([amount for amount in plain if amount >= LONG]), whole.plain),
        "longest": log1p(max(plain, default=0.0)),
        "plain_per_link": log1p(whole.plain) - log1p(len(lines.links)),
        "links": log1p(len(lines.links)),
        "items": log1p(len(set(lines.items))),
        "headings": log1p(whole.headings),
        "linked_headings": log1p(whole.linked_headings),
        "linked_headings_share": _share(whole.linked_headings, whole.headings),
        "code_share": _share(sum([plain[index] for index in _true(lines.are_code)]), whole.plain),
        "teasers": log1p(len(lines.teaser_lines)),
    }


def _run(marked: Marked, whole: Sums, start: int, end: int) -> dict[str, float]:
    lines, run, before = marked.lines, marked.sums(start, end), marked.sums(0, start)
    width = marked.width[start:end]
    families = _sums_by(marked.family[start:end], marked.plain[start:end])
    return {
        "run_bytes": log1p(run.plain),
        "run_lines": log1p(end - start),
        "run_of_unlinked": _share(run.plain, whole.plain),
        "run_link_share": _share(run.linked, run.width),
        "run_link_lines": _share(run.links, end - start),
        "run_entries": log1p(run.entries),
        "run_prose_lines": _share(run.prose, end - start),
        "run_mean": log1p(_mean(width)),
        "run_median": log1p(_median(width)),
        "run_headings": _share(run.headings, end - start),
        "run_linked_headings": log1p(run.linked_headings),
        "run_families": log1p(len(families)),
        "run_family_share": _share(max(families.values(), default=0.0), sum(families.values())),
        "run_items": log1p(len(set(lines.items[start:end]))),
        "run_begins": _share(before.plain, whole.plain),
    }


def _prose(marked: Marked) -> dict[str, float]:
    """Return the numbers of the place in the template with most running text.

    An article has consecutive lines there.
    """
    link, plain, family, lines = marked.link, marked.plain, marked.family, marked.lines
    running = _true(marked.running)
    best, share = _heaviest([family[index] for index in running], [plain[index] for index in running])
    places = [index for index in running if family[index] == best]
    gaps = [after - before for before, after in pairwise(places)]
    texts = [lines.texts[place] for place in places]
    sentences = [len(list_words.SENTENCE.findall(text)) for text in texts]
    amounts = [plain[place] for place in places]
    prose = _true(marked.prose)
    return {
        "place_share": share,
        "place_lines": log1p(len(places)),
        "place_mean": log1p(_mean(amounts)),
        "place_near": _share(sum([gap <= 2 for gap in gaps]), len(gaps)),
        "place_gap": log1p(_median(gaps)),
        "place_after_link": _share(_after(link, places), len(places)),
        "place_items": _share(len({lines.items[place] for place in places}), len(places)),
        "place_varies": _share(float(np.std(np.array(amounts, np.float32))) if amounts else 0.0, _mean(amounts)),
        "sentences": log1p(sum(sentences)),
        "sentences_a_line": _share(sum(sentences), len(texts)),
        "ending_lines": _share(len(texts) - sentences.count(0), len(texts)),
        "cut_off": _share(sum([_is_cut_off(text[-40:]) for text in texts]), len(texts)),
        "prose_after_link": _share(_after(link, prose), len(prose)),
        "prose_after_entry": _share(_after(marked.entry, prose, 3), len(prose)),
    }


def _is_cut_off(tail: str) -> bool:
    return ("…" in tail or "..." in tail) and list_words.CUT_OFF.search(tail) is not None


def _entries(marked: Marked, whole: Sums) -> dict[str, float]:
    """Return the numbers of the place in the template with most linked titles."""
    lines = marked.lines
    entries = _true(marked.entry)
    paths = [lines.paths[index] for index in entries]
    best, share = _heaviest(paths, [1.0] * len(paths))
    places = [index for index, path in zip(entries, paths, strict=True) if path == best]
    first, end = (places[0], places[-1] + 1) if places else (0, 0)
    last = len(lines) - 1
    followed = sum([not marked.link[min(place + 1, last)] for place in places])
    return {
        "entries": log1p(len(entries)),
        "entry_lines": _share(len(entries), len(lines)),
        "entry_bytes": _share(sum([marked.width[index] for index in entries]), whole.width),
        "like_entries": log1p(len({lines.texts[place] for place in places})),
        "like_share": share,
        "like_width": log1p(_mean([marked.width[place] for place in places])),
        "like_headings": _share(sum([marked.heading[place] for place in places]), len(places)),
        "like_span": _share(end - first, len(lines)),
        "like_text_span": _share(marked.sums(first, end).plain, whole.plain),
        "like_gap": log1p(_median([after - before for before, after in pairwise(places)])),
        "like_followed": _share(followed, len(places)),
        "like_begin": _share(first, len(lines)) if places else 1.0,
        **_targets(lines, set(places)),
    }


def _targets(lines: Lines, places: set[int]) -> dict[str, float]:
    """Return numbers about the targets of some lines' links.

    Entries lead to pages of the site, references elsewhere.
    """
    everywhere = [href.strip() for href in lines.hrefs]
    hosts = [href.split("/", 3)[2].lower() if href.startswith(WITH_HOST) else "" for href in everywhere]
    counts = Counter(filter(None, hosts))
    own = max(counts, key=counts.__getitem__, default="")
    of_places = [place for place, line in enumerate(lines.links) if line in places and everywhere[place]]
    within = sum(not everywhere[place].startswith("#") and hosts[place] in ("", own) for place in of_places)
    return {
        "like_targets": log1p(len({everywhere[place] for place in of_places})),
        "like_within": _share(within, len(of_places)),
        "fragments": _share(sum([href[:1] == "#" for href in everywhere]), len(everywhere)),
        "outside": _share(len(hosts) - hosts.count("") - counts[own], len(everywhere)),
    }


def _around_title(marked: Marked, whole: Sums, title: int) -> dict[str, float]:
    lines = marked.lines
    start = max(title, 0)
    begin, end = min(start + 1, len(lines)), min(start + 1 + NEAR_TITLE, len(lines))
    after = marked.sums(begin, end)
    known = title >= 0
    return {
        "title_found": float(known),
        "title_heading": float(known and lines.trie.tag[lines.paths[title]] == "h1"),
        "title_linked": float(known and marked.link[title]),
        "title_place": _share(start, len(lines)),
        "title_to_prose": log1p(marked.prose.index(True, start) - start if True in marked.prose[start:] else FAR),
        "after_title_share": _share(after.plain, whole.plain),
        "after_title_links": _share(after.linked, after.width),
        "after_title_entries": log1p(after.entries),
        "after_title_prose": _share(after.prose, end - begin),
    }


def _signs(lines: Lines) -> dict[str, float]:
    texts = [text for text in lines.texts if len(text) <= SHORT]
    lowered = [text.lower() for text in texts]
    everything = "\n".join(lowered)
    known = list_words.parts_in(everything)
    ends = list(accumulate([len(text) + 1 for text in lowered]))
    counts = {}
    for name, (form, parts) in list_words.SIGNS.items():
        places = {place for part in parts if part in known for place in _places(part, everything, ends)}
        counts[name] = log1p(sum([form.search(texts[place]) is not None for place in places]))
    return counts | {"numbers": log1p(sum([text.isdecimal() for text in texts]))}


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


def _places(part: str, everything: str, ends: list[int]) -> Iterator[int]:
    """Yield the numbers of the lines that contain a part; `ends`: where the lines end in `everything`."""
    found = everything.find(part)
    while found >= 0:
        place = bisect_right(ends, found)
        yield place
        found = everything.find(part, ends[place])


def _heaviest(keys: list[int], amounts: list[float]) -> tuple[int, float]:
    """Return the key with the largest sum of amounts (of equals the smallest) and its share; -1 and 0 without keys."""
    sums = _sums_by(keys, amounts)
    if not sums:
        return -1, 0.0
    most = max(sums.values())
    return min([key for key, amount in sums.items() if amount == most]), _share(most, sum(sums.values()))


def _sums_by(keys: list[int], amounts: list[float]) -> dict[int, float]:
    sums: dict[int, float] = {}
    for key, amount in zip(keys, amounts, strict=True):
        sums[key] = sums.get(key, 0.0) + amount
    return sums


def _true(flags: list[bool]) -> list[int]:
    """Return the lines with a flag."""
    return list(compress(range(len(flags)), flags))


def _after(flags: list[bool], places: list[int], reach: int = 1) -> int:
    """Return how many of some lines have a flagged one among the `reach` lines before."""
    return sum([True in flags[max(place - reach, 0) : place] for place in places])


def _mean(amounts: Sequence[float]) -> float:
    return sum(amounts) / len(amounts) if amounts else 0.0


def _median(amounts: Sequence[float]) -> float:
    """Return the median, 0 of an empty list."""
    ordered = sorted(amounts)
    return (ordered[len(ordered) // 2] + ordered[(len(ordered) - 1) // 2]) / 2 if ordered else 0.0


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
