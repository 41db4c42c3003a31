"""From a page to its body by the network's outputs.

`bp-network-verbatim` ends where the source ends: a line whose output is above 0.5 is body. Single lines are often
misjudged in this way, such as a short paragraph, a heading or a line of code, and every page has some.

`bp-network` judges the lines of a page together, by the rules of the other methods. The outputs are summed as evidence:
the logarithm of o / (1 − o), times the line's width, and evidence for a body also times the line's prior
(`line_weights`: names of elements, place of the title, heading of the comments, links nearby). The body is in the
contiguous segment with the largest sum; the deepest element that contains most of it is its root; lines below the root
are kept unless they are in a box, a caption or a list of links. The body ends before the
line that names the editor, and before the comments (`trimming`). docs/methods-bp-network.md has the figures of both
forms.
"""

import os
from functools import cache
from itertools import compress
from math import log
from operator import and_
from pathlib import Path

from ...content import line_membership as keeping
from ...content.assembly import BodyLines, PageByPage, ParsedPage
from ...content.body import Body
from ...content.line_membership import IN, IN_SEGMENT, without_links
from ...content.profile import NO_PROFILE
from ...content.roots import content_of_paths, find_root
from ...content.trimming import up_to_end
from ...content.turning_points import segment_weights, turning_points
from ...errors import BadModel
from ...html.class_names import NOISE_TAGS
from ...page import Page
from ...page_types.classify import judge
from .line_inputs import line_values, source_values, with_neighbours
from .network import BODY, USED, VERBATIM, Network, Values, load
from .words import title_words

METHOD, VERBATIM_METHOD = "bp-network", "bp-network-verbatim"
WEIGHTS = Path(__file__).with_name("weights.json")
VERBATIM_WEIGHTS = Path(__file__).with_name("weights-verbatim.json")
OWN_WEIGHTS = "EXEMPLAR_BP_WEIGHTS"  # environment variable: a file that `train` wrote, used in place of the shipped one

SURE = 0.98  # outputs above this or below 1 minus this are set to it: no line is certain
LEAST_WIDTH, MOST_WIDTH = 30, 630  # bytes by which the evidence of an empty and of a long line is weighted
NEAR = 3  # lines on either side of a heading outside the root in which there must be body; 3 to 6 give the same
LIKELY = 0.8  # output of the likeliest line of a page without any above BODY
# Share of pages with F1 ≥ .9 by the bytes of the text, sites left out, mean of the sets (`reproduction.bp_network`).
CONFIDENCE = ((300, 0.60), (600, 0.78), (1_500, 0.92), (float("inf"), 0.95))
VERBATIM_CONFIDENCE = 0.57  # the same share for the verbatim form, for any number of bytes


class BpNetwork:
    """A trained network."""

    def __init__(self, network: Network, verbatim: bool = False) -> None:
        self._network = network
        self._verbatim = verbatim

    def find_body(self, parsed: ParsedPage) -> BodyLines | str:
        """Return the body of a page, or the reason why there is none."""
        outputs = self.outputs(parsed)
        return cut_by_line(outputs) if self._verbatim else cut_by_segment(parsed, outputs)

    def outputs(self, parsed: ParsedPage) -> list[float]:
        """Return the network's output for each line of a page, 0 to 1."""
        found: list[float] = self._network(page_inputs(parsed, self._verbatim)).tolist()
        return found


def page_inputs(parsed: ParsedPage, verbatim: bool) -> Values:
    """Return the inputs of a page's lines, shape (lines, 12)."""
    title = title_words(parsed.head.title, verbatim)
    if verbatim:
        return with_neighbours(source_values(parsed.lines, title, parsed.page.html))
    return with_neighbours(line_values(parsed.lines, title))


def cut_by_line(outputs: list[float]) -> BodyLines | str:
    """Return the lines that the network classifies as body, each by itself."""
    kept = [line for line, output in enumerate(outputs) if output > BODY]
    if not kept:
        return "the network classifies no line as body"
    return BodyLines(
        kept, 0, VERBATIM_METHOD, VERBATIM_CONFIDENCE, f"{len(kept)} of {len(outputs)} lines are classified as body"
    )


def cut_by_segment(parsed: ParsedPage, outputs: list[float]) -> BodyLines | str:
    """Return the body by the outputs of all lines together, or the reason why there is none."""
    body = find_body(parsed, likeliest(outputs))
    if not body.kept:
        return "no running text: only links and fragments"
    verdict = judge(parsed, body.kept)
    if verdict.refused:
        return verdict.refused
    share = sum([outputs[line] > BODY for line in body.kept]) / len(body.kept)
    reason = f"{share:.0%} of the body's lines are classified as body individually"
    sure = confidence(sum(map(parsed.lines.widths.__getitem__, body.kept)))
    return BodyLines(body.kept, body.root, METHOD, sure, reason, body.captions, verdict.page_type, verdict.probability)


def likeliest(outputs: list[float]) -> list[float]:
    """Return the outputs, raised if no line is classified as body: a short text between menus is still the article."""
    highest = max(outputs)
    return [output * (LIKELY / highest) for output in outputs] if 0 < highest <= BODY else outputs


