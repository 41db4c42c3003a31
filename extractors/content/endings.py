"""What follows the body's last line and still belongs to the article: its attachments, and pictures with captions.

Offices list the files of a notice below its text, in a box of its own: lines that begin with 附件 and have a link, and
further links to documents after them. Other lists of files are not part of the article. A gallery has its pictures
below its text. Both must follow the body at once, but for a signature.
"""

import re
from bisect import bisect_left

from ..expressions import expression
from ..html.lines import Lines

REACH = 3  # lines between the body and its attachments
_TYPES = "pdf|docx?|xlsx?|pptx?|wps|et|ofd|odt|ods|csv|zip|rar|7z|jpe?g|png"
_DOCUMENT = expression(rf"\.(?:{_TYPES})(?:$|[?#])", re.IGNORECASE)
_NAMED = expression(r"\W*附件")
_NOISE = frozenset({"nav", "footer", "aside"})


def attachments(lines: Lines, kept: list[int]) -> list[int]:
    """Return the lines that follow a body and name its attachments."""
    found: list[int] = []
    for line in range(kept[-1] + 1, len(lines)) if kept else ():
        if _is_attachment(lines, line, is_first=not found):
            found.append(line)
        elif found or line > kept[-1] + REACH:
            break
    return found


def captions(lines: Lines, kept: list[int]) -> list[int]:
    """Return the captions that follow a body directly."""
    found: list[int] = []
    for line in range(kept[-1] + 1, len(lines)) if kept else ():
        if all(lines.trie.tag[step] != "figcaption" for step in lines.trie.up(lines.paths[line])):
            break
        found.append(line)
    return found


def _is_attachment(lines: Lines, line: int, *, is_first: bool) -> bool:
    if not lines.linked_bytes[line] or any(lines.trie.tag[step] in _NOISE for step in lines.trie.up(lines.paths[line])):
        return False
    if is_first or not lines.link_lines[line]:
        return _NAMED.match(lines.texts[line]) is not None
    hrefs = lines.hrefs[bisect_left(lines.links, line) : bisect_left(lines.links, line + 1)]
    return any(map(_DOCUMENT.search, hrefs))
