"""From a page to its body by the network's outputs.

`bp-network-verbatim` ends where the source ends: a line whose output is above 0.5 is body. Single lines are often
misjudged in this way, such as a short paragraph, a heading or a line of code, and every page has some.

`bp-network` judges the lines of a page together, by the rules of the other methods. The outputs are summed as evidence:
the logarithm of o / (1 − o), times the line's width, and evidence for a body also times the line's prior
(`line_weights`: names of elements, place of the title, heading of the comments, links nearby). The body is in the
contiguous segment with the largest sum; the deepest element that contains most of it is its root; lines below the root
are kept unless they are in a box, a caption, a list of links or the numbers beside a listing. The body ends before the
line that names the editor, and before the comments (`trimming`). docs/methods-bp-network.md has the figures of both
forms.
"""

import os
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...article import Article, NoArticle
from ...content import line_membership as keeping
from ...content.assembly import BodyLines, ParsedPage, assemble, read
from ...content.body import Body
from ...content.body_loops import turning_points
from ...content.profile import NO_PROFILE
from ...content.roots import family_shares, find_root
from ...content.trimming import up_to_end
from ...errors import BadModel
from ...html.class_names import NOISE_TAGS
from ...html.lines import Lines
from ...html.paths import MAX_TRIE, PathTrie
from ...page import Page
from ...page_types.non_article import judge
from .features import line_values, source_values, with_neighbours
from .network import USED, VERBATIM, Network, Values, load
from .topic import title_words

METHOD, VERBATIM_METHOD = "bp-network", "bp-network-verbatim"
WEIGHTS = Path(__file__).with_name("weights.json")
VERBATIM_WEIGHTS = Path(__file__).with_name("weights-verbatim.json")
OWN_WEIGHTS = "EXEMPLAR_BP_WEIGHTS"  # environment variable: a file that `train` wrote, used in place of the shipped one

BODY = 0.5  # output above which a single line is body
LIKELY = 0.8  # output of the likeliest line of a page without any above BODY
SURE = 0.98  # outputs above this or below 1 minus this are set to it: no line is certain
LEAST_WIDTH, MOST_WIDTH = 30, 630  # bytes by which the evidence of an empty and of a long line is weighted
NEAR = 3  # lines on either side of a heading outside the root in which there must be body; 3 to 6 give the same
# Share of pages with F1 ≥ .9 by the bytes of the text, sites left out, mean of the sets (`reproduction.bp_network`).
CONFIDENCE = ((300, 0.60), (600, 0.78), (1_500, 0.92), (float("inf"), 0.95))
VERBATIM_CONFIDENCE = 0.57  # the same share for the verbatim form, for any number of bytes


class BpNetwork:
    """A trained network. Between pages it keeps only the classification of element names, as a cache."""

    def __init__(self, network: Network, verbatim: bool = False) -> None:
        self._network = network
        self._verbatim = verbatim
        self._trie = PathTrie()

    def extract(self, page: Page) -> Article | NoArticle:
        """Return the article of `page`. Raises `UnusablePage` if nothing can be read from it."""
        if self._trie.size > MAX_TRIE:
            self._trie = PathTrie()
        parsed = read(page, self._trie)
        return parsed if isinstance(parsed, NoArticle) else assemble(parsed, self.cut(parsed))

    def cut(self, parsed: ParsedPage) -> BodyLines | str:
        """Return the body of a page, or the reason why there is none."""
        outputs = self.outputs(parsed)
        return cut_by_line(outputs) if self._verbatim else cut_by_segment(parsed, outputs)

    def outputs(self, parsed: ParsedPage) -> Values:
        """Return the network's output for each line of a page, 0 to 1, shape (lines,)."""
        return self._network(page_inputs(parsed, self._verbatim))


def page_inputs(parsed: ParsedPage, verbatim: bool) -> Values:
    """Return the 12 inputs of each line of a page, shape (lines, 12)."""
    title = title_words(parsed.head.title)
    if verbatim:
        return with_neighbours(source_values(parsed.lines, title, parsed.page.html))
    return with_neighbours(line_values(parsed.lines, title))


def cut_by_line(outputs: Values) -> BodyLines | str:
    """Return the lines that the network classifies as body, each by itself."""
    kept = np.flatnonzero(outputs > BODY).tolist()
    if not kept:
        return "the network classifies no line as body"
    return BodyLines(
        kept, 0, VERBATIM_METHOD, VERBATIM_CONFIDENCE, f"{len(kept)} of {len(outputs)} lines are classified as body"
    )


def cut_by_segment(parsed: ParsedPage, outputs: Values) -> BodyLines | str:
    """Return the body by the outputs of all lines together, or the reason why there is none."""
    body = find_body(parsed, likeliest(outputs))
    if not body.kept:
        return "no running text: only links and fragments"
    verdict = judge(parsed, body.kept)
    if verdict.refused:
        return verdict.refused
    width = float(parsed.lines.width[body.kept].sum())
    reason = f"{(outputs[body.kept] > BODY).mean():.0%} of the body's lines are classified as body individually"
    of_type = verdict.page_type, verdict.probability
    return BodyLines(body.kept, body.root, METHOD, confidence(width), reason, body.captions, *of_type)


def likeliest(outputs: Values) -> Values:
    """Return the outputs, raised if no line is classified as body: a short text between menus is still the article."""
    highest = float(outputs.max())
    return outputs * (LIKELY / highest) if 0 < highest <= BODY else outputs


