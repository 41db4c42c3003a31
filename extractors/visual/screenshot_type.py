"""The classifier `visual`: it classifies a screenshot as article or list, or gives no answer.

    classifier = VisualClassifier()                      # or VisualClassifier(Path("mine.onnx"))
    classifier(png) → Answer(kind, probability, reason)

Off by default: the crawl does not use it unless it is configured, because it is not reliable on sites that it was not
trained on (docs/methods-visual.md). Strategy: unreadable or blank → no answer; the likelier type's probability below
`SURE` → no answer; else that type. The source always gives an answer, and so does `sure=0`.
"""

import json
import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import BadModel, needs
from .screenshots import SIDE, TYPES, Grey, Kind, UnreadableImage, centred, is_blank, read_png

Floats = NDArray[np.float32]

INPUT, OUTPUT, ABOUT = "centred", "probabilities", "about"  # names in the file
OWN_WEIGHTS = "EXEMPLAR_VISUAL_WEIGHTS"  # environment variable: a file that `train` wrote
WEIGHTS = Path(__file__).parent / "model" / "lenet5.onnx"
SURE = 0.8  # probability from which the classifier gives an answer
EVEN, MOST_RELIABLE = 0.5, 0.99  # bounds of `reliability`: that of a guess, and one that structure can outweigh
UNSEEN_RIGHT = 0.59  # share of pages of sites not in training that the shipped network types rightly


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
