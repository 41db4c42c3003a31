"""The address of a picture: the largest one that its element names, however the page loads it."""

import re
from collections.abc import Mapping
from itertools import islice
from operator import itemgetter
from typing import cast

from lxml import etree

from ..html.urls import web_url

NAMES_LENGTH = 300  # characters of classes and id
ALT_LENGTH = 300  # characters
MAX_CANDIDATES = 50  # sizes of a picture that are compared
MAX_SOURCES = 10  # <source> elements of a picture
STYLE_LENGTH = 1_000  # characters of a style attribute that are read
SMALLEST = 40  # pixels; a smaller picture is an icon, a spacer or a counter

# Attributes that name a picture, the best first: sets of sizes, those from which scripts load it, and `src`, which then
# has a placeholder.
_SETS = ("data-srcset", "data-lazy-srcset", "data-original-set", "data-flickity-lazyload-srcset", "srcset")
_ADDRESSES = (
    "data-src", "data-original", "data-lazy-src", "data-lazy", "data-actualsrc", "data-original-src", "data-echo",
    "data-lazyload", "data-hi-res-src", "data-full-src", "data-orig-file", "data-large-file", "data-url", "data-image",
    "data-img", "data-flickity-lazyload", "data-runner-src", "data-backsrc", "_src", "lazysrc", "lazy-src", "original",
    "zoomfile", "file", "data-ks-lazyload", "data-cfsrc", "data-lazysrc", "data-defer-src", "data-pagespeed-lazy-src",
    "src",
)  # fmt: skip
_PLAYER = ("data-lazy-src", "data-src", "src")
_RANKS = {name: rank for rank, name in enumerate((*_SETS, *_ADDRESSES))}
_PLACEHOLDER = re.compile(  # in an address after a dot; each form begins with a sign, for which `re` searches quickly
    r"[/_.-](?:(?:spacer|blank|pixel|transparent|placeholder|loading|lazy-?load(?:ing)?|1x1|1px|spinner)"
    r"\.(?:gif|png|jpe?g|svg)\b|(?:gr[ae]y|none|dot|clear|s)\.gif\b|(?<=\A.)data:|(?<=/)(?:pixel[/?]"
    r"|(?:counter|stat)[/?.]|(?:filetypeimages|outliningindicators|smil(?:ey|ies)|emoticons?)/))",
    re.IGNORECASE,
)
_DECORATION = re.compile(  # in a class or id
    r"\b(?:avatars?|gravatar|emoji|emoticon|smil(?:ey|ies)|icons?|logo|sprite|badge|share|social|qr-?code|tracking|spacer)\b",
    re.IGNORECASE,
)
_FORMULA = re.compile(r"(?:^|[\s_-])(?:la)?(?:tex|math|equation|formula)(?:$|[\s_-])", re.IGNORECASE)  # in a class
_SAYS_DECORATION = re.compile(
    r"(?:site )?logo|avatar|icon|复制代码|copy(?: code)?|.{0,12}(?:二维码|头像).{0,4}", re.IGNORECASE
)  # the alternative text
_ADDRESS = re.compile(r"/|\.\w{3,4}\Z")  # other values of such attributes are flags
_WIDTH = re.compile(r"(\d+(?:\.\d+)?)([wxh])\Z")
_BACKGROUND = re.compile(r"background(?:-image)?\s*:[^;]*?url\(\s*[\"']?([^\"')]+)", re.IGNORECASE)
_NUMBER = re.compile(r"\s*(\d+)(?:px)?\s*\Z")


def picture_url(element: etree._Element, base: str) -> str | None:
    """Return the http(s) URL of a picture; None if it has none, or is a decoration or a formula."""
    attributes = cast("dict[str, str]", dict(element.items()))
    if _is_decoration(attributes) or is_formula(element):
        return None
    named = [(_RANKS[name], value) for name, value in attributes.items() if name in _RANKS]
    for holder in islice(element.iterancestors(), MAX_SOURCES):  # the parser puts a picture into the <source> before it
        if holder.tag not in ("source", "picture"):
            break
        for source in (holder, *islice(holder.iterchildren("source"), MAX_SOURCES)):
            named += [(_RANKS[name], str(value)) for name, value in source.items() if name in _SETS]
    for rank, value in sorted(named, key=itemgetter(0)):
        address = largest(str(value)) if rank < len(_SETS) else str(value)
        if _ADDRESS.search(address) and not _is_placeholder(address) and (url := web_url(base, address)):
            return url
    return None


def is_formula(element: etree._Element) -> bool:
    """Whether a picture is one of a formula, whose source is its text."""
    return bool(element.get("alt")) and _FORMULA.search((element.get("class") or "")[:NAMES_LENGTH]) is not None


def player_url(element: etree._Element, base: str) -> str | None:
    """Return the http(s) URL of a player, or of its first source."""
    if "youtube" in element.tag and (video := element.get("videoid") or element.get("data-videoid")):
        return f"https://www.youtube.com/watch?v={video}"
    source = element.find("source")
    named = [each.get(name) or "" for each in (element, source) if each is not None for name in _PLAYER]
    return next(filter(None, (web_url(base, address) for address in named)), None)


def background_url(element: etree._Element, base: str) -> str | None:
    """Return the http(s) URL of an element's background picture."""
    found = _BACKGROUND.search((element.get("style") or "")[:STYLE_LENGTH])
    written = element.get("data-bg") or element.get("data-background-image") or (found[1] if found else "")
    return web_url(base, written) if written and not _is_placeholder(written) else None


def largest(srcset: str) -> str:
    """Return the address of the largest picture in a `srcset`, the first of equal ones; "" if there is none."""
    best, size = "", 0.0
    address = ""
    for word in islice(srcset.split(), 2 * MAX_CANDIDATES):
        described, _, following = word.partition(",") if address else ("", "", word)
        width = _WIDTH.match(described)
        ended = not address and word.endswith(",")  # an address alone
        if ended:
            address, following = word.rstrip(","), ""
        this = float(width[1]) if width else 1.0
        if (address and (described or ended)) and this > size and not _is_placeholder(address):
            best, size = address, this
        address = following
    return best or (address if not _is_placeholder(address) else "")


def alternative(element: etree._Element) -> str:
    """Return the text for readers who do not see a picture."""
    return " ".join((element.get("alt") or "").split())[:ALT_LENGTH]


def _is_placeholder(address: str) -> bool:
    return _PLACEHOLDER.search(f".{address}") is not None


def _is_decoration(attributes: Mapping[str, str]) -> bool:
    for name in ("width", "height"):
        found = _NUMBER.match(attributes.get(name, ""))
        if found and int(found[1]) < SMALLEST:
            return True
    names = f"{attributes.get('class', '')} {attributes.get('id', '')}"
    if len(names) > 1 and _DECORATION.search(names[:NAMES_LENGTH]):
        return True
    return "alt" in attributes and _SAYS_DECORATION.fullmatch(attributes["alt"]) is not None
