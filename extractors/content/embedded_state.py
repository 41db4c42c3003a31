"""The text of a page that contains it only as data, which its scripts show: JSON-LD, or the state of a framework.

Strategy: the `articleBody` of JSON-LD, or the description of its only product, if it is much longer than the visible
text (a description that is not visible is mostly a summary: shown with the text, it made 4 of 8 pages worse). Else, if
almost no text is visible, the strings of all state scripts and textareas: the smallest object that contains the page's
title and enough prose is chosen, and of its strings the longest, if it has half of the prose, or those in similar
places, such as the texts of a list of blocks. The text found becomes a small page, which is read like any other. The
object's date of publication and authors count as declared by meta elements, unless the page has these.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice
from typing import Any

from lxml import etree

from ..errors import UnusablePage
from ..html.dom import parse
from ..html.lines import LITTLE_PROSE, LITTLE_TEXT, Lines, has_title, main_part, read_lines
from ..html.paths import PathTrie
from ..metadata.declared_metadata import Head
from ..metadata.json_ld import texts

STATED_TIMES = 3  # times the visible prose; on the development pages the text in JSON-LD is at most 1.6 times as long
STATED_PROSE, LONG_PROSE = 300, 1_000  # bytes from which a text may be an article, or surely is more than a summary
MAX_STATE = 5_000_000  # characters of a page's state scripts; the rest is not read
MAX_VALUES = 100_000  # objects, lists and strings that are read
MAX_ASSIGNED = 20  # assignments that are read in a script
MAX_LEVELS = 60  # levels of nesting that are read
MAX_TITLES = 20  # strings with the title that are tried
CLIMB = 4  # levels from the title's string up to the object that holds the text
PROSE = 80  # characters of a string from which it may be prose
LITERAL = 10  # characters of a string that is read in a script without JSON

MAX_NAME = 100  # characters of a date or an author
_META = dict.fromkeys(("author", "authors", "authorname", "byline"), "author") | dict.fromkeys(  # by key, in lower case
    ("datepublished", "publishedat", "publisheddate", "publishdate", "publishtime", "pubdate", "published", "date"),
    "datepublished",
)

Place = tuple[str | int, ...]
Strings = list[tuple[Place, str]]

_ASSIGNED = re.compile(
    r"(?:window|self|globalThis)\s*(?:\.\s*[\w$]+|\[\s*[\"'][\w$]+[\"']\s*\])\s*=\s*(?:JSON\.parse\(\s*)?(?=[{\[\"])"
)
_LITERAL = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)  # always matches: a search stays linear
_TAG = re.compile(r"</?(?:p|br|div|h[1-6]|ul|ol|li|a|b|i|em|strong|span|blockquote|figure|img)\b[^<>]*>", re.IGNORECASE)
_CODE = re.compile(r"[{};]\s|function\s*\(|^\s*(?:https?:|data:|/)\S*$")
_DIGITS = re.compile(r"\d+")
_DECODER = json.JSONDecoder(strict=False)


def with_state(root: etree._Element, head: Head, shown: Lines, trie: PathTrie) -> Lines:
    """Return the lines of the text that the page has as data, if much less is visible; else `shown`."""
    prose, title, top, strings = shown.prose, head.title, None, Strings()
    product = head.products[0].get("description") if len(head.products) == 1 else None
    body = " ".join(texts(head.article.get("articleBody") or head.article.get("text") or product))
    if len(body.encode()) >= max(STATED_PROSE, STATED_TIMES * prose):
        pieces = [body]
    elif prose < LITTLE_PROSE and (shown.characters < LITTLE_TEXT or not has_title(shown, title.lower())):
        strings = _strings(root)
        pieces, top = find_text(strings, main_part(title.lower()))
    else:
        return shown
    stated = _read(pieces, title, trie)
    least = max(STATED_PROSE if shown.characters < LITTLE_TEXT else LONG_PROSE, STATED_TIMES * prose)
    if stated is None or stated.prose < least:
        return shown
    if top is not None:
        _declare(strings, top, head)
    return stated


def _declare(strings: Strings, top: Place, head: Head) -> None:
    """Add date of publication and authors of the object at `top` to the meta elements, where the page has none."""
    found: dict[str, list[str]] = defaultdict(list)
    for place, text in strings:
        if place[: len(top)] == top and len(text) <= MAX_NAME:
            key, *rest = place[len(top) :]
            name = _META.get(str(key).lower().replace("_", ""))
            if name and [step for step in rest if isinstance(step, str)] in ([], ["name"]):
                found[name].append(text)
    for name, values in found.items():
        head.meta.setdefault(name, values)


def find_text(strings: Strings, title: str) -> tuple[list[str], Place]:
    """Return the texts, plain or HTML, of the object that has the page's title, and its place; [] if there is none."""
    prose = [(place, text) for place, text in strings if _is_prose(text)]
    top, record = _record(strings, prose, title) if title else ((), [])
    if not record:
        return [], top
    longest = max(record, key=_length)
    groups: dict[Place, Strings] = defaultdict(list)
    for item in record:
        groups[_pattern(item[0])].append(item)
    group = max(groups.values(), key=_total)
    if len(group) == 1 or 2 * _length(longest) >= _total(group):
        return [longest[1]], top
    return _blocks(strings, group), top


