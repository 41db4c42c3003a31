"""The classifier `visual`: it classifies a screenshot as article or list, or gives no answer.

    classifier = VisualClassifier()                      # or VisualClassifier(Path("mine.onnx"))
    classifier(png) → Answer(kind, probability, reason)

Off by default: the crawl does not use it unless it is configured, because it is not reliable on sites that it was not
trained on (docs/methods-visual.md). Strategy: unreadable or blank → no answer; the likelier type's probability below
`SURE` → no answer; else that type. The source always gives an answer, and so does `sure=0`.

Its input, grey, 224 × 224, 0 black to 1 white:

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
import json
import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import BadModel, needs

Kind = Literal["article", "list"]
TYPES: tuple[Kind, ...] = ("article", "list")  # the order of the network's outputs
SIDE = 224  # pixels
MAX_PIXELS = 50_000_000  # pixels of a screenshot; more are an attack or a mistake
BLANK = 0.002  # standard deviation of grey below which a page is empty; one short line of text has more

Floats = NDArray[np.float32]
Grey = Floats  # of one picture or of several

INPUT, OUTPUT, ABOUT = "centred", "probabilities", "about"  # names in the file
OWN_WEIGHTS = "EXEMPLAR_VISUAL_WEIGHTS"  # environment variable: a file that `train` wrote
WEIGHTS = Path(__file__).parent / "model" / "lenet5.onnx"
SURE = 0.8  # probability from which the classifier gives an answer
EVEN, MOST_RELIABLE = 0.5, 0.99  # bounds of `reliability`: that of a guess, and one that structure can outweigh
UNSEEN_RIGHT = 0.59  # share of pages of sites not in training that the shipped network types rightly


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
class ScreenshotType:
    """The type of a page. `kind`: None if `reason` prevents an answer; `probability`: of the likelier kind, or 0."""

    kind: Kind | None
    probability: float
    reason: str = ""


class VisualClassifier:
    """A trained network, loaded once; calling it changes nothing, so threads may share it.

    `weights`: a file that `train` wrote; None: the one that `EXEMPLAR_VISUAL_WEIGHTS` names in the environment, else
    the shipped one. Raises `BadModel` if the file is not a network of this classifier, and `ExtraMissing` without
    onnxruntime (extra `vision`).
    """

    def __init__(self, weights: Path | None = None, *, sure: float = SURE):
        own = os.environ.get(OWN_WEIGHTS) if weights is None else None
        self.sure, self._is_own = sure, weights is not None or own is not None
        try:
            self._session = _session(weights or Path(own or WEIGHTS))
        except BadModel as error:
            raise BadModel(f"{OWN_WEIGHTS}: {error}" if own else str(error)) from None
        self.about: dict[str, Any] = json.loads(self._session.get_modelmeta().custom_metadata_map[ABOUT])

    @property
    def reliability(self) -> float:
        """The share of right answers to expect: of own weights what `train` measured on pages that it held out."""
        right = self.about.get("held_out_right") if self._is_own else UNSEEN_RIGHT
        return min(max(float(right or EVEN), EVEN), MOST_RELIABLE)

    def __call__(self, png: bytes) -> ScreenshotType:
        """Return the type of the page in a screenshot."""
        try:
            grey = read_png(png)
        except UnreadableImage as error:
            return ScreenshotType(None, 0.0, f"the screenshot cannot be read: {error}")
        if is_blank(grey):
            return ScreenshotType(None, 0.0, "the page is blank")
        return self.answer(grey)

    def answer(self, grey: Grey) -> ScreenshotType:
        """Return the type for pixels of shape (224, 224)."""
        chances = self.probabilities(grey[None])[0]
        best = int(chances.argmax())
        probability = float(chances[best])
        if probability < self.sure:
            return ScreenshotType(None, probability, f"neither type has a probability above {self.sure:.0%}")
        return ScreenshotType(TYPES[best], probability)

    def probabilities(self, grey: Floats) -> Floats:
        """Return float32, shape (images, 2), article and list, for pixels of shape (images, 224, 224)."""
        result: Floats = self._session.run([OUTPUT], {INPUT: centred(grey)[:, None]})[0]
        return result


def classifier() -> VisualClassifier:
    """Return the classifier that `EXEMPLAR_VISUAL_WEIGHTS` names, else the shipped one; each is loaded once."""
    return _loaded(os.environ.get(OWN_WEIGHTS) or None)


@lru_cache(4)
def _loaded(own: str | None) -> VisualClassifier:
    return VisualClassifier()


def _session(file: Path) -> Any:
    """Load a network for one thread: a worker has one page at a time, and other workers need the other cores."""
    runtime: Any = needs("onnxruntime", "vision")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    try:
        data = file.read_bytes()
    except OSError as error:
        raise BadModel(f"{file}: {error.strerror}") from None
    try:
        session = runtime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's errors have no common class of their own
        raise BadModel(f"{file} is not a network: {error}") from None
    shapes = [(one.name, one.shape[1:]) for one in (*session.get_inputs(), *session.get_outputs())]
    if shapes != [(INPUT, [1, SIDE, SIDE]), (OUTPUT, [len(TYPES)])] or (
        ABOUT not in session.get_modelmeta().custom_metadata_map
    ):
        raise BadModel(f"{file} is another network; `python -m evaluation.visual_training` writes files for this one")
    return session
