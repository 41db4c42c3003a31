"""What follows the body's last line and still belongs to the article: attachments, notes, pictures with captions.

Offices list the files of a notice below its text, in a box of its own: lines that begin with 附件 and have a link, and
further links to documents after them. Other lists of files are not part of the article. A gallery has its pictures
below its text. Both must follow the body at once, but for a signature. Notes are where marks in the body lead.
"""

import re
from bisect import bisect_left

from lxml import etree

from ..expressions import expression
from ..html.dom import inner_text
from ..html.elements import BLOCK, INLINE, KINDS
from ..html.lines import CAPTION_WIDTH, Lines

NOTES_SHARE = 0.2  # of the body's bytes; longer notes are a bibliography or legal terms
REACH = 3  # lines between the body and its attachments
_TYPES = "pdf|docx?|xlsx?|pptx?|wps|et|ofd|odt|ods|csv|zip|rar|7z|jpe?g|png"
_DOCUMENT = expression(rf"\.(?:{_TYPES})(?:$|[?#])", re.IGNORECASE)
_NAMED = expression(r"\W*附件")
_HEADING = expression(r"\W*附件\W*")
_MARK = expression(r"\W*(?:\d{1,3}|[a-z*†‡])\W*", re.IGNORECASE)
_NOTE = expression(r"#.*?(?:ft?n|foot|note|cite|ref|edn)", re.IGNORECASE)
_NOISE = frozenset({"nav", "footer", "aside"})


def attachments(lines: Lines, kept: list[int]) -> list[int]:
    """Return the lines that follow a body and name its attachments."""
    found: list[int] = []
    for line in range(kept[-1] + 1, len(lines)) if kept else ():
        if _is_attachment(lines, line, is_first=not found) or (
            not found and _HEADING.fullmatch(lines.texts[line]) and _leads_to_document(lines, line + 1)
        ):
            found.append(line)
        elif found or line > kept[-1] + REACH:
            break
    return found


def captions(lines: Lines, kept: list[int]) -> list[int]:
    """Return the captions that follow a body directly, and those of pictures in blocks of their own between its own."""
    if not kept:
        return []
    inside = set(kept)
    figures = {line: _figure_of(lines, line) for line in range(kept[0], kept[-1]) if line not in inside}
    small = {figure for figure in {*figures.values()} if figure is not None and _is_captioned_picture(figure)}
    found = [line for line, figure in figures.items() if figure in small]
    for line in range(kept[-1] + 1, len(lines)):
        if all(lines.trie.tag[step] != "figcaption" for step in lines.trie.up(lines.paths[line])):
            break
        found.append(line)
    return found


def notes(lines: Lines, kept: list[int]) -> list[int]:
    """Return the lines of footnotes: those of the blocks to which marks in the body lead."""
    inside, classes = set(kept), lines.link_elements.values("class")
    leading = [place for place, href in enumerate(lines.hrefs) if "#" in href and _NOTE.search(href + classes[place])]
    marks = [place for place in leading if lines.links[place] in inside]
    named = {lines.hrefs[place].partition("#")[2] for place in marks if _is_mark(lines.link_elements[place])}
    if not named or lines.root is None:
        return []
    body = {element for line in kept for element in (lines.blocks[line], *lines.blocks[line].iterancestors())}
    holders = set()
    for target in lines.root.iter(etree.Element):
        if target.get("id") in named or target.get("name") in named:
            blocks = (each for each in (target, *target.iterancestors()) if KINDS.get(each.tag, INLINE) >= BLOCK)
            holders.add(next(blocks, target))
    holders -= body
    found = [line for line in range(kept[0], len(lines)) if line not in inside and _is_in(lines.blocks[line], holders)]
    width = sum(lines.widths[line] for line in kept)
    return found if sum(lines.widths[line] for line in found) <= NOTES_SHARE * width else []


def _figure_of(lines: Lines, line: int) -> etree._Element | None:
    """Return the block around a line that is a figure or has a caption by its class; None for links and beside them."""
    around = [lines.blocks[line], *lines.blocks[line].iterancestors()]
    figures = [each for each in around if each.tag == "figure" or "caption" in (each.get("class") or "")]
    is_noise = lines.link_lines[line] or any(each.tag in _NOISE for each in around)
    return figures[-1] if figures and not is_noise else None


def _is_captioned_picture(figure: etree._Element) -> bool:
    return next(figure.iter("img"), None) is not None and len(inner_text(figure)) <= CAPTION_WIDTH


def _is_mark(link: etree._Element) -> bool:
    return _MARK.fullmatch(inner_text(link)) is not None


def _is_in(block: etree._Element, holders: set[etree._Element]) -> bool:
    return block in holders or any(each in holders for each in block.iterancestors())


def _is_attachment(lines: Lines, line: int, *, is_first: bool) -> bool:
    if not lines.linked_bytes[line] or any(lines.trie.tag[step] in _NOISE for step in lines.trie.up(lines.paths[line])):
        return False
    if is_first or not lines.link_lines[line]:
        return _NAMED.match(lines.texts[line]) is not None
    return _leads_to_document(lines, line)


def _leads_to_document(lines: Lines, line: int) -> bool:
    hrefs = lines.hrefs[bisect_left(lines.links, line) : bisect_left(lines.links, line + 1)]
    return any(map(_DOCUMENT.search, hrefs))
