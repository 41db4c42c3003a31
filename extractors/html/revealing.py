"""Element tree → the tree that readers get: what a page's own scripts insert, or show after a click.

Strategy, for elements that the walk has noted: a declarative shadow root is a part of its element; a segment that React
streams goes to its placeholder; the panel of a tab or an accordion is shown; a control that contains a whole page was
never closed and is treated as a block; so is a link that contains a whole page and has no address or another link
within. Other hidden elements are left alone: most are menus, forms and dialogs.

E-mail addresses that Cloudflare masks in pages are shown as "[email protected]", and decoded by a script. The value of
`data-cfemail` is hexadecimal: a key, and each byte of the address XOR the key.

The mark by which a heading links to itself (¶, #, § …) is no text: documentation shows it on hover. Nor is the mark by
which a footnote leads back to its place (↩), nor the link by which a section of a wiki is edited, nor the label of a
button around a picture ("click to enlarge"). A button that is all
of a heading is its text: the panels of an accordion have such headings.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import islice
from typing import cast

from lxml import etree

from .class_names import CACHED
from .dom import inner_text, remove

UNCLOSED_BLOCKS = 4  # block elements in a control or link that was never closed; rich buttons have up to 3
BUTTON_DEPTH = 3  # elements in front of a panel that are examined: a heading, a button, its text
MAX_SEGMENTS = 300  # a page; those of the development sets have up to 52
CONTROLS = frozenset({"button", "select", "svg"})
CLOSED = frozenset({"noscript", "template"})  # not shown while scripts run, or until one uses it
PANEL_ROLES = frozenset({"tabpanel", "region"})
_BLOCKS = ("p", "div", "section", "article", "ul", "li", "table", "tr", "h1", "h2", "h3", "h4")
_FRAME = ("nav", "header", "footer", "aside", "dialog", "form")  # a panel in one of these is a menu
_LISTS = ("ul", "ol", "nav", "form", "table")  # hidden ones are menus and forms, even behind a button
_SHADOW_ROOT = ("shadowrootmode", "shadowroot")
_PANEL = re.compile(r"accordion|collaps|tabs?[-_]*(?:pane|content)|toggle[-_]*(?:pane|content)", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"(.{0,30})[BP]:([0-9a-f]{1,6})")  # the part in front is the page's `identifierPrefix`
_SEGMENT = re.compile(r"(.{0,30})S:([0-9a-f]{1,6})")
MASKED_ADDRESS = "data-cfemail"
_MASKED = etree.XPath(f"descendant::*[@{MASKED_ADDRESS}]")
_PERMALINK_MARKS = frozenset("¶#§🔗\u200b↩↑^")
_VARIANTS = "\ufe0e\ufe0f"  # they choose between the form of a sign as text and as picture
_EDIT_LINKS = etree.XPath("descendant::span[@class='mw-editsection']")
_BUTTONS = etree.XPath("descendant::*[@role='button']")
_CONTENT = frozenset({"main", "article"})
_TITLES = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "dt"})


def reveal(noted: Iterable[etree._Element]) -> bool:
    """Make the noted elements that readers see part of the shown text; return whether there were any."""
    holds_page: dict[etree._Element, bool] = {}  # of elements that were examined: a link may have thousands within
    shown = [element for element in noted if _is_shown(element, holds_page)]
    for element in shown:
        if element.tag == "a":
            _unlink(element)
        elif element.tag in CONTROLS or element.tag == "template":
            element.tag = "div"
        else:
            _unhide(element)
    if any(_number(_PLACEHOLDER, element) or _number(_SEGMENT, element) for element in shown):
        _place_segments(shown[0].getroottree().getroot())
    return bool(shown)


def open_all(body: etree._Element) -> list[tuple[etree._Element, str]]:
    """Turn elements that are hidden because of their tag into blocks, for a page that shows nothing else.

    Return them with their tags.
    """
    closed = [(element, str(element.tag)) for element in body.iter(*CLOSED)]
    for element, _ in closed:
        element.tag = "div"
    return closed


def _is_shown(element: etree._Element, holds_page: dict[etree._Element, bool]) -> bool:
    tag = element.tag
    if tag in CONTROLS or tag == "a":
        for each in _open_links(element) if tag == "a" else [element]:
            if each not in holds_page:
                _examine(each, holds_page)
            if holds_page[each]:
                return True
        return False
    if tag == "template":
        return _number(_PLACEHOLDER, element) is not None or any(name in element.attrib for name in _SHADOW_ROOT)
    return tag != "noscript" and (_is_panel(element) or _number(_SEGMENT, element) is not None)


def _examine(element: etree._Element, holds_page: dict[etree._Element, bool]) -> None:
    """Note whether a control or link contains a whole page, and what follows for those within: they may be nested."""
    if not len(element):  # most controls; `iter` takes long to begin
        holds_page[element] = False
        return
    blocks = list(islice(element.iter(*_BLOCKS), UNCLOSED_BLOCKS))
    if len(blocks) < UNCLOSED_BLOCKS:
        holds_page.update(dict.fromkeys(element.iter("a", *CONTROLS), False))
    else:
        around_last = set(blocks[-1].iterancestors())
        holds_page.update(dict.fromkeys(around_last.intersection(blocks[0].iterancestors()), True))


def _open_links(element: etree._Element) -> list[etree._Element]:
    """Return the elements to open for this link: itself if it has no address, otherwise the links around it."""
    around = list(element.iterancestors("a"))
    return around if around or "href" in element.attrib else [element]


def _unlink(element: etree._Element) -> None:
    for link in _open_links(element):
        link.tag = "span"


def _is_panel(element: etree._Element) -> bool:
    if element.tag in _LISTS:
        return False
    role = element.get("role")
    named = role in PANEL_ROLES or (
        not role and (_is_named_panel(element.get("class") or "") or _follows_its_button(element))
    )
    return named and next(element.iterancestors(*_FRAME), None) is None


@lru_cache(CACHED)
def _is_named_panel(classes: str) -> bool:
    return _PANEL.search(classes) is not None


def _follows_its_button(element: etree._Element) -> bool:
    before = element.getprevious()
    inner = () if before is None else islice(before.iter(), BUTTON_DEPTH)
    return any("aria-expanded" in node.attrib or "aria-controls" in node.attrib for node in inner)


def _place_segments(root: etree._Element) -> None:
    """Move each streamed segment to its placeholder; one that has none is shown in its own place."""
    places = {_number(_PLACEHOLDER, place): place for place in root.iter("div", "template")}
    segments = (element for element in root.iter("div", "table") if _number(_SEGMENT, element))
    for segment in list(islice(segments, MAX_SEGMENTS)):
        _unhide(segment)
        place = places.get(_number(_SEGMENT, segment))
        if place is not None and segment not in place.iterancestors():
            place.tag = "div"
            place.append(segment)


def _unhide(element: etree._Element) -> None:
    for name in ("hidden", "style"):
        element.attrib.pop(name, "")


def _number(form: re.Pattern[str], element: etree._Element) -> str | None:
    """Return the part of the id that a placeholder and its segment share; None for other elements."""
    match = form.fullmatch(element.get("id") or "")
    return "".join(match.groups()) if match else None


def unmask(root: etree._Element) -> None:
    """Put the addresses into the elements that hold the masked ones; a link that the mask added becomes plain text."""
    for element in cast(list[etree._Element], _MASKED(root)):
        address = unmasked_address(element.get(MASKED_ADDRESS, ""))
        if address is not None:
            tail = element.tail
            element.clear()
            element.tag, element.text, element.tail = "span", address, tail


def remove_permalinks(root: etree._Element) -> None:
    """Remove the links to a place of a page whose text is only a mark, and labels of buttons."""
    within = [link for link in root.iter("a") if "#" in (link.get("href") or "")]
    for link in within:
        if inner_text(link).strip().rstrip(_VARIANTS) in _PERMALINK_MARKS:
            remove(link)
    for link in cast(list[etree._Element], _EDIT_LINKS(root)):
        remove(link)
    for button in cast(list[etree._Element], _BUTTONS(root)):
        if next(button.iter("img"), None) is not None and next(button.iterancestors("figure"), None) is not None:
            for label in [span for span in button.findall("span") if next(span.iter("img"), None) is None]:
                remove(label)


def show_titles(root: etree._Element) -> None:
    """Turn each button that is all of a heading into text; not in menus, nor outside of the page's declared content.

    Titles with the same words are controls, too. F1 of 64 stored pages with such buttons rises, outside of the declared
    content as well, but there the body of one service page became its questions.
    """
    titles: dict[str, list[etree._Element]] = {}
    for button in root.iter("button"):
        holder = button.getparent()
        text = inner_text(button).strip() if holder is not None and holder.tag in _TITLES else ""
        if text and holder is not None and inner_text(holder).strip() == text:
            titles.setdefault(text, []).append(button)
    for first, *others in titles.values():
        around = {str(element.tag) for element in first.iterancestors()}
        if not others and around & _CONTENT and not around.intersection(_FRAME):
            first.tag = "span"


def unmasked_address(masked: str) -> str | None:
    """Return the address; None if the value is not one."""
    try:
        key, *coded = bytes.fromhex(masked)
        address = bytes(byte ^ key for byte in coded).decode()
    except ValueError:
        return None
    return address if "@" in address and address.isprintable() else None
