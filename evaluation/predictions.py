"""Predictions as files: `<out>/<set>/<method>.jsonl`, one object per page or pair; scored separately."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from .data import DataError


@dataclass(frozen=True, slots=True)
class Prediction:
    """The result of a method or peer. `ms`: CPU time; `parse_ms`: that of parsing the same page in the same round.

    `peer`: whether it is the result of a peer. `example`: id of the example page. `none`: why there is no article.
    """

    id: str
    text: str
    ms: float
    parse_ms: float
    bytes: int
    peer: bool = False
    example: str | None = None
    title: str | None = None
    day: str | None = None
    none: str | None = None
    crash: str | None = None


class Writer:
    """Writes the predictions of one set, one file per method; files of an earlier run are replaced."""

    def __init__(self, out: Path, dataset: str) -> None:
        self._folder = out / dataset
        self._folder.mkdir(parents=True, exist_ok=True)
        self._begun: set[str] = set()

    def write(self, method: str, prediction: Prediction) -> None:
        """Append a prediction to its method's file."""
        mode = "a" if method in self._begun else "w"
        self._begun.add(method)
        with (self._folder / f"{method}.jsonl").open(mode, encoding="utf-8") as file:
            file.write(json.dumps(asdict(prediction), ensure_ascii=False) + "\n")


def read_predictions(path: Path) -> list[Prediction]:
    """Return the predictions of a file. Raises `DataError` with the number of an invalid line."""
    found = []
    for number, line in enumerate(path.read_text("utf-8").split("\n"), 1):
        if line:
            try:
                found.append(Prediction(**json.loads(line)))
            except (ValueError, TypeError) as error:
                raise DataError(f"{path}, line {number}: {error}") from None
    return found


def prediction_files(out: Path) -> Iterator[tuple[str, str, Path]]:
    """Yield set, method and file of all predictions in a folder."""
    for path in sorted(out.glob("*/*.jsonl")):
        yield path.parent.name, path.stem, path
