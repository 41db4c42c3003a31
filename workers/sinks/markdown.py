"""Markdown: one file per article, with its fields as front matter in YAML.

    ---
    title: …
    ---

    the article

Rows are also listed in a hidden file of the folder (`.output-…/rows.jsonl`), in which they are looked up. A file is
written elsewhere, synchronised and renamed; then the row is listed. So a row that is delivered again replaces its file
with the same text, or is already listed. A row exists as long as its file: removing the file removes the row.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import yaml

from workers.errors import OutputError, SinkUnavailable
from workers.rows import Row, RowKey, encodable, with_texts
from workers.sinks.durability import make_folder, reported, sync_folder, write_file

from .appended_files import JsonLinesSink
from .kinds import Target
from .options import OutputOptions
from .paths import PathPattern, pattern_of
from .row_html import markdown_of

ID_DIGITS = 12  # hexadecimal digits of the hash of task and canonical URL
TITLE_BYTES = 80  # bytes of a title as part of a file name
PLACEHOLDERS = ("title", "id", "version")
NAMES_TRIED = 100  # A.md, A-0123456789ab.md, A-0123456789ab-2.md …
BODY_FIELDS = frozenset(
    {"text", "blocks", "html", "comments"}
)  # fields that are in the front matter only if they are chosen
LISTED = ("task", "url", "canonical_url", "version", "fetched_at", "listed_on", "content_hash")
_FORBIDDEN = frozenset(
    '<>:"/\\|?*\u2044\u2215\u29f8\uff0f\uff3c'
)  # characters that are not allowed in file names on some system, and their look-alikes
_RESERVED = frozenset({"con", "prn", "aux", "nul", *(f"{name}{n}" for name in ("com", "lpt") for n in range(10))})
FENCE = "---"
LONGEST_LINE = 2**31 - 1  # characters: lines are not folded
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_FRONT_MATTER = re.compile(rb"---\n(.*?\n)---\n", re.DOTALL)


def open_markdown(target: Target) -> "MarkdownSink":
    """Return the sink of a path that ends in `.md`. Raises `OutputError` if the path is invalid."""
    pattern = pattern_of(target, names=PLACEHOLDERS)
    if pattern.placeholders.isdisjoint({"title", "id"}):
        raise OutputError(f"output {target.label}: each article is one file; add {{title}} or {{id}} to its name")
    return MarkdownSink(pattern, target.options)


class MarkdownSink(JsonLinesSink):
    """Writes a file for each article. A new version replaces the file, unless the path contains `{version}`.

    As a sink of JSON lines it is the list of rows with their files.
    """

    def __init__(self, articles: PathPattern, options: OutputOptions):
        super().__init__(articles.hidden("rows.jsonl"))
        self.name, self._articles, self._options = articles.text, articles, options
        self._keeps_versions = "version" in articles.placeholders

    def write(self, rows: Sequence[Row], *, again: AbstractSet[RowKey] = frozenset()) -> None:
        """Write the files of all rows, or none, and list the rows."""
        paths: dict[Path, bytes] = {}
        listed: list[Row] = []
        owners: dict[Path, str] = {}
        with reported(self.name):
            for row in self.missing(rows, again=again):
                earlier = list(self.rows_of_article(row)) if row["version"] > 1 or again else []
                path = self._path(row, earlier, owners)
                owners[path] = article_id(row)
                if self._keeps_versions or not any(other["version"] > row["version"] for other in earlier):
                    paths[path] = self._content(row)
                file = str(path.relative_to(self._articles.root))
                listed.append({name: row.get(name) for name in LISTED} | {"file": file})
            self._write_all(paths)
        self.append(listed)

    def check(self) -> None:
        """Create the folder and the list of rows if there are none."""
        super().check()
        self._articles.check_inside(self._articles.root)

    def is_there(self, row: Row) -> bool:
        """Whether the file of a listed row exists and is not empty; a row whose file was removed does not count."""
        try:
            return bool((self._articles.root / str(row.get("file"))).stat().st_size)
        except OSError:
            return False

    def _path(self, row: Row, earlier: Sequence[Row], owners: dict[Path, str]) -> Path:
        """Return the path of a row's file: that of an earlier version, else one that no other article has."""
        if earlier and not self._keeps_versions:
            path = self._articles.root / str(max(earlier, key=lambda other: int(other["version"]))["file"])
            self._articles.check_inside(path)
            return path
        identifier = article_id(row)
        values = {"title": file_name_of(row.get("title")), "id": identifier, "version": str(row["version"])}
        path = self._articles.path_of(row, values)
        for number in range(NAMES_TRIED):
            added = (f"-{identifier}" if number else "") + (f"-{number}" if number > 1 else "")
            free = path.with_name(f"{path.stem}{added}{path.suffix}") if added else path
            owner = owners[free] if free in owners else self._owner(free)
            if owner in ("", identifier):
                return free
        raise SinkUnavailable(f"output unavailable: {path} and {NAMES_TRIED} similar names belong to other files")

    def _owner(self, path: Path) -> str:
        """Return the id of the article in a file; "" if there is no file, "?" if this program did not write it."""
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return ""
        except IsADirectoryError:
            return "?"
        if not content.strip(b"\0"):
            return ""  # an empty file, left by a power failure of an earlier version
        fields = read_front_matter(content)
        task, canonical_url, _ = (fields.get(name) for name in self._options.key_names())
        is_ours = isinstance(task, str) and isinstance(canonical_url, str)
        return article_id({"task": task, "canonical_url": canonical_url}) if is_ours else "?"

    def _content(self, row: Row) -> bytes:
        row = self._options.with_kept_pictures(row)
        fields = self._options.shaped(row, with_key=True, left_out=BODY_FIELDS)
        return f"{front_matter(fields)}\n{markdown_of(row)}\n".encode("utf-8", "replace")

    def _write_all(self, contents: dict[Path, bytes]) -> None:
        """Write all files in the folder of the list of rows, then move them to their paths; undo this if one fails."""
        folder = self._articles.hidden("new")
        make_folder(folder)
        new: list[Path] = []
        moved: list[Path] = []
        try:
            for number, content in enumerate(contents.values()):
                new.append(folder / str(number))
                write_file(new[-1], content)
            for parent in {path.parent for path in contents}:
                make_folder(parent)
                self._articles.check_inside(parent)
            for source, path in zip(new, contents, strict=True):
                is_new = not path.exists()
                source.rename(path)
                moved += [path] * is_new
        except OSError:
            for path in (*new, *moved):
                with suppress(OSError):
                    path.unlink()
            raise
        for parent in {path.parent for path in contents}:
            sync_folder(parent)


