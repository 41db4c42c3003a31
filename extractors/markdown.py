"""HTML of a body → Markdown (CommonMark, with tables, deleted text and tasks as GitHub writes them).

The Markdown is written by html-to-markdown. CommonMark does not recognise `**` between a punctuation mark and a letter,
which is frequent in Chinese (`**注意：**请`): such emphasis stays HTML, as do elements that Markdown lacks.
"""

import re
import unicodedata
from html import escape

import lxml.html
from html_to_markdown import ConversionOptions, convert
from lxml import etree
from lxml.html import HtmlElement

from .html.dom import to_html

MAX_DEPTH = 100  # levels of elements; the HTML of a body has fewer
MAX_IN_LINK = 100  # elements in a link: for each of them, the library copies the text before it
_EMPHASIS = {"strong": "b", "em": "i", "del": "s"}  # and the tags of emphasis that stays HTML
_INLINE = frozenset(
    {*_EMPHASIS, *_EMPHASIS.values(), "a", "img", "input", "code", "sub", "sup", "ins", "kbd", "samp", "mark", "cite"}
)
_HTML_ONLY = ["sub", "sup", "ins", "kbd", *_EMPHASIS.values()]
_OPTIONS = ConversionOptions(
    heading_style="atx",
    bullets="-",
    escape_asterisks=False,  # `_escaped` does it
    extract_metadata=False,
    highlight_style="html",
    preserve_tags=_HTML_ONLY,
    br_in_tables=True,
    max_depth=MAX_DEPTH,
)
# What would be markup, in CommonMark or for a site generator ({, $), and what only would be at the start of a line
_MARKUP = re.compile(r"[\\`*\[\]<{}$~]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)")
_AT_START = re.compile(r"(\s*+)(?:([#+\-=>:|])|(\d{1,9})([.)])(?=\s|\Z))")
# Until the Markdown is written, code points that are no characters stand for the escaped ones
_STAND_INS = {character: chr(0xFDD0 + place) for place, character in enumerate("\\`*_[]<{}$~&#+-=>:|.)")}
_ESCAPES = str.maketrans({stand_in: f"\\{character}" for character, stand_in in _STAND_INS.items()})
_NO_CHARACTERS = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def to_markdown(html: str) -> str:
    """Return the HTML of a body as Markdown, without a line break at its end."""
    if not html:
        return ""
    root = lxml.html.fragment_fromstring(_NO_CHARACTERS.sub("", html), create_parent="div")
    for element in list(root.iter("math", "code", "figcaption")):
        _flatten(element)
    for holder in list(root.iter("details", "summary", "caption")):
        _write_as_paragraph(holder)
    for quote in [each for each in root.iter("blockquote") if each.getprevious() is not None]:
        _set_apart(quote)
    for link in [each for each in root.iter("a") if len(each) > MAX_IN_LINK]:
        link.drop_tag()
    for element in list(root.iter(*_EMPHASIS)):
        _make_recognisable(element)
    for holder in root.iter(*_HTML_ONLY):  # what is in HTML is escaped as prose is
        etree.strip_tags(holder, "code")
    for element in root.iter():
        if element.tag not in ("pre", "code"):
            element.text = element.text and _escaped(element.text, at_start=True)
        if alt := element.get("alt"):
            element.set("alt", _escaped(alt, at_start=False))
        element.tail = element.tail and _escaped(element.tail, at_start=element.tag not in _INLINE)
    inner = escape(root.text or "", quote=False)
    inner += "".join(to_html(child, with_tail=True) for child in root)
    return (convert(inner, _OPTIONS).content or "").translate(_ESCAPES).strip("\n")


def _escaped(text: str, *, at_start: bool) -> str:
    """Return a text with stand-ins for the characters that Markdown would interpret."""
    text = _MARKUP.sub(lambda found: _STAND_INS[found[0]], text)
    sign = _AT_START.match(text) if at_start else None
    if sign is None:
        return text
    place = sign.start(2) if sign[2] else sign.start(4)
    return text[:place] + _STAND_INS[text[place]] + text[place + 1 :]


def _make_recognisable(element: HtmlElement) -> None:
    """Let emphasis that CommonMark would not recognise stay HTML."""
    previous, parent = element.getprevious(), element.getparent()
    before = ((previous.tail if previous is not None else parent.text if parent is not None else None) or "")[-1:]
    following = (element.tail or "")[:1]
    text = element.text or ""
    first, last = text[:1] or "*", ((element[-1].tail or "") if len(element) else text)[-1:] or "*"
    is_adjacent = previous is not None and previous.tag in _EMPHASIS and not previous.tail
    if is_adjacent or (_is_word(before) and not _is_word(first)) or (_is_word(following) and not _is_word(last)):
        element.tag = _EMPHASIS[element.tag]


def _flatten(element: HtmlElement) -> None:
    """Remove elements that code, a formula or a caption has no place for; a formula becomes its source in TeX."""
    if element.tag == "figcaption":
        etree.strip_tags(element, *_EMPHASIS)
    elif len(element):
        source = element.find(".//annotation")
        element.text = str((element if source is None else source).xpath("string()"))
        element[:] = []
    if element.tag == "math":
        element.tag = "code"


def _write_as_paragraph(holder: HtmlElement) -> None:
    """Replace an element that Markdown lacks by its content; a caption is moved in front of its table."""
    table = holder.getparent()
    if holder.tag == "caption" and table is not None:
        holder.tail = None
        table.addprevious(holder)
    holder.tag = "div"


def _set_apart(quote: HtmlElement) -> None:
    """Put a quote into a <figure>, which the library begins with a blank line; else adjacent quotes become one."""
    figure = lxml.html.Element("figure")
    figure.tail, quote.tail = quote.tail, None
    quote.addprevious(figure)
    figure.append(quote)


def _is_word(character: str) -> bool:
    """Whether a character is neither white space nor punctuation, by the definitions of CommonMark."""
    return bool(character) and not character.isspace() and unicodedata.category(character)[0] not in "PS"
