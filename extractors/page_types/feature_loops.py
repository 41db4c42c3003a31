"""Loops of `body_features` over lines, in plain lists: compiled where that is available (`compiled`)."""

from ..compiled import adopt

PROSE_LINE = 150  # bytes of a line that is no scrap


def body_amounts(
    width: list[float], linked: list[float], links: list[bool], headings: list[bool], kept: list[int]
) -> tuple[int, int, int, int, float, float, float, float, float]:
    """Return amounts of a page and of its body, the `kept` lines, of which there is at least one.

    Numbers of lines: those of the body that follow a link; links among them; linked headings; those that are no scraps.
    Bytes: of the body; unlinked ones of the page; linked ones, and all, from the body's first to its last line; of its
    longest line.
    """
    first, last = kept[0], kept[len(kept) - 1]
    is_kept = [False] * len(width)
    for line in kept:
        is_kept[line] = True
    entries = among = linked_headings = prose_lines = 0
    total = unlinked = linked_within = width_within = longest = 0.0
    for line in range(len(width)):
        bytes_, inside = width[line], linked[line]
        unlinked += bytes_ - inside
        link = links[line]
        stays = is_kept[line]
        if first <= line <= last:
            linked_within += inside
            width_within += bytes_
            if link and not stays:
                among += 1
            if link and headings[line]:
                linked_headings += 1
        if stays:
            before = line - 1 if line > 0 else 0
            if links[before] and not is_kept[before]:
                entries += 1
            total += bytes_
            longest = bytes_ if bytes_ > longest else longest
            prose_lines += 1 if bytes_ >= PROSE_LINE else 0
    return entries, among, linked_headings, prose_lines, total, unlinked, linked_within, width_within, longest


def trial() -> list[object]:
    """Return what the functions give for a small page."""
    width, linked = [5.0, 40.0, 700.0, 200.0, 30.0], [5.0, 0.0, 10.5, 0.0, 30.0]
    links, headings = [True, False, False, False, True], [False, True, False, False, True]
    return [body_amounts(width, linked, links, headings, kept) for kept in ([1, 2, 3], [0], [1, 3, 4])]


adopt(globals())
