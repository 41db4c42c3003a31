"""Element tree → the tree that readers get: what a page's own scripts put in place, or show on a click.

Strategy, for elements that the walk has skipped: a declarative shadow root is a part of its element; a segment that
React streams goes to its placeholder; the panel of a tab or an accordion is shown; a control that holds a page was
never closed and is a block like others. Other hidden elements are left alone: most are menus, forms and dialogs.
"""

import re
from collections.abc import Iterable
from itertools import islice

from lxml import etree

CONTROL_BLOCKS = 4  # block elements in a control that was never closed; those of rich buttons have up to 3
MAX_SEGMENTS = 300  # a page; those of the development sets have up to 52
CONTROLS = frozenset({"button", "select", "svg"})
PANEL_ROLES = frozenset({"tabpanel", "region"})
_BLOCKS = ("p", "div", "section", "article", "main", "ul", "li", "table", "tr", "h1", "h2", "h3", "h4")
_FRAME = ("nav", "header", "footer", "aside", "dialog", "form")  # a panel in one of these is a menu
_SHADOW_ROOT = ("shadowrootmode", "shadowroot")
_PANEL = re.compile(r"accordion|collaps", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"(.{0,30})[BP]:([0-9a-f]{1,6})")  # the part in front is the page's `identifierPrefix`
_SEGMENT = re.compile(r"(.{0,30})S:([0-9a-f]{1,6})")


def reveal(skipped: Iterable[etree._Element]) -> bool:
    """Change those of the skipped elements that readers see into shown blocks; return whether there were any."""
    shown = [element for element in skipped if _is_shown(element)]
    for element in shown:
        if element.tag in CONTROLS or element.tag == "template":
            element.tag = "div"
        else:
            _unhide(element)
    if any(_number(_PLACEHOLDER, element) or _number(_SEGMENT, element) for element in shown):
        _place_segments(shown[0].getroottree().getroot())
    return bool(shown)


def open_all(body: etree._Element) -> None:
    """Make blocks of what is not shown for its tag, for a page that shows nothing else."""
    for element in body.iter("noscript", "template"):
        element.tag = "div"


def _is_shown(element: etree._Element) -> bool:
    if element.tag in CONTROLS:
        return len(list(islice(element.iter(*_BLOCKS), CONTROL_BLOCKS))) == CONTROL_BLOCKS
    if element.tag == "template":
        return _number(_PLACEHOLDER, element) is not None or any(name in element.attrib for name in _SHADOW_ROOT)
    return element.tag != "noscript" and (_number(_SEGMENT, element) is not None or _is_panel(element))


def _is_panel(element: etree._Element) -> bool:
    named = element.get("role") in PANEL_ROLES or bool(_PANEL.search(element.get("class") or ""))
    return named and next(element.iterancestors(*_FRAME), None) is None


def _place_segments(root: etree._Element) -> None:
    """Move each streamed segment to its placeholder; one that has none is shown where it stands."""
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
    """Return what a placeholder and its segment have in common, None for other elements."""
    match = form.fullmatch(element.get("id") or "")
    return "".join(match.groups()) if match else None
