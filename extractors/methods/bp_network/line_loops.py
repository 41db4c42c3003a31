"""Loops of `topic`, `features`, `network` and `extractor` over a page's lines, in plain lists."""

import math
from collections.abc import Callable

from ...content.line_membership import IN, IN_SEGMENT
from .words import FIRST_HAN, LAST_HAN

PER_LINE = 4  # numbers of a line: y, z, p, s
HIDDEN = 5  # units of the network's hidden layer, as in the source
LEAST_SUM = -700.0  # of a unit; at and below it the output is 0
BODY = 0.5  # output above which a single line is body
SURE = 0.98  # outputs above this or below 1 minus this are set to it: no line is certain
LEAST_WIDTH, MOST_WIDTH = 30, 630  # bytes by which the evidence of an empty and of a long line is weighted
NEAR = 3  # lines on either side of a heading outside the root in which there must be body; 3 to 6 give the same


def shared_characters(texts: list[str], title: list[str], cut: Callable[[str], tuple[str, ...]]) -> list[int]:
    """Return, for each line, the characters of those words of the title that are among its own words.

    Texts and words in lower case, except that Chinese has none; `cut`: a run of Chinese characters → its words.
    """
    found = []
    for text in texts:
        shared = 0
        for word in title:
            length, chinese = len(word), _is_han(word[0])
            start = text.find(word)
            while start >= 0:
                if chinese:
                    end = _run_end(text, start)
                    matches = word in cut(text[_run_start(text, start) : end])
                else:
                    end = start + 1
                    matches = _is_whole(text, start, start + length)
                if matches:
                    shared += length
                    break
                start = text.find(word, end)
        found.append(shared)
    return found


def _is_han(sign: str) -> bool:
    """Whether jieba's dictionary and model cover a character."""
    return FIRST_HAN <= sign <= LAST_HAN


def _run_start(text: str, place: int) -> int:
    """Return the start of the run of Chinese characters around a place in it."""
    while place > 0 and _is_han(text[place - 1]):
        place -= 1
    return place


def _run_end(text: str, place: int) -> int:
    """Return the end (exclusive) of the run of Chinese characters around a place in it."""
    while place < len(text) and _is_han(text[place]):
        place += 1
    return place


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether an occurrence of a word, not in Chinese, is no part of a longer word."""
    return not ((start > 0 and _goes_on(text[start - 1])) or (end < len(text) and _goes_on(text[end])))


def _goes_on(sign: str) -> bool:
    """Whether the character next to an occurrence makes it part of a longer word."""
    return sign.isalnum() and not _is_han(sign)


def numbers_of_lines(widths: list[float], linked: list[float], relevance: list[float]) -> list[float]:
    """Return ln(1 + y), ln(1 + z), p and s of each line, one line after the other."""
    found = []
    for line in range(len(widths)):
        y, s = widths[line], relevance[line]
        z = y + linked[line]
        found.append(math.log(1 + y))
        found.append(math.log(1 + z))
        found.append(y / z if z > 1 else y)
        found.append(s)
    return found


def outputs_of_lines(
    own: list[float],
    before: list[float],
    after: list[float],
    hidden: list[float],
    thresholds: list[float],
    output: list[float],
    output_threshold: float,
) -> list[float]:
    """Return the network's output for each line, from the numbers of each line, of the one before and the one after.

    `hidden`: the weights of the 12 inputs, one unit after the other.
    """
    found = []
    for start in range(0, len(own), PER_LINE):
        place = 0
        total = output_threshold
        for unit in range(len(output)):
            amount = thresholds[unit]
            for number in range(start, start + PER_LINE):
                value, weight = own[number], hidden[place]
                amount += value * weight
                value, weight = before[number], hidden[place + PER_LINE]
                amount += value * weight
                value, weight = after[number], hidden[place + 2 * PER_LINE]
                amount += value * weight
                place += 1
            place += 2 * PER_LINE
            weight = output[unit]
            total += weight * _logsig(amount)
        found.append(_logsig(total))
    return found


def _logsig(value: float) -> float:
    """Return 1 / (1 + e⁻ˣ), without overflow."""
    return 1 / (1 + math.exp(-value)) if value > LEAST_SUM else 0.0


def evidence_of_lines(outputs: list[float], widths: list[float]) -> list[float]:
    """Return the evidence of each line for the body (above 0) or against it: log-odds of its output, by its width."""
    found = []
    for line in range(len(outputs)):
        output, width = outputs[line], widths[line]
        output = SURE if output > SURE else 1 - SURE if output < 1 - SURE else output
        width += LEAST_WIDTH
        found.append(math.log(output / (1 - output)) * (width if width < MOST_WIDTH else MOST_WIDTH))
    return found


def content_of_lines(
    outputs: list[float], widths: list[float], factors: list[float], head: int, tail: int
) -> list[float]:
    """Return what each line between head and tail adds to the body, in bytes; 0 outside. `factors`: by the priors."""
    found = [0.0] * len(outputs)
    for line in range(head, tail):
        output, width, factor = outputs[line], widths[line], factors[line]
        found[line] = (width if width < MOST_WIDTH else MOST_WIDTH) * output * factor
    return found


def lines_below(
    standing: list[int], outputs: list[float], evidence: list[float], headings: list[bool], head: int, tail: int
) -> list[bool]:
    """Return whether each line is below the body's root and belongs to it, by its element and its evidence.

    Consecutive boxes from `head` to before `tail` belong to it if the sum of their evidence is positive, otherwise only
    their headings and the lines that are body individually. `standing`: see `line_membership`.
    """
    found = [relation == IN for relation in standing]
    line = head
    while line < tail:
        end = line
        total = 0.0
        while end < tail and standing[end] == IN_SEGMENT:
            amount = evidence[end]
            total += amount
            end += 1
        for boxed in range(line, end):
            output = outputs[boxed]
            found[boxed] = total > 0 or output > BODY or headings[boxed]
        line = end + 1
    return found


def with_headings(kept: list[bool], below: list[bool], headings: list[bool]) -> list[bool]:
    """Return `kept` with the headings `below` the root."""
    return [kept[line] or (below[line] and headings[line]) for line in range(len(kept))]


def headings_near(kept: list[bool], headings: list[bool], head: int, tail: int) -> list[int]:
    """Return the headings from `head` to before `tail` that are not kept, with kept lines near on both sides."""
    found = []
    for line in range(head, tail):
        if headings[line] and not kept[line]:
            first = line - NEAR if line > NEAR else 0
            if True in kept[first:line] and True in kept[line + 1 : line + 1 + NEAR]:
                found.append(line)
    return found
