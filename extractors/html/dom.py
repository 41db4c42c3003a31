"""HTML → element tree, for any input.

lxml drops the rest of a page that is nested too deep without an exception; this is only visible in its error log. Such
a page is parsed a second time, with its deep elements emptied or left out. lxml also drops, without an error,
everything after the first `</html>`, which browsers read.
"""

import re
from collections import Counter
from copy import deepcopy
from functools import lru_cache
from itertools import islice

from lxml import etree

from ..errors import UnusablePage
from .elements import KINDS

MAX_DEPTH = 256  # levels kept of a page that is nested too deep; the deepest of the development pages has 51
_END = re.compile(rb"</(?:body|html)\s*>", re.IGNORECASE)
_MORE = re.compile(rb"(?:\s+|<!--.*?-->|</(?:body|html)\s*>)*+\S", re.IGNORECASE | re.DOTALL)
_WHITE_CONTROLS = bytes.maketrans(b"\x0b\x0c\x1c\x1d\x1e\x1f", b" " * 6)
_OTHER_CONTROLS = bytes([*range(0x09), *range(0x0E, 0x1C), 0x7F])
_C1 = re.compile(rb"\xc2[\x80-\x9f](?:\xc2[\x80-\x9f])*+")  # begins with a literal byte, which `re` finds quickly
_RETURN_REFERENCE = re.compile(rb"&#(?:0*+13(?![0-9])|x0*+d(?![0-9a-f]));?+\r?+\n?+", re.IGNORECASE)
_CONTROL_REFERENCE = re.compile(  # references that the parser would replace by control characters
    rb"&#(?:0*+(?:[1-8]|1[124-9]|2[0-9]|3[01]|127|129|141|143|144|157)(?![0-9])"
    rb"|x0*+(?:[1-8bcef]|1[0-9a-f]|7f|81|8d|8f|90|9d)(?![0-9a-f]));?+",
    re.IGNORECASE,
)
_SOFT_HYPHENS = (b"\xc2\xad", b"&shy;", b"&#173;", b"&#xad;", b"&#xAD;")  # where a word may be divided, no part of it
_LESS = "\ufdef"  # a code point that is no character stands for `<` until the HTML is written
_ADDRESSES = frozenset(("href", "src", "action", "name"))  # libxml2 percent-encodes these attributes
_TAG = re.compile(rb"<(/?)([a-zA-Z][^\s<>/]*+)[^<>]*+>")
NEVER_OPEN = frozenset(b"area base br col embed hr img input link meta source wbr script style".split())
_OF_USE_EMPTY = frozenset(map(str.encode, KINDS))  # blocks, links and media
CLOSED_BY_NEXT = frozenset(b"p li dt dd tr td th option".split())  # elements that one of the same name ends
MAX_TAGS = 100_000  # start and end tags; a tree takes some 300 bytes per tag. The development pages have up to 9,200
MAX_DEEP_TAGS = 50_000  # of a page that is nested too deep
TAGS_STEP = 10_000  # bytes
MAX_ATTRIBUTES = 1_000  # attributes of an element; the parser takes quadratic time for them
_ATTRIBUTE = rb"(?:[\s/]++[^\s\"'<>=/]++(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s\"'<>]++))?+)"
_OVERFULL = re.compile(rb"(<[a-zA-Z][^\s<>/]*+%b{%d})%b++" % (_ATTRIBUTE, MAX_ATTRIBUTES, _ATTRIBUTE))


def parse(html: bytes | str) -> etree._Element:
    """Return the root element of a page, as text or in valid UTF-8. Raises `UnusablePage` if there is no element."""
    data = html.encode("utf-8", "replace") if isinstance(html, str) else html
    data = _without_controls(data)
    data = _OVERFULL.sub(rb"\1", _whole_body(_first_tags(data, MAX_TAGS)))
    parser = _parser()
    try:
        root = etree.fromstring(data, parser)
        if _was_cut(parser):
            root = etree.fromstring(_without_depth(_first_tags(data, MAX_DEEP_TAGS)), _parser())
    except (etree.LxmlError, ValueError) as error:
        raise UnusablePage(f"the HTML parser failed: {error}") from error
    if root is None:
        raise UnusablePage("no text and no element in the page")
    return root


