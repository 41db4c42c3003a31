"""Loops of `body_features` and `line_features` over lines and of `classify` over numbers, in plain lists."""

PROSE_LINE = 150  # bytes from which a line is a paragraph and not a scrap
LIMIT = 4.0  # standard deviations; larger values of a number have no further effect
BEND_SCALE = 0.7  # scale of the bends' inputs: it makes the ridge shrink bends more than slopes


def body_amounts(
    width: list[float], linked: list[float], links: list[bool], headings: list[bool], kept: list[int]
) -> tuple[int, int, int, int, float, float, float, float, float]:
    """Return four counts of lines and five sums of bytes. The `kept` lines, at least one, are the body.

    Counts: the body's lines that follow a link outside it; links between the body's first and last line that are not
    part of it; linked headings there; the body's lines of at least `PROSE_LINE` bytes. Bytes: all of the body; unlinked
    ones of the page; linked ones between the body's first and last line; all there; the body's longest line.
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


def sums_of_lines(
    width: list[float],
    linked: list[float],
    plain: list[float],
    links: list[bool],
    prose: list[bool],
    headings: list[bool],
    entries: list[bool],
    start: int,
    end: int,
) -> tuple[float, float, float, float, int, int, int, int, int]:
    """Return sums over the lines from `start` to before `end`, in the order of `line_features.Sums`."""
    all_bytes = all_linked = all_plain = plain_prose = 0.0
    link_count = prose_count = heading_count = linked_headings = entry_count = 0
    for line in range(start, end):
        bytes_, inside, outside = width[line], linked[line], plain[line]
        all_bytes += bytes_
        all_linked += inside
        all_plain += outside
        link = links[line]
        if link:
            link_count += 1
        if prose[line]:
            prose_count += 1
            plain_prose += outside
        if headings[line]:
            heading_count += 1
            if link:
                linked_headings += 1
        if entries[line]:
            entry_count += 1
    counts = (link_count, prose_count, heading_count, linked_headings, entry_count)
    return (all_bytes, all_linked, all_plain, plain_prose, *counts)


def densest_run(weights: list[float]) -> tuple[int, int]:
    """Return the first line, and the last + 1, of the run with the largest sum of weights.

    Lines of weight 0 before it belong to it, unlike those before `turning_points`: the model was trained so.
    """
    start = end = low_at = 0
    total = low = best = 0.0
    for line in range(len(weights)):
        weight = weights[line]
        total += weight
        if total < low:
            low = total
            low_at = line + 1
        elif total - low > best:
            best = total - low
            start = low_at
            end = line + 1
    return start, end


def sum_of_contributions(
    values: list[float], mean: list[float], scale: list[float], knots: list[list[float]], weights: list[list[float]]
) -> float:
    """Return the sum of what one page's numbers contribute (`Model.contributions`); numpy takes longer for so few."""
    found = 0.0
    slopes = weights[0]
    for number in range(len(values)):
        value, middle, width, weight = values[number], mean[number], scale[number], slopes[number]
        scaled = (value - middle) / width
        scaled = -LIMIT if scaled < -LIMIT else LIMIT if scaled > LIMIT else scaled
        found += weight * scaled
        for bend in range(len(knots)):
            knot = knots[bend][number]
            if scaled > knot:
                weight = weights[bend + 1][number]
                found += weight * BEND_SCALE * (scaled - knot)
    return found
