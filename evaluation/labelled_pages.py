"""Stored pages whose type is known, as the training and the evaluation of page types read them.

A folder of pages has a `truth.jsonl` in UTF-8, one object per page: `file` (relative to the folder; .gz is unpacked),
`kind` (one of `classify.KINDS`, or else the `section` is one; other rows are ignored), and, if known, `url`, `site`
and `encoding`. A folder directly below one named `sites` is a document root: there a page's path is its URL's path.
"""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from extractors.article import NoArticle
from extractors.content.assembly import ParsedPage, read
from extractors.errors import TrainingMistakes, UnusablePage
from extractors.html.paths import PathTrie
from extractors.html.urls import split_web
from extractors.page import make_page
from extractors.page_types.classify import KINDS

TRUTH = "truth.jsonl"
ARTICLE, LIST = "article", "list"
LISTS = (LIST, "collection")
SECTIONS = {"forum": "thread", "listing": LIST} | {str(kind): str(kind) for kind in KINDS}
_SECOND_LEVEL = frozenset({"ac", "co", "com", "edu", "gov", "net", "org"})  # as in example.co.uk


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """A page of known type. `source`: its collection; `site`: all pages of a site are held out together."""

    source: str
    site: str
    name: str
    file: Path
    url: str | None
    kind: str
    encoding: str | None

    @property
    def article(self) -> bool:
        """Whether it is an article."""
        return self.kind == ARTICLE

    def parsed(self) -> ParsedPage | None:
        """Return the page, parsed; None if it has no text. Raises `TrainingMistakes` if it cannot be read."""
        try:
            data = self.file.read_bytes()
            data = gzip.decompress(data) if self.file.suffix == ".gz" else data
            kind = f"text/html; charset={self.encoding}" if self.encoding else None
            parsed = read(make_page(data, self.url, kind), PathTrie())
        except (OSError, EOFError) as error:
            raise TrainingMistakes(f"{self.file}: {error}") from None
        except UnusablePage:
            return None
        return None if isinstance(parsed, NoArticle) else parsed


def read_labelled(folder: Path) -> list[LabelledPage]:
    """Return the pages of all labelled folders in `folder`, in order of their paths.

    Raises `TrainingMistakes` if there are none, or a line cannot be read.
    """
    if not folder.is_dir():
        raise TrainingMistakes(f"{folder} is not a folder")
    truths = sorted(folder.rglob(TRUTH))
    if not truths:
        raise TrainingMistakes(f"{folder} has no {TRUTH} (one object for each page, with file and kind)")
    pages = [page for truth in truths for page in _rows(truth)]
    for kinds in ((ARTICLE,), LISTS):
        if not any(page.kind in kinds for page in pages):
            raise TrainingMistakes(f"{folder} has no page of kind {kinds[0]}")
    return pages


def _rows(truth: Path) -> Iterator[LabelledPage]:
    try:
        rows = truth.read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise TrainingMistakes(f"{truth}: {error}") from None
    for number, row in enumerate(rows, 1):
        if row.strip():
            try:
                found = json.loads(row)
                if kind := kind_of(found["kind"], found.get("section")):
                    yield _labelled(truth.parent, found, kind)
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise TrainingMistakes(f"{truth}, line {number}: {type(error).__name__}: {error}") from None


def kind_of(kind: str | None, section: str | None) -> str:
    """Return the kind of a labelled page; "" if none is known. A section may say more than "list" or "other"."""
    named = SECTIONS.get(section or "", "")
    return named if named and kind != ARTICLE else kind if kind in KINDS else ""


def _labelled(folder: Path, row: dict[str, Any], kind: str) -> LabelledPage:
    file, url = str(row["file"]), row.get("url")
    return LabelledPage(
        source=folder.name,
        site=domain_of(url) or str(row.get("site") or folder.name),
        name=str(row.get("id") or file),
        file=folder / file,
        url=url or (_served(folder, file) if folder.parent.name == "sites" else None),
        kind=kind,
        encoding=row.get("encoding"),
    )


def _served(folder: Path, file: str) -> str:
    path = PurePosixPath(file)
    where = f"{path.parent}/" if path.name == "index.html" else str(path)
    return f"http://{folder.name.replace('_', '-')}.example/{where.removeprefix('./')}"


def domain_of(url: str | None) -> str:
    """Return the registered domain of a URL's host, approximately (example.co.uk); "" without a host."""
    parts = split_web(url) if url else None
    labels = (parts.hostname or "").split(".") if parts else []
    return ".".join(labels[-3 if len(labels) > 2 and labels[-2] in _SECOND_LEVEL else -2 :])
