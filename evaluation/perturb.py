"""Perturbed pages, made in memory: the sets `<set>+names`, `<set>+short` and `<set>+pieces`.

Rules that read class names and long bodies look better on the development pages than they are. `names` replaces every
class name and id by a hash and every semantic tag by div; `short` cuts the body to its first three paragraphs, so that
the page around it weighs more; `pieces` wraps one to four neighbouring elements each in a container of its own, as page
builders write guides and rankings: in the body and around it, so that the containers do not show which is which.
"""

import hashlib
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from lxml import etree

from extractors.html.decoding import decode
from extractors.html.dom import remove

from .data import DataSet, Row

SEMANTIC = ("article", "main", "section", "aside", "nav", "header", "footer", "hgroup", "figure", "figcaption")
INLINE = frozenset({
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "del", "em", "font", "i", "ins", "kbd", "mark", "q", "s", "small",
    "span", "strong", "sub", "sup", "time", "u",
})  # fmt: skip
SILENT = frozenset({"script", "style", "noscript", "template", "title", "textarea", "option"})
MEDIA = "descendant-or-self::*[self::img or self::video or self::iframe or self::audio or self::object or self::svg]"
PARAGRAPHS = 3  # paragraphs that `short` leaves …
PARAGRAPH = 80  # … with at least this many bytes of letters and digits; headings and lines of code before them stay
WRAPPED_IN = ("div", "article", "section", "main", "td", "body")  # elements whose children `pieces` wraps …
WRAPPED = frozenset({"p", "h2", "h3", "h4", "ul", "ol", "blockquote", "table", "div", "figure", "section"})
LEAST_WRAPPED, MOST_TOGETHER = 5, 4  # … if at least this many can be wrapped; children of one container at most
ONE_CLASS, NESTED = 0.35, 0.4  # share of pages whose containers have one class; share of containers with another inside
ANCHOR = 15  # letters and digits of a line that surely belongs to the body
_ARTICLE_BODY = re.compile(r'"articleBody"\s*:\s*"(?:[^"\\]|\\.)*"', re.DOTALL)
LEFT_OVER = 0.1  # share of the cut paragraphs that may remain; a page with more is left out of the set


@dataclass(frozen=True, slots=True)
class Perturbation:
    """`page` returns the changed bytes, or None if the page cannot be changed; `row` returns its changed truth."""

    page: Callable[[bytes, Row], bytes | None]
    row: Callable[[Row], Row]


def hash_names(html: bytes, row: Row) -> bytes:
    """Return the page with hashed class names and ids, and div for semantic tags. Its text stays."""
    root, encoding = _parse(html, row)
    if root is None:
        return html
    for element in root.iter(etree.Element):
        for name in ("class", "id"):
            if value := element.get(name):
                element.set(name, " ".join(map(_hashed, value.split())))
        if element.tag in SEMANTIC:
            element.tag = "div"
    return _bytes(root, encoding)


def shorten(html: bytes, row: Row) -> bytes | None:
    """Return the page with the body's first three paragraphs only, or None if the others are not found in it."""
    kept, dropped = split_body(row)
    if not dropped:
        return html
    root, encoding = _parse(html, row)
    if root is None:
        return None
    stay, go = _folded("".join(kept)), _folded("".join(dropped))
    lines = [(slots, _folded("".join(slot.text for slot in slots))) for slots in _lines(root)]
    matches = [i for i, (_, text) in enumerate(lines) if text and text in go and text not in stay]
    anchors = [i for i in matches if len(lines[i][1]) >= ANCHOR]
    if not anchors:
        return None
    cut = [i for i in matches if anchors[0] <= i <= anchors[-1]]
    found = sum(len(text) for text in {lines[i][1] for i in cut})
    if found < (1 - LEFT_OVER) * len(go):
        return None
    for slot in (slot for i in cut for slot in lines[i][0]):
        slot.clear()
    _prune([slot.element for i in cut for slot in lines[i][0]])
    for script in root.iter("script"):
        if script.text and "articleBody" in script.text:  # otherwise methods could read the whole text there
            script.text = _ARTICLE_BODY.sub('"": ""', script.text)
    return _bytes(root, encoding)


def shortened(row: Row) -> Row:
    """Return the row with the truth of its shortened page."""
    if row.body is None:
        return row
    kept, _ = split_body(row)
    return replace(row, body="\n\n".join(kept), optional=tuple(index for index in row.optional if index < len(kept)))


