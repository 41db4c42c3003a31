"""Paths of elements as small ints, shared by the pages of a section."""

import re
from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .names import Role, role_of

Floats = NDArray[np.float32]

PATH_CLASSES = 3  # classes of an element that its path keeps
CLASSES_LENGTH = 300  # characters of a class attribute that are looked at
IDENTITY_LENGTH = 30  # characters; longer ids are slugs of their page
CACHED = 20_000  # names whose reading is remembered; sites repeat theirs on every page
SIGNATURE_LENGTH = 4  # elements

# Elements that carry text in any template: their classes don't tell where they stand.
PLAIN = frozenset({
    "p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "dl", "dt", "dd", "blockquote", "pre", "code",
    "table", "tbody", "thead", "tfoot", "tr", "td", "th", "br", "center", "font",
})  # fmt: skip
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
FIGURE_CONTENT = frozenset({"pre", "table", "td", "li", "blockquote"})  # a <figure> with one of these is no picture

_DIGITS = re.compile(r"\d+")
# An id that names a place of the template: words, perhaps with a number; others are a page's own or a build's hash.
_NAMED = re.compile(r"[A-Za-z]{2,}(?:[-_:.]?[A-Za-z]+){0,2}(?:[-_]?\d+)?$")
_HASH = re.compile(r"(?<=[_-])(?=[A-Za-z0]*[0A-Z])[A-Za-z0]{4,}$")  # a build's mark at the end of a class
_COMMENTS = re.compile(r"\b(?:comment|comments|commentlist|disqus|respond)", re.IGNORECASE)
_CAPTION = re.compile(r"caption|\bcredit", re.IGNORECASE)
_EMBED = re.compile(r"twitter|instagram|tiktok|fb-|embed", re.IGNORECASE)
_SUMMARY = re.compile(r"\b(?:summary|standfirst|dek|lede|excerpt|abstract|intro(?:duction)?)\b", re.IGNORECASE)
CLEAN, COMMENT, CAPTION, EMBED, SUMMARY = range(5)


class PathTrie:
    """Interned paths of elements: a path is a small int, 0 the document; parents come before their children.

    All pages of a section share one trie, so that equal paths are equal ints. It only grows; `size` says how far, and
    `copy_from` moves paths to a fresh one.
    """

    def __init__(self) -> None:
        self.parent = [-1]
        self.tag = [""]
        self.classes = [""]
        self.identity = [""]
        self.role = [Role(0, 0)]
        self.depth = [0]
        self.family = [0]  # unites siblings whose classes differ in their tail, such as the parts of one body
        self.mark = [CLEAN]  # what the element's class says about its own text
        self._signatures: dict[int, int] = {}
        self._leaves: dict[int, int] = {}
        self._seen: dict[tuple[int, str, str | None, str, str, str], int] = {}
        self._ids: dict[tuple[int, str, str, str, Role], int] = {}
        self._keys: dict[object, int] = {}

    def __len__(self) -> int:
        return len(self.parent)

    @property
    def size(self) -> int:
        """How many entries the trie and its caches hold."""
        return len(self.parent) + len(self._seen)

    def child(
        self, parent: int, tag: str, raw_classes: str | None, identity: str = "", itemprop: str = "", role: str = ""
    ) -> int:
        """Return the path of an element below `parent`, whose attributes are as the page has them."""
        seen = (parent, tag, raw_classes, identity, itemprop, role)
        path = self._seen.get(seen)
        if path is None:
            classes = _normal_classes(raw_classes[:CLASSES_LENGTH]) if raw_classes else ""
            place = _normal_identity(identity) if identity and tag not in PLAIN else ""
            key = (parent, tag, classes, place, role_of(tag, classes, place, itemprop, role))
            path = self._ids.get(key)
            path = self._seen[seen] = self._add(*key) if path is None else path
        return path

    def signature(self, path: int) -> int:
        """Return what the last elements of the path are: equal in differently nested pages."""
        known = self._signatures.get(path)
        if known is None:
            steps = [step for _, step in zip(range(SIGNATURE_LENGTH), self.up(path), strict=False)]
            known = self._key(tuple((self.tag[step], self._telling(step)) for step in steps))
            self._signatures[path] = known
        return known

    def leaf(self, path: int) -> int:
        """Return what the path's end is, up to the first class that tells something."""
        known = self._leaves.get(path)
        if known is None:
            telling = self._telling(path)
            above = 0 if telling or path <= 0 else self.leaf(self.parent[path])
            known = self._leaves[path] = self._key(("leaf", self.tag[path], telling, above))
        return known

    def is_wrapper(self, path: int) -> bool:
        """Whether the path's element is one that templates use to hold things: neither plain nor without a class."""
        tag = self.tag[path]
        return bool(self.classes[path]) and tag not in PLAIN and tag != "figure"

    def up(self, path: int, top: int = 0) -> Iterable[int]:
        """Yield `path` and its ancestors below `top`."""
        while path > 0 and path != top:
            yield path
            path = self.parent[path]

    def up_with_self(self, path: int) -> Iterable[int]:
        """Yield `path` and all its ancestors, the document last."""
        yield from self.up(path)
        yield 0

    def with_ancestors(self, paths: Iterable[int]) -> list[int]:
        """Return `paths` and all their ancestors, each once, parents before children; linear in their number."""
        found: set[int] = set()
        for path in paths:
            while path > 0 and path not in found:
                found.add(path)
                path = self.parent[path]
        return sorted(found)

    def copy_from(self, other: "PathTrie", paths: list[int]) -> list[int]:
        """Intern `paths` of another trie here. Return their ints here, in the same order."""
        moved = {0: 0}
        for path in other.with_ancestors(paths):
            key = (
                moved[other.parent[path]],
                other.tag[path],
                other.classes[path],
                other.identity[path],
                other.role[path],
            )
            known = self._ids.get(key)
            moved[path] = self._add(*key) if known is None else known
        return [moved[path] for path in paths]

    def _add(self, parent: int, tag: str, classes: str, identity: str, role: Role) -> int:
        path = len(self.parent)
        self._ids[parent, tag, classes, identity, role] = path
        self.parent.append(parent)
        self.tag.append(tag)
        self.classes.append(classes)
        self.identity.append(identity)
        self.role.append(role)
        self.depth.append(self.depth[parent] + 1)
        first = "" if tag in PLAIN or not classes else _first_class(classes)
        self.family.append(self._key(("family", self.family[parent], tag, first, identity, role.noise)))
        self.mark.append(_mark(tag, classes))
        return path

    def _telling(self, path: int) -> str:
        return "" if self.tag[path] in PLAIN else self.classes[path]

    def _key(self, key: object) -> int:
        return self._keys.setdefault(key, len(self._keys) + 1)


