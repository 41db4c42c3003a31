"""The sandbox, in which a crawled page is shown beside its article: without scripts, resources, or requests of any
kind.

The page is shown in an iframe with an empty `sandbox` attribute, and its response has a policy of its own that forbids
all requests. Elements that could make a request before a policy applies, or change the targets of links, are removed.
"""

import lxml.html
from lxml import etree
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse

from extractors.html.decoding import decode
from extractors.html.dom import remove, to_html

POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'self'"
)
HEADERS = {"Content-Security-Policy": POLICY, "X-Frame-Options": "SAMEORIGIN", "X-DNS-Prefetch-Control": "off"}
REMOVED = (
    "script", "link", "base", "iframe", "frame", "frameset", "object", "embed", "applet", "portal", "template", "audio",
    "video", "source", "track",
)  # fmt: skip


def page_response(page: tuple[bytes, str] | None) -> HTMLResponse:
    """Return the response for the bytes and content type of a crawled page. Raises `HTTPException` 404 without one."""
    if page is None:
        raise HTTPException(404, "The page is not kept.")
    return HTMLResponse(harmless(*page), headers=HEADERS)


def harmless(body: bytes, content_type: str) -> str:
    """Return a page as HTML without elements that run or request anything."""
    text, _ = decode(body, content_type)
    try:
        tree = lxml.html.document_fromstring(text.replace("\0", ""), parser=lxml.html.HTMLParser(encoding=None))
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return ""
    for element in [*tree.iter()]:
        if _is_removed(element):
            remove(element)
        else:
            _clean(element)
    return f"<!doctype html>\n{to_html(tree)}"


def _is_removed(element: "lxml.html.HtmlElement") -> bool:
    tag: object = element.tag  # that of a comment is a function
    if not isinstance(tag, str):
        return True
    name = tag.rpartition("}")[2].rpartition(":")[2].lower()
    return name in REMOVED or (name == "meta" and element.get("name") != "viewport")


def _clean(element: "lxml.html.HtmlElement") -> None:
    for name in [*element.attrib]:
        plain = str(name).lower()
        if plain.startswith("on") or plain in ("srcdoc", "ping", "action", "formaction", "autofocus", "target"):
            del element.attrib[name]
        elif plain in ("href", "src", "xlink:href", "background", "poster", "data", "srcset"):
            is_picture = plain == "src" and str(element.attrib[name]).lstrip().lower().startswith("data:image/")
            if not is_picture:
                del element.attrib[name]
