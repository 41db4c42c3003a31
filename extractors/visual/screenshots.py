"""Screenshots → the network's input (grey, 224 × 224, 0 black to 1 white).

    PNG bytes → grey pixels → 224 × 224 → centred → network

Source: 基于网页图像分类的自动化网页正文抽取模型 (Qin, Li, Mu, Li), section 1.2. Its input is 224 × 224 × 1, scaled
down from a picture of the whole page. Ours: from the page's first 1,366 × 1,366 pixels (`evaluation.screenshots`), each
pixel the mean of its area, so that lines of text remain distinct; if a long page is scaled to 224 rows, they do not.
More pages were right in this way; in the source, too, more detail improved the results.

`centred` is ours too: with values from 0 to 1, almost all of them white, many epochs pass without progress, and a dark
page should differ from a light one only in sign.

Pillow decodes and scales the image: 2 ms a screenshot, no dependencies, on every platform. Images may come from
attackers, so a decoder of our own would need the same care. It is imported where it is used (extra `vision`).
"""

import hashlib
import io
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import needs

Kind = Literal["article", "list"]
TYPES: tuple[Kind, ...] = ("article", "list")  # the order of the network's outputs
SIDE = 224  # pixels
MAX_PIXELS = 50_000_000  # pixels of a screenshot; more are an attack or a mistake
BLANK = 0.002  # standard deviation of grey below which a page is empty; one short line of text has more

Grey = NDArray[np.float32]


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
