"""The file of the network, with weights drawn at random."""

import numpy as np
import pytest

from evaluation.lenet import quantised, to_onnx
from evaluation.visual_training import Trainer
from extractors.visual.screenshot_type import VisualClassifier, centred


def test_int8_is_within_half_a_step_of_the_weight():
    weight = np.array([[0.5, -1.0, 0.003], [0, 0, 0]], np.float32)
    whole, scale = quantised(weight)
    assert whole.dtype == np.int8
    assert (np.abs(whole * scale[:, None] - weight) <= scale[:, None] / 2 + 1e-9).all()


def test_the_file_computes_what_the_network_does(tmp_path):
    torch = pytest.importorskip("torch", reason="extra train is not installed")
    pytest.importorskip("onnx", reason="extra train is not installed")
    pytest.importorskip("onnxruntime", reason="extra vision is not installed")
    learner = Trainer(seed=1)
    (tmp_path / "drawn.onnx").write_bytes(to_onnx(learner.weights(), {"seed": 1}))
    assert (tmp_path / "drawn.onnx").stat().st_size < 6_000_000
    classifier = VisualClassifier(tmp_path / "drawn.onnx")
    grey = centred(np.random.default_rng(3).standard_normal((2, 224, 224)).astype(np.float32))
    with torch.no_grad():
        expected = learner.network(torch.from_numpy(grey[:, None])).softmax(1).numpy()
    assert np.allclose(classifier.probabilities(grey), expected, atol=0.002)
    assert classifier.about == {"seed": 1}
