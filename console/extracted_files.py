"""The targets of `exemplar extract --output`: one file for all pages, or a folder with a file for each."""

import os
import re
from collections import Counter
from itertools import count
from pathlib import Path

import click

from console.terminal import counted
from crawler.logs import json_line, printable
from extractors import Article
from extractors.render import Format, render

SUFFIXES: dict[Format, str] = {"text": ".txt", "html": ".html", "markdown": ".md", "json": ".json"}
FORMS: dict[str, Format] = {suffix: form for form, suffix in SUFFIXES.items()} | {".htm": "html", ".jsonl": "json"}


OTHER_FORMATS = frozenset((".csv", ".tsv", ".xlsx", ".parquet", ".db", ".xml", ".pdf", ".docx"))


def form_of(output: str | None) -> Format:
    """Return the format that the suffix of an output names; else text. Raises `click.UsageError` for another format."""
    if output and (suffix := Path(output).suffix.lower()) in OTHER_FORMATS:
        raise click.UsageError(
            f"--output: pages are not written as {suffix}; name a file that ends in .txt, .html, .md or .json"
        )
    return FORMS.get(Path(output).suffix.lower(), "text") if output else "text"


def target_of(output: str | None, form: Format, several: bool) -> "ExtractedFiles | None":
    """Return the target of results; None: standard output. `several`: whether there may be several pages.

    A folder is a path that exists as such or ends with a slash; for several pages also one without a suffix. Raises
    `click.UsageError`.
    """
    if output is None:
        return None
    path = Path(output)
    is_folder = output.endswith(("/", os.sep)) or path.is_dir() or (several and not path.suffix and not path.exists())
    for above in (path, *path.parents) if is_folder else path.parents:
        if above.exists() and not above.is_dir():
            raise click.UsageError(f"--output: {above} is a file, not a folder")
    return ExtractedFiles(path, form, several, is_folder)


def result_text(name: str, result: Article, form: Format, several: bool) -> str:
    """Return the result of one page: a line of JSON, or a text, below the name of its page if there are several."""
    if form == "json":
        return json_line({"file": name, **result.to_dict()})
    text = render(result, form)
    return f"==> {printable(name)} <==\n{text}\n" if several else text


class ExtractedFiles:
    """The results in one file: JSON lines, or texts, each below the name of its page if there are several.

    In a folder each page has a file named after it. Files of an earlier run are replaced.
    """

    def __init__(self, path: Path, form: Format, several: bool, is_folder: bool):
        self.path, self.form, self.several, self.is_folder = path, form, several, is_folder
        self._written = Counter[Path]()  # pages by file

    def add(self, name: str, result: Article) -> None:
        """Write the result of one page, in a folder to a file of its own."""
        file = self._file_of(name) if self.is_folder else self.path
        text = result_text(name, result, self.form, self.several and not self.is_folder)
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a" if file in self._written else "w", encoding="utf-8", errors="replace") as out:
            out.write(text + "\n")
        self._written[file] += 1

    def end(self) -> str:
        """Return a message on what was written."""
        if not self._written:
            return f"{self.path} is not written: there is no article"
        if self.is_folder:
            return f"wrote {counted(len(self._written), 'file')} into {self.path}{os.sep}"
        return f"wrote {self.path}: {counted(self._written.total(), 'page')}"

    def _file_of(self, name: str) -> Path:
        stem = re.sub(r"[^\w.-]+", "_", re.sub(r"^https?://|\.html?(\.gz)?$", "", name)).strip("_.")[-150:] or "page"
        names = (f"{stem}-{number}" if number > 1 else stem for number in count(1))
        files = (self.path / f"{one}{SUFFIXES[self.form]}" for one in names)
        return next(file for file in files if file not in self._written)
