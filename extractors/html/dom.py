"""HTML → element tree, for any input.

lxml drops the rest of a page that is nested too deep without an exception; this is only visible in its error log. Such
a page is parsed a second time, into a target that bounds depth and attributes. lxml also drops, without an error,
everything after the first `</html>`, which browsers read.
"""

import re
from copy import deepcopy
from functools import lru_cache
from itertools import islice
from typing import Any

from lxml import etree

from ..errors import UnusablePage

MAX_DEPTH = 256  # levels kept when a tree is rebuilt; the deepest of the development pages has 51
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
_LESS = "\ufdef"  # a code point that is no character stands for `<` until the HTML is written
_ADDRESSES = frozenset(("href", "src", "action", "name"))  # libxml2 percent-encodes these attributes
MAX_OPEN = 2_000  # elements that the parser has open at once, in a page that is nested too deep
_TAG = re.compile(rb"<(/?)([a-zA-Z][^\s<>/]*+)[^<>]*+>")
NEVER_OPEN = frozenset(b"area base br col embed hr img input link meta source wbr script style".split())
MAX_TAGS = 600_000  # start and end tags; a tree takes some 300 bytes per tag. The development pages have up to 9,200
TAGS_STEP = 100_000  # bytes
RAW_TEXT = frozenset({"script", "style"})
MAX_ATTRIBUTES = 1_000  # attributes of an element
# A tag with more attributes than a tree is built for: the parser takes quadratic time for them
_OVERFULL = re.compile(
    rb"<[a-zA-Z][^\s<>/]*+(?:[\s/]++[^\s\"'<>=/]++(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s\"'<>]++))?+){%d}"
    % MAX_ATTRIBUTES
)
NAMES = 1_000  # tags and attributes whose valid form is cached
_NO_NAME = re.compile(r"[^A-Za-z0-9_.-]")
_NO_TEXT = re.compile(r"[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def parse(html: bytes | str) -> etree._Element:
    """Return the root element of a page, as text or in valid UTF-8. Raises `UnusablePage` if there is no element."""
    data = html.encode("utf-8", "replace") if isinstance(html, str) else html
    data = _without_controls(data)
    if len(data) > 3 * MAX_TAGS and data.count(b"<") > MAX_TAGS:  # "<p>" has 3 bytes
        data = _first_tags(data)
    data = _whole_body(data)
    parser = _parser()
    try:
        overfull = _OVERFULL.search(data)
        root = None if overfull else etree.fromstring(data, parser)
        if overfull or _was_cut(parser):
            root = etree.fromstring(_with_few_open(data), _parser(target=_ShallowTree()))
    except (etree.LxmlError, ValueError) as error:
        raise UnusablePage(f"the HTML parser failed: {error}") from error
    if root is None:
        raise UnusablePage("no text and no element in the page")
    return root


def _without_controls(data: bytes) -> bytes:
    """Return a page in UTF-8 without control characters, however they are written; white space stays white space."""
    data = data.translate(_WHITE_CONTROLS, _OTHER_CONTROLS)
    if b"&#" in data:
        data = _CONTROL_REFERENCE.sub(b" ", _RETURN_REFERENCE.sub(b"\n", data))
    return _C1.sub(b" ", data) if _C1.search(data) else data  # they separate words


def _first_tags(data: bytes) -> bytes:
    """Return the beginning of `data` with about `MAX_TAGS` tags."""
    tags = end = 0
    while tags < MAX_TAGS:
        tags += data.count(b"<", end, end + TAGS_STEP)
        end += TAGS_STEP
    return data[:end].decode("utf-8", "ignore").encode()


def _with_few_open(data: bytes) -> bytes:
    """Return a page with at most `MAX_OPEN` open elements, and with end tags of open elements only.

    The parser searches all open elements for the one that an end tag closes. Further elements are closed at once.
    """
    opened: dict[bytes, int] = {}
    depth = 0

    def bounded(found: re.Match[bytes]) -> bytes:
        nonlocal depth
        tag, step, name = found[0], -1 if found[1] else 1, found[2].lower()
        if name in NEVER_OPEN:
            return tag
        if step < 0 and not opened.get(name):
            return b"<p></p>" if name == b"p" else b""  # as the parser reads it
        if step > 0 and depth >= MAX_OPEN:
            return b"%b</%b>" % (tag, name)
        opened[name] = opened.get(name, 0) + step
        depth += step
        return tag

    return _TAG.sub(bounded, data)


def _whole_body(data: bytes) -> bytes:
    """Return the page without ends of body and html that are not its own: the parser drops what follows them."""
    first = _END.search(data)
    return _END.sub(b"", data) if first and _MORE.match(data, first.end()) else data


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


def _parser(target: Any = None) -> etree.HTMLParser:
    # A parser costs a microsecond; one for each page keeps error logs and threads apart.
    return etree.HTMLParser(
        encoding="utf-8", collect_ids=False, remove_comments=True, remove_pis=True, huge_tree=True, target=target
    )


def _was_cut(parser: etree.HTMLParser) -> bool:
    last = parser.error_log.last_error
    return last is not None and last.level == etree.ErrorLevels.FATAL


class _ShallowTree:
    """A parser target: builds the tree, but elements below `MAX_DEPTH` become children of the last one above it.

    The builder rejects some names and characters that the parser accepts, such as <o:p>: they are replaced.
    """

    def __init__(self) -> None:
        self._builder = etree.TreeBuilder()
        self._open: list[str] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = _valid_name(tag)
        is_deep = len(self._open) >= MAX_DEPTH
        self._open.append(name)
        if is_deep and name in RAW_TEXT:
            return
        kept = islice(attributes.items(), MAX_ATTRIBUTES) if attributes else ()
        self._builder.start(name, {_valid_name(key): _valid_text(value) for key, value in kept})
        if is_deep:
            self._builder.end(name)

    def end(self, _tag: str) -> None:
        name = self._open.pop()
        if len(self._open) < MAX_DEPTH:
            self._builder.end(name)

    def data(self, text: str) -> None:
        if len(self._open) <= MAX_DEPTH or self._open[-1] not in RAW_TEXT:
            self._builder.data(_valid_text(text))

    def close(self) -> etree._Element | None:
        # Nothing was opened: an empty page.
        try:
            return self._builder.close()
        except (AssertionError, etree.XMLSyntaxError):
            return None


@lru_cache(NAMES)
def _valid_name(name: str) -> str:
    valid = _NO_NAME.sub("-", name)
    return valid if valid[:1].isalpha() else f"x{valid}"


def _valid_text(text: str) -> str:
    return _NO_TEXT.sub(" ", text)
