"""FS and BS by lines as one sequence, above the weights whose largest sum lies between the turning points."""

from ..data.example import LineComparison
from .lines import bars
from .sheet import BLUE, GREEN, Sheet, counted, legend, mark_body, strips, turning_points


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
    bars(weighed, data.weights, data.kept, "other line")
    weighed.set_ylabel("weight (bytes)")
    legend(weighed, 2)
    strips(strip, [("text", data.kept, BLUE)], offset=-0.5)
    strip.set_xlabel("line of the page")
