"""The figure of `density`: the weight of each line, the segment with the largest sum, and the body's root."""

from dataclasses import dataclass

import numpy as np

from ...content.assembly import read as read_page
from ...content.body import BodySteps
from ...figures import element_name, outcome, with_text
from ...figures.sheet import BLUE, ORANGE, Sheet, bars, counted, fit, legend, mark_body, strips, turning_points
from ...html.paths import PathTrie
from ...page import Page
from ...tracing import traced
from .extractor import find_body


@dataclass(frozen=True, slots=True)
class LineWeights:
    """A page without an example, line by line.

    `weights`: evidence for the body in bytes, negative against it; the body lies in the segment of lines `head` up to
    `tail` (exclusive), which has the largest sum. `root`: name of the deepest element that contains most of it;
    `below`: the lines in it. `kept`: lines of the text. `reason`: how the page was extracted.
    """

    method: str
    title: str
    weights: tuple[float, ...]
    head: int
    tail: int
    root: str
    below: tuple[int, ...]
    kept: tuple[int, ...]
    reason: str


def read(method: str, page: Page, example: Page | None) -> LineWeights:
    """Return the weights; the example is not used."""
    parsed = with_text(read_page(page, PathTrie()))
    lines, trie = parsed.lines, parsed.lines.trie
    with traced() as trace:
        kept, reason = outcome(find_body(parsed))
    [steps, *_] = trace.steps_of(BodySteps)
    body = steps.body
    inside = [not body.root or body.root in trie.up(path) for path in lines.paths]
    return LineWeights(
        method=method,
        title=parsed.head.title,
        weights=tuple(steps.segment.weights),
        head=body.head,
        tail=body.tail,
        root=element_name(trie.tag[body.root], trie.classes[body.root]),
        below=tuple(np.flatnonzero(inside).tolist()),
        kept=kept,
        reason=reason,
    )


def draw(sheet: Sheet, data: LineWeights) -> None:
    """Draw the weights."""
    lines = counted(len(data.weights), "line")
    sheet.headline(data.method, f"{len(data.kept)} of {lines} are the text", data.reason)
    weighed, strip = panels = sheet.panels(4, 1.2)
    mark_body(panels, data.head - 0.5, data.tail - 0.5)
    bars(weighed, data.weights, data.kept)
    weighed.set_ylabel("weight (bytes)")
    weighed.margins(y=0.18)
    if data.tail > data.head:
        places, labels = (data.head - 0.5, data.tail - 0.5), (f"head: line {data.head}", f"tail: line {data.tail}")
        turning_points(weighed, places, labels, len(data.weights))
    legend(weighed, 2)
    root = f"in root {fit(data.root, 18)}"
    strips(strip, [("text", data.kept, BLUE), (root, data.below, ORANGE)], offset=-0.5)
    strip.set_xlabel("line of the page")
