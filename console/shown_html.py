"""The HTML of an article as pages of this program show it: cleaned again, and nothing in it is requested.

The policies of these pages allow no picture of another server, which would also learn who reads: a picture is shown by
its alternative text or name. The box of a task is shown by a character.
"""

import re
from html import unescape

from markupsafe import Markup

from extractors.html.sanitising import sanitise

# Elements of cleaned HTML: quotation marks in attributes and brackets in texts are written as references
_REPLACED = re.compile(r'<(img|input)((?: [a-z]+="[^"]*")*)>')
_ATTRIBUTE = re.compile(r'([a-z]+)="([^"]*)"')
MOST_HTML = 100_000  # characters that are shown of an article


def shown_html(html: str) -> Markup:
    """Return the HTML of an article, safe to be shown."""
    html = _REPLACED.sub(_replaced, sanitise(html[:MOST_HTML]))
    return Markup(html.replace('<a href="', '<a rel="noopener noreferrer nofollow" href="'))


def _replaced(found: re.Match[str]) -> str:
    attributes = {name: unescape(value) for name, value in _ATTRIBUTE.findall(found[2])}
    if found[1] == "input":
        return "☑" if "checked" in attributes else "☐"
    address = attributes.get("src", "")
    words = attributes.get("alt", "").strip() or address.partition("?")[0].rpartition("/")[2] or address
    return Markup('<span class="picture" title="{}">{}</span>').format(address, words)
