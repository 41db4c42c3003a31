"""Reads stored pages and their truth: the folders `sets/<name>/` and `sites/<name>/`, or one such folder itself.

Each has `truth.jsonl` (one object per page: file and kind, and as far as known id, url, site, section, title, date,
body, encoding, optional_paragraphs) and, for examples, `groups.json` (one object per group: site, section, with_body,
usable).

In any other folder the folders directly below are searched. Scored are rows of kind `article` (or unknown) with a body;
a null body is not scored. Rows of kind `list` are negatives: the right result is that there is no article.
`other_kinds`: of a set whose sections name other kinds of pages, one set for each, such as `wcxb_dev.thread`, whose
texts are scored.
"""

import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from pathlib import Path
from typing import Any

from extractors.article import NoArticle
from extractors.content.assembly import ParsedPage, read
from extractors.errors import TrainingMistakes, UnusablePage
from extractors.html.paths import PathTrie
from extractors.html.urls import split_web
from extractors.page import make_page
from extractors.page_types.classify import KINDS

NOT_ARTICLES = frozenset({"list", "redirect", "other"})
OTHER_KINDS = frozenset(KINDS) - {"article", "list"}
PAIR = 2  # bodies per group of a set that consists of pairs
SECTIONS = {"forum": "thread", "listing": "list"} | {str(kind): str(kind) for kind in KINDS}
_SECOND_LEVEL = frozenset({"ac", "co", "com", "edu", "gov", "net", "org"})  # as in example.co.uk


class DataError(TrainingMistakes):
    """The data cannot be read; the message has the place."""


@dataclass(frozen=True, slots=True)
class Row:
    """A stored page and its truth. `optional`: indices of paragraphs that the text may have or lack."""

    id: str
    file: Path
    group: str
    url: str | None = None
    kind: str | None = "article"
    title: str | None = None
    date: str | None = None
    body: str | None = None
    optional: tuple[int, ...] = ()
    encoding: str | None = None
    section: str | None = None

    @property
    def scored(self) -> bool:
        """Whether the page's text is compared with a truth."""
        return self.body is not None and self.kind not in NOT_ARTICLES

    @property
    def site(self) -> str:
        """The name of its site; "" without one."""
        return self.group.partition("/")[0]

    @property
    def paragraphs(self) -> list[str]:
        """The body's paragraphs."""
        return (self.body or "").split("\n\n")

    def html(self) -> bytes:
        """Return the page's bytes. Raises `DataError` if they cannot be read."""
        try:
            return page_bytes(self.file)
        except (OSError, EOFError) as error:
            raise DataError(f"page {self.id}: {error}") from None


@dataclass(frozen=True, slots=True)
class DataSet:
    """Rows that are scored together. `groups`: groups of rows that may be examples of each other."""

    name: str
    rows: tuple[Row, ...]
    groups: frozenset[str]
    checksum: str  # SHA-256 of the stored truth

    def articles(self) -> list[Row]:
        """Return the rows whose text is scored."""
        return [row for row in self.rows if row.scored]

    def lists(self) -> list[Row]:
        """Return the negatives."""
        return [row for row in self.rows if row.kind == "list"]

    def pairs(self) -> list[tuple[Row, Row]]:
        """All ordered pairs (example, page) of scored rows within a group."""
        members = self.members()
        return [pair for group in sorted(members) for pair in permutations(members[group], 2)]

    def members(self) -> dict[str, list[Row]]:
        """Return the scored rows of the groups that serve as examples."""
        found: dict[str, list[Row]] = {}
        for row in self.articles():
            if row.group in self.groups:
                found.setdefault(row.group, []).append(row)
        return found


def page_bytes(file: Path) -> bytes:
    """Return the content of a file, which may be compressed."""
    data = file.read_bytes()
    return gzip.decompress(data) if file.suffix == ".gz" else data


