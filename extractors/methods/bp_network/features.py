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

import numpy as np

from ...html.lines import Lines
from .markup import markup_lengths
from .network import Values
from .topic import matches, relevance

PER_LINE = 4  # y, z, p, s


def line_values(lines: Lines, title: Sequence[str]) -> Values:
    """Return ln(1 + y), ln(1 + z), p and s of each line, shape (lines, 4), float64; `title`: its words."""
    y = lines.width.astype(np.float64)
    z = y + lines.linked
    return np.column_stack([np.log1p(y), np.log1p(z), y / np.maximum(z, 1), relevance(lines.texts, title)])


def source_values(lines: Lines, title: Sequence[str], html: str) -> Values:
    """Return y, z, p and s as in the source, shape (lines, 4), float64; `html`: the page of the lines."""
    y = np.array([len(text) for text in lines.texts], np.float64)
    z = y + markup_lengths(html, lines.texts)
    return np.column_stack([y, z, y / np.maximum(z, 1), matches(lines.texts, title)])


def with_neighbours(values: Values) -> Values:
    """Return the inputs, shape (lines, 12): each line's values, those of the line before, those of the one after."""
    count, each = values.shape
    result = np.empty((count, 3 * each), np.float64)
    result[:, :each] = values
    result[:1, each : 2 * each], result[1:, each : 2 * each] = values[:1], values[:-1]
    result[:-1, 2 * each :], result[-1:, 2 * each :] = values[1:], values[-1:]
    return result
