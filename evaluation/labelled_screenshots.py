"""Screenshots of known type for training: a folder with `article/` and `list/`, with one PNG per page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from extractors.errors import TrainingMistakes
from extractors.visual.screenshot_type import SIDE, TYPES, Grey, UnreadableImage, is_blank, read_png

FEWEST = 2  # screenshots of a type for training: one to learn from, one held out

Pixels = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class LabelledScreenshot:
    """Screenshots: `grey` uint8, shape (images, 224, 224); `type` int64, shape (images,), index in `TYPES`."""

    grey: Pixels
    type: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.type)

    def __getitem__(self, chosen: NDArray[np.intp]) -> "LabelledScreenshot":
        return LabelledScreenshot(self.grey[chosen], self.type[chosen])


def screenshots(folder: Path) -> list[tuple[Path, int]]:
    """Return each screenshot with its type. Raises `TrainingMistakes` if the folder's layout is wrong."""
    missing = [f"{folder / name}: no such folder" for name in TYPES if not (folder / name).is_dir()]
    if missing:
        raise TrainingMistakes(
            *missing, f"{folder} must contain the folders {' and '.join(TYPES)}, with a PNG for each page"
        )
    found = [(file, number) for number, name in enumerate(TYPES) for file in sorted((folder / name).glob("*.png"))]
    few = [name for number, name in enumerate(TYPES) if sum(kind == number for _, kind in found) < FEWEST]
    if few:
        raise TrainingMistakes(*(f"{folder / name}: fewer than {FEWEST} screenshots (*.png)" for name in few))
    return found


def read_labelled(files: Sequence[tuple[Path, int]]) -> tuple[LabelledScreenshot, list[Path]]:
    """Return the screenshots that are not blank, and the files of the blank ones. Raises `TrainingMistakes`."""
    mistakes: list[str] = []
    blank: list[Path] = []
    grey: list[Pixels] = []
    types: list[int] = []
    for file, kind, pixels in _read(files, mistakes):
        if is_blank(pixels):
            blank.append(file)
        else:
            grey.append(np.rint(pixels * 255).astype(np.uint8))
            types.append(kind)
    if mistakes:
        raise TrainingMistakes(*mistakes)
    shape = (-1, SIDE, SIDE)
    return LabelledScreenshot(np.array(grey, np.uint8).reshape(shape), np.array(types, np.int64)), blank


def _read(files: Sequence[tuple[Path, int]], mistakes: list[str]) -> Iterator[tuple[Path, int, Grey]]:
    for file, kind in files:
        try:
            yield file, kind, read_png(file.read_bytes())
        except (UnreadableImage, OSError) as error:
            mistakes.append(f"{file}: {error}")