def read_sets(folder: Path) -> list[DataSet]:
    """Return the sets stored in `folder`, by name. Raises `DataError` if there are none or one cannot be read."""
    if not folder.is_dir():
        raise DataError(f"{folder} is not a folder")
    found = list(_recognised(folder))
    if not found:
        found = [one for child in sorted(folder.iterdir()) if child.is_dir() for one in _recognised(child)]
    if not found:
        raise DataError(f"{folder} has no sets: neither sets/ or sites/ nor truth.jsonl")
    names = [one.name for one in found]
    if twice := {name for name in names if names.count(name) > 1}:
        raise DataError(f"{folder} has two sets with the name {', '.join(sorted(twice))}")
    return sorted(found, key=lambda one: one.name)


def other_kinds(sets: Sequence[DataSet]) -> list[DataSet]:
    """Return a set for each kind of page in `OTHER_KINDS` that a set has with bodies; the kind is in its name."""
    found = []
    for one in sets:
        rows = [replace(row, kind=kind_of(row.kind, row.section)) for row in one.rows if row.body]
        for kind in sorted(OTHER_KINDS & {row.kind for row in rows}):
            chosen = tuple(row for row in rows if row.kind == kind)
            found.append(replace(one, name=f"{one.name}.{kind}", rows=chosen, groups=frozenset()))
    return found


def kind_of(kind: str | None, section: str | None) -> str:
    """Return the kind of a labelled page; "" if none is known. A section may say more than "list" or "other"."""
    named = SECTIONS.get(section or "", "")
    return named if named and kind != "article" else kind if kind in KINDS else ""


def domain_of(url: str | None) -> str:
    """Return the registered domain of a URL's host, approximately (example.co.uk); "" without a host."""
    parts = split_web(url) if url else None
    labels = (parts.hostname or "").split(".") if parts else []
    return ".".join(labels[-3 if len(labels) > 2 and labels[-2] in _SECOND_LEVEL else -2 :])


def parsed_page(row: Row, url: str | None, content_type: str | None = None) -> ParsedPage | None:
    """Return a page, parsed; None if it has no text."""
    try:
        parsed = read(make_page(row.html(), url, content_type), PathTrie())
    except UnusablePage:
        return None
    return None if isinstance(parsed, NoArticle) else parsed


def _recognised(folder: Path) -> Iterator[DataSet]:
    if (folder / "truth.jsonl").exists():
        yield _normalised(folder)
    for room in ("sets", "sites"):
        for truth in sorted(folder.glob(f"{room}/*/truth.jsonl")):
            yield _normalised(truth.parent)


def _normalised(folder: Path) -> DataSet:
    truth = folder / "truth.jsonl"
    rows = []
    for number, line in enumerate(truth.read_text("utf-8").split("\n"), 1):
        if line.strip():
            try:
                rows.append(_normalised_row(folder, json.loads(line)))
            except (ValueError, KeyError, TypeError) as error:
                raise DataError(f"{truth}, line {number}: {type(error).__name__}: {error}") from None
    groups = _json(folder / "groups.json") if (folder / "groups.json").exists() else []
    try:
        return DataSet(folder.name, tuple(rows), _usable(groups), _checksum(truth))
    except (KeyError, TypeError) as error:
        raise DataError(f"{folder / 'groups.json'}: {type(error).__name__}: {error}") from None


def _normalised_row(folder: Path, row: Mapping[str, Any]) -> Row:
    return Row(
        id=str(row.get("id") or row["file"]),
        file=folder / row["file"],
        group=_group(row),
        url=row.get("url"),
        kind=row.get("kind"),
        title=row.get("title"),
        date=row.get("date"),
        body=row.get("body"),
        optional=tuple(row.get("optional_paragraphs") or ()),
        encoding=row.get("encoding"),
        section=row.get("section"),
    )


def _usable(groups: list[Mapping[str, Any]]) -> frozenset[str]:
    usable = frozenset(_group(group) for group in groups if group["usable"])
    if not usable and groups and all(group["with_body"] == PAIR for group in groups):
        return frozenset(_group(group) for group in groups)
    return usable


def _group(row: Mapping[str, Any]) -> str:
    return f"{row.get('site') or ''}/{row.get('section') or ''}"


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: {error}") from None


def _checksum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