def wrap_pieces(html: bytes, row: Row) -> bytes | None:
    """Return the page with neighbouring elements wrapped in containers. The same page gives the same result."""
    root, encoding = _parse(html, row)
    if root is None:
        return None
    draw = random.Random(f"pieces {row.id}")
    classes = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(500)]
    if draw.random() < ONE_CLASS:
        classes = classes[:1]
    for parent in list(root.iter(*WRAPPED_IN)):
        children = [child for child in parent if isinstance(child.tag, str)]
        if sum(child.tag in WRAPPED for child in children) >= LEAST_WRAPPED:
            _wrap(parent, children, draw, classes)
    return _bytes(root, encoding)


def _wrap(parent: Any, children: list[Any], draw: random.Random, classes: list[str]) -> None:
    while children:
        count = draw.randint(1, MOST_TOGETHER)
        together, children = children[:count], children[count:]
        if any(child.tag in SILENT or child.tag in ("link", "meta") for child in together):
            continue
        holder = etree.Element("div", {"class": draw.choice(classes)})
        parent.insert(parent.index(together[0]), holder)
        if draw.random() < NESTED:
            holder = etree.SubElement(holder, "div", {"class": draw.choice(classes)})
        holder.extend(together)


def split_body(row: Row) -> tuple[list[str], list[str]]:
    """Return the paragraphs up to the third real one, and the others."""
    real = 0
    for index, paragraph in enumerate(row.paragraphs):
        real += len(_folded(paragraph).encode()) >= PARAGRAPH
        if real == PARAGRAPHS:
            return row.paragraphs[: index + 1], row.paragraphs[index + 1 :]
    return row.paragraphs, []


PERTURBATIONS = {
    "names": Perturbation(hash_names, lambda row: row),
    "short": Perturbation(shorten, shortened),
    "pieces": Perturbation(wrap_pieces, lambda row: row),
}


def perturbed(dataset: DataSet, name: str) -> DataSet:
    """Return the set under the perturbation's name, with the changed truth."""
    rows = tuple(PERTURBATIONS[name].row(row) for row in dataset.rows)
    return replace(dataset, name=f"{dataset.name}+{name}", rows=rows)


def page_of(dataset: DataSet, row: Row, plain: DataSet) -> bytes | None:
    """Return the page of a row of `dataset`, made from `plain`; None if it cannot be changed."""
    _, plus, name = dataset.name.partition("+")
    if not plus:
        return row.html()
    original = next(one for one in plain.rows if one.id == row.id)
    return PERTURBATIONS[name].page(original.html(), original)


@dataclass(frozen=True, slots=True)
class _Slot:
    """A place of text: the text of an element or its tail."""

    element: Any
    tail: bool

    @property
    def text(self) -> str:
        return (self.element.tail if self.tail else self.element.text) or ""

    def clear(self) -> None:
        if self.tail:
            self.element.tail = " "
        else:
            self.element.text = None


def _lines(root: Any) -> Iterator[list[_Slot]]:
    """Yield the lines of the page's text between block borders, each as the places of its pieces."""
    line: list[_Slot] = []
    for event, element in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
        silent = not isinstance(element.tag, str) or element.tag in SILENT
        if not silent and element.tag not in INLINE and line:
            yield line
            line = []
        if event == "start" and not silent and element.text:
            line.append(_Slot(element, tail=False))
        if event != "start" and element.tail:
            line.append(_Slot(element, tail=True))
    if line:
        yield line


def _prune(elements: list[Any]) -> None:
    """Remove the elements that became empty, and those that contain nothing else."""
    for element in elements:
        here = element if isinstance(element.tag, str) else element.getparent()
        while (parent := here.getparent()) is not None:
            if "".join(here.itertext()).strip() or here.xpath(MEDIA) or parent.tag == "html":
                break
            remove(here)
            here = parent


def _parse(html: bytes, row: Row) -> tuple[Any, str]:
    text, encoding = decode(html, f"text/html; charset={row.encoding}" if row.encoding else None)
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True)
    return etree.fromstring(text.replace("\0", "").encode("utf-8", "replace"), parser), encoding


def _bytes(root: Any, encoding: str) -> bytes:
    """Return the page in its declared encoding; characters that it lacks become references, which lxml would lose."""
    text = etree.tostring(root, method="html", encoding="unicode", doctype="<!DOCTYPE html>")
    return text.encode("gb2312" if encoding == "gb18030" else encoding, "xmlcharrefreplace")


def _hashed(name: str) -> str:
    """Return a hashed name of letters only: some extractors mask digits, and different names must stay different."""
    return "".join(chr(ord("a") + byte % 26) for byte in hashlib.sha256(name.encode("utf-8", "replace")).digest()[:10])


def _folded(text: str) -> str:
    """Return letters and digits only, since truths differ from their pages in quotation marks and spaces."""
    return re.sub(r"[\W_]+", "", text)
