"""The weights of a page's lines by themselves, the segment with the largest sum, and the body's root."""

from ..data.density import LineWeights
from .lines import bars
from .sheet import BLUE, ORANGE, Sheet, counted, fit, legend, mark_body, strips, turning_points


def draw(sheet: Sheet, data: LineWeights) -> None:
    """Draw the weights."""
    lines = counted(len(data.weights), "line")
    sheet.headline(data.method, f"{len(data.kept)} of {lines} are the text", data.reason)
    weighed, strip = panels = sheet.panels(4, 1.2)
    mark_body(panels, data.head - 0.5, data.tail - 0.5)
    bars(weighed, data.weights, data.kept, "other line")
    weighed.set_ylabel("weight (bytes)")
    weighed.margins(y=0.18)
    if data.tail > data.head:
        places, labels = (data.head - 0.5, data.tail - 0.5), (f"head: line {data.head}", f"tail: line {data.tail}")
        turning_points(weighed, places, labels, len(data.weights))
    legend(weighed, 2)
    root = f"in root {fit(data.root, 18)}"
    strips(strip, [("text", data.kept, BLUE), (root, data.below, ORANGE)], offset=-0.5)
    strip.set_xlabel("line of the page")
