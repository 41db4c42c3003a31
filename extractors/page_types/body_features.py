"""Numbers about the page's type, by the body that the rules find on the page: 12 of them.

An article's body is one run of text; on a list the same rules find texts that each follow a link, are among links, or
are a small part of the page.
"""

from math import log1p
from operator import sub

from ..content.line_weights import Prior
from ..html.lines import Lines

PROSE_LINE = 150  # bytes from which a line is a paragraph and not a scrap
NEAR_TITLE = 6  # lines from the title to a body that is surely the titled one


def body_features(lines: Lines, prior: Prior, kept: list[int], *, as_trained: bool = True) -> dict[str, float]:
    """Return the numbers by name for the body that the rules find; all 0 where they find none.

    `as_trained`: with the sums of float32 that the models were trained with, to their last digit.
    """
    if not kept:
        return dict.fromkeys(NAMES, 0.0)
    body, links = set(kept), lines.link_lines
    within = slice(kept[0], kept[-1] + 1)
    links_within = [line for line in range(kept[0], kept[-1] + 1) if links[line]]
    entries = [line for line in kept if line and links[line - 1] and line - 1 not in body]  # each follows a link
    widths = [lines.widths[line] for line in kept]
    total = sum(widths)
    if as_trained:
        unlinked = float((lines.width - lines.linked).sum())
        linked_within, width_within = lines.linked[within].sum(), float(lines.width[within].sum())
    else:
        unlinked = sum(map(sub, lines.widths, lines.linked_bytes))
        linked_within, width_within = sum(lines.linked_bytes[within]), sum(lines.widths[within])
    values = (
        log1p(len(entries)),
        len(entries) / len(kept),
        log1p(len([line for line in links_within if line not in body])),
        float(linked_within / max(1.0, width_within)),
        log1p(sum([lines.are_headings[line] for line in links_within])),
        len(kept) / (kept[-1] + 1 - kept[0]),
        log1p(len(kept)),
        log1p(total),
        total / max(1.0, unlinked),
        log1p(max(widths)),
        log1p(sum([width >= PROSE_LINE for width in widths])),
        float(prior.title >= 0 and 0 <= kept[0] - prior.title <= NEAR_TITLE),
    )
    return dict(zip(NAMES, values, strict=True))


NAMES = (
    "body_entries", "body_entry_share", "body_among_links", "body_link_share", "body_linked_headings", "body_together",
    "body_lines", "body_bytes", "body_share", "body_longest", "body_prose_lines", "body_titled",
)  # fmt: skip
