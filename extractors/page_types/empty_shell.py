"""The detection of empty shells: pages whose text appears only after their scripts have run.

Strategy: no scripts → no; text to read → no; a notice that the page needs JavaScript → yes; almost no visible text, or
an empty container for scripts to fill → yes.

The check is cautious: if a page is classified as a shell, its whole section is rendered in a browser. If a page has a
frame of links and no article, it is unknown whether its scripts would add one.
"""

from lxml import etree

from ..content.assembly import MIN_TEXT
from ..content.notices import needs_scripts
from ..errors import UnusablePage
from ..html.dom import inner_text, parse
from ..html.lines import read_lines
from ..html.paths import PathTrie
from ..metadata.declared_metadata import read_head
from ..page import Page

SHELL_TEXT = 200  # bytes of visible text; a shell's frame (a logo, "Loading …") has less, a page with an article more
LOADING_TEXT = 60  # bytes in a container that is empty otherwise, such as "Loading …"
DATA_TYPES = ("json", "template", "importmap", "speculationrules")  # parts of the types of scripts that are only data
CONTAINERS = frozenset({"div", "main", "section", "article"})


def is_shell(page: Page) -> bool:
    """Return whether the page has almost no visible text until its scripts have run. Never raises."""
    try:
        root = parse(page.encoded())
    except UnusablePage:
        return False
    if not has_scripts(root):
        return False
    lines = read_lines(root, PathTrie())
    if needs_scripts(lines, read_head(root).title):
        return True
    width = float(lines.width.sum())
    return width < MIN_TEXT or (width < SHELL_TEXT and any(_waits(element) for element in root.iter(*_named(root))))


def has_scripts(root: etree._Element) -> bool:
    """Return whether a page has a script that runs."""
    return any(
        not any(kind in script.get("type", "").lower() for kind in DATA_TYPES)
        and (script.get("src") or (script.text or "").strip())
        for script in root.iter("script")
    )


def _named(root: etree._Element) -> frozenset[str]:
    """Containers, and custom elements such as <app-root>."""
    return CONTAINERS | {str(element.tag) for element in root.iter(etree.Element) if "-" in str(element.tag)}


def _waits(element: etree._Element) -> bool:
    """Return whether an element that scripts can find by name is still empty."""
    if element.get("id") is None and "-" not in str(element.tag):
        return False
    return next(element.iter("a", "script", "img"), None) is None and len(inner_text(element).strip()) <= LOADING_TEXT
