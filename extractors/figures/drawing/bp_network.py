"""The network's output for each line, beside the threshold above which a single line is body."""

from ..data.bp_network import LineOutputs
from .lines import bars
from .sheet import BLUE, Sheet, counted, legend, strips, threshold


def draw(sheet: Sheet, data: LineOutputs) -> None:
    """Draw the outputs."""
    lines = counted(len(data.outputs), "line")
    sheet.headline(data.method, f"{len(data.kept)} of {lines} are the text", data.reason)
    output, strip = sheet.panels(4, 0.7)
    bars(output, data.outputs, data.kept, "other line")
    threshold(output, data.threshold, f"threshold: {data.threshold:g}")
    output.set_ylim(0, 1.02)
    output.set_yticks([0, 0.25, 0.5, 0.75, 1])
    output.set_ylabel("output: 0 noise, 1 body")
    legend(output, 2)
    strips(strip, [("text", data.kept, BLUE)], offset=-0.5)
    strip.set_xlabel("line of the page")
