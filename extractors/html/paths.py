"""Paths of elements as small ints, shared by the pages of a section."""

import re
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from .class_names import Role, role_of

PATH_CLASSES = 3  # classes of an element that its path keeps
CLASSES_LENGTH = 300  # characters of a class attribute that are read
IDENTITY_LENGTH = 30  # characters; longer ids are slugs of their page
CACHED = 20_000  # names whose parsed form is cached; the pages of a site share theirs
SIGNATURE_LENGTH = 4  # elements at the end of a path
MAX_TRIE = 50_000  # entries (some 10 MB) from which a trie that is kept between pages is replaced

# Elements that contain text in any template: their classes do not indicate a place.
PLAIN = frozenset({
    "p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "dl", "dt", "dd", "blockquote", "pre", "code",
    "table", "tbody", "thead", "tfoot", "tr", "td", "th", "br", "center", "font",
})  # fmt: skip
# Elements of which only the class becomes part of the path.
TEXTUAL = frozenset({"p", "h1", "h2", "h3", "h4", "h5", "h6", "li", "tr", "td", "dt", "dd", "html", "tbody"})
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
CAPTIONS = frozenset({"figcaption", "caption"})
FIGURE_CONTENT = frozenset({"pre", "table", "td", "li", "blockquote"})  # a <figure> with one of these is no picture

_DIGITS = re.compile(r"\d+")
_BOXES = frozenset({"div", "section", "aside", "details"})
# Boxes that authors put into a text: notes, warnings, parts that can be opened.
_AUTHORED = re.compile(
    r"(?:^|[\s_-])(?:admonition|callout|kg-toggle|custom-block|markdown-alert|confluence-information-macro"
    r"|wp-block-media-text|note (?:default|primary|success|info|warning|danger)"
    r"|(?:pros|cons)(?:$|[\s_-]))"
)
# An id that names a place of the template: words, perhaps with a number; others are a page's own or a build's hash.
_NAMED = re.compile(r"[A-Za-z]{2,}(?:[-_:.]?[A-Za-z]+){0,2}(?:[-_]?\d+)?$")
_HASH = re.compile(r"(?<=[_-])(?=[A-Za-z0]*[0A-Z])[A-Za-z0]{4,}$")  # a build's mark at the end of a class
_EMBED = re.compile(r"twitter|instagram|tiktok|fb-|embed", re.IGNORECASE)
CLEAN, COMMENT, CAPTION, EMBED, SUMMARY = range(5)
_MARKS = {  # the first that is found counts
    COMMENT: re.compile(r"\b(?:comment|comments|commentlist|disqus|respond)", re.IGNORECASE),
    CAPTION: re.compile(r"caption|\bcredit|\b(?:slide-?show|gallery|carousel|swiper)", re.IGNORECASE),
    SUMMARY: re.compile(r"\b(?:summary|standfirst|dek|lede|excerpt|abstract|intro(?:duction)?)\b", re.IGNORECASE),
}


class PathStep(NamedTuple):
    """The step that an element adds to its path, wherever the element is.

    `identity`: its id, if that names a place of the template. `mark`: the meaning of its class for its own text. `key`
    and `family` stand for the whole step, and for what it has in common with siblings whose classes differ in their
    tail; `told` is what differently nested pages have in common: its tag, and its class unless it is plain.
    """

    tag: str
    classes: str
    identity: str
    role: Role
    mark: int
    key: str
    family: str
    told: tuple[str, str]


