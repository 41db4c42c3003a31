"""Method `line-blocks`: the body is where the line-block distribution function rises and falls.

Source: 001 (Chen Xin, "General web page text extraction by the line-block distribution function"). The tags of a page
are removed and its lines are kept: Ctext. By its lines

    Cblock(i) = lines i … i + K − 1          K = 3: a block's thickness
    Y(i)      = characters of Cblock(i) without white space

and the body is the range of blocks [start, end] with

    1. Y(start) > threshold                  a sharp rise
    2. Y(n) ≠ 0 for n in start + 1 … start + K
    3. Y(m) = 0 for m in end, end + 1        a sharp fall
    4. Y takes its maximum within

`ctext → weights → block_sizes → turning_points → article`, each in linear time; no tree is built. The source reports
21.29 s for 1,000 pages with I/O, and more than 95% of Chinese news pages right. Like the source's program,
`exemplar extract --method line-blocks` accepts files and lists of URLs.

Where we depart (method `line-blocks-verbatim`, in `verbatim`, does not):

- Lines end at block tags instead of the file's line ends (`tagless_text`): today's pages are minified.
- Between two lines of a body there are then more tags than line ends, on some sites four, on others fourteen, so no
  number of empty blocks is a fall on all sites. An empty line has a negative weight instead: the longer the gap, the
  more text must follow it. A link's text has a negative weight, too: in this way, according to the source, link
    lists are easily dropped ("去链接群容易").
- So Y may be negative, and the body is the range with the largest sum of Y: it rises where that sum begins to grow, and
  falls where the sum stops growing (conditions 1 to 3 without thresholds). It nearly always contains the maximum (4);
  where it does not, on pages with short paragraphs, the maximum is in a comment or the footer.
- Characters count by their width, so one weight is used for Chinese and Latin text.
- The source adds rules for single sites to the statistics; ours are for all sites: text after a heading of comments
  counts less (a short article may have many comments), and the rules of `body_fragment`.
"""

import numpy as np

from ...article import Article, NoArticle
from ...content.assembly import BodyLines
from ...content.body_fragment import assemble_lines, no_body
from ...content.turning_points import turning_points
from ...html.phrases import SHORT, is_heading_of
from ...html.tagless_text import Ctext, Ints, read_ctext
from ...page import Page

METHOD = "line-blocks"
BLOCK_WIDTH = 3  # lines: the source's K; 1 to 5 give the same F1 (.001)
# Half-widths. Chosen by mean F1 over the development sets; `python -m evaluation.reproduction.constants` prints the
# result on each set with the values that are best on the others.
GAP = 4  # cost of a line without text
LINK = 2  # cost of a half-width character in a link
COMMENT = 0.2  # weight of a half-width character after a heading of comments, …
ARTICLE = 600  # … if this many half-widths precede the heading: above a body it is a button
CONFIDENCE = 0.88  # share of pages with F1 ≥ .9, mean of the development sets


def extract(page: Page) -> Article | NoArticle:
    """Return the article of `page`. Raises `UnusablePage` if nothing can be read from it."""
    ctext = read_ctext(page.html)
    found = dense_range(weights(ctext))
    if found is None:
        return no_body(page, "no text outside links")
    first, end = found
    reason = f"lines {first} to {end} of {len(ctext)} hold the most text"
    return assemble_lines(page, ctext, first, end, BodyLines([], 0, METHOD, CONFIDENCE, reason))


def weights(ctext: Ctext, gap: int = GAP, link: int = LINK, comment: float = COMMENT) -> Ints:
    """Return the weight of each line, in half-widths; int64."""
    found = np.where(ctext.widths + ctext.linked > 0, ctext.widths - link * ctext.linked, -gap)
    after = found[comments_line(ctext) :]
    after[after > 0] = comment * after[after > 0]
    return found


def comments_line(ctext: Ctext) -> int:
    """Return the line of the heading of the comments, or the number of lines."""
    first = int(np.searchsorted(ctext.widths.cumsum(), ARTICLE))
    for line in range(first, len(ctext)):
        if 0 < len(ctext.bare[line]) <= SHORT and is_heading_of("comments", ctext.text(line)):
            return line
    return len(ctext)


def block_sizes(lengths: Ints, width: int = BLOCK_WIDTH) -> Ints:
    """Return Y: the sum of the block of `width` lines that begins with each line; at the end blocks are shorter."""
    sums = np.concatenate([[0], lengths.cumsum()])
    ends = np.minimum(np.arange(len(lengths)) + width, len(lengths))
    sizes: Ints = sums[ends] - sums[:-1]
    return sizes


def dense_range(found: Ints, width: int = BLOCK_WIDTH) -> tuple[int, int] | None:
    """Return the body's first line and the one after its last, by the lines' weights; None if none is above 0."""
    first, last = turning_points(block_sizes(found, width).tolist())
    end = min(len(found), last + width - 1) if last else 0
    text = np.flatnonzero(found[first:end] > 0)
    return (first + int(text[0]), first + int(text[-1]) + 1) if len(text) else None
