"""The choice of the body's lines below its root: by the elements between, by pictures directly above, and by links.

A path is out of the body, a `CAPTION`, `IN_SEGMENT` (its lines belong to the body only within the segment: a wrapper
with a class and little of the content, such as a box or a heading of its own) or `IN`. A path that is out has
the rule as its value: not below the root (`OUTSIDE`), or noise by its element, by the name of comments, by another
name.

Of the lines that are links, some belong to the body. An author writes links as lines of their own, too: downloads,
references, lists of pages, a paragraph that is one link. They stand between the body's prose in the body's own markup,
or after a line that announces them ("Downloads:"). Teasers and buttons have boxes or link classes of their own, begin
in capitals, or are a headline of the same site.

These rules were chosen on the development sets, all of them; they have not been measured on other data yet.
"""

from bisect import bisect_left
from collections.abc import Iterator
from functools import cache
from itertools import compress, takewhile
from operator import and_
from typing import NamedTuple

from ..html.class_names import NOISE_TAGS
from ..html.lines import CAPTION_WIDTH, Lines
from ..html.paths import CAPTION as CAPTION_MARK
from ..html.paths import COMMENT, EMBED, FIGURE_CONTENT, PLAIN
from ..html.phrases import is_heading_of, is_lead
from .line_weights import Prior
from .profile import Profile

WRAPPER_SHARE = 0.15  # share of the content from which a wrapper below the root counts as part of the body
NAMED_SHARE = 0.3  # the same for an element whose name means noise
CAPTION_SHARE = 0.4  # share of the content below which an element with a picture holds it and its caption
UNLINKED = 0.1  # link share of a lone line in a wrapper, up to which it may be part of the body
NEAR = 2  # lines before and after it in which there must be body

OUTSIDE, NOISE_ELEMENT, COMMENTS, NAMED_NOISE, CAPTION, IN_SEGMENT, IN = range(7)
OUT = NAMED_NOISE  # the largest value of a path that is out
# What a path contains: a leaf where the example has most of its body; code or an embedded post; a table's cell;
# something that a <figure> may contain besides pictures.
_STRONG, _LISTING, _CELLS, _CONTENT = 1, 2, 4, 8
LINKED_LIST = 0.6  # link share from which a whole list or table counts as links
ITEMS, CELLS, PARAGRAPHS = frozenset({"li", "dd"}), frozenset({"td", "th"}), frozenset({"p", "center"})
HEADLINE = 30  # bytes of a linked paragraph from which it may be another article's headline
SENTENCE_ENDS = tuple(".!?。！？")
LINKED_PROSE = 0.4  # link share up to which a line is prose, which a linked heading may introduce
HEADING_REACH = 3  # lines after a linked heading in which that prose must follow


def standing_of(lines: Lines, root: int, shares: list[float], prior: Prior, profile: Profile) -> list[int]:
    """Return the relation of each line to the body below `root`. `shares`: of the content, by path of the outline."""
    outline, trie = lines.outline, lines.trie
    paths, above, families = outline.paths, outline.parent, trie.family
    family, below = families[root], [False]
    for number in range(1, len(paths)):
        below.append(below[above[number]] or families[paths[number]] == family)
    known: dict[tuple[int, int], int] = {}
    found = [OUTSIDE] * len(paths)
    for number in {*outline.places}:
        if below[number]:
            strong = profile.strong and trie.leaf(paths[number]) in profile.strong
            found[number] = _climbed(lines, number, _STRONG if strong else 0, root, shares, prior.noise, known)
    return [found[place] for place in outline.places]


def _climbed(
    lines: Lines,
    number: int,
    content: int,
    root: int,
    shares: list[float],
    noise: list[int],
    known: dict[tuple[int, int], int],
) -> int:
    """Return the relation of a path to the body: the outermost and the worst element up to the root decide.

    `number`: of the path; `content`: a sum of `_STRONG` and the like; `known`: what was found, by both.
    """
    outline, families, marks = lines.outline, lines.trie.family, lines.trie.mark
    paths, family = outline.paths, families[root]
    way = []
    result = IN
    while families[path := paths[number]] != family:
        if (number, content) in known:
            result = known[number, content]
            break
        tag, mark = outline.tags[number], marks[path]
        key = number, content
        if mark == EMBED or tag in ("pre", "code"):
            content |= _LISTING
        evidence = _evidence(tag, mark, content, noise[number], shares[number], lines.trie.classes[path])
        way.append((key, evidence))
        if evidence <= OUT:
            break
        if tag == "blockquote":  # boxes within a quotation are the author's
            way = [(key, IN if evidence == IN_SEGMENT else evidence) for key, evidence in way]
        if tag in FIGURE_CONTENT:
            content |= _CONTENT
        if tag in ("td", "th"):
            content |= _CELLS
        number = outline.parent[number]
    for key, evidence in reversed(way):
        known[key] = result = min(result, evidence)
    return result