class PathTrie:
    """Interned paths of elements: a path is a small int, 0 the document; parents come before their children.

    All pages of a section share one trie, so that equal paths are equal ints. It only grows; `size` is its extent, and
    `copy_from` moves paths to a fresh one. The lists have one entry per path, the fields of its last `PathStep`;
    `family` unites the paths of siblings such as the parts of one body.
    """

    def __init__(self) -> None:
        self.parent = [-1]
        self.depth = [0]
        self.family = [0]
        self.tag = [""]
        self.classes = [""]
        self.role = [Role(0, 0)]
        self.mark = [CLEAN]
        self._steps = [_DOCUMENT]
        self._signatures: dict[int, int] = {}
        self._leaves: dict[int, int] = {}
        self.seen: dict[tuple[int | str | None, ...], int] = {}  # paths, by what `path_of` is given
        self._paths: dict[tuple[int, str], int] = {}
        self._families: dict[tuple[int, str], int] = {}
        self._keys: dict[object, int] = {}

    def __len__(self) -> int:
        return len(self.parent)

    @property
    def size(self) -> int:
        """The number of entries in the trie and its caches."""
        return len(self.parent) + len(self.seen)

    def child(self, parent: int, element: etree._Element, names: Sequence[str | bytes]) -> int:
        """Return the path of an element below `parent`; `names` are those of its attributes."""
        tag = element.tag
        seen: tuple[int | str | None, ...]
        if not names:
            seen = (parent, tag)
        elif tag in TEXTUAL or names == _CLASS_ONLY:
            seen = (parent, tag, element.get("class"))
        else:
            get = element.get
            seen = (parent, tag, get("class"), get("id"), get("itemprop"), get("role"))
        return self.path_of(seen)

    def path_of(self, seen: tuple[Any, ...]) -> int:
        """Return the path of an element below `seen[0]`, from the values that `child` reads for `step_of`."""
        path = self.seen.get(seen)
        if path is None:
            path = self.seen[seen] = self.add(seen[0], step_of(*seen[1:]))
        return path

    def signature(self, path: int) -> int:
        """Return the signature of the path's last elements: it is equal in differently nested pages."""
        known = self._signatures.get(path)
        if known is None:
            last: list[tuple[str, str]] = []
            steps, parent, step = self._steps, self.parent, path
            while step > 0 and len(last) < SIGNATURE_LENGTH:
                last.append(steps[step].told)
                step = parent[step]
            known = self._signatures[path] = self._key(tuple(last))
        return known

    def leaf(self, path: int) -> int:
        """Return the end of the path, up to the first class with a meaning."""
        known = self._leaves.get(path)
        if known is None:
            told = self._steps[path].told
            above = 0 if told[1] or path <= 0 else self.leaf(self.parent[path])
            known = self._leaves[path] = self._key(("leaf", *told, above))
        return known

    def is_wrapper(self, path: int) -> bool:
        """Whether the path's element is a container of the template: it has a class and is not plain."""
        tag = self.tag[path]
        return bool(self.classes[path]) and tag not in PLAIN and tag != "figure"

    def up(self, path: int, top: int = 0) -> Iterable[int]:
        """Yield `path` and its ancestors below `top`."""
        while path > 0 and path != top:
            yield path
            path = self.parent[path]

    def copy_from(self, other: "PathTrie", paths: list[int]) -> list[int]:
        """Intern `paths` of another trie here. Return their ints here, in the same order."""
        moved = {0: 0}
        for path in other.numbered(paths)[0][1:]:
            moved[path] = self.add(moved[other.parent[path]], other._steps[path])
        return [moved[path] for path in paths]

    def numbered(self, line_paths: list[int]) -> tuple[list[int], list[int], list[int]]:
        """Return the paths of a page's lines and their ancestors, parents before children, the document first; the
        number of each one's parent; and the number of each line's path.

        The order is the page's own, independent of the earlier content of the trie. Linear in the number of paths.
        """
        parent, numbers = self.parent, {0: 0}
        paths, above, places = [0], [0], []
        last, place = 0, 0
        for path in line_paths:
            if path != last:
                last = path
                way = []
                while path not in numbers:
                    way.append(path)
                    path = parent[path]
                place = numbers[path]
                for step in reversed(way):
                    above.append(place)
                    place = numbers[step] = len(paths)
                    paths.append(step)
            places.append(place)
        return paths, above, places

    def add(self, parent: int, step: PathStep) -> int:
        """Return the path of an element with this step below `parent`."""
        tag, classes, _, role, mark, key, family, _ = step
        new = len(self.parent)
        known = self._paths.setdefault((parent, key), new)
        if known < new:
            return known
        self.parent.append(parent)
        self.depth.append(self.depth[parent] + 1)
        self.family.append(self._families.setdefault((self.family[parent], family), len(self._families) + 1))
        self.tag.append(tag)
        self.classes.append(classes)
        self.role.append(role)
        self.mark.append(mark)
        self._steps.append(step)
        return known

    def _key(self, key: object) -> int:
        return self._keys.setdefault(key, len(self._keys) + 1)


