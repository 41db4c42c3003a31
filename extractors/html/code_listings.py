"""Listings → plain code: without the numbers of their lines, each listing in a <pre>, with its line breaks.

Highlighters number lines in a cell before the code (`gutter`), in elements of a class of their own, or, without any
class, in an element at the begin of each line. Some make each line a block, and a cell takes the place of the <pre>, or
a numbered list (Discuz!, dp.SyntaxHighlighter, Prettify).
In front of the code and within it are its language and a label of the button that copies it.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import cast

from lxml import etree

from .class_names import CACHED
from .dom import inner_text, remove

LEAST = 2  # lines of a listing that is no <pre>, or whose numbers have no class
NAMES_LENGTH = 300  # characters of a class attribute that are read
_LINES = ("div", "p", "li", "tr")  # elements of a line of code
_NUMBERS = re.compile(
    r"(?:^|[\s-])"
    r"(?:gutter|lineno|linenos|linenumber|line-numbers?(?:-wrapper)?|ln|lnt|ln-numbers|numbering|nums)(?:\s|$)"
)
_LANGUAGES = re.compile(r"(?:^|[\s_-])(?:lang|language)(?:$|\s)")
_COPIES = re.compile(r"(?:^|[\s_-])copy(?:$|[\s_-])|copy-?(?:code)?-?btn", re.IGNORECASE)
LABEL_LENGTH = 20  # characters
_CELLS = etree.XPath("descendant::td[contains(concat(@class, ' '), 'code ')][not(descendant::pre)]")
_LISTS = etree.XPath(
    "descendant::ol[(starts-with(@class, 'dp-') and li/span) or contains(@class, 'linenums')"
    " or ancestor::div[@class='blockcode']]"
)
_COPYING = etree.XPath("descendant::em[contains(@onclick, 'copycode')]")


def plain_listings(root: etree._Element) -> None:
    """Make each listing of a page a <pre> with nothing but its code."""
    for numbered in cast(list[etree._Element], _LISTS(root)):
        numbered.tag = "pre"
    for label in cast(list[etree._Element], _COPYING(root)):
        remove(label)
    for cell in cast(list[etree._Element], _CELLS(root)):
        _make_pre(cell)
    for pre in list(root.iter("pre")):
        if _are_numbers(pre):
            remove(pre)
        elif next(pre.iterancestors("pre"), None) is None:
            for numbers in _numbers_in(pre):
                numbers.tail = (numbers.tail or "").removeprefix(" ")
                remove(numbers)
            for label in _labels_of(pre):
                remove(label)
            _break_lines(pre)


def _make_pre(cell: etree._Element) -> None:
    """Turn the code in a cell, a block for each line, into a <pre>, if the lines are numbered or marked as code."""
    lines, numbers = cell, cell.getprevious()
    while len(lines) == 1:
        lines = lines[0]
    if len(lines) < LEAST or any(line.tag not in _LINES for line in lines):
        return
    numbered = numbers is not None and _count(_words(numbers))
    if numbers is not None and numbered:
        remove(numbers)
    if numbered or all(next(line.iter("code"), None) is not None for line in lines):
        if lines is cell:
            lines = etree.SubElement(cell, "pre")
            lines.extend(list(cell)[:-1])
        lines.tag = "pre"


def _are_numbers(pre: etree._Element) -> bool:
    """Whether a <pre> only has the numbers of lines: 1, 2, 3 …; any following ones if its row has the code, too."""
    first = next((text for text in map(str, pre.itertext()) if text.strip()), "").split(maxsplit=1)
    if not first or not first[0].isdecimal():  # a listing may be long
        return False
    numbers = _words(pre)
    if numbers[0] == "1":
        return _count(numbers)
    row = next(pre.iterancestors("tr"), None)
    first_two = [] if row is None else [*islice(row.iter("pre"), 2)]
    return len(first_two) == 2 and first_two[0] is pre and _count(numbers)


def _numbers_in(pre: etree._Element) -> Sequence[etree._Element]:
    """Return the elements of a listing, or directly after it, that number its lines."""
    after = pre.getnext()
    near = [*pre.iterdescendants(etree.Element), *([] if after is None else [after])]
    if named := [element for element in near if _names_numbers(element.get("class") or "")]:
        return [element for element in named if all(map(str.isdecimal, _words(element)))]
    first = list(_begins(pre))
    if not LEAST <= len(first) < len(_words(pre)):
        return []
    names = {name for element in first if (name := element.get("class"))}
    if sum(element.get("class") in names for element in near) > len(first):  # a class of other elements, too
        return []
    if not _count([word for element in first for word in _words(element)]):
        return []
    breaks = inner_text(pre).strip("\n").count("\n") + len(pre.findall(".//br"))
    return first if breaks - len(first) in (-1, 0) else []


def _labels_of(pre: etree._Element) -> list[etree._Element]:
    """Return the labels of a listing: its language in front of it, what copies it, and blocks beside its <code>."""
    before = pre.getprevious()
    labels = [each for each in pre.iter("span") if _names_copying(each.get("class") or "")]
    if before is not None and not (before.tail or "").strip() and _LANGUAGES.search(before.get("class") or ""):
        labels.append(before)
    if len(pre.findall("code")) == 1:
        labels += pre.findall("div")
    return [each for each in labels if len(inner_text(each).strip()) <= LABEL_LENGTH]


def _begins(pre: etree._Element) -> Iterator[etree._Element]:
    """Yield the element with a number at the begin of each line, up to the first line that begins otherwise."""
    is_begin = True
    for event, element in etree.iterwalk(pre, events=("start", "end")):
        text = (element.text if event == "start" else element.tail if element is not pre else "") or ""
        if event == "start" and is_begin and element is not pre and text.strip():
            if not text.strip().isdecimal():
                return
            yield element
            is_begin = False
        *_, last = text.split("\n")
        if "\n" in text or (event == "start" and element.tag == "br"):
            is_begin = True
        if is_begin and last.strip():
            return


def _words(element: etree._Element) -> list[str]:
    return " ".join(map(str, element.itertext())).split()


def _count(words: Sequence[str]) -> bool:
    """Whether words are following numbers."""
    if not words or not words[0][:9].isdecimal():
        return False
    first = int(words[0][:9])
    return list(words) == [str(number) for number in range(first, first + len(words))]


@lru_cache(CACHED)
def _names_numbers(classes: str) -> bool:
    return _NUMBERS.search(classes[:NAMES_LENGTH]) is not None


@lru_cache(CACHED)
def _names_copying(classes: str) -> bool:
    return _COPIES.search(classes[:NAMES_LENGTH]) is not None


def _break_lines(pre: etree._Element) -> None:
    """End each block within a <pre>, a line of code, with a line break: the text of a <pre> is read as it stands."""
    parts = [each for each in pre if each.tag == "code" and not each.tail]
    for line in [*pre.iter(*_LINES), *(parts if 1 < len(parts) == len(pre) else ())]:
        last = line[-1] if len(line) else None
        text = (line.text if last is None else last.tail) or ""
        if text[-1:] == "\n" or (not text and last is not None and last.tag in (*_LINES, "br")):
            continue
        if last is None:
            line.text = text + "\n"
        else:
            last.tail = text + "\n"
