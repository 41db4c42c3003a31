"""Numbers about the page's type, by the body that the rules find on the page: 12 of them.

An article's body is one run of text; on a list the same rules find texts that each follow a link, are among links, or
are a small part of the page.
"""

from math import log1p

import numpy as np

from ..content.line_weights import Prior
from ..html.lines import Lines

PROSE_LINE = 150  # bytes of a line that is no scrap
NEAR_TITLE = 6  # lines from the title to a body that is surely the titled one


def body_features(lines: Lines, prior: Prior, kept: list[int]) -> dict[str, float]:
    """Return the numbers by name for the body that the rules find; all 0 where they find none."""
    if not kept:
        return dict.fromkeys(NAMES, 0.0)
    within = slice(kept[0], kept[-1] + 1)
    places = np.array(kept)
    links = lines.are_links
    among = links.copy()
    among[places] = False
    entries = int(np.count_nonzero(among[np.maximum(places - 1, 0)]))
    linked_headings = int(np.count_nonzero(lines.headings[within] & links[within]))
    width = lines.width[places]
    total, unlinked = float(width.sum()), float((lines.width - lines.linked).sum())
    values = (
        log1p(entries),
        entries / len(kept),
        log1p(int(np.count_nonzero(among[within]))),
        float(lines.linked[within].sum() / max(1.0, float(lines.width[within].sum()))),
        log1p(linked_headings),
        len(kept) / (kept[-1] + 1 - kept[0]),
        log1p(len(kept)),
        log1p(total),
        total / max(1.0, unlinked),
        log1p(float(width.max())),
        log1p(int(np.count_nonzero(width >= PROSE_LINE))),
        float(prior.title >= 0 and 0 <= kept[0] - prior.title <= NEAR_TITLE),
    )
    return dict(zip(NAMES, values, strict=True))


NAMES = (
    "body_entries", "body_entry_share", "body_among_links", "body_link_share", "body_linked_headings", "body_together",
    "body_lines", "body_bytes", "body_share", "body_longest", "body_prose_lines", "body_titled",
)  # fmt: skip
