"""The network's table in numpy, with which the file that is written is compared."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from evaluation.lenet import FLAT, KERNEL, POOL, Floats, Weights

SHAPES = {
    "conv1.weight": (6, 1, 3, 3), "conv1.bias": (6,), "conv2.weight": (16, 6, 3, 3), "conv2.bias": (16,),
    "dense1.weight": (120, FLAT), "dense1.bias": (120,), "dense2.weight": (84, 120), "dense2.bias": (84,),
    "dense3.weight": (2, 84), "dense3.bias": (2,),
}  # fmt: skip


def forward(weights: Weights, grey: Floats) -> Floats:
    """Return probabilities, shape (images, 2), for centred pixels of shape (images, 224, 224)."""
    value = grey[:, None]
    for layer in ("conv1", "conv2"):
        value = np.maximum(_pooled(_convolved(value, weights[f"{layer}.weight"], weights[f"{layer}.bias"])), 0)
    value = value.reshape(len(value), FLAT)
    for layer in ("dense1", "dense2"):
        value = np.maximum(value @ weights[f"{layer}.weight"].T + weights[f"{layer}.bias"], 0)
    scores = value @ weights["dense3.weight"].T + weights["dense3.bias"]
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    result: Floats = powers / powers.sum(axis=1, keepdims=True)
    return result


def _convolved(value: Floats, kernels: Floats, bias: Floats) -> Floats:
    windows = sliding_window_view(value, (KERNEL, KERNEL), axis=(2, 3))
    result: Floats = np.einsum("nchwyx,kcyx->nkhw", windows, kernels, optimize=True) + bias[:, None, None]
    return result


def _pooled(value: Floats) -> Floats:
    images, channels, height, width = value.shape
    even = value[:, :, : height // POOL * POOL, : width // POOL * POOL]
    result: Floats = even.reshape(images, channels, height // POOL, POOL, width // POOL, POOL).max(axis=(3, 5))
    return result
