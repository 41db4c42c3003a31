"""The steps that an extraction noted → for each line of the page a decision and its reason."""

import re
from collections.abc import Callable, Collection, Sequence

import numpy as np
from rapidfuzz.distance import LCSseq

from ..article import Article, NoArticle
from ..content import line_membership as keeping
from ..content.assembly import Assembling, BodyLines
from ..content.body import REPEATED, BodySteps
from ..content.trimming import Trimming
from ..html.class_names import NOISE_TAGS
from ..html.lines import Lines
from ..html.paths import COMMENT, PathTrie
from ..methods.density.extractor import Decision as BodyDecision
from ..methods.example.extractor import deciding, deciding_steps
from ..tracing import Trace
from .values import Decision, ExplainedLine

ELEMENTS_NAMED = 3  # elements of a line's path that are named
NO_ACCIDENT = 20  # characters from which a line that occurs in a text does not occur there by accident
MOST_SEARCHED = 1_000_000_000  # lines × characters, up to which joined lines are found, too; it takes a second
_BREAK = re.compile(r"[\n\t]+")
Reason = tuple[Decision, str]
Judge = Callable[[int], Reason]


def explained_lines(trace: Trace, lines: Lines, result: Article | NoArticle) -> list[ExplainedLine]:
    """Return each line of the page that was extracted within `trace`, with what became of it; `result`: its answer."""
    steps = deciding_steps(trace)
    judge = judge_of(trace, lines, result)
    decision = deciding(trace)
    opinion = decision.opinion if decision is not None else None
    links = (lines.linked / np.maximum(lines.width, 1)).tolist()
    compared = steps is not None and any(steps.evidence.similarity)
    weights = rounded(steps.segment.weights) if steps is not None else []
    elements = {path: element_of(lines.trie, path) for path in {*lines.paths}}
    return [
        ExplainedLine(
            number,
            text,
            elements[lines.paths[number]],
            *judge(number),
            width=int(lines.width[number]),
            linked=links[number],
            weight=None if steps is None else weights[number],
            similarity=steps.evidence.similarity[number] if steps is not None and compared else None,
            chance=None if opinion is None else float(opinion.chance[number]),
        )
        for number, text in enumerate(lines.texts)
    ]


def judge_of(trace: Trace, lines: Lines, result: Article | NoArticle) -> Judge:
    """Return the function that gives the decision on a line and its reason."""
    decision, assembling = deciding(trace), trace.last(Assembling)
    body = assembling.body if assembling is not None and assembling.parsed.lines is lines else None
    kept = set(body.kept) if isinstance(body, BodyLines) else lines_in(lines.texts, result.text)
    captions = set(body.captions) if isinstance(body, BodyLines) else set[int]()
    judge = _judge_by_answer(kept, result) if decision is None else _ByDecision(trace, decision).reason
    if isinstance(result, NoArticle):
        refused: Reason = "refused", result.reason
        return lambda line: refused if decision is None or judge(line)[0] == "kept" else judge(line)
    text = " ".join(result.text.split())

    def judge_with_rest(line: int) -> Reason:
        """Add what was found after the decision, and what is kept in a block that is not in the text."""
        found, reason = judge(line)
        if body is not None and found != "kept" and line in kept:
            found, reason = "kept", "an attachment or a note that follows the text"
        if found != "caption" and line in captions:
            return "caption", "a caption of a picture between blocks of the text or after it"
        if found == "kept" and " ".join(lines.texts[line].split()) not in text:
            return "caption", f"in a block that the text leaves out, such as an embedded post; {reason}"
        return found, reason

    return judge_with_rest


def _judge_by_answer(kept: Collection[int], result: Article | NoArticle) -> Judge:
    method = "" if isinstance(result, NoArticle) else result.method
    return lambda line: (
        ("kept", f"in the answer of {method}") if line in kept else ("other", f"not in the answer of {method}")
    )


class _ByDecision:
    """The reasons by the rules, or by the vote of several pages, and then by the line model."""

    def __init__(self, trace: Trace, decision: BodyDecision) -> None:
        self._chosen, steps = set(decision.rules.kept), deciding_steps(trace)
        self._strictly = None if steps is None else _ByRules(steps)
        trimming = trace.last(Trimming, before=decision)
        self._removed = trimming.removed if trimming is not None else {}
        self._opinion = decision.opinion
        self._kept = set(self._opinion.kept) if self._opinion is not None else set[int]()

    def reason(self, line: int) -> Reason:
        """Return the decision on a line and its reason."""
        opinion = self._opinion
        if opinion is None or bool(opinion.rules[line]) == (line in self._kept):
            return self._by_rules(line)
        chance = f"probability {opinion.chance[line]:.0%}"
        if opinion.rules[line]:
            return "model", f"the line model removes it: {chance}"
        return "kept", f"the line model adds it: {chance}; without it: {self._by_rules(line)[1]}"

    def _by_rules(self, line: int) -> Reason:
        if line in self._removed:
            return "words", self._removed[line]
        why: Reason = ("other", "no body was found") if self._strictly is None else self._strictly.reason(line)
        if line not in self._chosen or why[0] == "kept":
            return why
        return "kept", f"the rules would leave nothing, so they are relaxed; strictly: {why[1]}"