def _without_controls(data: bytes) -> bytes:
    """Return a page in UTF-8 without control characters and soft hyphens, however they are written.

    White space stays white space.
    """
    data = data.translate(_WHITE_CONTROLS, _OTHER_CONTROLS)
    for mark in _SOFT_HYPHENS:
        if mark in data:
            data = data.replace(mark, b"")
    if b"&#" in data:
        data = _CONTROL_REFERENCE.sub(b" ", _RETURN_REFERENCE.sub(b"\n", data))
    return _C1.sub(b" ", data) if _C1.search(data) else data  # they separate words


def _first_tags(data: bytes, most: int) -> bytes:
    """Return the beginning of `data` with about `most` tags."""
    if len(data) <= 3 * most or data.count(b"<") <= most:  # "<p>" has 3 bytes
        return data
    tags = end = 0
    while tags < most:
        tags += data.count(b"<", end, end + TAGS_STEP)
        end += TAGS_STEP
    return data[:end].decode("utf-8", "ignore").encode()


@lru_cache(1)  # some methods parse a page several times
def _without_depth(data: bytes) -> bytes:
    """Return a page with at most `MAX_DEPTH` open elements, and with end tags of open elements only.

    The content of deeper elements becomes that of the last one above; of their tags, those of blocks, links and
    media remain.
    """
    opened: list[bytes] = []
    deep: Counter[bytes] = Counter()  # elements that are open on the page, but were closed at once

    def bounded(found: re.Match[bytes]) -> bytes:
        tag, name = found[0], found[2].lower()
        if name in NEVER_OPEN:
            return tag
        if not found[1]:
            if opened and opened[-1] == name and name in CLOSED_BY_NEXT:
                opened.pop()
            if len(opened) >= MAX_DEPTH:
                deep[name] += 1
                return b"%b</%b>" % (tag, name) if name in _OF_USE_EMPTY else b""
            opened.append(name)
        elif deep[name]:
            deep[name] -= 1
            return b""
        elif name in opened:
            deep.clear()
            while opened.pop() != name:
                pass
        else:
            return b"<p></p>" if name == b"p" else b""  # as the parser reads it
        return tag

    return _TAG.sub(bounded, data)


def _whole_body(data: bytes) -> bytes:
    """Return the page without ends of body and html that are not its own: the parser drops what follows them."""
    first = _END.search(data)
    return _END.sub(b"", data) if first and _MORE.match(data, first.end()) else data


def remove(element: etree._Element) -> None:
    """Remove an element from its parent, if it has one; the text after it stays."""
    parent, before = element.getparent(), element.getprevious()
    if parent is None:
        return
    if before is not None:
        before.tail = (before.tail or "") + (element.tail or "")
    else:
        parent.text = (parent.text or "") + (element.tail or "")
    parent.remove(element)


def inner_text(element: etree._Element) -> str:
    """Return all text below `element`."""
    if not len(element):
        return element.text or ""
    return str(etree.tostring(element, encoding="unicode", method="text", with_tail=False))


def to_html(element: etree._Element, *, with_tail: bool = False) -> str:
    """Return an element as HTML.

    libxml2 searches an attribute to its end for each `<!--` in it, so attributes with `<!--` are escaped here.
    """
    is_slow = any("<!--" in value for each in element.iter(etree.Element) for value in each.values())
    if is_slow:
        tail, element = element.tail, deepcopy(element)
        element.tail = tail
        for each in element.iter(etree.Element):
            for name, value in each.items():
                each.set(name, str(value).replace("<", "%3C" if name in _ADDRESSES else _LESS))
    source: str = etree.tostring(element, encoding="unicode", method="html", with_tail=with_tail)
    return source.replace(_LESS, "&lt;") if is_slow else source


def short_text(element: etree._Element, most: int) -> str:
    """Return the text below `element` in one line, with a space for each <br>.

    It is cut after `most` characters, and after as many elements: thousands of elements may be nested, and each of them
    would be read to its end.
    """
    parts: list[str] = []
    left = most
    for event, node in islice(etree.iterwalk(element, events=("start", "end")), 2 * most):
        text = node.text if event == "start" else node.tail if node is not element else None
        if event == "start" and node.tag == "br":
            parts.append(" ")
        if text:
            parts.append(text)
            left -= len(text.strip())
            if left < 0:
                break
    return " ".join("".join(parts).split())


def _parser() -> etree.HTMLParser:
    # A parser costs a microsecond; one for each page keeps error logs and threads apart.
    return etree.HTMLParser(encoding="utf-8", collect_ids=False, remove_comments=True, remove_pis=True, huge_tree=True)


def _was_cut(parser: etree.HTMLParser) -> bool:
    last = parser.error_log.last_error
    return last is not None and last.level == etree.ErrorLevels.FATAL
