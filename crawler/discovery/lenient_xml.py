"""Lenient reading of XML that may be invalid: bytes → text that a parser accepts, or a tree.

    bytes → text (declared encoding) → without declaration and document type → strict, else repaired as far as possible

Without a document type a text has only XML's own five entities: there is nothing to expand and nothing to fetch.
"""

import re
import sys
from itertools import islice

from lxml import etree

from extractors.html.decoding import decode

_BEFORE_ROOT = re.compile(r"\s*+(?:<\?.*?\?>|<!--.*?-->|(<!DOCTYPE))", re.DOTALL | re.IGNORECASE)
_IN_DOCTYPE = re.compile(r"""["'\[\]>]|<!--""")
_END_OF_DOCTYPE = re.compile(r"\s*+>")
_ROOT = re.compile(r"<(?:[\w.-]+:)?([\w.-]+)")
JUNK = 4096  # characters before the root, such as a server's warnings
# An `&` that begins no reference, or a numeric reference; CDATA sections are skipped
_AMPERSAND = re.compile(
    r"<!\[CDATA\[(?:.*?\]\]>|.*\Z)|&(?:\#(?:([0-9]{1,7})|x([0-9a-f]{1,6}));|(?!(?:amp|lt|gt|quot|apos);))",
    re.DOTALL | re.IGNORECASE,
)
_BY_NUMBER = re.compile(r"&\#(?:([0-9]{1,7})|x([0-9a-f]{1,6}));", re.IGNORECASE)
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_FORBIDDEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
OPTIONS = {
    "encoding": "utf-8",
    "resolve_entities": False,
    "load_dtd": False,
    "no_network": True,
    "huge_tree": True,
    "remove_comments": True,
    "remove_pis": True,
}


def xml_text(body: bytes, content_type: str | None = None) -> str:
    """Return a document's text from its root element on, unchanged; the text before it is removed."""
    text, _ = decode(body, content_type)
    return without_prolog(text)


def without_prolog(text: str) -> str:
    """Return `text` without white space, declaration, comments and document type at its beginning."""
    place = 0
    while found := _BEFORE_ROOT.match(text, place):
        end = _end_of_doctype(text, found.end()) if found[1] else found.end()
        if end is None:
            break
        place = end
    return text[place:].lstrip()


def _end_of_doctype(text: str, place: int) -> int | None:
    """Return where the document type ends whose name begins at `place`; None if it does not end. Linear."""
    inside = False  # the internal subset, between [ and ]
    commented = True  # whether a comment may still end
    while found := _IN_DOCTYPE.search(text, place):
        sign, place = found[0], found.end()
        if sign in ("'", '"'):
            place = text.find(sign, place) + 1
            if not place:
                return None
        elif sign == "<!--":
            end = text.find("-->", place) if inside and commented else -1
            commented = commented and (end >= 0 or not inside)
            place = place if end < 0 else end + 3
        elif sign == "]" and inside:
            closed = _END_OF_DOCTYPE.match(text, place)
            return closed.end() if closed else None
        elif sign == ">" and not inside:
            return place
        elif sign == "[":
            inside = True
    return None


def root_name(text: str) -> str:
    """Return the local name of the root element, in lower case; empty if `text` begins with none."""
    found = _ROOT.match(text)
    return found[1].lower() if found else ""


def from_root(text: str, names: frozenset[str]) -> str:
    """Return `text` from the first element called one of `names` on, if only junk precedes it; else ""."""
    for found in _ROOT.finditer(text[:JUNK]):
        name = found[1].lower()
        if name in names:
            return text[found.start() :]
        if name in ("html", "head", "body"):
            return ""
    return ""


def repaired(text: str) -> str:
    """Return `text` without characters that XML forbids, and with a bare `&` escaped.

    Two references to a surrogate pair (`&#55357;&#56832;`) become one character.
    """
    return _without_forbidden(_AMPERSAND.sub(_mended, text))


def with_whole_characters(text: str) -> str:
    """Return `text` with two references to a surrogate pair as one character."""
    return _without_forbidden(_BY_NUMBER.sub(_mended, text)) if "&#" in text else text


def _mended(found: re.Match[str]) -> str:
    """Return the replacement of a match: the forbidden character, an escaped bare `&`, or the match itself."""
    if number := found[1] or found[2]:
        code = int(number, 10 if found[1] else 16)
        return chr(code) if code <= sys.maxunicode and _FORBIDDEN.match(chr(code)) else found[0]
    return "&amp;" if found[0] == "&" else found[0]


def _without_forbidden(text: str) -> str:
    if _SURROGATE.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _FORBIDDEN.sub("", text)


def parse(text: str, url: str) -> "etree._Element | None":
    """Return the root of a document without prolog, repaired if necessary; None if it cannot be parsed."""
    if root_name(text) == "":
        return None  # a document type that could not be removed must not reach the parser
    try:
        return _parsed(text, url, recover=False)
    except etree.XMLSyntaxError:
        pass
    try:
        return _parsed(repaired(text), url, recover=True)
    except etree.XMLSyntaxError:
        return None


def local(element: "etree._Element") -> str:
    """Return the local name of an element, in lower case."""
    return str(element.tag).rpartition("}")[2].lower()


def text_of(element: "etree._Element", most: int) -> str:
    """Return the beginning of all text below an element, `most` characters of it."""
    parts: list[str] = []
    left = most
    for part in islice(element.itertext(), most):
        parts.append(str(part)[:left])
        left -= len(parts[-1])
        if left <= 0:
            break
    return "".join(parts)


def _parsed(text: str, url: str, *, recover: bool) -> "etree._Element | None":
    parser = etree.XMLParser(recover=recover, **OPTIONS)  # type: ignore[arg-type]
    return etree.fromstring(text.encode("utf-8", "replace"), parser, base_url=url)