def article_id(row: Row) -> str:
    """Return the id of a row's article: the same for all of its versions."""
    return sha256(f"{row['task']}\n{row['canonical_url']}".encode("utf-8", "replace")).hexdigest()[:ID_DIGITS]


def file_name_of(title: str | None) -> str:
    """Return a title as part of a file name: no separators, controls or marks of direction; at most 80 bytes."""
    text = unicodedata.normalize("NFC", (title or "")[: 10 * TITLE_BYTES])
    text = "".join(" " if _is_space(letter) else letter for letter in text if not _is_dropped(letter))
    name = _cut("-".join(text.split())).strip("-. ")
    if not name:
        return "untitled"
    return f"{name[: TITLE_BYTES - 1]}_" if name.partition(".")[0].lower() in _RESERVED else name


def _cut(text: str) -> str:
    return text.encode("utf-8", "replace")[:TITLE_BYTES].decode("utf-8", "ignore").strip("-. ")


def _is_space(letter: str) -> bool:
    return letter in _FORBIDDEN or unicodedata.category(letter) in ("Cc", "Zs", "Zl", "Zp")


def _is_dropped(letter: str) -> bool:
    return unicodedata.category(letter) in ("Cf", "Cs", "Cn", "Co")


def front_matter(fields: Mapping[str, Any]) -> str:
    """Return the lines of the fields between two fences. Raises `yaml.YAMLError` for values that JSON does not have."""
    values = with_texts(dict(fields), encodable)
    text = yaml.dump(values, Dumper=_DUMPER, allow_unicode=True, sort_keys=False, width=LONGEST_LINE)
    return f"{FENCE}\n{text}{FENCE}\n"


def read_front_matter(content: bytes) -> dict[str, Any]:
    """Return the fields that `front_matter` wrote at the beginning of a file; none if it begins otherwise."""
    match = _FRONT_MATTER.match(content)
    try:
        fields = yaml.load(match[1], _LOADER) if match else None
    except yaml.YAMLError:
        return {}
    return fields if isinstance(fields, dict) else {}
