"""Loops over the paths of a page and its lines, in plain lists."""

from collections.abc import Collection, Sequence

ROUNDING = 1e-6  # bytes; a share that is exactly a limit is not above it
LINKED_PARAGRAPH, LINKED_LINE = 0.75, 0.6  # link share from which a <p> (.7 to .8 are the same) or other line is a link
CODE_WEIGHT = 0.2  # weight of code in the search for the body
SENTENCE = 80  # bytes outside links, from which a line counts as running text
TITLE_LINKED = 0.6  # link share of a line that names another article
LINKED_BYTES = 4  # lines up to this length never count as links, because they may be footnote marks


def number_paths(parents: list[int], line_paths: list[int]) -> tuple[list[int], list[int], list[int]]:
    """Return the paths of the lines and their ancestors, parents before children, the document first; the number of
    each one's parent; and the number of each line's path. `parents`: those of all paths of the trie.

    The order is the page's own, independent of the earlier content of the trie. Linear in the number of paths.
    """
    numbers = {0: 0}
    paths, above, places = [0], [0], []
    last, place = 0, 0
    for path in line_paths:
        if path != last:
            last = path
            place = numbers.get(path, -1)
            if place < 0:
                way = []
                while path not in numbers:
                    way.append(path)
                    path = parents[path]
                place = numbers[path]
                for left in range(len(way) - 1, -1, -1):
                    above.append(place)
                    path = way[left]
                    place = len(paths)
                    numbers[path] = place
                    paths.append(path)
        places.append(place)
    return paths, above, places


def direct_sums(places: list[int], amounts: list[float], count: int) -> list[float]:
    """Return the sum of the lines' `amounts` for each of `count` paths."""
    sums = [0.0] * count
    for line in range(len(places)):
        place = places[line]
        amount = amounts[line]
        before = sums[place]
        sums[place] = before + amount
    return sums


def gathered(above: list[int], sums: list[float]) -> list[float]:
    """Return `sums`, one for each path, with those of its descendants added."""
    sums = list(sums)
    for number in range(len(above) - 1, 0, -1):
        place = above[number]
        before = sums[place]
        amount = sums[number]
        sums[place] = before + amount
    return sums


def family_shares(families: list[int], paths: list[int], totals: list[float]) -> list[float]:
    """Return, for each path, its family's share of the content. `families`: by path of the trie."""
    sums: dict[int, float] = {}
    numbers = []
    for number in range(len(paths)):
        family = families[paths[number]]
        amount = totals[number]
        before = sums.get(family, 0.0)
        sums[family] = before + amount
        numbers.append(family)
    whole = totals[0] or 1.0
    shares = []
    for family in numbers:
        amount = sums[family]
        shares.append(amount / whole)
    return shares


def in_tags(tags: list[str], places: list[int], chosen: Collection[str]) -> list[bool]:
    """Return whether each line's own element is one of the chosen tags. `tags`: by number of the path."""
    are = [tag in chosen for tag in tags]
    return [are[place] for place in places]


def bytes_of(texts: list[str], link_chars: list[int], widths: list[int]) -> tuple[list[float], list[float]]:
    """Return the UTF-8 bytes of each text and of its part inside links, from the characters inside links.

    `widths`: the bytes of the texts, or [] if they are not known.
    """
    whole, linked = [], []
    for line in range(len(texts)):
        text = texts[line]
        size = len(text)
        width = widths[line] if widths else len(text.encode())
        inside = link_chars[line]
        amount = 0.0
        if inside:
            amount = inside * width / size
            amount = width if amount > width else amount
        whole.append(float(width))
        linked.append(amount)
    return whole, linked


def prose_bytes(width: list[float], linked: list[float]) -> float:
    """Return the bytes outside links in lines with at least a sentence outside links."""
    found = 0.0
    for line in range(len(width)):
        bytes_, links = width[line], linked[line]
        if bytes_ - links >= SENTENCE:
            found += bytes_ - links
    return found


def linked_lines(width: list[float], linked: list[float], paragraphs: list[bool]) -> list[bool]:
    """Return whether each line consists mostly of links; `paragraphs`: whether it is a <p>."""
    found = []
    for line in range(len(width)):
        bytes_, links = width[line], linked[line]
        limit = LINKED_PARAGRAPH if paragraphs[line] else LINKED_LINE
        found.append(links > limit * bytes_ + ROUNDING and bytes_ > LINKED_BYTES)
    return found


def teaser_lines(continued: list[bool], paths: list[int], width: list[float], linked: list[float]) -> list[int]:
    """Return the lines that follow a linked one in the same block (`continued`), or such a line."""
    found = []
    titled = teaser = False
    for line in range(len(continued)):
        bytes_, links = width[line], linked[line]
        before = titled
        titled = links > TITLE_LINKED * bytes_
        follows = line > 0 and continued[line] and paths[line] == paths[line - 1]
        teaser = follows and not titled and (before or teaser)
        if teaser:
            found.append(line)
    return found


def short_lines(texts: list[str], lines: Sequence[int], longest: int) -> list[int]:
    """Return those of some lines that have at most `longest` characters."""
    found = []
    for line in lines:
        text = texts[line]
        if len(text) <= longest:
            found.append(line)
    return found


def words_in(text: str, words: list[str]) -> list[str]:
    """Return those of some words that a text contains."""
    found = []
    for word in words:
        if word in text:
            found.append(word)
    return found


def lines_with(texts: list[str], lines: list[int], words: list[str]) -> list[int]:
    """Return those of some lines that contain one of the words, in lower case."""
    found = []
    for line in lines:
        lowered = texts[line].lower()
        for word in words:
            if word in lowered:
                found.append(line)
                break
    return found
