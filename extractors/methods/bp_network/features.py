"""The 12 inputs of a line (统计各项值): step 2 of the source's section 2.2.2, and its section on the network.

For each line the source counts

    y  the length of its text (文本长度)
    z  all its characters, markup included (字符总长度)
    p  = y / z, its text density (文本密度)
    s  its relevance to the page's title (相关度), see `topic`

and the inputs are, in this order, the line's own four, those of the line before, those of the line after. The source
does not define what precedes the first line and follows the last. Ours: the line itself once more, so that a page that
is only an article is recognised (in training, empty lines would occur only beside menus and imprints).

Two forms. `source_values` are the source's to the letter: characters, z by the page's source text (`markup`). In the
form that is used, `line_values`,

- lengths are UTF-8 bytes (a Chinese character counts 3), so that one network can be used for several languages;
- z = y plus the length of the text inside links: on today's pages attributes depend on the content system, while links
  indicate navigation on every site;
- y and z are logarithms, ln(1 + y): a paragraph of twice the length is not twice as likely to be body.
"""

from collections.abc import Sequence
from math import log

import numpy as np

from ...html.lines import Lines
from .markup import markup_lengths
from .network import PER_LINE, Inputs
from .topic import matches, relevance


def line_values(lines: Lines, title: Sequence[str]) -> list[float]:
    """Return ln(1 + y), ln(1 + z), p and s of each line, one line after the other; `title`: its words."""
    found: list[float] = []
    for y, linked, s in zip(lines.widths, lines.linked_bytes, relevance(lines.texts, title), strict=True):
        z = y + linked
        found += (log(1 + y), log(1 + z), y / z if z > 1 else y, s)
    return found


def source_values(lines: Lines, title: Sequence[str], html: str) -> list[float]:
    """Return y, z, p and s as in the source, one line after the other; `html`: the page of the lines."""
    y = np.array([len(text) for text in lines.texts], np.float64)
    z = y + markup_lengths(html, lines.texts)
    values = np.column_stack([y, z, y / np.maximum(z, 1), matches(lines.texts, title)])
    found: list[float] = values.ravel().tolist()
    return found


def with_neighbours(numbers: list[float]) -> Inputs:
    """Return the inputs of each line; `numbers`: y, z, p and s of each line, one line after the other."""
    before = numbers[:PER_LINE] + numbers[:-PER_LINE]
    after = numbers[PER_LINE:] + numbers[-PER_LINE:]
    return Inputs(numbers, before, after)
