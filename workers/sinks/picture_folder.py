"""The folder of kept pictures beside an output: `pictures/` in the first folder of its path without a placeholder.

    out/{task}.jsonl                    out/pictures/                  pictures/…
    md/{date:%Y/%m}/{title}.md          md/pictures/                   ../../pictures/…
    s3://bucket/rows/{task}.jsonl.gz    s3://bucket/rows/news/pictures/    ../pictures/…

The right column is the way from a file with rows to the folder.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workers.addresses import VARIABLE
from workers.errors import OutputError
from workers.picture_links import file_name

from .durability import Durability
from .kinds import Target, expand, formats, kind_of, scheme_of
from .object_names import object_names
from .options import OutputOptions
from .stores import ObjectStore, address_of

FOLDER = "pictures"
_PLACEHOLDER_BEGINS = re.compile(r"\{\w+[:}]")
_HIDDEN, _SHOWN = str.maketrans("{}", "\0\1"), str.maketrans("\0\1", "{}")  # the braces of variables


@dataclass(frozen=True, slots=True)
class FolderBeside:
    """The folder of the pictures of an output, as path or address, and the way to it from a file with rows."""

    folder: str
    way: str


def folder_beside(output: str, options: OutputOptions) -> FolderBeside | None:
    """Return where the pictures of an output are kept; None if it has no folder, or its rows show no pictures.

    `output`: with `{task}` replaced; `${VARIABLES}` may be unexpanded.
    """
    kind = kind_of(output)
    if kind is None or not kind.has_folder or not (options.wants_html or kind.shows_html):
        return None
    path, mark, rest = VARIABLE.sub(lambda match: match[0].translate(_HIDDEN), output).partition("?")
    if not scheme_of(output):
        path, mark, rest = path + mark + rest, "", ""
    if kind.has_objects:
        try:
            days = {suffix: one.day_folder for one in formats() for suffix in one.suffixes}
            path = object_names(path, days, output).template
        except OutputError:  # it is reported when the output is opened
            return None
    parts = path.split("/")
    first = next((place for place, part in enumerate(parts) if _PLACEHOLDER_BEGINS.search(part)), len(parts) - 1)
    folder = "/".join([*parts[:first], FOLDER]) + mark + rest
    return FolderBeside(folder.translate(_SHOWN), "../" * (len(parts) - 1 - first) + f"{FOLDER}/")


class PictureFolder:
    """The folder of one output. Raises `OutputError` if it is invalid or an extra is missing."""

    def __init__(self, beside: FolderBeside, label: str, task: str, folder: Path, durability: Durability):
        target = Target(beside.folder, label, task, folder, durability)
        address = address_of(target)
        self._place = address.place
        self._store: ObjectStore = target.opened(address.storage.opens, address.storage.extra, address)

    def keep(self, url: str, picture: bytes) -> None:
        """Store a picture, completely or not at all. Raises `SinkUnavailable`."""
        self._store.put(f"{self._place}/{file_name(url)}", picture, is_again=False)

    def close(self) -> None:
        """Close the connections."""
        self._store.close()


def open_folders(
    outputs: Mapping[str, OutputOptions], task: str, folder: Path, durability: Durability
) -> list[PictureFolder]:
    """Return the folders of the outputs that show kept pictures, each once. Raises `OutputError` as `PictureFolder`."""
    found: dict[FolderBeside, str] = {}
    for output, options in outputs.items():
        if options.pictures and (beside := folder_beside(expand(output, task), options)):
            found.setdefault(beside, output)
    return [PictureFolder(beside, label, task, folder, durability) for beside, label in found.items()]
