"""The names of a store's objects: one object for each batch and day.

A path that ends in `/` stands for a folder of `.jsonl.gz` objects, and one without `{batch}` for a folder of that name
without suffix:

    news/                            news/2026-11-22/<batch>.jsonl.gz
    news.jsonl.zst                   news/2026-11-22/<batch>.jsonl.zst
    news/{date}/all.jsonl            news/2026-11-22/all/<batch>.jsonl
    news/x-{date}-{batch}.jsonl.gz   news/x-2026-11-22-<batch>.jsonl.gz
    news.parquet                     news/day=2026-11-22/<batch>.parquet

The name contains day and batch, so that a batch that is delivered again replaces its own objects, and the objects of a
day are listed without those of other days.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from workers.errors import OutputError

DATE, BATCH = "{date}", "{batch}"
FOLDER_SUFFIX = ".jsonl.gz"  # suffix for a path that ends in /
_ID = r"[0-9a-f]{32}"


@dataclass(frozen=True, slots=True)
class ObjectNames:
    """The names of objects. `template`: their path with `{date}` and `{batch}`, which is in the last part.

    `suffix`: that of their format.
    """

    template: str
    suffix: str = ""

    @property
    def root(self) -> str:
        """The folder that contains all objects, directly or below."""
        return self.template[: min(self.template.index(DATE), self.template.index(BATCH))].rpartition("/")[0]

    def path(self, day: date, batch: str) -> str:
        """Return the path of the object with the rows of a day of a batch."""
        return self.template.replace(DATE, day.isoformat()).replace(BATCH, batch)

    def folder_and_start(self, day: date) -> tuple[str, str]:
        """Return the folder of the objects of a day, and the start of their names in it."""
        folder, _, start = self.template.replace(DATE, day.isoformat()).partition(BATCH)[0].rpartition("/")
        return folder, start

    def of_day(self, day: date, paths: Iterable[str], without: str) -> list[str]:
        """Return the paths that are objects of a day, except those of the batch `without`, in order."""
        form = re.escape(self.template).replace(re.escape(DATE), day.isoformat())
        first, *others = form.split(re.escape(BATCH))
        pattern = re.compile(f"{first}(?P<batch>{_ID}){'(?P=batch)'.join(others)}")
        matches = (pattern.fullmatch(path) for path in sorted(set(paths)))
        return [match[0] for match in matches if match and match["batch"] != without]


def object_names(path: str, suffixes: Mapping[str, str], label: str) -> ObjectNames:
    """Return the names that a path stands for. `suffixes`: those of all formats, each with the name of the folder of a
    day.

    Raises `OutputError` that names the output as `label`.
    """
    if path.endswith("/"):
        path = path.rstrip("/") + FOLDER_SUFFIX
    suffix = next((suffix for suffix in suffixes if path.lower().endswith(suffix)), None)
    if suffix is None:
        raise OutputError(f"output {label}: use a path that ends in / or one of {', '.join(suffixes)}")
    if unknown := sorted(set(re.findall(r"\{[^{}]*\}", path)) - {DATE, BATCH}):
        raise OutputError(f"output {label}: unknown {unknown[0]}; a path may have {{task}}, {DATE} and {BATCH}")
    if BATCH not in path:
        folder = path[: -len(suffix)].rstrip("/")
        path = f"{folder}/{'' if DATE in folder else suffixes[suffix] + '/'}{BATCH}{path[-len(suffix) :]}"
    if DATE not in path:
        raise OutputError(f"output {label}: a path with {BATCH} must have {DATE} too, else all days are searched")
    if BATCH in path.rpartition("/")[0]:
        raise OutputError(f"output {label}: {BATCH} must be in the last part of the path")
    if ".." in path.split("/"):
        raise OutputError(f"output {label}: remove .. from the path")
    return ObjectNames(path, suffix)
