"""The amount of markup at each line in the page's source text, for the verbatim form.

The source tidies a page, drops scripts, styles and empty pairs of tags, and counts a line's characters with its tags.
Here scripts, styles and comments are dropped, and each line is looked up in the remaining text: the tags between the
last character of the line before and its own last character are its markup, without white space.
"""

import html as entities
import re
from collections.abc import Sequence

import numpy as np

from ...expressions import closed, without, without_nested
from .network import Values

_TAGS = ("script", "style", "noscript", "template", "svg", "head")
_DROPPED = (closed("<!--", "-->"), *(closed(rf"<{tag}\b", rf"</{tag}\s*+>") for tag in _TAGS))
_EMPTY_PAIR = re.compile(r"<(\w++)[^<>]*+>\s*+</\1\s*+>")
_ENTITY = re.compile(r"&(?!lt\b|gt\b|#0*6[02]\b|#x0*3[ce]\b)#?\w+;?", re.IGNORECASE)  # except those for < and >
_ANGLES = re.compile(r"[<>]")
_TOKEN = re.compile(r"<[^<>]*>|[^<>\s]+|[<>]")
OPENING = 12  # first characters of a line, by which it is found in the source
REACH = 50_000  # characters of text between two lines at most; a match beyond them belongs to another line


def markup_lengths(html: str, texts: Sequence[str]) -> Values:
    """Return the characters of markup at each line, float64; 0 for a line that is not found literally."""
    text, before = _text_with_markup(html)
    lengths = np.zeros(len(texts), np.float64)
    begin = 0
    for index, line in enumerate(texts):
        wanted = _ANGLES.sub("", "".join(line.split()))
        found = text.find(wanted[:OPENING], begin, begin + REACH) if wanted else -1
        if found >= 0:
            end = min(found + len(wanted), len(text))
            lengths[index] = before[end - 1] - (before[found - 1] if found else 0)
            begin = end
    return lengths


def _text_with_markup(html: str) -> tuple[str, Values]:
    """Return the page's text without white space, and for each of its characters the markup directly before it."""
    source = _ENTITY.sub(
        lambda match: entities.unescape(match[0]), without_nested(without(html, _DROPPED), _EMPTY_PAIR)
    )
    pieces: list[str] = []
    amounts: list[int] = []
    amount = 0
    for token in _TOKEN.findall(source):
        if token[0] in "<>":
            amount += len(token)
        else:
            pieces.append(token)
            amounts.append(amount)
    return "".join(pieces), np.repeat(np.array(amounts, np.float64), [len(piece) for piece in pieces])
