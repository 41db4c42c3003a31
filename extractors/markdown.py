"""HTML of a body → Markdown (CommonMark, with tables, deleted text and tasks as GitHub writes them).

The Markdown is written by html-to-markdown. CommonMark does not recognise `**` between a punctuation mark and a letter,
which is frequent in Chinese (`**注意：**请`), so punctuation at the edges of emphasis is moved out of it first.
Elements that Markdown lacks stay HTML.
"""

import re
import unicodedata
from html import escape

import lxml.html
from html_to_markdown import ConversionOptions, convert
from lxml import etree
from lxml.html import HtmlElement

MAX_DEPTH = 100  # levels of elements; the HTML of a body has fewer
_EMPHASIS = ("strong", "em", "del")
_INLINE = frozenset({*_EMPHASIS, "a", "img", "input", "code", "sub", "sup", "ins", "kbd", "samp", "mark", "cite"})
_OPTIONS = ConversionOptions(
    heading_style="atx",
    bullets="-",
    escape_asterisks=False,  # `_escaped` does it
    extract_metadata=False,
    highlight_style="html",
    preserve_tags=["sub", "sup", "ins", "kbd"],
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
    for element in list(root.iter(*_EMPHASIS)):
        _merge_following(element)
    for element in reversed(list(root.iter(*_EMPHASIS))):  # what follows an element is settled before it
        _make_recognisable(element)
    for element in root.iter():
        if element.tag not in ("pre", "code"):
            element.text = element.text and _escaped(element.text, at_start=True)
        if alt := element.get("alt"):
            element.set("alt", _escaped(alt, at_start=False))
        element.tail = element.tail and _escaped(element.tail, at_start=element.tag not in _INLINE)
    inner = escape(root.text or "", quote=False)
    inner += "".join(etree.tostring(child, encoding="unicode", method="html") for child in root)
    return (convert(inner, _OPTIONS).content or "").translate(_ESCAPES).strip("\n")


def _merge_following(element: HtmlElement) -> None:
    """Join an element with those of its kind that follow it directly: `**one****two**` would not be recognised."""
    parent, texts = element.getparent(), [""]
    following = element.getnext()
    while parent is not None and following is not None and following.tag == element.tag and not element.tail:
        texts.append(following.text or "")
        if len(following):
            _add_text(element, "".join(texts))
            texts = []
            element.extend(list(following))
        element.tail, following.tail = following.tail, None
        parent.remove(following)
        following = element.getnext()
    _add_text(element, "".join(texts))


def _add_text(element: HtmlElement, text: str) -> None:
    """Add text at the end of an element's content."""
    if text and len(element):
        element[-1].tail = (element[-1].tail or "") + text
    elif text:
        element.text = (element.text or "") + text


def _escaped(text: str, *, at_start: bool) -> str:
    """Return a text with stand-ins for the characters that Markdown would interpret."""
    text = _MARKUP.sub(lambda found: _STAND_INS[found[0]], text)
    sign = _AT_START.match(text) if at_start else None
    if sign is None:
        return text
    place = sign.start(2) if sign[2] else sign.start(4)
    return text[:place] + _STAND_INS[text[place]] + text[place + 1 :]


def _make_recognisable(element: HtmlElement) -> None:
    """Change emphasis so that CommonMark recognises its marks, or remove it."""
    previous = element.getprevious()
    parent = element.getparent()
    before = ((previous.tail if previous is not None else parent.text if parent is not None else None) or "")[-1:]
    after = (element.tail or "")[:1]
    text = element.text or ""
    first = text[:1] or "*"
    last = ((element[-1].tail or "") if len(element) else text)[-1:] or "*"
    if previous is not None and previous.tag in _EMPHASIS and not previous.tail:
        element.drop_tag()
    elif (_is_word(before) and not _is_word(first)) or (_is_word(after) and not _is_word(last)):
        start, end = 0, len(text)
        while start < end and not len(element) and _is_word(before) and not _is_word(text[start]):
            start += 1
        while start < end and not len(element) and _is_word(after) and not _is_word(text[end - 1]):
            end -= 1
        if len(element) or start == end:
            inner = [child for child in element if child.tag in _EMPHASIS]
            element.drop_tag()
            for child in reversed(inner):
                _make_recognisable(child)
            return
        element.text = text[start:end]
        element.tail = text[end:] + (element.tail or "")
        if previous is not None:
            previous.tail = (previous.tail or "") + text[:start]
        elif parent is not None:
            parent.text = (parent.text or "") + text[:start]


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


def _is_word(character: str) -> bool:
    """Whether a character is neither white space nor punctuation, by the definitions of CommonMark."""
    return bool(character) and not character.isspace() and unicodedata.category(character)[0] not in "PS"
