"""Lenient reading of XML that may be invalid: bytes → text that a parser accepts, or a tree.

    bytes → text from its root on, without declaration and document type → strict, else repaired as far as possible

Without a document type a text has only XML's own five entities: there is nothing to expand and nothing to fetch.
"""

import re
import sys
from itertools import islice

from lxml import etree

# A comment or instruction, which may contain anything, or the beginning of an element
_BEFORE_ROOT = re.compile(r"<!--.*?-->|<\?.*?\?>|<(?:[\w.-]+:)?([\w.-]+)", re.DOTALL)
JUNK = 16_384  # characters in which the root begins: after a document type, or a server's warnings
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


def from_root(text: str, names: frozenset[str]) -> str:
    """Return `text` from its root, the first element called one of `names`, on; "" if it has none, or is a page."""
    for found in _BEFORE_ROOT.finditer(text[:JUNK]):
        name = (found[1] or "").lower()
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
    """Return the root of a document as `from_root` returns it, repaired if necessary; None if it cannot be parsed."""
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