def _record(strings: Strings, prose: Strings, title: str) -> tuple[Place, Strings]:
    """Return the place of the smallest object that has the title and enough prose, and its prose."""
    places = [
        place for place, text in strings if len(text) <= 2 * len(title) and title in " ".join(text.lower().split())
    ]
    for least in (LONG_PROSE, STATED_PROSE):
        for up in range(1, CLIMB + 1):
            above = {place[:-up] for place in places[:MAX_TITLES] if len(place) >= up}
            found = {top: [item for item in prose if item[0][: len(top)] == top] for top in above}
            best = max(found, key=lambda top: _total(found[top]), default=())
            if found and _total(found[best]) >= least:
                return best, found[best]
    return (), []


def _blocks(strings: Strings, group: Strings) -> list[str]:
    """Return the texts of the list that contains the group's strings, short ones too, inline parts joined."""
    first, last = group[0][0], group[-1][0]
    common = next((level for level, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), 0)
    joined: dict[Place, list[str]] = {}
    for place, text in strings:
        if place[:common] == first[:common] and place[-1] == first[-1]:
            numbers = [level for level in range(common, len(place)) if isinstance(place[level], int)]
            joined.setdefault(place[: numbers[-1]] if len(numbers) > 1 else place, []).append(text)
    return ["".join(parts) for parts in joined.values()]


def _read(pieces: list[str], title: str, trie: PathTrie) -> Lines | None:
    if not pieces:
        return None
    paragraphs = [piece if _TAG.search(piece) else _paragraphs(piece) for piece in pieces]
    heading = main_part(title)
    try:
        root = parse(f"<body><h1>{heading.replace('<', '&lt;')}</h1><article>{''.join(paragraphs)}</article></body>")
    except UnusablePage:
        return None
    return read_lines(root, trie)


def _paragraphs(text: str) -> str:
    return "".join(f"<p>{line}</p>" for line in text.replace("<", "&lt;").split("\n"))


def _strings(root: etree._Element) -> Strings:
    """Return all strings of the page's state with their places, in order."""
    found: Strings = []
    left = MAX_STATE
    for number, script in enumerate(root.iter("script", "textarea")):
        kind, text = (script.get("type") or "").lower(), script.text or ""
        if script.tag == "textarea":
            found.append((("textarea", number), text[:MAX_STATE]))
        elif len(text) > PROSE and "ld+json" not in kind and left > 0:
            left -= len(text)
            for value in _values(text[:MAX_STATE], "json" in kind):
                found += _flatten(value, number)
    return found


def _values(script: str, is_json: bool) -> Iterator[Any]:
    """Yield the data in a script: the script itself, the values that it assigns, or else its long strings."""
    assigned = islice(_ASSIGNED.finditer(script), MAX_ASSIGNED)
    starts = [len(script) - len(script.lstrip())] if is_json else [match.end() for match in assigned]
    ended = 0
    for start in starts:
        if start >= ended:
            try:
                value, ended = _DECODER.raw_decode(script, start)
                yield value
            except (ValueError, RecursionError):
                continue
    if not ended and "__NUXT__" in script:
        literals = (literal for literal in _LITERAL.findall(script) if len(literal) >= LITERAL)
        yield [text for literal in literals for text in _unescaped(literal)]


def _unescaped(literal: str) -> list[str]:
    try:
        return [_DECODER.decode(literal)]
    except ValueError:
        return []


def _flatten(value: Any, number: int) -> Strings:
    found: Strings = []
    waiting: list[tuple[Place, Any]] = [((number,), value)]
    for _ in range(MAX_VALUES):
        if not waiting:
            break
        place, value = waiting.pop()
        if isinstance(value, str) and len(value) > PROSE and value[0] in "{[":
            value = next(_values(value, True), value)
        if isinstance(value, str):
            found.append((place, value))
        elif len(place) < MAX_LEVELS and isinstance(value, dict | list):
            entries = list(value.items() if isinstance(value, dict) else enumerate(value))
            waiting += [
                ((*place, key), entry) for key, entry in reversed(entries) if isinstance(entry, str | dict | list)
            ]
    return found


def _pattern(place: Place) -> Place:
    """Return a place without its numbers, which is the same for all places of its kind."""
    return tuple(_DIGITS.sub("0", step) if isinstance(step, str) else 0 for step in place[1:])


def _is_prose(text: str) -> bool:
    if len(text) < PROSE and len(text.encode("utf-8", "replace")) < PROSE:
        return False
    words = text.count(" ") * 15 >= len(text) or sum(letter > "\u2e80" for letter in text[:PROSE]) > PROSE // 8
    return words and (bool(_TAG.search(text)) or not _CODE.search(text))


def _length(item: tuple[Place, str]) -> int:
    return len(item[1].encode("utf-8", "replace"))


def _total(items: Strings) -> int:
    return sum(map(_length, items))