def _evidence(tag: str, mark: int, content: int, noise: int, share: float, classes: str) -> int:
    """Return the evidence of an element alone."""
    if tag in ("figcaption", "caption") or (tag == "figure" and not content & (_CONTENT | _LISTING)):
        return CAPTION
    if tag in NOISE_TAGS:
        return NOISE_ELEMENT
    if content & _LISTING:
        return IN
    if mark == COMMENT:
        return COMMENTS
    if mark == CAPTION_MARK:
        return CAPTION
    if content & _STRONG:
        return IN
    if noise and share < NAMED_SHARE:
        return NAMED_NOISE
    if share < WRAPPER_SHARE and not content & _CELLS and classes and tag not in PLAIN and tag != "figure":
        return IN_SEGMENT
    return IN


def caption_lines(standing: list[int], kept: list[bool], under_picture: set[int], head: int, tail: int) -> list[int]:
    """Return the captions among the lines from `head` to before `tail` that are not kept. `standing`: of the lines."""
    return [
        line
        for line in range(head, tail)
        if not kept[line] and (standing[line] == CAPTION or (standing[line] > OUT and line in under_picture))
    ]


def under_pictures(lines: Lines, standing: list[int], root: int, shares: list[float]) -> set[int]:
    """Return the short lines that follow a picture in a small wrapper below the root: captions of any name.

    `standing`: of the lines; `shares`: of the content, by number in the outline.
    """
    trie, width = lines.trie, lines.widths

    @cache
    def are_in_small_wrapper(picture: int, text: int) -> bool:
        around = set(trie.up(picture))
        box = next((step for step in trie.up(text) if step in around), 0)
        boxed = trie.is_wrapper(box) and trie.family[box] != trie.family[root] and root in trie.up(box)
        return boxed and shares[lines.outline.number[box]] < CAPTION_SHARE

    found: set[int] = set()
    for index, path, *_ in lines.media:
        if index >= len(width) or width[index] > CAPTION_WIDTH or standing[index] <= OUT or index in found:
            continue
        if are_in_small_wrapper(path, lines.paths[index]):
            found.add(index)
    return found


def are_alone_in_wrapper(lines: Lines) -> list[bool]:
    """Return whether the wrapper around each line has no other text than headings; else it is a box with a heading."""
    outline = lines.outline
    others = outline.totals(
        [0.0 if heading else width for heading, width in zip(lines.are_headings, lines.widths, strict=True)]
    )
    return [not others[outline.boxes[place]] for place in outline.places]


def alone_among_body(lines: Lines, doubtful: list[int], kept: list[bool], root: int) -> list[int]:
    """Return the doubtful lines between lines of the body: each alone in a sibling element, without link or picture."""
    trie = lines.trie
    pictured = {path for _, path, *_ in lines.media} if doubtful else set()
    found: list[int] = []
    for index in doubtful:
        path = lines.paths[index]
        if lines.linked_bytes[index] > UNLINKED * lines.widths[index]:
            continue
        if trie.family[trie.parent[path]] == trie.family[root] and path not in pictured:
            before = range(max(0, index - NEAR), index)
            if any(kept[line] or line in found[-NEAR:] for line in before) and any(kept[index + 1 : index + 1 + NEAR]):
                found.append(index)
    return found


def blocks_between(lines: Lines, standing: list[int], kept: list[bool], root: int) -> Iterator[int]:
    """Yield the headings and quotations in elements of their own between lines of the body, as block editors write."""
    trie, above = lines.trie, lines.trie.family[lines.trie.parent[root]]
    for index in (line for line, relation in enumerate(standing) if relation == OUTSIDE):
        if any(kept[max(0, index - NEAR) : index]) and any(kept[index + 1 : index + 1 + NEAR]):
            steps = list(takewhile(lambda step: trie.family[step] != above, trie.up(lines.paths[index])))
            is_block = lines.are_headings[index] or any(trie.tag[step] == "blockquote" for step in steps)
            is_own = is_block and trie.parent[steps[-1]] and not any(trie.role[step].noise for step in steps)
            if is_own and not lines.linked_bytes[index]:
                yield index


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
