"""The last section of a package's README.md: each of its files with the first sentence of its docstring."""

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


def page_of(package: str) -> Path:
    """Return the page of a package."""
    return ROOT / package / "README.md"


def with_files(document: str, package: str) -> str:
    """Return the page of a package with its section of files as they are now."""
    head, _, _ = document.partition(TITLE)
    return head.rstrip("\n") + "\n" + TITLE + OPENING + "".join(_folders(package))


def _folders(package: str) -> Iterator[str]:
    files = [path for path in (ROOT / package).rglob("*.py") if _is_shown(path)]
    for folder, members in groupby(sorted(files, key=lambda path: (path.parent, path)), lambda path: path.parent):
        yield f"\n`{folder.relative_to(ROOT)}/`\n\n"
        for path in members:
            yield f"- `{path.name}`: {escaped(_sentence(path).replace('`', ''))}\n"


def _is_shown(path: Path) -> bool:
    return path.name not in ("__init__.py", "__main__.py")


def _sentence(path: Path) -> str:
    docstring = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    first = " ".join(docstring.partition("\n\n")[0].split())
    return re.split(r"(?<=[a-z)`\]\d])\. |; ", first)[0].rstrip(".")
