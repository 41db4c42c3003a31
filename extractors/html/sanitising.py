"""HTML that is safe wherever it is shown: only elements, attributes and addresses of a fixed list remain.

The cleaning is nh3's (ammonia, a parser and serialiser of HTML5 as browsers have it).
"""

import re

import nh3

FORMULAS = frozenset({
    "math", "semantics", "annotation", "mrow", "mi", "mn", "mo", "ms", "mspace", "mtext", "msup", "msub", "msubsup",
    "mfrac", "msqrt", "mroot", "mover", "munder", "munderover", "mtable", "mtr", "mtd", "mstyle", "mpadded", "menclose",
    "mmultiscripts", "mprescripts", "mphantom",
})  # fmt: skip
ELEMENTS = FORMULAS | {
    "p", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "dl", "dt", "dd", "pre", "code", "kbd", "samp", "strong", "em",
    "sub", "sup", "del", "ins", "mark", "a", "blockquote", "hr", "br", "table", "caption", "thead", "tbody", "tfoot",
    "tr", "th", "td", "figure", "figcaption", "img", "details", "summary", "input", "cite",
}  # fmt: skip
ATTRIBUTES = {
    "a": {"href"},
    "img": {"src", "alt"},
    "ol": {"start", "reversed"},
    "li": {"value"},
    "th": {"colspan", "rowspan"},
    "td": {"colspan", "rowspan"},
    "code": {"class"},
    "input": {"type", "checked", "disabled"},
    "math": {"display"},
    "annotation": {"encoding"},
}
_VALUES = {
    ("code", "class"): re.compile(r"language-[\w+#.-]{1,32}"),
    ("input", "type"): re.compile(r"checkbox"),
    ("math", "display"): re.compile(r"block|inline"),
    ("annotation", "encoding"): re.compile(r"application/x-tex"),
    **{(name, span): re.compile(r"[0-9]{1,3}") for name in ("td", "th") for span in ("colspan", "rowspan")},
    **{(name, number): re.compile(r"[0-9]{1,9}") for name, number in (("ol", "start"), ("li", "value"))},
}
_WEB = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
_KEPT_PICTURE = re.compile(r"(?:\.\./)*pictures/[0-9a-f]{32}(?:\.[a-z]{3,4})?")  # `workers.picture_links`
_ADDRESSES = frozenset({"href", "src"})


def sanitise(html: str) -> str:
    """Return a fragment of HTML with the allowed elements, attributes and addresses only."""
    return _CLEANER.clean(html)


def _allowed(element: str, attribute: str, value: str) -> str | None:
    """Return an attribute's value if it is allowed."""
    if attribute in _ADDRESSES:
        return value if _WEB.match(value) or (attribute == "src" and _KEPT_PICTURE.fullmatch(value)) else None
    form = _VALUES.get((element, attribute))
    return value if form is None or form.fullmatch(value) else None


_CLEANER = nh3.Cleaner(
    tags=set(ELEMENTS),
    attributes=ATTRIBUTES,
    attribute_filter=_allowed,
    url_schemes={"http", "https", "mailto"},
    link_rel=None,
)
