"""The last section of docs/architecture.md: each file of the packages with the first sentence of its docstring."""

import ast
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from docs.site.contents import DOCS
from docs.site.reference.markdown import escaped

ROOT = DOCS.parent
PACKAGES = ("extractors", "workers", "crawler", "console")
TITLE = "\n## Files\n"
OPENING = "\nWritten by `make reference` from the first sentence of each file.\n"


def with_files(document: str) -> str:
    """Return the document with its section of files as they are now."""
    head, _, _ = document.partition(TITLE)
    return head.rstrip("\n") + "\n" + TITLE + OPENING + "".join(_folders())


def _folders() -> Iterator[str]:
    files = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py")) if _is_shown(path)]
    for folder, members in groupby(sorted(files, key=lambda path: (_place(path), path)), lambda path: path.parent):
        yield f"\n`{folder.relative_to(ROOT)}/`\n\n"
        for path in members:
            yield f"- `{path.name}`: {escaped(_sentence(path).replace('`', ''))}\n"


def _place(path: Path) -> tuple[int, Path]:
    """Return what puts folders in the order of the packages."""
    return PACKAGES.index(path.relative_to(ROOT).parts[0]), path.parent


def _is_shown(path: Path) -> bool:
    return path.name not in ("__init__.py", "__main__.py")


def _sentence(path: Path) -> str:
    docstring = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    first = " ".join(docstring.partition("\n\n")[0].split())
    return re.split(r"(?<=[a-z)`\]\d])\. |; ", first)[0].rstrip(".")
