"""The types of an explanation; frozen, without references to the page's tree."""

from dataclasses import dataclass, field
from typing import Literal

from ..article import Article, NoArticle

Decision = Literal[
    "kept", "caption", "head", "tail", "outside", "template", "noise", "box", "link", "words", "model", "refused",
    "other",
]  # fmt: skip
DECISIONS: dict[Decision, str] = {  # the meaning of each, in the order of legends
    "kept": "kept: a line of the text",
    "caption": "a caption or an embedded post: beside the text",
    "head": "before the body's head",
    "tail": "after the body's tail",
    "outside": "outside the body's element",
    "template": "boilerplate: other pages of the section have it too",
    "noise": "not content: navigation, advertisement, comments …",
    "box": "in a small box of its own",
    "link": "a link, a link list or a teaser",
    "words": "boilerplate by its words",
    "model": "left out by the line model",
    "refused": "the page is no article",
    "other": "not in the method's answer",
}


@dataclass(frozen=True, slots=True)
class ExplainedLine:
    """A line of a page and what became of it. `number`: from 0; `element`: the end of its path; `reason`: in words.

    `width`: UTF-8 bytes; `linked`: share inside links, 0 to 1; `weight`: bytes for the body, negative against it;
    `similarity` to its partner in the example, 0 to 1; `chance`: of being body, by the line model. None: not computed.
    """

    number: int
    text: str
    element: str
    decision: Decision
    reason: str
    width: int
    linked: float
    weight: float | None = None
    similarity: float | None = None
    chance: float | None = None

    @property
    def kept(self) -> bool:
        """Return whether the line is part of the text."""
        return self.decision == "kept"


@dataclass(frozen=True, slots=True)
class FieldCandidate:
    """A value at a place of the page that may contain a field.

    `state`: taken, the same (it agrees with the one taken, a date by its day), or lost.
    """

    place: str
    value: str
    state: Literal["taken", "same", "lost"]


@dataclass(frozen=True, slots=True)
class ExplainedField:
    """A field of the article, its value as text ("" for none), and where the page has values for it."""

    name: str
    value: str
    candidates: tuple[FieldCandidate, ...]

    @property
    def place(self) -> str:
        """Return where the value comes from; "" if there is none."""
        return next((candidate.place for candidate in self.candidates if candidate.state == "taken"), "")


@dataclass(frozen=True, slots=True)
class Ground:
    """A value on which the confidence is based: its name, its value on this page, and its meaning."""

    name: str
    value: str
    meaning: str


@dataclass(frozen=True, slots=True)
class LineCurves:
    """The values that a method computed for each line; empty if it computed none.

    `similarity`: to the example's lines (FS and BS are one sequence here); `weights`: bytes for the body, whose largest
    sum is from `head` up to `tail` (exclusive), the turning points.
    """

    similarity: tuple[float, ...] = ()
    weights: tuple[float, ...] = ()
    head: int = 0
    tail: int = 0


@dataclass(frozen=True, slots=True)
class Explanation:
    """One extraction, explained. `root`: the name of the body's element, "" if the method has none."""

    result: Article | NoArticle
    lines: tuple[ExplainedLine, ...]
    curves: LineCurves = field(default_factory=LineCurves)
    root: str = ""
    grounds: tuple[Ground, ...] = ()
    fields: tuple[ExplainedField, ...] = ()

    @property
    def body(self) -> tuple[int, int]:
        """Return the first line of the text and the one after its last; (0, 0) if there is none."""
        kept = [line.number for line in self.lines if line.kept]
        return (kept[0], kept[-1] + 1) if kept else (0, 0)
