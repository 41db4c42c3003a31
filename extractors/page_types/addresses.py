"""URLs: their shapes, and numbers about a page's type by its own URL and those of its links.

The shape of a URL is what it has in common with its siblings: `/2026/11/03/some-story.html` and
`/2026/10/28/another-one.html` have the shape `/0/0/0/slug.html`. A list has links to URLs below its own, an article has
links to URLs of its own shape.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache, lru_cache, partial
from itertools import islice
from math import log1p

from ..html.urls import normalise, split_web
from ..metadata.dates import find_url_date
from . import list_words

LONG_WORD = 12  # letters; a longer segment is a slug
MAX_LINKS = 400  # links of a page that are examined

_DIGITS = re.compile(r"\d+")
_EXTENSION = re.compile(r"\.[A-Za-z]{2,5}$")
_HEX = re.compile(r"(?=[a-f]*\d)[0-9a-f]{6,}$")


def shape_of(url: str) -> str:
    """Return the shape of a URL, its host first; a text that is not a web address is its own shape.

    Segments of digits become `0`, those with hyphens, many letters or a hash `slug`; parameters keep their names.
    """
    parts = split_web(normalise(url))
    if parts is None:
        return url
    names = sorted(pair.partition("=")[0] for pair in parts.query.split("&") if pair)
    return f"{parts.hostname}{_path_shape(parts.path)}" + (f"?{'&'.join(names)}" if names else "")


def _path_shape(path: str) -> str:
    *folders, last = path.split("/")
    return "/".join([*(_segment(folder, False) for folder in folders), _segment(last, True)])


@lru_cache(20_000)
def _segment(text: str, last: bool) -> str:
    stem, extension = _split(text) if last else (text, "")
    if stem.isdecimal():
        return "0" + extension
    if "-" in stem.strip("-") or "_" in stem.strip("_") or "%" in stem or len(stem) > LONG_WORD or _HEX.match(stem):
        return "slug" + extension
    return _DIGITS.sub("0", stem) + extension


def _split(segment: str) -> tuple[str, str]:
    found = _EXTENSION.search(segment)
    return (segment[: found.start()], found[0].lower()) if found else (segment, "")


def address_features(url: str) -> dict[str, float]:
    """Return numbers by name, computed from a URL alone."""
    parts = split_web(url)
    path, query = (parts.path, parts.query) if parts else ("", "")
    segments = [segment for segment in path.split("/") if segment]
    while segments and _split(segments[-1])[0] in ("index", "default"):
        segments.pop()
    last, extension = _split(segments[-1]) if segments else ("", "")
    digits = [len(run) for run in _DIGITS.findall(last)]
    return {
        "depth": float(len(segments)),
        "front": float(not segments and not query),
        "last_length": log1p(len(last)),
        "last_words": float(len([word for word in re.split(r"[-_+]|%20", last) if word])),
        "last_digits": float(max(digits, default=0)),
        "last_decimal": float(last.isdecimal()),
        "last_hash": float(bool(_HEX.match(last[-12:]))),
        "extension": float(bool(extension)),
        "slash": float(path.endswith("/")),
        "parameters": log1p(len([pair for pair in query.split("&") if pair])),
        "dated": float(find_url_date(url) is not None),
        "year": float(bool(re.search(r"/(?:19|20)\d\d(?:/|\d\d)", path))),
        "page_number": float(bool(list_words.PAGE_ADDRESS.search(f"{path}?{query}"))),
        "list_last": float(bool(list_words.LIST_ADDRESS.match(last))),
        "list_words": float(sum(bool(list_words.LIST_ADDRESS.match(segment)) for segment in segments)),
        "article_words": float(sum(bool(list_words.ARTICLE_ADDRESS.match(segment)) for segment in segments[:-1])),
    }


def link_features(url: str, links: Iterable[str], titles: Iterable[str]) -> dict[str, float]:
    """Return numbers that compare a page's URL with those of its links; `titles`: links with words for a title."""
    own = split_web(url)
    host, path = (own.netloc.lower(), own.path or "/") if own else ("", "/")
    base = path[: path.rfind("/") + 1]
    path_on = lru_cache(MAX_LINKS)(partial(_path_on, host, base))  # titles are among the links
    everywhere, entries = (_paths(path_on, addresses) for addresses in (links, titles))
    folder = path if path.endswith("/") else f"{path}/"
    below = [other for other in everywhere if other.startswith(folder) and other != folder] if path != "/" else []
    entries_below = [other for other in entries if other.startswith(folder) and other != folder]
    shape = _path_shape(path)
    shapes = Counter(map(_path_shape, entries))
    return {
        "links_below": log1p(len(below)),
        "entries_below": len(entries_below) / max(1, len(entries)) if path != "/" else 0.5,
        "like_own": log1p(shapes[shape]),
        "share_like_own": shapes[shape] / max(1, len(entries)),
        "one_shape": max(shapes.values(), default=0) / max(1, len(entries)),
        "deeper": _mean_depth(entries) - path.strip("/").count("/"),
        "longer": _mean_last(entries) - log1p(len(path.rstrip("/").rpartition("/")[2])),
    }


def _paths(path_on: Callable[[str], str], links: Iterable[str]) -> list[str]:
    """Return the different paths that `path_on` gives for links, without ""."""
    return list(dict.fromkeys(filter(None, map(path_on, islice(links, MAX_LINKS)))))


def _path_on(host: str, folder: str, link: str) -> str:
    """Return the path of a link, "" if it is on another host. Not by `urljoin`, which would take half of the time."""
    link = link.strip().partition("#")[0].partition("?")[0]
    if link.startswith(("http://", "https://", "//")):
        there, slash, path = link.partition("//")[2].partition("/")
        return slash + path if there.lower() == host else ""
    if not link or ":" in link or link.startswith("."):
        return ""
    return link if link.startswith("/") else folder + link


def _mean_depth(paths: list[str]) -> float:
    return sum(path.strip("/").count("/") for path in paths) / max(1, len(paths))


def _mean_last(paths: list[str]) -> float:
    return sum(log1p(len(path.rstrip("/").rpartition("/")[2])) for path in paths) / max(1, len(paths))


@cache
def names_of_address() -> frozenset[str]:
    """Return the names of the numbers that need the page's URL."""
    return frozenset(address_features("http://a.example/") | link_features("http://a.example/", (), ()))
