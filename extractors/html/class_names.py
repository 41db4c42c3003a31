"""The meaning of the names that a template gives its elements: body, noise or nothing.

Names are a soft prior. As hard filters they cost up to nine points on one development set: each of these words names
the body of an article on some site.
"""

import re
from functools import lru_cache
from typing import NamedTuple

import re2

CACHED = 20_000  # elements whose role is cached
BODY_TAGS = {"article": 2, "main": 1}
NOISE_TAGS = frozenset({"aside", "nav", "footer", "form", "dialog", "menu"})
NOISE_ROLES = frozenset({
    "navigation", "contentinfo", "complementary", "search", "dialog", "menu", "banner", "alertdialog", "tablist",
})  # fmt: skip

# Words are looked for in class and id, cut at signs and at changes from lower to upper case.
_DECLARED = (  # names of a body and of nothing else
    r"(?:article|entry|post|story|news|blog) ?(?:body|content|text|copy|main)|main ?article"
    r"|(?:body|rich) ?(?:content|text|copy)"
    r"|content ?(?:body|detail)|article ?detail|markdown"
)
_BODY = r"article|story|post|entry|content|text|body|hentry|blog ?post|main|prose|zhengwen|neirong|wenzhang"
_NOISE = (  # soft names: half of the text in elements with such names belongs to a body after all
    r"nav(?:bar|igation)?|menu|sidenav|bread ?crumbs?|crumbs?|respond|repl(?:y|ies)|recirc\w*|read ?more"
    r"|more ?(?:news|stories|articles|posts)|popular|promo(?:s|tions?|ted)?|sponsor(?:ed|s)?|advert\w*|ads?|adv|adbox"
    r"|banner|subscri(?:be|ption)|sign ?up|log ?in|register|paywall|social|shar(?:e|ing)|(?:author|about) ?(?:the ?)?"
    r"(?:author|bio|box|info|profile)|bio|by ?line|tags?|tag ?(?:list|cloud)|categories|copyright|disclaimer|legal"
    r"|pagination|pager|prev ?next|next ?prev|toolbar|tools|widgets?|credits?|captions?|hidden|no ?print|masthead|toc"
    r"|table of contents|meta(?:data)?|dateline|timestamp|ratings?|poll|quiz|ticker|weather|calendar|search"
)
_LOUD_NOISE = (
    r"foot(?:er)?|cookies?|gdpr|consent|privacy|modal|popup|overlay|lightbox|comments?|comment ?list|disqus|side ?bar"
    r"|outbrain|taboola|news ?letter|related|recommend(?:ed|ations?)?|most ?(?:read|popular|viewed)|trending|see ?also"
    r"|slide ?shows?|galler(?:y|ies)|carousel|swiper"
)
_WORDS = re2.Set.SearchSet()  # one search for all four kinds of names
_IS_DECLARED, _IS_BODY, _IS_NOISE, _IS_LOUD = (
    _WORDS.Add(rf"\b(?:{words})\b") for words in (_DECLARED, _BODY, _NOISE, _LOUD_NOISE)
)
_WORDS.Compile()
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SIGNS = re.compile(r"[^A-Za-z0-9]+")
_SIGNS_TO_SPACES = bytes(byte if chr(byte).isalnum() and byte < 128 else 0x20 for byte in range(256))
SCREEN_READER = re.compile(
    r"(?:^|[\s_-])(?:sr-only|visually-?hidden|screen-?reader(?:-text)?|offscreen|off-screen|assistive-text)(?:$|[\s_-])",
    re.IGNORECASE,
)


class Role(NamedTuple):
    """`body`: 0 no evidence, 1 a word, 2 <article>, 3 a declared body, 4 declared by itemprop; `noise`: 0 to 3."""

    body: int
    noise: int


@lru_cache(CACHED)
def role_of(tag: str, classes: str, identity: str, itemprop: str, role: str) -> Role:
    """Return the role of an element by its tag and attributes ("" for a missing one)."""
    body = BODY_TAGS.get(tag, 1 if role == "main" else 0)
    noise = 0
    if "articlebody" in itemprop.lower():
        body = 4
    if classes or identity:
        found = _WORDS.Match(_words(classes) + b" , " + _words(identity) if identity else _words(classes)) or ()
        if _IS_DECLARED in found:
            body = max(body, 3)
        elif _IS_BODY in found:
            body = max(body, 1)
        noise = 2 if _IS_LOUD in found else 1 if _IS_NOISE in found else 0
    if tag in NOISE_TAGS or role in NOISE_ROLES:
        noise = 3
    elif tag == "header":
        noise = max(noise, 1)
    return Role(body, noise)


def _words(name: str) -> bytes:
    if name.isascii() and name == name.lower():
        spaced = name.encode().translate(_SIGNS_TO_SPACES)  # cheaper than the expression
        return b" ".join(spaced.split()) if b"  " in spaced else spaced
    return _SIGNS.sub(" ", _CAMEL.sub(" ", name)).lower().encode()
