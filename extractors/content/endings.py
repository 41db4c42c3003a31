"""What follows the body's last line and still belongs to the article: its attachments, and pictures with captions.

Offices and companies list the files of a notice below its text, in a box of its own: lines with links to documents, or
with the word 附件 and a link, perhaps under a heading. A gallery has its pictures below its text. Both must follow the
body at once, but for a signature that the template or the example explains.
"""

import re
from bisect import bisect_left

from ..expressions import expression
from ..html.lines import Lines

REACH = 3  # lines between the body and its attachments
_TYPES = "pdf|docx?|xlsx?|pptx?|wps|et|ofd|odt|ods|csv|zip|rar|7z|jpe?g|png"
_DOCUMENT = expression(rf"\.(?:{_TYPES})(?:$|[?#])", re.IGNORECASE)
_FILE = expression(rf"\.(?:{_TYPES})\b|\bPDF\b|\d\s?[KM]B\b", re.IGNORECASE)  # in the name of a document
_NAMED = expression(r"\W*附件")
_HEADING = expression(
    r"\W*(?:(?:相关|文件)?附件(?:下载|列表)?|(?:attachments?|downloads?|documents?))\W*$", re.IGNORECASE
)
_NOISE = frozenset({"nav", "footer", "aside"})


def attachments(lines: Lines, kept: list[int]) -> list[int]:
    """Return the lines that follow a body and name its attachments, with their heading."""
    found: list[int] = []
    for line in range(kept[-1] + 1, len(lines)) if kept else ():
        headed = found or _HEADING.match(lines.texts[line - 1])
        if _is_attachment(lines, line, headed=bool(headed)):
            found += [line - 1, line] if headed and not found and line - 1 not in kept else [line]
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


def _is_attachment(lines: Lines, line: int, *, headed: bool) -> bool:
    if not lines.linked_bytes[line] or any(lines.trie.tag[step] in _NOISE for step in lines.trie.up(lines.paths[line])):
        return False
    if _NAMED.match(text := lines.texts[line]):
        return True
    hrefs = lines.hrefs[bisect_left(lines.links, line) : bisect_left(lines.links, line + 1)]
    return (headed or _FILE.search(text) is not None) and lines.link_lines[line] and any(map(_DOCUMENT.search, hrefs))
