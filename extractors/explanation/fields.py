"""The metadata of an article, each field with the places of the page that have a value for it.

The places are those that `metadata` reads, in its order and by its own functions; the one that was taken is the first
whose value is the article's. Values that `metadata` changes (a title without the site's name, a time in the zone that
the page shows) are found by their remaining part.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice

from ..article import Article
from ..content.assembly import Assembling
from ..html.urls import web_url
from ..metadata import json_ld
from ..metadata.declared_metadata import DESCRIPTION, LANGUAGE, SITE, TITLE, URL, Head
from ..metadata.language import find_language
from ..metadata.metadata import (
    author_places,
    dated_lines,
    image_places,
    keyword_places,
    lines_around,
    source_places,
    text_places,
)
from ..metadata.times import Nearby, address_day, dates_in, modification_places, publication_places
from ..post import as_json
from .values import ExplainedField, FieldCandidate

MOST_OF_PLACE = 3  # values listed per place
MOST_LENGTH = 300  # characters of a value that are listed
DAY = len("2026-11-29")
TEXT_RULE = "rule on the page's text"

Found = Iterable[tuple[str, str]]  # place, value as text


def explained_fields(assembling: Assembling, article: Article) -> tuple[ExplainedField, ...]:
    """Return the fields of an article's metadata; `assembling`: what it was assembled from."""
    parsed, body = assembling.parsed, assembling.body
    kept = [] if isinstance(body, str) else body.kept
    head, page = parsed.head, parsed.page
    nearby = lines_around(parsed.lines, kept, parsed.prior.title, page)
    dated = dated_lines(nearby, head, article.language)
    modified = list(_dates(modification_places(head, dated), dated, assembling))
    address = address_day(head, page)
    published = [*_dates(publication_places(head, dated, page), dated, assembling)]
    published += [("day in the address", address.isoformat())] if address else []
    published += [(f"last change: {place}", value) for place, value in modified]
    title_line = [parsed.lines.texts[parsed.prior.title]] if parsed.prior.title >= 0 else []
    return (
        _field("title", article.title, _titles(head, [*title_line, *nearby.before]), _is_part),
        _field("published", as_json(article.published), published, _is_same_day),
        _field("modified", as_json(article.modified), modified, _is_same_day),
        _field("author", article.author, _named(author_places(head, nearby, page))),
        _field("source", article.source, _named(source_places(head, nearby))),
        _field("site_name", article.site_name, _named(text_places(head, SITE, "publisher"))),
        _field("description", article.description, _named(text_places(head, DESCRIPTION, "description"))),
        _field("keywords", ", ".join(article.keywords), ((p, ", ".join(words)) for p, words in keyword_places(head))),
        _field("language", article.language, _languages(head), _is_subtag, "letters of the body"),
        _field("canonical_url", article.canonical_url, _addresses(head, assembling)),
        _field("image", article.image, _images(assembling), other="first picture of the body"),
    )


def _field(
    name: str,
    value: str | None,
    places: Found,
    fits: Callable[[str, str], bool] = str.__eq__,
    other: str = TEXT_RULE,
) -> ExplainedField:
    """Return a field; `other`: the name of the place if no place contains the value unchanged."""
    text = value or ""
    found = [(place, part) for place, part in dict.fromkeys(places) if part]
    exact = [part == text or (bool(text) and fits(part, text)) for _, part in found]
    taken = next((n for n, (_, part) in enumerate(found) if part == text), exact.index(True) if any(exact) else -1)
    candidates = [
        FieldCandidate(place, part[:MOST_LENGTH], "taken" if n == taken else "same" if exact[n] else "lost")
        for n, (place, part) in enumerate(found)
    ]
    if text and taken < 0:
        candidates.insert(0, FieldCandidate(other, text[:MOST_LENGTH], "taken"))
    return ExplainedField(name, text[:MOST_LENGTH], tuple(candidates))


def _dates(
    places: Iterable[tuple[str, Iterable[str]]], nearby: Nearby, assembling: Assembling
) -> Iterator[tuple[str, str]]:
    for place, texts in places:
        for found in islice(dates_in(texts, nearby, assembling.parsed.page), MOST_OF_PLACE):
            yield place, found.isoformat()


def _titles(head: Head, lines: list[str]) -> Iterator[tuple[str, str]]:
    yield from (("<h1>", text) for text in head.headings[:MOST_OF_PLACE])
    yield from _meta(head, TITLE)
    yield from (("JSON-LD headline", text) for text in json_ld.texts(head.article.get("headline")))
    yield "<title>", head.title
    yield from (("line of the page", text) for text in lines[:1])


def _meta(head: Head, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    return ((f"meta {name}", " ".join(value.split())) for name in names for value in head.meta.get(name, [])[:1])


def _named(places: Iterable[tuple[str, str | None]]) -> Iterator[tuple[str, str]]:
    return ((place, text) for place, text in places if text)


def _languages(head: Head) -> Iterator[tuple[str, str]]:
    return chain([("<html lang>", head.language)], _meta(head, LANGUAGE))


def _addresses(head: Head, assembling: Assembling) -> Iterator[tuple[str, str]]:
    base = head.base_url(assembling.parsed.page)
    yield "<link rel=canonical>", web_url(base, head.canonical) or ""
    yield "meta og:url", web_url(base, head.first(URL)) or ""


def _images(assembling: Assembling) -> Iterator[tuple[str, str]]:
    head = assembling.parsed.head
    base = head.base_url(assembling.parsed.page)
    return ((place, web_url(base, url) or "") for place, url in image_places(head))


def _is_part(candidate: str, value: str) -> bool:
    """Whether a title is a part of a candidate, or is the same text."""
    one, other = ("".join(filter(str.isalnum, text.casefold())) for text in (candidate, value))
    return bool(other) and other in one


def _is_same_day(candidate: str, value: str) -> bool:
    """Whether two dates in ISO 8601 name one day, in whatever zone and with a time or without."""
    return bool(value) and candidate[:DAY] == value[:DAY]


def _is_subtag(candidate: str, value: str) -> bool:
    return find_language(candidate, "") == value