class _ByRules:
    """The reasons for the decisions of one call of `body.find_body`."""

    def __init__(self, steps: BodySteps) -> None:
        self._steps, self._lines, self._trie = steps, steps.lines, steps.lines.trie
        self._kept = set(steps.body.kept)
        self._root = element_of(self._trie, steps.body.root) if steps.body.root else "the page"
        self._teasers = frozenset(steps.lines.teaser_lines)
        self._similarity = np.array(steps.evidence.similarity, np.float32)

    def reason(self, line: int) -> Reason:
        """Return the decision on a line and the rule behind it."""
        if line in self._kept:
            return "kept", f"in {self._root}, the body's element{self._partner(line)}"
        if not self._steps.standing:
            return "outside", "no line of the page indicates a body"
        standing = self._steps.standing[line]
        if standing == keeping.OUTSIDE:
            return self._outside(line)
        if standing < keeping.CAPTION:
            return "noise", self._noise(line, standing)
        if standing == keeping.CAPTION:
            return "caption", "a caption, or beside a picture in its element"
        if line in self._teasers:
            return "link", "a teaser: it follows a link in the same block"
        if self._lines.link_lines[line] and line not in self._steps.template:
            return "link", f"{self._lines.linked[line] / self._lines.width[line]:.0%} of it is links"
        return self._inside(line, standing)

    def _inside(self, line: int, standing: int) -> Reason:
        """Return why a line below the root, neither noise nor a link, is left out."""
        if line in self._steps.template:
            return (
                "template",
                f"repeats other pages of the section (similarity {self._similarity[line]:.2f}) where they have no body",
            )
        if line in self._steps.under_picture:
            return "caption", "a short line under a picture"
        box = self._around(line, self._is_box)
        return ("box", f"in the box {box}") if standing == keeping.IN_SEGMENT else ("other", "left out")

    def _outside(self, line: int) -> Reason:
        place = f"outside {self._root}, the body's element"
        if self._similarity[line] >= REPEATED:
            return (
                "template",
                f"other pages of the section have it too (similarity {self._similarity[line]:.2f}); {place}",
            )
        if named := next(filter(self._is_noise, self._trie.up(self._lines.paths[line])), 0):
            return "noise", f"in {element_of(self._trie, named, 1)}, navigation or advertisement by its name; {place}"
        if self._lines.link_lines[line]:
            return "link", f"{self._lines.linked[line] / self._lines.width[line]:.0%} of it is links; {place}"
        if line < self._steps.segment.head:
            return "head", f"before the turning point at line {self._steps.segment.head}; {place}"
        if line >= self._steps.segment.tail:
            return "tail", f"after the turning point at line {self._steps.segment.tail}; {place}"
        return "outside", place

    def _noise(self, line: int, standing: int) -> str:
        if standing == keeping.NOISE_ELEMENT:
            return f"in {self._around(line, lambda path: self._trie.tag[path] in NOISE_TAGS)}, no element of a body"
        if standing == keeping.COMMENTS:
            return f"in {self._around(line, lambda path: self._trie.mark[path] == COMMENT)}, comments by its name"
        return f"in {self._around(line, self._is_noise)}, navigation or advertisement by its name"

    def _partner(self, line: int) -> str:
        if not self._similarity.any():
            return ""
        if self._similarity[line] > 0:
            return (
                f"; other pages of the section have it too (similarity {self._similarity[line]:.2f}), in their bodies"
            )
        return "; not on other pages of the section"

    def _is_noise(self, path: int) -> bool:
        return bool(self._steps.evidence.prior.noise[self._lines.outline.number[path]])

    def _is_box(self, path: int) -> bool:
        share = self._steps.shares[self._lines.outline.number[path]]
        return self._trie.is_wrapper(path) and share < keeping.WRAPPER_SHARE

    def _around(self, line: int, fits: Callable[[int], bool]) -> str:
        """Return the name of the nearest element around a line that fits, and its share of the content."""
        path = next(filter(fits, self._trie.up(self._lines.paths[line], self._steps.body.root)), 0)
        share = self._steps.shares[self._lines.outline.number[path]] if path else 0.0
        return f"{element_of(self._trie, path, 1)} ({share:.0%} of the content)" if path else "an element"


def rounded(amounts: Sequence[float]) -> list[float]:
    """Return numbers with the digits of a float32."""
    found: list[float] = np.array(amounts, np.float32).tolist()
    return found


def element_of(trie: PathTrie, path: int, most: int = ELEMENTS_NAMED) -> str:
    """Return the names of an element and of up to `most` - 1 around it, as a selector writes them."""
    names = []
    for step in trie.up(path):
        first = trie.classes[step].split()[:1]
        names.append(".".join([trie.tag[step], *first]))
        if len(names) == most:
            break
    return " > ".join(reversed(names)) or "page"


def lines_in(lines: Sequence[str], text: str) -> set[int]:
    """Return the lines of a page that occur, in order, in a text extracted from it.

    Lines that the text joins to others, such as those of an item, are found if they are too long to match by accident.
    """
    flat = " ".join(text.split())
    pieces = [" ".join(piece.split()) for piece in _BREAK.split(text)]
    ours = [" ".join(line.split()) for line in lines]
    found: set[int] = set()
    for run in LCSseq.opcodes([hash(line) for line in ours], [hash(piece) for piece in pieces if piece]):
        if run.tag == "equal":
            found.update(range(run.src_start, run.src_end))
    if len(ours) * len(flat) > MOST_SEARCHED:
        return found
    return found | {number for number, line in enumerate(ours) if len(line) >= NO_ACCIDENT and line in flat}
