"""The folder of kept pictures beside an output: `pictures/` in the first folder of its path without a placeholder.

    out/{task}.jsonl                    out/pictures/                  pictures/…
    md/{date:%Y/%m}/{title}.md          md/pictures/                   ../../pictures/…
    s3://bucket/rows/{task}.jsonl.gz    s3://bucket/rows/news/pictures/    ../pictures/…

The right column is the way from a file with rows to the folder.
"""

from collections.abc import Mapping
from pathlib import Path

from workers.addresses import VARIABLE
from workers.errors import OutputError

from .kinds import Target, expand, kind_of, scheme_of
from .options import OutputOptions
from .paths import PLACEHOLDER_BEGINS
from .store_sink import object_names
from .stores import ObjectStore, address_of, open_store

FOLDER = "pictures"
_HIDDEN, _SHOWN = str.maketrans("{}", "\0\1"), str.maketrans("\0\1", "{}")  # the braces of variables


def folder_beside(output: str, options: OutputOptions) -> tuple[str, str] | None:
    """Return the folder of the pictures of an output, as path or address, and the way to it from a file with rows.

    None if the output has no folder, or its rows do not show pictures. `{task}` of the output must be replaced;
    `${VARIABLES}` may be unexpanded.
    """
    kind = kind_of(output)
    if kind is None or not kind.has_folder or not (options.wants_html or kind.shows_html):
        return None
    masked = VARIABLE.sub(lambda match: match[0].translate(_HIDDEN), output)
    path, mark, rest = masked.partition("?") if scheme_of(output) else (masked, "", "")
    if kind.is_queued:  # it has objects
        try:
            path = object_names(path, output).template
        except OutputError:  # it is reported when the output is opened
            return None
    parts = path.split("/")
    first = next((place for place, part in enumerate(parts) if PLACEHOLDER_BEGINS.search(part)), len(parts) - 1)
    folder = "/".join([*parts[:first], FOLDER]) + mark + rest
    return folder.translate(_SHOWN), "../" * (len(parts) - 1 - first) + f"{FOLDER}/"


def open_folders(outputs: Mapping[str, OutputOptions], task: str, folder: Path) -> list[tuple[ObjectStore, str]]:
    """Return the folders of the outputs that show kept pictures, each once: its store and its path there.

    Raises `OutputError` if one is invalid or an extra is missing.
    """
    outputs_at: dict[str, str] = {}
    for output, options in outputs.items():
        if options.pictures and (beside := folder_beside(expand(output, task), options)):
            outputs_at.setdefault(beside[0], output)
    opened = []
    for place, output in outputs_at.items():
        target = Target(place, output, task, folder)
        address = address_of(target)
        opened.append((open_store(target, address), address.place))
    return opened
