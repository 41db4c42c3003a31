"""LeNet-5 as in the source, for 224 × 224 grey pixels; 5,610,114 weights.

    input      1 × 224 × 224
    conv1      6 kernels 3 × 3, step 1                          6 × 222 × 222
    pool       largest of 2 × 2, step 2; then ReLU              6 × 111 × 111
    conv2      16 kernels 3 × 3, step 1                        16 × 109 × 109
    pool       largest of 2 × 2, step 2; then ReLU             16 × 54 × 54
    flatten                                                    46,656
    dense1     120, ReLU
    dense2     84, ReLU
    dense3     2, softmax: article, list

Source: 基于网页图像分类的自动化网页正文抽取模型 (Qin, Li, Mu, Li), section 1.2 and figure 4. It does not mention
a function between the dense layers; without ReLU there they would be one layer. The larger of the two probabilities
decides.

`to_onnx` writes that table as ONNX, the form of the shipped file: weights are int8 with one scale per output unit,
unpacked to float32 when the file is loaded (a quarter of the size; speed is the same). The file's metadata describe the
training data. Needs the package onnx (extra `train`).
"""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from extractors.errors import BadModel, needs
from extractors.visual.screenshot_type import ABOUT, INPUT, OUTPUT, SIDE, TYPES, Floats

Weights = Mapping[str, Floats]

KERNEL, POOL = 3, 2
FLAT = 46_656  # 16 × 54 × 54
OPSET, IR_VERSION = 17, 8  # versions of ONNX, old enough for every onnxruntime that this project supports
INT8 = 127  # largest value of a weight


def quantised(weight: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Return int8 of the same shape, and float32 scales, one per output unit: weight ≈ int8 × scale."""
    largest = np.abs(weight).reshape(len(weight), -1).max(axis=1)
    scale = np.where(largest > 0, largest, 1).astype(np.float32) / np.float32(INT8)
    whole = np.rint(weight / scale.reshape(-1, *[1] * (weight.ndim - 1)))
    return whole.astype(np.int8), scale


def to_onnx(weights: Weights, about: Mapping[str, Any]) -> bytes:
    """Return the network as an ONNX file. Raises `BadModel` if a value is not finite, `ExtraMissing` without onnx."""
    for name, values in weights.items():
        if not np.isfinite(values).all():
            raise BadModel(f"{name} has values that are not numbers")
    onnx: Any = needs("onnx", "train")
    helper, kinds = onnx.helper, onnx.TensorProto
    constants, nodes = _stored(weights, onnx)
    layers: list[tuple[str, list[str], dict[str, Any]]] = [
        ("Conv", ["conv1.weight", "conv1.bias"], {}),
        ("MaxPool", [], {"kernel_shape": [POOL, POOL], "strides": [POOL, POOL]}),
        ("Relu", [], {}),
        ("Conv", ["conv2.weight", "conv2.bias"], {}),
        ("MaxPool", [], {"kernel_shape": [POOL, POOL], "strides": [POOL, POOL]}),
        ("Relu", [], {}),
        ("Flatten", [], {}),
        ("Gemm", ["dense1.weight", "dense1.bias"], {"transB": 1}),
        ("Relu", [], {}),
        ("Gemm", ["dense2.weight", "dense2.bias"], {"transB": 1}),
        ("Relu", [], {}),
        ("Gemm", ["dense3.weight", "dense3.bias"], {"transB": 1}),
        ("Softmax", [], {"axis": 1}),
    ]
    flow = [INPUT, *(f"value{number}" for number in range(1, len(layers))), OUTPUT]
    for number, (kind, constant, options) in enumerate(layers):
        nodes.append(helper.make_node(kind, [flow[number], *constant], [flow[number + 1]], **options))
    graph = helper.make_graph(
        nodes,
        "LeNet-5",
        [helper.make_tensor_value_info(INPUT, kinds.FLOAT, ["images", 1, SIDE, SIDE])],
        [helper.make_tensor_value_info(OUTPUT, kinds.FLOAT, ["images", len(TYPES)])],
        constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    helper.set_model_props(model, {ABOUT: json.dumps(about, ensure_ascii=False)})
    onnx.checker.check_model(model)
    stored: bytes = model.SerializeToString(deterministic=True)
    return stored


def _stored(weights: Weights, onnx: Any) -> tuple[list[Any], list[Any]]:
    """Return the stored tensors, and the nodes that unpack those of them that are int8."""
    tensor, constants, nodes = onnx.numpy_helper.from_array, [], []
    for name, values in weights.items():
        if name.endswith("bias"):
            constants.append(tensor(values.astype(np.float32), name))
            continue
        whole, scale = quantised(values)
        constants += [tensor(whole, f"{name}.int8"), tensor(scale, f"{name}.scale")]
        nodes.append(onnx.helper.make_node("DequantizeLinear", [f"{name}.int8", f"{name}.scale"], [name], axis=0))
    return constants, nodes
