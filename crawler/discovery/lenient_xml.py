"""Lenient reading of XML that may be invalid: bytes → text that a parser accepts, or a tree.

    bytes → text from its root on, without declaration and document type → strict, else repaired as far as possible

Without a document type a text has only XML's own five entities: there is nothing to expand and nothing to fetch.
"""

import re
from collections.abc import Set
from itertools import islice

from lxml import etree

# A comment or instruction, which may contain anything, or the beginning of an element
_BEFORE_ROOT = re.compile(r"<!--.*?-->|<\?.*?\?>|<(?:[\w.-]+:)?([\w.-]+)", re.DOTALL)
JUNK = 16_384  # characters in which the root begins: after a document type, or a server's warnings
# An `&` that begins no reference; CDATA sections are skipped
_AMPERSAND = re.compile(
    r"<!\[CDATA\[(?:.*?\]\]>|.*\Z)|&(?!\#[0-9]{1,7};|\#x[0-9a-f]{1,6};|(?:amp|lt|gt|quot|apos);)",
    re.DOTALL | re.IGNORECASE,
)
# Control characters, and halves of characters, also as references (about 55296 to 57343)
_FORBIDDEN = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]|&\#(?:5[5-7][0-9]{3}|x[dD][89a-fA-F][0-9a-fA-F]{2});"
)
OPTIONS = {
    "encoding": "utf-8",
    "resolve_entities": False,
    "load_dtd": False,
    "no_network": True,
    "huge_tree": True,
    "remove_comments": True,
    "remove_pis": True,
}


def root_of(text: str, names: Set[str]) -> tuple[str, str]:
    """Return the name of the root, the first element called one of `names`, and `text` from it on.

    Both are empty if there is none, or the text is a page.
    """
    for found in _BEFORE_ROOT.finditer(text[:JUNK]):
        name = (found[1] or "").lower()
        if name in names:
            return name, text[found.start() :]
        if name in ("html", "head", "body"):
            break
    return "", ""


def repaired(text: str) -> str:
    """Return `text` without characters that XML forbids, and with a bare `&` escaped."""
    return _FORBIDDEN.sub("", _AMPERSAND.sub(lambda found: "&amp;" if found[0] == "&" else found[0], text))


def parse(text: str, url: str) -> "etree._Element | None":
    """Return the root of a document as `root_of` returns it, repaired if necessary; None if it cannot be parsed."""
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
