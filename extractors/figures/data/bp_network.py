"""The data for the figures of `bp-network` and `bp-network-verbatim`: the network's output for each line."""

from dataclasses import dataclass

from ...content.assembly import read as read_page
from ...html.paths import PathTrie
from ...methods.bp_network import create, create_verbatim
from ...methods.bp_network.extractor import VERBATIM_METHOD
from ...methods.bp_network.network import BODY
from ...page import Page
from .pages import outcome, with_text


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
    network = (create_verbatim if method == VERBATIM_METHOD else create)(None)
    parsed = with_text(read_page(page, PathTrie()))
    kept, reason = outcome(network.find_body(parsed))
    return LineOutputs(method, parsed.head.title, tuple(network.outputs(parsed)), BODY, kept, reason)
