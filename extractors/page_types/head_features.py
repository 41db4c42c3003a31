"""Numbers about a page's type by what its head declares, and signs of its kind in that, its URL and its title.

What it declares: Open Graph, JSON-LD, links to feeds and neighbours, <body>. The signs are one number for each kind and
place, 0 or 1. No sign decides: the model of kinds weighs them with the numbers of `features` (`kinds`).
"""

import re
from collections import Counter
from math import log1p

from ..expressions import expression
from ..html.urls import split_web
from ..metadata.declared_metadata import PUBLISHED, Head
from . import list_words

MAX_SCRIPT = 500_000  # characters of a JSON-LD script that are searched for types
ARTICLE_TYPE = re.compile(r"Article|Posting|Report|^Review$|Recipe")
LIST_TYPE = re.compile(r"CollectionPage|ItemList|SearchResults|^Blog$|OfferCatalog|ProductGroup|DataCatalog")
_TYPES = re.compile(r'"@type"\s*:\s*(?:"(\w+)"|\[([^\]]{0,200})\])')
_COUNTED = ("article", "time", "h1", "h2", "h3")

_WORD = r"(?:^|[/.?&_-])(?:{})(?:[/._=?&-]|$)"
IN_ADDRESS = {  # words of a path or a host
    kind: expression(_WORD.format(words), re.IGNORECASE)
    for kind, words in {
        "thread": "forums?|threads?|topics?|t|tid|viewtopic|showthread|questions?|discussions?|community|comments|bbs"
        "|board",
        "documentation": "docs?|documentation|guides?|reference|api|manual|tutorials?|help|learn|wiki|man|kb|support",
        "product": "products?|p|shop|store|dp|items?|buy|prod|sku|itm|listing",
        "service": r"services?|solutions?|pricing|features?|about|platform|capabilit\w+|industries|company|what-we-do",
        "collection": "collections?|categor(?:y|ies)|c|cat|catalog|shop|department|browse|tags?",
    }.items()
}
IN_TITLE = {
    kind: expression(words, re.IGNORECASE)
    for kind, words in {
        "thread": r"\b(?:forums?|question|thread|community|discuss\w*|stack|topic)\b|论坛|贴吧|问答|讨论",
        "documentation": r"\b(?:docs?|documentation|reference|manual|api|guide|tutorial|wiki)\b|文档|手册|教程|参考",
        "product": r"[$€£¥]|\b(?:buy|price|shop|store|sale|official\ site|oz|inch|pack)\b|价格|购买|商城",
        "service": r"\b(?:services?|solutions?|company|agency|software|platform|consult\w*|experts?)\b|服务|方案|公司",
        "collection": r"\b(?:shop|collections?|all|buy|online|sale|women'?s|men'?s)\b|系列|全部",
    }.items()
}
IN_TYPES = {  # types of schema.org
    kind: re.compile(rf"(?:{types})$")
    for kind, types in {
        "thread": "DiscussionForumPosting|QAPage|Question|Comment|Answer",
        "documentation": "TechArticle|APIReference|HowTo|SoftwareSourceCode|SoftwareApplication",
        "product": "Product|Offer|AggregateOffer|ProductGroup|IndividualProduct|Vehicle",
        "service": "Service|LocalBusiness|ProfessionalService|Organization|Corporation|FAQPage|MedicalBusiness",
        "collection": "CollectionPage|ItemList|OfferCatalog",
    }.items()
}


def declared_types(head: Head) -> set[str]:
    """Return the types that the page's JSON-LD names."""
    return {name for each in head.elements if each.tag == "script" for name in _types(each.text or "")}


def head_features(head: Head) -> dict[str, float]:
    """Return the numbers by name."""
    counts, relations, types = _counts(head)
    kind = head.first(("og:type",)).lower()
    body = head.root.find("body")
    names = f"{body.get('class') or ''} {body.get('id') or ''}" if body is not None else ""
    title = head.title
    return {
        "og_article": float("article" in kind),
        "og_other": float(bool(kind) and "article" not in kind),
        "declared_published": float(bool(head.first(PUBLISHED)) or "datePublished" in head.article),
        "declared_article": float(bool(head.article)),
        "list_types": float(any(LIST_TYPE.search(name) for name in types)),
        "article_types": log1p(sum(count for name, count in types.items() if ARTICLE_TYPE.search(name))),
        "next_link": float("next" in relations),
        "previous_link": float("prev" in relations),
        "feeds": log1p(relations["feed"]),
        "list_class": float(bool(list_words.LIST_CLASS.search(names))),
        "article_class": float(bool(list_words.ARTICLE_CLASS.search(names))),
        "title_length": log1p(len(title.encode())),
        "list_title": float(bool(list_words.LIST_TITLE.search(title))),
        "h1_in_title": float(_covers(title, head.headings)),
        **{f"{tag}_elements": log1p(counts[tag]) for tag in _COUNTED},
    }


def _counts(head: Head) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """Return how often elements, relations of <link> and types of JSON-LD occur."""
    elements, relations, types = Counter[str](), Counter[str](), Counter[str]()
    for element in head.elements:
        if element.tag == "link":
            relations.update((element.get("rel") or "").lower().split())
            relations["feed"] += "rss" in (kind := element.get("type") or "") or "atom" in kind
        elif element.tag == "script":
            types.update(_types(element.text or ""))
        else:
            elements[str(element.tag)] += 1
    return elements, relations, types


def _types(script: str) -> list[str]:
    found = _TYPES.findall(script[:MAX_SCRIPT])
    return [name for one, several in found for name in ([one] if one else re.findall(r"\w+", several))]


def _covers(title: str, headings: list[str]) -> bool:
    lowered = title.lower()
    return any(heading.lower() in lowered for heading in headings)


def kind_signs(head: Head, address: str | None) -> dict[str, float]:
    """Return the numbers by name; all of `address` are 0 without one."""
    parts = split_web(address) if address else None
    places = (f"{parts.path}?{parts.query}", parts.hostname or "") if parts else ()
    types, title = declared_types(head), head.title
    return {
        **{f"{kind}_address": float(any(form.search(place) for place in places)) for kind, form in IN_ADDRESS.items()},
        **{f"{kind}_title": float(form.search(title) is not None) for kind, form in IN_TITLE.items()},
        **{f"{kind}_types": float(any(form.match(name) for name in types)) for kind, form in IN_TYPES.items()},
        "product_declared": float("product" in head.first(("og:type",)).lower()),
    }


_PLACES = {"address": IN_ADDRESS, "title": IN_TITLE, "types": IN_TYPES}
SIGN_NAMES = (*(f"{kind}_{place}" for place, kinds in _PLACES.items() for kind in kinds), "product_declared")