@lru_cache(CACHED)
def step_of(
    tag: str, classes: str | None = None, identity: str | None = None, itemprop: str | None = None,
    role: str | None = None,
) -> PathStep:  # fmt: skip
    """Return the step of an element with these attributes; a box of the author's is like a quotation."""
    normal = _normal_classes(classes[:CLASSES_LENGTH]) if classes else ""
    if tag in _BOXES and (tag == "details" or _AUTHORED.search(normal)):
        tag = "blockquote"
    place = _normal_identity(identity) if identity and tag not in PLAIN else ""
    means = role_of(tag, normal, place, itemprop or "", role or "")
    telling = "" if tag in PLAIN else normal
    body, noise = means
    mark = _mark(tag, normal) if normal or tag in CAPTIONS else CLEAN
    key = f"{tag} {place} {body} {noise} {normal}"
    family = f"{tag} {place} {noise} {_first_class(telling)}"
    return PathStep(tag, normal, place, means, mark, key, family, (tag, telling))


def _normal_classes(classes: str) -> str:
    return _DIGITS.sub("0", " ".join(classes.split()[:PATH_CLASSES]))


def _normal_identity(identity: str) -> str:
    """Return an id that names a place of the template, its number masked; "" for others."""
    named = len(identity) <= IDENTITY_LENGTH and _NAMED.match(identity)
    return _DIGITS.sub("0", identity) if named else ""


def _first_class(classes: str) -> str:
    first = classes.partition(" ")[0]
    return first if first.islower() and "0" not in first else _HASH.sub("", first)  # a mark has a capital or a 0


def _mark(tag: str, classes: str) -> int:
    if tag in CAPTIONS:
        return CAPTION
    if tag == "blockquote" and _EMBED.search(classes):
        return EMBED
    return next((mark for mark, form in _MARKS.items() if form.search(classes)), CLEAN)


_CLASS_ONLY = ["class"]
_DOCUMENT = step_of("")


class Outline:
    """The paths of one page and their ancestors, numbered 0 (the document) on, parents before children.

    `paths` and `parent` by number; `places`: number of each line's path.
    """

    def __init__(self, trie: PathTrie, line_paths: list[int]) -> None:
        self._trie = trie
        self.paths, self.parent, self.places = trie.numbered(line_paths)

    def __len__(self) -> int:
        return len(self.paths)

    @cached_property
    def number(self) -> dict[int, int]:
        """The number of each path."""
        return {path: number for number, path in enumerate(self.paths)}

    @cached_property
    def of_line(self) -> NDArray[np.intp]:
        """The number of each line's path."""
        return np.array(self.places, np.intp)

    @cached_property
    def tags(self) -> list[str]:
        """The tag of each path's element."""
        return list(map(self._trie.tag.__getitem__, self.paths))

    @cached_property
    def signatures(self) -> list[int]:
        """The `PathTrie.signature` of each path."""
        return [self._trie.signature(path) for path in self.paths]

    @cached_property
    def families(self) -> NDArray[np.intp]:
        """A number for each path, the same for all of a family."""
        family, numbers = self._trie.family, dict[int, int]()
        return np.array([numbers.setdefault(family[path], len(numbers)) for path in self.paths], np.intp)

    @cached_property
    def boxes(self) -> list[int]:
        """The number of each path's box: of the nearest element that is not a paragraph, an item or the like."""
        box, tags, parent = list(range(len(self))), self.tags, self.parent
        for number in range(1, len(box)):
            if tags[number] in PLAIN:
                box[number] = box[parent[number]]
        return box

    def lines_in(self, tags: Collection[str]) -> list[bool]:
        """Whether each line's own element is one of `tags`."""
        are = [tag in tags for tag in self.tags]
        return [are[place] for place in self.places]

    def direct(self, amounts: list[float]) -> list[float]:
        """Return the sum of the lines' `amounts` for each path."""
        sums = [0.0] * len(self.paths)
        for place, amount in zip(self.places, amounts, strict=True):
            sums[place] += amount
        return sums

    def totals(self, amounts: list[float]) -> list[float]:
        """Return the sum of the lines' `amounts` at and below each path."""
        return self.gather(self.direct(amounts))

    def gather(self, sums: list[float]) -> list[float]:
        """Return `sums`, one for each path, with those of its descendants added."""
        sums, parent = list(sums), self.parent
        for number in range(len(sums) - 1, 0, -1):
            sums[parent[number]] += sums[number]
        return sums

    def family_shares(self, totals: list[float]) -> list[float]:
        """Return, for each path, its family's share of the content. `totals`: the content at and below each path."""
        families = list(map(self._trie.family.__getitem__, self.paths))
        sums = dict.fromkeys(families, 0.0)
        for family, amount in zip(families, totals, strict=True):
            sums[family] += amount
        whole = totals[0] or 1.0
        return [sums[family] / whole for family in families]
