"""The network, step by step, on weights drawn at random."""

import math

import numpy as np
import pytest

from evaluation.lenet import quantised, to_onnx
from extractors.errors import BadModel
from extractors.visual.screenshot_type import VisualClassifier

from .forward_lenet import SHAPES, forward


@pytest.fixture(scope="module")
def weights():
    random = np.random.default_rng(1)
    return {
        name: (random.standard_normal(shape) / math.sqrt(math.prod(shape[1:]) or 1)).astype(np.float32)
        for name, shape in SHAPES.items()
    }


def test_two_probabilities_come_out_for_each_picture(weights):
    chances = forward(weights, np.random.default_rng(2).standard_normal((3, 224, 224)).astype(np.float32))
    assert chances.shape == (3, 2)
    assert np.allclose(chances.sum(axis=1), 1)


def test_int8_is_within_half_a_step_of_the_weight():
    weight = np.array([[0.5, -1.0, 0.003], [0, 0, 0]], np.float32)
    whole, scale = quantised(weight)
    assert whole.dtype == np.int8
    assert (np.abs(whole * scale[:, None] - weight) <= scale[:, None] / 2 + 1e-9).all()


def test_the_file_computes_what_the_table_says(weights, tmp_path):
    pytest.importorskip("onnx", reason="extra train is not installed")
    pytest.importorskip("onnxruntime", reason="extra vision is not installed")
    (tmp_path / "drawn.onnx").write_bytes(to_onnx(weights, {"seed": 1}))
    assert (tmp_path / "drawn.onnx").stat().st_size < 6_000_000
    classifier = VisualClassifier(tmp_path / "drawn.onnx")
    grey = np.random.default_rng(3).standard_normal((2, 224, 224)).astype(np.float32)
    grey = (grey - grey.mean(axis=(1, 2), keepdims=True)) / grey.std(axis=(1, 2), keepdims=True)
    assert np.allclose(classifier.probabilities(grey), forward(weights, grey), atol=0.02)
    assert classifier.about == {"seed": 1}


def test_values_that_are_not_finite_are_refused(weights):
    with pytest.raises(BadModel, match=r"conv1.bias has values that are not numbers"):
        to_onnx({**weights, "conv1.bias": np.full(6, np.nan, np.float32)}, {})