def find_body(parsed: ParsedPage, outputs: list[float]) -> Body:
    """Return the body: the segment with the most evidence, its root, and the lines that belong to it."""
    lines, factors = parsed.lines, parsed.prior.factors
    evidence = evidence_of_lines(outputs, lines.widths)
    head, tail = turning_points(segment_weights(evidence, factors, []))
    inside, content = slice(head, tail), [0.0] * len(lines)
    content[inside] = [
        min(width, MOST_WIDTH) * output * factor  # bytes that the line adds to the body
        for width, output, factor in zip(lines.widths[inside], outputs[inside], factors[inside], strict=True)
    ]
    if not any(content):
        return Body([])
    of_paths = content_of_paths(lines, content)
    root = find_root(lines, of_paths)
    standing = keeping.standing_of(lines, root, of_paths.shares, parsed.prior, NO_PROFILE)
    below = lines_below(standing, outputs, evidence, lines.are_headings, head, tail)
    kept = below_root(parsed, below, root, range(head, tail))
    captions = keeping.caption_lines(standing, kept, set(), head, tail)
    for line in headings_beside(parsed, kept, root, range(head, tail)):
        kept[line] = True
    whole = list(compress(range(len(kept)), kept))
    return Body(up_to_end(whole, lines, parsed.prior), root, head, tail, captions)


def evidence_of_lines(outputs: list[float], widths: list[float]) -> list[float]:
    """Return the evidence of each line for the body (above 0) or against it: log-odds of its output, by its width."""
    found = []
    for output, width in zip(outputs, widths, strict=True):
        output = SURE if output > SURE else 1 - SURE if output < 1 - SURE else output
        found.append(log(output / (1 - output)) * min(width + LEAST_WIDTH, MOST_WIDTH))
    return found


def lines_below(
    standing: list[int], outputs: list[float], evidence: list[float], headings: list[bool], head: int, tail: int
) -> list[bool]:
    """Return whether each line is below the body's root and belongs to it, by its element and its evidence.

    Consecutive boxes from `head` to before `tail` belong to it if the sum of their evidence is positive, otherwise only
    their headings and the lines that are body individually. `standing`: see `line_membership`.
    """
    found = [relation == IN for relation in standing]
    line = head
    while line < tail:
        end = line
        while end < tail and standing[end] == IN_SEGMENT:
            end += 1
        together = end > line and sum(evidence[line:end]) > 0
        for boxed in range(line, end):
            found[boxed] = together or outputs[boxed] > BODY or headings[boxed]
        line = end + 1
    return found


def below_root(parsed: ParsedPage, below: list[bool], root: int, segment: range) -> list[bool]:
    """Return the lines `below` the body's root without those that are links.

    A heading that is a link stays. The heading that repeats the page's title does not: the article has it as its title.
    """
    lines, title = parsed.lines, parsed.prior.title
    unlinked = without_links(lines, below, segment, root)
    kept = [stays or heading for stays, heading in zip(unlinked, map(and_, below, lines.are_headings), strict=True)]
    if title >= 0 and lines.are_headings[title]:
        kept[title] = False
    return kept


def headings_beside(parsed: ParsedPage, kept: list[bool], root: int, segment: range) -> list[int]:
    """Return the headings outside the body's root with lines of the body near on both sides: titles of sections.

    Headings in noise, by element or by name, are left out.
    """
    lines = parsed.lines
    near = headings_near(kept, lines.are_headings, segment.start, segment.stop)
    family = lines.trie.family[root]
    return [
        line
        for line in near
        if line != parsed.prior.title and not _is_below_or_noise(parsed, lines.paths[line], family)
    ]


def headings_near(kept: list[bool], headings: list[bool], head: int, tail: int) -> list[int]:
    """Return the headings from `head` to before `tail` that are not kept, with kept lines near on both sides."""
    found = [line for line in range(head, tail) if headings[line] and not kept[line]]
    return [
        line for line in found if True in kept[max(line - NEAR, 0) : line] and True in kept[line + 1 : line + 1 + NEAR]
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


def confidence(width: float) -> float:
    """Return the measured share of pages with the right text among those with a body of `width` bytes."""
    return next(share for limit, share in CONFIDENCE if width < limit)


@cache
def stored(path: Path, form: str) -> Network:
    """Return the weights of a file, read once. Raises `BadModel`."""
    return load(path, form)


def create(example: Page | None) -> PageByPage:
    """Return the extractor; it does not use the example. Raises `BadModel` as `network_in_use` does."""
    return PageByPage(network_in_use(METHOD).find_body)


def create_verbatim(example: Page | None) -> PageByPage:
    """Return the extractor as in the source; it does not use the example. Raises `BadModel` as `create` does."""
    return PageByPage(network_in_use(VERBATIM_METHOD).find_body)


def network_in_use(method: str) -> BpNetwork:
    """Return the network of one of both methods.

    Raises `BadModel` if the file that `OWN_WEIGHTS` names is no network, or one of the other form.
    """
    own, verbatim = os.environ.get(OWN_WEIGHTS), method == VERBATIM_METHOD
    shipped, form = (VERBATIM_WEIGHTS, VERBATIM) if verbatim else (WEIGHTS, USED)
    try:
        return BpNetwork(stored(Path(own) if own else shipped, form), verbatim)
    except BadModel as error:
        raise BadModel(f"{OWN_WEIGHTS}: {error}" if own else str(error)) from None
