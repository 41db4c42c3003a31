"""XML as sites write it: bytes in; text that a parser accepts, or a tree, out.

    bytes → text (declared encoding) → without declaration and document type → strict, else repaired as far as it goes

Without its document type a text has no entities but XML's own five: there is nothing to expand and nothing to fetch.
"""

import re

from lxml import etree

from extractors.html.decoding import decode

_PROLOG = re.compile(
    r"""\s*+(?:<\?.*?\?>|<!--.*?-->
    |<!DOCTYPE(?:[^\[>"']|"[^"]*+"|'[^']*+')*+(?:\[(?:[^\]"'<]|"[^"]*+"|'[^']*+'|<!--.*?-->|<)*+\]\s*+)?>)""",
    re.DOTALL | re.IGNORECASE | re.VERBOSE,
)
_ROOT = re.compile(r"<(?:[\w.-]+:)?([\w.-]+)")
JUNK = 4096  # characters before the root: what a server's warnings take
# A `&` that begins no reference; what stands in CDATA is skipped
_BARE_AMPERSAND = re.compile(
    r"<!\[CDATA\[(?:.*?\]\]>|.*\Z)|&(?!(?:amp|lt|gt|quot|apos|\#\d{1,7}|\#x[0-9a-f]{1,6});)", re.DOTALL | re.IGNORECASE
)
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
    """Return a document's text from its root element on, as it stands; without what comes before it."""
    text, _ = decode(body, content_type)
    return without_prolog(text)


def without_prolog(text: str) -> str:
    """Return `text` without white space, declaration, comments and document type at its beginning."""
    place = 0
    while found := _PROLOG.match(text, place):
        place = found.end()
    return text[place:].lstrip()


def root_name(text: str) -> str:
    """The local name of the root element, in lower case; empty if `text` begins with none."""
    found = _ROOT.match(text)
    return found[1].lower() if found else ""


def from_root(text: str, names: frozenset[str]) -> str:
    """Return `text` from the first element called one of `names` on, if only junk stands before; else empty."""
    for found in _ROOT.finditer(text[:JUNK]):
        name = found[1].lower()
        if name in names:
            return text[found.start() :]
        if name in ("html", "head", "body"):
            return ""
    return ""


def repaired(text: str) -> str:
    """Return `text` without characters that XML forbids, and with a bare `&` escaped."""
    plain = _FORBIDDEN.sub("", text)
    return _BARE_AMPERSAND.sub(lambda found: found[0] if len(found[0]) > 1 else "&amp;", plain)


def parse(text: str, url: str) -> "etree._Element | None":
    """Return the root of a document without prolog, repaired if need be; None if nothing parses."""
    if root_name(text) == "":
        return None  # a document type that could not be read stays unread
    try:
        return _parsed(text, url, recover=False)
    except etree.XMLSyntaxError:
        pass
    try:
        return _parsed(repaired(text), url, recover=True)
    except etree.XMLSyntaxError:
        return None


def local(element: "etree._Element") -> str:
    """The local name of an element, in lower case."""
    return str(element.tag).rpartition("}")[2].lower()


def _parsed(text: str, url: str, *, recover: bool) -> "etree._Element | None":
    parser = etree.XMLParser(recover=recover, **OPTIONS)  # type: ignore[arg-type]
    return etree.fromstring(text.encode("utf-8", "replace"), parser, base_url=url)
