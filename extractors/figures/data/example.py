"""The data for the figure of `example`: the similarity of each line to its partner in the example, and its weight.

Source: 004, its curves FS and BS; by lines and one alignment they are a single sequence (see `similarity`).
"""

from dataclasses import dataclass

from ...content.turning_points import weights_in_segment
from ...methods.example import Example, cast, compare, elect
from ...page import Page
from .pages import outcome, with_text


@dataclass(frozen=True, slots=True)
class LineComparison:
    """A page beside its example, line by line.

    `similarity`: 0 (no partner) to 1 (equal). `weights`: evidence for the body in bytes, negative against it; the body
    lies in the segment of lines `head` up to `tail` (exclusive), which has the largest sum. `kept`: lines of the text.
    `match`: share of the surrounding lines that the example shares, 0 to 1. `reason`: how the page was extracted.
    """

    method: str
    title: str
    similarity: tuple[float, ...]
    weights: tuple[float, ...]
    head: int
    tail: int
    kept: tuple[int, ...]
    match: float
    reason: str


def read(method: str, page: Page, example: Page | None) -> LineComparison:
    """Return the comparison. Raises `ValueError` without an example."""
    if example is None:
        raise ValueError(f"method {method!r} needs an example page")
    extractor = Example(example)
    parsed = with_text(extractor.read(page))
    [voter] = extractor.voters
    found, vote = compare(voter, parsed), cast(voter, parsed)
    weights = weights_in_segment(parsed.lines, found.evidence)
    kept, reason = outcome(elect(parsed, [vote], extractor.list_like, is_article=extractor.is_article))
    return LineComparison(
        method=method,
        title=parsed.head.title,
        similarity=tuple(found.similarity.page),
        weights=tuple(weights),
        head=vote.body.head,
        tail=vote.body.tail,
        kept=kept,
        match=vote.match,
        reason=reason,
    )
