"""schema.org data in JSON-LD scripts → their data on the article, and on the page as such."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from ..html.decoding import without_controls

MAX_LENGTH = 500_000  # characters of one script; longer ones are product catalogues
MAX_DEPTH = 6  # levels of nesting in which an article is looked for
ARTICLE_TYPES = ("Article", "Posting", "Report", "Review", "CreativeWork", "Recipe")  # endings of @type
PAGE_TYPES = ("WebPage", "ItemPage")
PRODUCT_TYPES = ("Product",)

# Only scripts with one of these are decoded. `pubDate` is Baidu's, whose object has no type.
_WORTH_READING = (*(f'{name}"' for name in ARTICLE_TYPES + PAGE_TYPES + PRODUCT_TYPES), '"pubDate"')
_DATES = re.compile(r'"(datePublished|dateModified)"\s*:\s*"([^"\\\n]+)"')
_AUTHOR = re.compile(r'"author"\s*:\s*\[?\s*(?:\{[^{}]*?"name"\s*:\s*)?"([^"\\\n]+)"')
_ARTICLE = re.compile(rf'"@type"\s*:\s*"\w*(?:{"|".join(ARTICLE_TYPES)})"')


Object = dict[str, Any]


def find_declared(scripts: Iterable[str]) -> tuple[Object, Object, list[Object]]:
    """Return the first object whose type is an article's, the first that is a page's, and all that are a product's."""
    article, page, products = Object(), Object(), list[Object]()
    named = dict[str, Object]()  # by the @id with which others refer to them
    for script in scripts:
        for item in _objects(_load(script)) if any(sign in script for sign in _WORTH_READING) else ():
            types = texts(item.get("@type"))
            if item.get("name") and isinstance(item.get("@id"), str):
                named.setdefault(item["@id"], item)
            if any(name.endswith(ARTICLE_TYPES) for name in types):
                article = article or item
            elif any(name.endswith(PRODUCT_TYPES) for name in types):
                products.append(item)
            elif not page and ("pubDate" in item or any(name.endswith(PAGE_TYPES) for name in types)):
                page = item
    if "author" in article:
        article["author"] = _resolved(article["author"], named)
    return article, page, products


def _resolved(value: Any, named: dict[str, Object]) -> Any:
    """Return a property with the named objects to which it, or its entries, refer by @id alone."""
    if isinstance(value, list):
        return [_resolved(entry, named) for entry in value if not isinstance(entry, list)]
    is_reference = isinstance(value, dict) and not value.get("name") and isinstance(value.get("@id"), str)
    return named.get(value["@id"], value) if is_reference else value


def texts(value: Any) -> list[str]:
    """Return the texts of a property, which may be a text, an object's name or address, or a list of these."""
    if isinstance(value, str):
        # \ud800 alone is valid JSON, but no text that can be written.
        return [without_controls(value.encode("utf-8", "replace").decode())] if value.strip() else []
    if isinstance(value, dict):
        return texts(value.get("name") or value.get("url") or value.get("@id"))
    if isinstance(value, list):
        return [text for entry in value if not isinstance(entry, list) for text in texts(entry)]
    return []


def _load(script: str) -> Any:
    if len(script) > MAX_LENGTH:
        return None
    text = script.strip().removeprefix("<!--").removesuffix("-->").removeprefix("//<![CDATA[").removesuffix("//]]>")
    try:
        return json.loads(text.strip().rstrip(";"), strict=False)
    except (ValueError, RecursionError):
        return _salvaged(text)


def _salvaged(text: str) -> Object | None:
    """Return dates and author of an article whose script is invalid JSON: a superfluous comma, an unescaped quote."""
    if not _ARTICLE.search(text):
        return None
    found: Object = {"@type": "Article"}
    for match in _DATES.finditer(text):
        found.setdefault(match[1], match[2])
    if author := _AUTHOR.search(text):
        found["author"] = author[1]
    return found


def _objects(value: Any, depth: int = 0) -> Iterator[Object]:
    """Yield the objects in `value`, outer ones first."""
    if depth > MAX_DEPTH:
        return
    if isinstance(value, list):
        for entry in value:
            yield from _objects(entry, depth + 1)
    elif isinstance(value, dict):
        yield value
        for key in ("@graph", "mainEntity", "mainEntityOfPage", "itemListElement"):
            yield from _objects(value.get(key), depth + 1)
