"""Lines that are links: which of them belong to the body.

An author writes links as lines of their own, too: downloads, references, lists of pages, a paragraph that is one link.
They stand between the body's prose in the body's own markup, or after a line that announces them ("Downloads:").
Teasers and buttons have boxes or link classes of their own, begin in capitals, or are a headline of the same site.

The rules were chosen on the development sets, all of them; they have not been measured on other data yet.
"""

from bisect import bisect_left
from collections.abc import Iterator
from itertools import compress
from operator import and_
from typing import NamedTuple

from ..html.lines import Lines
from ..html.phrases import is_heading_of, is_lead

LINKED_LIST = 0.6  # link share from which a whole list or table counts as links
ITEMS, CELLS, PARAGRAPHS = frozenset({"li", "dd"}), frozenset({"td", "th"}), frozenset({"p", "center"})
HEADLINE = 30  # bytes of a linked paragraph from which it may be another article's headline
SENTENCE_ENDS = tuple(".!?。！？")
LINKED_PROSE = 0.4  # link share up to which a line is prose, which a linked heading may introduce
HEADING_REACH = 3  # lines after a linked heading in which that prose must follow


class _Place(NamedTuple):
    """The place of a line: in the segment, between lines of prose, after the last of them.

    `announced`: the line before it, or before the links in front of it, ends with a colon; `headed`: it is a heading.
    Words that announce other articles count as neither.
    """

    inside: bool
    between: bool
    after: bool
    announced: bool
    headed: bool


def without_links(lines: Lines, kept: list[bool], inside: range, root: int) -> list[bool]:
    """Return `kept` without the links that are not part of the body. `inside`: the lines of the segment."""
    result = [stays and not link for stays, link in zip(kept, lines.link_lines, strict=True)]
    among = list(compress(range(len(kept)), map(and_, kept, lines.link_lines)))
    if not among:
        return result
    outline, trie = lines.outline, lines.trie
    linked, widths = outline.direct(lines.linked_bytes), outline.direct(lines.widths)
    headings = []
    for index, place in _places(lines, kept, result, among, inside):
        path, number = lines.paths[index], outline.places[index]
        tag = trie.tag[path]
        boxed = any(trie.classes[step] for step in trie.up(path, root))
        if tag in ITEMS or tag in CELLS:
            result[index] = linked[number] <= LINKED_LIST * widths[number]
            if not result[index] and tag in ITEMS:
                result[index] = _is_item(lines, index, place, boxed)
            elif not result[index]:
                result[index] = place.between and _is_alone(lines, kept, index)
        elif tag in PARAGRAPHS:
            result[index] = _is_paragraph(lines, index, place, boxed)
        elif lines.are_headings[index] and place.inside and trie.family[trie.parent[path]] == trie.family[root]:
            headings.append(index)
    for index in headings:
        result[index] = _prose_follows(lines, index, result)
    return result


def _places(
    lines: Lines, kept: list[bool], prose: list[bool], among: list[int], inside: range
) -> Iterator[tuple[int, _Place]]:
    """Yield each of the lines `among` with its place."""
    found = list(compress(range(len(prose)), prose))
    first, last = (found[0], found[-1]) if found else (len(prose), len(prose))
    announced = headed = False
    for index in among:
        before = index - 1
        while before >= 0 and not kept[before]:
            before -= 1
        if before < 0 or not lines.link_lines[before]:
            opens = before >= 0 and not (is_lead(lines.texts[before]) or is_heading_of("related", lines.texts[before]))
            announced = opens and lines.texts[before].endswith((":", "："))
            headed = opens and lines.are_headings[before]
        yield index, _Place(index in inside, first < index < last, index > last, announced, headed)


def _is_item(lines: Lines, index: int, place: _Place, boxed: bool) -> bool:
    if (place.between or place.after) and (place.announced or place.headed) and not boxed:
        return True
    href = _attribute(lines, index, "href")
    return place.between and not href.startswith("#") and (place.inside or place.announced or lines.leads_away(href))


def _is_paragraph(lines: Lines, index: int, place: _Place, boxed: bool) -> bool:
    if place.after and not place.inside:
        return (place.announced or place.headed) and not boxed
    if not (place.between or place.inside) or _attribute(lines, index, "class") or _is_promotion(lines.texts[index]):
        return False
    return place.announced or not (boxed or (not place.headed and _is_headline(lines, index)))


def _is_alone(lines: Lines, kept: list[bool], index: int) -> bool:
    return not any(kept[line] and lines.link_lines[line] for line in (index - 1, index + 1) if 0 <= line < len(kept))


def _is_promotion(text: str) -> bool:
    """Whether a line is in capitals, or its label is: "READ MORE: …"."""
    label = text.partition(":")[0]
    return " " in label and label.isupper()


def _is_headline(lines: Lines, index: int) -> bool:
    """Whether a line may be the headline of another article of the site: a whole link, but no sentence."""
    if lines.widths[index] < HEADLINE or lines.linked_bytes[index] < lines.widths[index]:
        return False
    return not lines.texts[index].endswith(SENTENCE_ENDS) and not lines.leads_away(_attribute(lines, index, "href"))


def _attribute(lines: Lines, index: int, name: str) -> str:
    """Return an attribute of the first link in a line, "" without it."""
    place = bisect_left(lines.links, index)
    found = place < len(lines.links) and lines.links[place] == index
    return (lines.link_elements[place].get(name) or "") if found else ""


def _prose_follows(lines: Lines, index: int, kept: list[bool]) -> bool:
    following = [line for line in range(index + 1, min(len(kept), index + 1 + HEADING_REACH)) if kept[line]]
    if not following:
        return False
    prose = following[0]
    return not lines.are_headings[prose] and lines.linked_bytes[prose] < LINKED_PROSE * lines.widths[prose]
