"""Stored pages whose type is known, as the training and the evaluation of page types read them.

The kind of a page is one of `classify.KINDS`, or else the section of its row is one; other rows are ignored. A folder
directly below one named `sites` is a document root: there a page's path is its URL's path.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from extractors.content.assembly import ParsedPage
from extractors.errors import TrainingMistakes

from .data import DataSet, Row, domain_of, kind_of, parsed_page, read_sets

ARTICLE, LIST = "article", "list"
LISTS = (LIST, "collection")


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """A page of known type. `source`: its set; `site`: all pages of a site are held out together."""

    source: str
    site: str
    row: Row
    url: str | None
    kind: str

    @property
    def article(self) -> bool:
        """Whether it is an article."""
        return self.kind == ARTICLE

    @property
    def content_type(self) -> str | None:
        """The type of the page's bytes with their encoding, if that is known."""
        return f"text/html; charset={self.row.encoding}" if self.row.encoding else None

    def parsed(self) -> ParsedPage | None:
        """Return the page, parsed; None if it has no text. Raises `DataError` if it cannot be read."""
        return parsed_page(self.row, self.url, self.content_type)


def read_labelled(folder: Path) -> list[LabelledPage]:
    """Return the pages of all sets of a folder. Raises `TrainingMistakes` if there are no articles or no lists."""
    pages = labelled(read_sets(folder))
    for kinds in ((ARTICLE,), LISTS):
        if not any(page.kind in kinds for page in pages):
            raise TrainingMistakes(f"{folder} has no page of kind {kinds[0]}")
    return pages


def labelled(sets: Sequence[DataSet]) -> list[LabelledPage]:
    """Return the pages of known type."""
    return [
        LabelledPage(one.name, domain_of(row.url) or row.site or one.name, row, row.url or _served(row, one.name), kind)
        for one in sets
        for row in one.rows
        if (kind := kind_of(row.kind, row.section))
    ]


def _served(row: Row, name: str) -> str | None:
    """Return the URL of a page in a document root; None for a page elsewhere."""
    root = next((folder for folder in row.file.parents if (folder.parent.name, folder.name) == ("sites", name)), None)
    if root is None:
        return None
    path = PurePosixPath(row.file.relative_to(root))
    where = f"{path.parent}/" if path.name == "index.html" else str(path)
    return f"http://{name.replace('_', '-')}.example/{where.removeprefix('./')}"
