"""The figure of `example`: the similarity of each line to its partner in the example, and its weight.

Source: 004, its curves FS and BS; by lines and one alignment they are a single sequence (see `similarity`). Below it
are the weights whose largest sum lies between the turning points.
"""

from dataclasses import dataclass

from ...content.body import BodySteps
from ...figures import outcome, with_text
from ...figures.sheet import BLUE, GREEN, Sheet, bars, counted, legend, mark_body, strips, turning_points
from ...page import Page
from ...tracing import traced
from .extractor import Example, cast_all, elect


@dataclass(frozen=True, slots=True)
class LineComparison:
    """A page beside its example, line by line.

    `similarity`: 0 (no partner) to 1 (equal). `weights`: evidence for the body in bytes, negative against it; the body
    lies in the segment of lines `head` up to `tail` (exclusive), which has the largest sum. `kept`: lines of the text.
    `reason`: how the page was extracted.
    """

    method: str
    title: str
    similarity: tuple[float, ...]
    weights: tuple[float, ...]
    head: int
    tail: int
    kept: tuple[int, ...]
    reason: str


def read(method: str, page: Page, example: Page) -> LineComparison:
    """Return the comparison."""
    extractor = Example(example)
    parsed = with_text(extractor.read(page))
    with traced() as trace:
        [vote] = cast_all(extractor.voters, parsed)
    steps = trace.steps_of(BodySteps)[-1]
    kept, reason = outcome(elect(parsed, [vote], extractor.list_like, is_article=extractor.is_article))
    return LineComparison(
        method=method,
        title=parsed.head.title,
        similarity=tuple(vote.similarity),
        weights=tuple(steps.segment.weights),
        head=vote.body.head,
        tail=vote.body.tail,
        kept=kept,
        reason=reason,
    )


def draw(sheet: Sheet, data: LineComparison) -> None:
    """Draw the comparison."""
    lines = counted(len(data.weights), "line")
    sheet.headline(data.method, f"{len(data.kept)} of {lines} are the text", data.reason)
    similar, weighed, strip = panels = sheet.panels(2, 3, 0.7)
    mark_body(panels, data.head - 0.5, data.tail - 0.5)
    similar.stairs(data.similarity, [n - 0.5 for n in range(len(data.similarity) + 1)], fill=True, color=GREEN)
    similar.set_ylim(0, 1.3)
    similar.set_yticks([0, 0.5, 1])
    similar.set_ylabel("similarity to\nthe example")
    if data.tail > data.head:
        places, labels = (data.head - 0.5, data.tail - 0.5), (f"head: line {data.head}", f"tail: line {data.tail}")
        turning_points(similar, places, labels, len(data.weights))
    bars(weighed, data.weights, data.kept)
    weighed.set_ylabel("weight (bytes)")
    legend(weighed, 2)
    strips(strip, [("text", data.kept, BLUE)], offset=-0.5)
    strip.set_xlabel("line of the page")
