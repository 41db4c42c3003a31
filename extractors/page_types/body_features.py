"""Numbers about the page's type, by the body that the rules find on the page: 12 of them.

An article's body is one run of text; on a list the same rules find texts that each follow a link, are among links, or
are a small part of the page.
"""

from math import log1p

from ..content.line_weights import Prior
from ..html.lines import Lines
from .feature_loops import body_amounts

NEAR_TITLE = 6  # lines from the title to a body that is surely the titled one


def body_features(lines: Lines, prior: Prior, kept: list[int], *, as_trained: bool = True) -> dict[str, float]:
    """Return the numbers by name for the body that the rules find; all 0 where they find none.

    `as_trained`: with the sums of float32 that the models were trained with, to their last digit.
    """
    if not kept:
        return dict.fromkeys(NAMES, 0.0)
    found = body_amounts(lines.widths, lines.linked_bytes, lines.link_lines, lines.are_headings, kept)
    entries, among, linked_headings, prose_lines, total, unlinked, linked_within, width_within, longest = found
    if as_trained:
        within = slice(kept[0], kept[-1] + 1)
        unlinked = float((lines.width - lines.linked).sum())
        linked_within, width_within = lines.linked[within].sum(), float(lines.width[within].sum())
    values = (
        log1p(entries),
        entries / len(kept),
        log1p(among),
        float(linked_within / max(1.0, width_within)),
        log1p(linked_headings),
        len(kept) / (kept[-1] + 1 - kept[0]),
        log1p(len(kept)),
        log1p(total),
        total / max(1.0, unlinked),
        log1p(longest),
        log1p(prose_lines),
        float(prior.title >= 0 and 0 <= kept[0] - prior.title <= NEAR_TITLE),
    )
    return dict(zip(NAMES, values, strict=True))


NAMES = (
    "body_entries", "body_entry_share", "body_among_links", "body_link_share", "body_linked_headings", "body_together",
    "body_lines", "body_bytes", "body_share", "body_longest", "body_prose_lines", "body_titled",
)  # fmt: skip