def find_body(parsed: ParsedPage, outputs: Values) -> Body:
    """Return the body: the segment with the most evidence, its root, and the lines that belong to it."""
    lines = parsed.lines
    weighed = evidence(lines, outputs)
    weighed = np.where(weighed > 0, weighed * parsed.prior.by_line, weighed)
    head, tail = turning_points(weighed.tolist())
    content = np.zeros(len(lines), np.float32)
    content[head:tail] = (np.minimum(lines.width, MOST_WIDTH) * outputs * parsed.prior.by_line)[head:tail]
    if not content.any():
        return Body([])
    root = find_root(lines, content.tolist())
    kept, captions = below_root(parsed, outputs, content, root, slice(head, tail))
    kept = sorted(kept + headings_beside(parsed, kept, root, slice(head, tail)))
    return Body(up_to_end(kept, lines, parsed.prior), root, head, tail, captions)


def evidence(lines: Lines, outputs: Values) -> Values:
    """Return the evidence of each line for the body (above 0) or against it: log-odds of its output, by its width."""
    bounded = np.minimum(np.maximum(outputs, 1 - SURE), SURE)
    odds: Values = np.log(bounded / (1 - bounded))
    return odds * np.minimum(lines.width + LEAST_WIDTH, MOST_WIDTH)


def below_root(
    parsed: ParsedPage, outputs: Values, content: NDArray[np.float32], root: int, segment: slice
) -> tuple[list[int], list[int]]:
    """Return the lines below the body's root that belong to it, and the captions among them in the segment.

    Consecutive boxes within the segment belong to it if the sum of their evidence is positive; no box outside the
    segment does. A heading that is a link belongs to it. The heading that repeats the page's title does not: the
    article has it as its title.
    """
    lines = parsed.lines
    shares = family_shares(lines, content.tolist())
    standing = np.array(keeping.standing_of(lines, root, shares, parsed.prior, NO_PROFILE))
    inside = np.zeros(len(lines), np.bool_)
    inside[segment] = True
    headings = lines.headings
    boxed = (standing == keeping.IN_SEGMENT) & inside
    boxed &= headings | (outputs > BODY) | in_good_runs(boxed, evidence(lines, outputs))
    below = (standing == keeping.IN) | boxed
    below[keeping.line_numbers(lines)] = False
    unlinked = keeping.without_links(lines, below.tolist(), range(segment.start, segment.stop), root)
    kept = np.array(unlinked, np.bool_) | (below & headings)
    if parsed.prior.title >= 0 and headings[parsed.prior.title]:
        kept[parsed.prior.title] = False
    captions = (standing == keeping.CAPTION) & inside & ~kept
    return np.flatnonzero(kept).tolist(), np.flatnonzero(captions).tolist()


def headings_beside(parsed: ParsedPage, kept: list[int], root: int, segment: slice) -> list[int]:
    """Return the headings outside the body's root with lines of the body near on both sides: titles of sections.

    Headings in noise, by element or by name, are left out.
    """
    lines = parsed.lines
    body = np.zeros(len(lines), np.bool_)
    body[kept] = True
    candidates = np.flatnonzero(lines.headings[segment] & ~body[segment]) + segment.start
    return [
        index
        for index in candidates.tolist()
        if body[max(0, index - NEAR) : index].any()
        and body[index + 1 : index + 1 + NEAR].any()
        and index != parsed.prior.title
        and not _is_below_or_noise(parsed, lines.paths[index], lines.trie.family[root])
    ]


def _is_below_or_noise(parsed: ParsedPage, path: int, root_family: int) -> bool:
    """Whether a path is below the body's root, where `below_root` decides, or in an element that is noise."""
    trie, number, noise = parsed.lines.trie, parsed.lines.outline.number, parsed.prior.noise
    return any(
        trie.family[step] == root_family
        or trie.tag[step] in NOISE_TAGS
        or trie.tag[step] == "figure"
        or noise[number[step]]
        for step in trie.up(path)
    )


def in_good_runs(chosen: NDArray[np.bool_], amounts: Values) -> NDArray[np.bool_]:
    """Return the lines of those runs of chosen lines whose amounts sum up to more than 0."""
    edges = np.flatnonzero(np.diff(chosen, prepend=False, append=False))
    result = np.zeros(len(chosen), np.bool_)
    for start, end in edges.reshape(-1, 2).tolist():
        result[start:end] = amounts[start:end].sum() > 0
    return result


def confidence(width: float) -> float:
    """Return the measured share of pages with the right text among those with a body of `width` bytes."""
    return next(share for limit, share in CONFIDENCE if width < limit)


@cache
def stored(path: Path, form: str) -> Network:
    """Return the weights of a file, read once. Raises `BadModel`."""
    return load(path, form)


def create(example: Page | None) -> BpNetwork:
    """Return the extractor; it does not use the example. Raises `BadModel` for a file that contains no network."""
    own = os.environ.get(OWN_WEIGHTS)
    try:
        return BpNetwork(stored(Path(own) if own else WEIGHTS, USED))
    except BadModel as error:
        raise BadModel(f"{OWN_WEIGHTS}: {error}" if own else str(error)) from None


def create_verbatim(example: Page | None) -> BpNetwork:
    """Return the extractor as in the source; it does not use the example."""
    return BpNetwork(stored(VERBATIM_WEIGHTS, VERBATIM), verbatim=True)