@lru_cache(CACHED)
def _normal_classes(classes: str) -> str:
    return _DIGITS.sub("0", " ".join(classes.split()[:PATH_CLASSES]))


@lru_cache(CACHED)
def _normal_identity(identity: str) -> str:
    """Return an id that names a place of the template, its number masked; "" for others."""
    named = len(identity) <= IDENTITY_LENGTH and _NAMED.match(identity)
    return _DIGITS.sub("0", identity) if named else ""


@lru_cache(CACHED)
def _first_class(classes: str) -> str:
    return _HASH.sub("", classes.split(" ", 1)[0])


class Outline:
    """The paths of one page and their ancestors, numbered 0 (the document) on, parents before children.

    `paths` and `parent` by number; `of_line`: number of each line's path.
    """

    def __init__(self, trie: PathTrie, line_paths: list[int]) -> None:
        self.paths = [0, *trie.with_ancestors(line_paths)]
        self.number = {path: number for number, path in enumerate(self.paths)}
        self.parent = [0] + [self.number[trie.parent[path]] for path in self.paths[1:]]
        self.of_line = np.array([self.number[path] for path in line_paths], np.intp)

    def __len__(self) -> int:
        return len(self.paths)

    def direct(self, amounts: Floats) -> list[float]:
        """Return the sum of the lines' `amounts` for each path."""
        sums: list[float] = np.bincount(self.of_line, amounts, minlength=len(self.paths)).tolist()
        return sums

    def totals(self, amounts: Floats) -> list[float]:
        """Return the sum of the lines' `amounts` at and below each path."""
        return self.gather(self.direct(amounts))

    def gather(self, sums: list[float]) -> list[float]:
        """Return `sums`, one for each path, with those of its descendants added."""
        sums = list(sums)
        for number in range(len(sums) - 1, 0, -1):
            sums[self.parent[number]] += sums[number]
        return sums


@lru_cache(CACHED)
def _mark(tag: str, classes: str) -> int:
    if tag in ("figcaption", "caption"):
        return CAPTION
    if not classes:
        return CLEAN
    if tag == "blockquote" and _EMBED.search(classes):
        return EMBED
    forms = ((_COMMENTS, COMMENT), (_CAPTION, CAPTION), (_SUMMARY, SUMMARY))
    return next((mark for form, mark in forms if form.search(classes)), CLEAN)
