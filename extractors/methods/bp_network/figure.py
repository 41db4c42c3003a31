"""The figures of `bp-network` and `bp-network-verbatim`: the network's output for each line.

The outputs are beside the threshold above which a single line is body.
"""

from dataclasses import dataclass

from ...content.assembly import read as read_page
from ...figures import outcome, with_text
from ...figures.sheet import BLUE, Sheet, bars, counted, legend, strips, threshold
from ...html.paths import PathTrie
from ...page import Page
from .extractor import network_in_use
from .network import BODY


@dataclass(frozen=True, slots=True)
class LineOutputs:
    """The network's judgement. `outputs`: of each line, 0 (noise) to 1 (body); `threshold`: a single line above it is
    body.

    `kept`: lines of the text. `reason`: how the page was extracted.
    """

    method: str
    title: str
    outputs: tuple[float, ...]
    threshold: float
    kept: tuple[int, ...]
    reason: str


def read(method: str, page: Page, example: Page | None) -> LineOutputs:
    """Return the outputs; the example is not used. Raises `BadModel` for a file that contains no weights."""
    network = network_in_use(method)
    parsed = with_text(read_page(page, PathTrie()))
    kept, reason = outcome(network.find_body(parsed))
    return LineOutputs(method, parsed.head.title, tuple(network.outputs(parsed)), BODY, kept, reason)


def draw(sheet: Sheet, data: LineOutputs) -> None:
    """Draw the outputs."""
    lines = counted(len(data.outputs), "line")
    sheet.headline(data.method, f"{len(data.kept)} of {lines} are the text", data.reason)
    output, strip = sheet.panels(4, 0.7)
    bars(output, data.outputs, data.kept)
    threshold(output, data.threshold, f"threshold: {data.threshold:g}")
    output.set_ylim(0, 1.02)
    output.set_yticks([0, 0.25, 0.5, 0.75, 1])
    output.set_ylabel("output: 0 noise, 1 body")
    legend(output, 2)
    strips(strip, [("text", data.kept, BLUE)], offset=-0.5)
    strip.set_xlabel("line of the page")
