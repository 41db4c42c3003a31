"""The declarations of a page as numbers: Open Graph, JSON-LD, links to feeds and neighbours, <body>."""

import re
from collections import Counter
from math import log1p

from ..metadata.declared_metadata import Head
from ..metadata.meta_names import PUBLISHED
from . import words

MAX_SCRIPT = 500_000  # characters of a JSON-LD script that are searched for types
ARTICLE_TYPE = re.compile(r"Article|Posting|Report|^Review$|Recipe")
LIST_TYPE = re.compile(r"CollectionPage|ItemList|SearchResults|^Blog$|OfferCatalog|ProductGroup|DataCatalog")
_TYPES = re.compile(r'"@type"\s*:\s*(?:"(\w+)"|\[([^\]]{0,200})\])')
_COUNTED = ("article", "time", "h1", "h2", "h3")


def declared_types(head: Head) -> set[str]:
    """Return the types that the page's JSON-LD names."""
    return {name for tag, element in head.elements if tag == "script" for name in _types(element.text or "")}


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
        "list_class": float(bool(words.LIST_CLASS.search(names))),
        "article_class": float(bool(words.ARTICLE_CLASS.search(names))),
        "title_length": log1p(len(title.encode())),
        "list_title": float(bool(words.LIST_TITLE.search(title))),
        "h1_in_title": float(_covers(title, head.headings)),
        **{f"{tag}_elements": log1p(counts[tag]) for tag in _COUNTED},
    }


def _counts(head: Head) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """Return how often elements, relations of <link> and types of JSON-LD occur."""
    elements, relations, types = Counter[str](), Counter[str](), Counter[str]()
    for tag, element in head.elements:
        if tag == "link":
            relations.update((element.get("rel") or "").lower().split())
            relations["feed"] += "rss" in (kind := element.get("type") or "") or "atom" in kind
        elif tag == "script":
            types.update(_types(element.text or ""))
        else:
            elements[tag] += 1
    return elements, relations, types


def _types(script: str) -> list[str]:
    found = _TYPES.findall(script[:MAX_SCRIPT])
    return [name for one, several in found for name in ([one] if one else re.findall(r"\w+", several))]


def _covers(title: str, headings: list[str]) -> bool:
    lowered = title.lower()
    return any(heading.lower() in lowered for heading in headings)
