"""Screenshots → the network's input (grey, 224 × 224, 0 black to 1 white), and a folder of them for training.

    PNG bytes → grey pixels → 224 × 224 → centred → network

Source: 基于网页图像分类的自动化网页正文抽取模型 (Qin, Li, Mu, Li), section 1.2. Its input is 224 × 224 × 1, scaled
down from a picture of the whole page. Ours: from the page's first 1,366 × 1,366 pixels (`evaluation.screenshots`), each
pixel the mean of its area, so that lines of text remain distinct; if a long page is scaled to 224 rows, they do not.
More pages were right in this way; in the source, too, more detail improved the results.

`centred` is ours too: with values from 0 to 1, almost all of them white, many epochs pass without progress, and a dark
page should differ from a light one only in sign.

Pillow decodes and scales the image: 2 ms a screenshot, no dependencies, on every platform. Images may come from
attackers, so a decoder of our own would need the same care. It is imported where it is used (extra `vision`).

A folder for training has `article/` and `list/`, with one PNG per page.
"""

import hashlib
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import TrainingMistakes, needs

Kind = Literal["article", "list"]
TYPES: tuple[Kind, ...] = ("article", "list")  # folders of a training set; the order of the network's outputs
SIDE = 224  # pixels
MAX_PIXELS = 50_000_000  # pixels of a screenshot; more are an attack or a mistake
BLANK = 0.002  # standard deviation of grey below which a page is empty; one short line of text has more

FEWEST = 2  # screenshots of a type for training: one to learn from, one held out

Grey = NDArray[np.float32]
Pixels = NDArray[np.uint8]


class UnreadableImage(ValueError):
    """The bytes are not a readable image; the message gives the reason."""


def read_png(data: bytes) -> Grey:
    """Return float32, shape (224, 224), 0 to 1. Raises `UnreadableImage`, and `ExtraMissing` without Pillow."""
    image: Any = needs("PIL.Image", "vision")
    try:
        with image.open(io.BytesIO(data), formats=("PNG",)) as opened:
            if opened.width * opened.height > MAX_PIXELS:
                raise UnreadableImage(f"the image has {opened.width} × {opened.height} pixels")
            small = opened.convert("L").resize((SIDE, SIDE), image.Resampling.BOX)
    except (OSError, SyntaxError, ValueError, image.DecompressionBombError) as error:
        raise UnreadableImage(str(error)) from None
    return np.asarray(small, np.float32) / np.float32(255)


def file_name(url: str) -> str:
    """Return the file name of the screenshot of a normalised URL."""
    return hashlib.sha256(url.encode()).hexdigest()[:16] + ".png"


def centred(grey: Grey) -> Grey:
    """Return each picture with mean 0 and deviation 1; shape (images, 224, 224)."""
    mean, deviation = grey.mean(axis=(1, 2), keepdims=True), grey.std(axis=(1, 2), keepdims=True)
    result: Grey = (grey - mean) / np.maximum(deviation, np.float32(BLANK))
    return result


def is_blank(grey: Grey) -> bool:
    """Whether the picture is blank: then giving no answer is better than guessing."""
    return float(grey.std()) < BLANK


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
