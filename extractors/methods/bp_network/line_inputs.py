"""The 12 inputs of a line (统计各项值): step 2 of the source's section 2.2.2, and its section on the network.

For each line the source counts

    y  the length of its text (文本长度)
    z  all its characters, markup included (字符总长度)
    p  = y / z, its text density (文本密度)
    s  its relevance to the page's title (相关度), see `words`

and the inputs are, in this order, the line's own four, those of the line before, those of the line after. The source
does not define what precedes the first line and follows the last. Ours: the line itself once more, so that a page that
is only an article is recognised (in training, empty lines would occur only beside menus and imprints).

Two forms. `source_values` are the source's to the letter: characters, z by the page's source text (`markup_lengths`).
In the form that is used, `line_values`,

- lengths are UTF-8 bytes (a Chinese character counts 3), so that one network can be used for several languages;
- z = y plus the length of the text inside links: on today's pages attributes depend on the content system, while links
  indicate navigation on every site;
- y and z are logarithms, ln(1 + y): a paragraph of twice the length is not twice as likely to be body.

The amount of markup at each line, for the verbatim form: the source tidies a page, drops scripts, styles and empty
pairs of tags, and counts a line's characters with its tags. Here scripts, styles and comments are dropped, and each
line is looked up in the remaining text: the tags between the last character of the line before and its own last
character are its markup, without white space.
"""

import html as entities
import re
from collections.abc import Sequence

import numpy as np

from ...expressions import closed, without, without_nested
from ...html.lines import Lines
from .network import Values
from .words import matches, relevance

_TAGS = ("script", "style", "noscript", "template", "svg", "head")
_DROPPED = (closed("<!--", "-->"), *(closed(rf"<{tag}\b", rf"</{tag}\s*+>") for tag in _TAGS))
_EMPTY_PAIR = re.compile(r"<(\w++)[^<>]*+>\s*+</\1\s*+>")
_ENTITY = re.compile(r"&(?!lt\b|gt\b|#0*6[02]\b|#x0*3[ce]\b)#?\w+;?", re.IGNORECASE)  # except those for < and >
_ANGLES = re.compile(r"[<>]")
_TOKEN = re.compile(r"<[^<>]*>|[^<>\s]+|[<>]")
OPENING = 12  # first characters of a line, by which it is found in the source
REACH = 50_000  # characters of text between two lines at most; a match beyond them belongs to another line


def line_values(lines: Lines, title: Sequence[str]) -> Values:
    """Return ln(1 + y), ln(1 + z), p and s of each line, shape (lines, 4); `title`: its words."""
    y = np.array(lines.widths, np.float64)
    z = y + np.array(lines.linked_bytes, np.float64)
    return np.column_stack([np.log1p(y), np.log1p(z), y / np.maximum(z, 1), relevance(lines.texts, title)])


def source_values(lines: Lines, title: Sequence[str], html: str) -> Values:
    """Return y, z, p and s as in the source, shape (lines, 4); `html`: the page of the lines."""
    y = np.array([len(text) for text in lines.texts], np.float64)
    z = y + markup_lengths(html, lines.texts)
    return np.column_stack([y, z, y / np.maximum(z, 1), matches(lines.texts, title)])


def with_neighbours(values: Values) -> Values:
    """Return the inputs of each line, shape (lines, 12): its own values, those of the line before, of the next one."""
    return np.hstack([values, np.vstack([values[:1], values[:-1]]), np.vstack([values[1:], values[-1:]])])


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
