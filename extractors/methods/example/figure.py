"""The figure of `density` and `example`: the weight of each line, beside an example also its similarity, and the body.

Source: 004, its curves FS and BS; by lines and one alignment they are a single sequence (see `similarity`). The largest
sum of the weights lies between the turning points, and the body's root is the element that holds most of it.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ...content.assembly import Assembling
from ...content.body import BodySteps
from ...figures import NoFigure, element_name, outcome
from ...figures.sheet import BLUE, GREEN, ORANGE, Sheet, bars, counted, fit, legend, mark_body, strips, turning_points
from ...page import Page
from ...registry import create
from ...tracing import traced
from ..density import extractor as density
from .extractor import METHOD, deciding_steps


class WeighedLines(NamedTuple):
    """A page line by line: the steps by which its body was found, the lines of the text, and the reason."""

    method: str
    title: str
    steps: BodySteps
    kept: Sequence[int]
    reason: str


def read(method: str, page: Page, example: Page | None) -> WeighedLines:
    """Return the steps of the extraction; of `auto` and `example` it may be that of the page alone."""
    with traced() as trace:
        found = create(method, example).extract(page)
    steps, assembling = deciding_steps(trace), trace.last(Assembling)
    if steps is None or assembling is None:
        raise NoFigure(found.reason)
    used = found.method if found else METHOD if example is not None and method != density.METHOD else density.METHOD
    return WeighedLines(used, assembling.parsed.head.title, steps, *outcome(assembling.body))


def draw(sheet: Sheet, data: WeighedLines) -> None:
    """Draw similarity, if there is one, and weights."""
    steps, weights, similarity = data.steps, data.steps.segment.weights, data.steps.evidence.similarity
    head, tail = data.steps.segment.head, data.steps.segment.tail
    sheet.headline(data.method, f"{len(data.kept)} of {counted(len(weights), 'line')} are the text", data.reason)
    panels = sheet.panels(2, 3, 1.2) if any(similarity) else sheet.panels(4, 1.2)
    *_, weighed, strip = panels
    mark_body(panels, head - 0.5, tail - 0.5)
    if any(similarity):
        panels[0].stairs(similarity, [n - 0.5 for n in range(len(similarity) + 1)], fill=True, color=GREEN)
        panels[0].set_ylim(0, 1.3)
        panels[0].set_yticks([0, 0.5, 1])
        panels[0].set_ylabel("similarity to\nthe example")
    bars(weighed, weights, data.kept)
    weighed.set_ylabel("weight (bytes)")
    weighed.margins(y=0.18)
    if tail > head:
        turning_points(panels[0], (head - 0.5, tail - 0.5), (f"head: line {head}", f"tail: line {tail}"), len(weights))
    legend(weighed, 2)
    trie, root = steps.lines.trie, steps.body.root
    below = [line for line, path in enumerate(steps.lines.paths) if not root or root in trie.up(path)]
    name = f"in root {fit(element_name(trie.tag[root], trie.classes[root]), 18)}"
    strips(strip, [("text", data.kept, BLUE), (name, below, ORANGE)], offset=-0.5)
    strip.set_xlabel("line of the page")
