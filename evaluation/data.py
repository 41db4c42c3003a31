"""Reads stored pages and their truth, in three published layouts, each recognised by its files.

1. **Normalised** (ours): `sets/<name>/` and `sites/<name>/`, or one such folder itself, with `truth.jsonl` (one object
per page: id, file, url, site, section, kind, title, date, body, encoding, optional_paragraphs) and `groups.json`
(one object per group: site, section, with_body, usable).
2. **scrapinghub/article-extraction-benchmark**: `ground-truth.json` (id → {articleBody, url}) and `html/<id>.html.gz`.
   A missing article body means an empty one, as in its own `evaluate.py`. Single pages, no groups.
3. **dobbersc/fundus-evaluation**: `dataset/ground_truth.json` and `dataset/html/`, or that folder itself. The JSON maps
   a file name `<Publisher>_<n>.html.gz` to {body: [paragraph, …], url, crawl_date}; a paragraph in square brackets is
   optional. In the published data the files are directly in `html/`; one folder per publisher (`html/<Publisher>/…`)
      is supported, too. A publisher is a group.

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

from extractors.page_types.classify import KINDS

from .labelled_pages import kind_of

NOT_ARTICLES = frozenset({"list", "redirect", "other"})
OTHER_KINDS = frozenset(KINDS) - {"article", "list"}
PAIR = 2  # bodies per group of a set that consists of pairs


class DataError(ValueError):
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
        raise DataError(f"{folder} has no sets: neither sets/ or sites/, truth.jsonl, ground-truth.json nor dataset/")
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


def _recognised(folder: Path) -> Iterator[DataSet]:
    if (folder / "truth.jsonl").exists():
        yield _normalised(folder)
    for room in ("sets", "sites"):
        for truth in sorted(folder.glob(f"{room}/*/truth.jsonl")):
            yield _normalised(truth.parent)
    if (folder / "ground-truth.json").exists():
        yield _scrapinghub(folder)
    for root in (folder, folder / "dataset"):
        if (root / "ground_truth.json").exists():
            yield _fundus(root)


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
        id=row["id"],
        file=folder / row["file"],
        group=_group(row),
        url=row.get("url"),
        kind=row.get("kind"),
        title=row.get("title"),
        date=row.get("date"),
        body=row["body"],
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
    return f"{row['site'] or ''}/{row['section'] or ''}"


def _scrapinghub(folder: Path) -> DataSet:
    truth = folder / "ground-truth.json"
    try:
        rows = tuple(
            Row(id=id, file=_page(folder, id), group="", url=item.get("url"), body=item.get("articleBody") or "")
            for id, item in sorted(_json(truth).items())
        )
    except AttributeError as error:
        raise DataError(f"{truth} does not have the published layout: {error}") from None
    return DataSet("scrapinghub_published", rows, frozenset(), _checksum(truth))


def _fundus(folder: Path) -> DataSet:
    truth = folder / "ground_truth.json"
    try:
        rows = tuple(_fundus_row(folder, name, item) for name, item in sorted(_json(truth).items()))
    except (AttributeError, KeyError, TypeError) as error:
        raise DataError(f"{truth} does not have the published layout: {type(error).__name__}: {error}") from None
    return DataSet("fundus_published", rows, frozenset(row.group for row in rows), _checksum(truth))


def _fundus_row(folder: Path, name: str, item: Mapping[str, Any]) -> Row:
    id = name.removesuffix(".gz").removesuffix(".html")
    marked = [paragraph[:1] == "[" and paragraph[-1:] == "]" for paragraph in item["body"]]
    return Row(
        id=id,
        file=_page(folder, id),
        group=id.rpartition("/")[2].rpartition("_")[0],
        url=item.get("url"),
        body="\n\n".join(text[1:-1] if mark else text for text, mark in zip(item["body"], marked, strict=True)),
        optional=tuple(index for index, mark in enumerate(marked) if mark),
    )


def _page(folder: Path, id: str) -> Path:
    name = id.rpartition("/")[2]
    known = (id, f"{name.rpartition('_')[0]}/{name}")
    places = [folder / "html" / f"{place}{suffix}" for place in known for suffix in (".html.gz", ".html")]
    return next((place for place in places if place.exists()), places[0])


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: {error}") from None


def _checksum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
