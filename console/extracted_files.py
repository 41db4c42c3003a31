"""The targets of `exemplar extract --output`: one file for all pages, or a folder with a file for each."""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from console.terminal import counted
from crawler.logs import json_line, printable

if TYPE_CHECKING:
    from extractors import Article
    from extractors.render import Format

SUFFIXES: "dict[Format, str]" = {"text": ".txt", "html": ".html", "markdown": ".md", "json": ".json"}
FORMS: "dict[str, Format]" = {
    ".html": "html",
    ".htm": "html",
    ".md": "markdown",
    ".markdown": "markdown",
    ".json": "json",
    ".jsonl": "json",
}


OTHER_FORMATS = frozenset((".csv", ".tsv", ".xlsx", ".parquet", ".db", ".xml", ".pdf", ".docx"))


def form_of(output: str | None) -> "Format":
    """Return the format that the suffix of an output names; else text. Raises `click.UsageError` for another format."""
    if output and (suffix := Path(output).suffix.lower()) in OTHER_FORMATS:
        raise click.UsageError(
            f"--output: pages are not written as {suffix}; name a file that ends in .txt, .html, .md or .json"
        )
    return FORMS.get(Path(output).suffix.lower(), "text") if output else "text"


def target_of(output: str | None, form: "Format", several: bool) -> "ResultFile | ResultFolder | None":
    """Return the target of results; None: standard output. `several`: whether there may be several pages.

    A folder is a path that exists as such or ends with a slash; for several pages also one without a suffix. Raises
    `click.UsageError`.
    """
    if output is None:
        return None
    path = Path(output)
    if blocking := next((above for above in path.parents if above.exists() and not above.is_dir()), None):
        raise click.UsageError(f"--output: {blocking} is a file, not a folder")
    if output.endswith(("/", os.sep)) or path.is_dir() or (several and not path.suffix and not path.exists()):
        if path.exists() and not path.is_dir():
            raise click.UsageError(f"--output: {path} is a file; name it without a slash to replace it")
        return ResultFolder(path, form)
    return ResultFile(path, form, several)


def result_text(name: str, result: "Article", form: "Format", several: bool) -> str:
    """Return the result of one page: a line of JSON, or a text, below the name of its page if there are several."""
    from extractors.render import render

    if form == "json":
        return json_line({"file": name, **result.to_dict()})
    text = render(result, form)
    return f"==> {printable(name)} <==\n{text}\n" if several else text


class ResultFile:
    """All results in one file: JSON lines, or texts, each below the name of its page if there are several."""

    def __init__(self, path: Path, form: "Format", several: bool):
        self.path, self.form, self.several = path, form, several
        self._parts: list[str] = []

    def add(self, name: str, result: "Article") -> None:
        """Add the result of one page."""
        self._parts.append(result_text(name, result, self.form, self.several) + "\n")

    def end(self) -> str:
        """Write the file, in place of an earlier one; without a result it does not change."""
        if not self._parts:
            return f"{self.path} is not written: there is no article"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text("".join(self._parts), "utf-8", "replace")
        return f"wrote {self.path}: {counted(len(self._parts), 'page')}"


class ResultFolder:
    """A file for each page, named after it. Files of an earlier run are replaced."""

    def __init__(self, path: Path, form: "Format"):
        self.path, self.form = path, form
        self._names: set[str] = set()

    def add(self, name: str, result: "Article") -> None:
        """Write the result of one page."""
        from extractors.render import render

        self.path.mkdir(parents=True, exist_ok=True)
        stem = re.sub(r"[^\w.-]+", "_", re.sub(r"^https?://|\.html?(\.gz)?$", "", name)).strip("_.")[-150:] or "page"
        file, number = stem + SUFFIXES[self.form], 1
        while file in self._names:
            number += 1
            file = f"{stem}-{number}{SUFFIXES[self.form]}"
        self._names.add(file)
        (self.path / file).write_text(render(result, self.form) + "\n", "utf-8", "replace")

    def end(self) -> str:
        """Return a message on what was written."""
        return f"wrote {counted(len(self._names), 'file')} into {self.path}{os.sep}"
