"""Signs of a page's kind in what it declares, its URL and its title: one number for each kind and place, 0 or 1.

No sign decides: the model of kinds weighs them with the numbers of `features` (`kinds`).
"""

import re

from ..expressions import expression
from ..html.urls import split_web
from ..metadata.declared_metadata import Head
from .head_features import declared_types

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
NAMES = (*(f"{kind}_{place}" for place, kinds in _PLACES.items() for kind in kinds), "product_declared")
