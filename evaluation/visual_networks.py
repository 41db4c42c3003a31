"""The networks that source 003 compares on screenshots: LeNet-5, ResNet-101 and EfficientNet, in PyTorch.

Source: 基于网页图像分类的自动化网页正文抽取模型 (Qin, Li, Mu, Li), section 1.2:

lenet         LeNet-5 (`evaluation.lenet`), learning rate 0.0002
resnet101     without its last pooling and layer, followed by dense layers of 1,024 and 2; only these learn, the weights
              within are those of other pictures (transfer)
efficientnet  its last ten layers learn, then global average pooling and 2 outputs; the learning rate rises in the
              first 15 epochs and falls afterwards (equations 2 and 3, `rising_and_falling`)

Adam, batches of 16, cross entropy, 30 epochs for all. The source does not say which EfficientNet; ours is B0, the
smallest. A network with weights from a file (a state dictionary of torchvision's model) is adapted as above; without
a file all of it learns from scratch, which is another experiment than the source's. Grey input is repeated for the
three colours. Needs the extra `train`.
"""

from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from extractors.errors import BadModel, needs
from extractors.visual.screenshot_type import TYPES

from .visual_training import RATE, Build, Trainer, lenet

HEAD = 1_024  # units of the first dense layer after ResNet-101
LAST = 10  # layers of EfficientNet that learn
STAGE = 49  # places of the last map of ResNet-101, 7 × 7 for 224 × 224 pixels
# Equations 2 and 3.
START, MOST, LEAST, RISE, STAY, FALL = 0.00001, 0.0004, 0.00001, 15, 0, 0.8


def rising_and_falling(epoch: int) -> float:
    """Return the learning rate of an epoch, from 0: LR of equation 2 in the first ones, of equation 3 afterwards."""
    if epoch < RISE:
        return (MOST - START) / RISE * epoch + START
    return (MOST - START) * FALL ** (epoch - RISE - STAY) + LEAST


def resnet101(torch: Any, weights: Path | None) -> Any:
    """Return ResNet-101 with the source's two dense layers; with `weights` only these learn."""
    inner = _model("resnet101", weights, torch)
    body = torch.nn.Sequential(*list(inner.children())[:-2])
    if weights:
        body.requires_grad_(False)
    nn = torch.nn
    head = nn.Sequential(nn.Flatten(), nn.Linear(2_048 * STAGE, HEAD), nn.ReLU(), nn.Linear(HEAD, len(TYPES)))
    return nn.Sequential(OrderedDict(colours=_colours(torch), body=body, head=head))


def efficientnet(torch: Any, weights: Path | None) -> Any:
    """Return EfficientNet-B0 with two outputs; with `weights` its last `LAST` layers learn."""
    inner = _model("efficientnet_b0", weights, torch)
    layers = [layer for layer in inner.features.modules() if not list(layer.children())]
    if weights:
        for layer in layers[:-LAST]:
            layer.requires_grad_(False)
    nn = torch.nn
    head = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(1_280, len(TYPES)))
    return nn.Sequential(OrderedDict(colours=_colours(torch), body=inner.features, head=head))


BUILD: dict[str, Callable[[Any, Path | None], Any]] = {"resnet101": resnet101, "efficientnet": efficientnet}
NETWORKS = ("lenet", *BUILD)


def trainer(name: str, weights: Path | None = None) -> Callable[[int], Trainer]:
    """Return the function that makes the network of this name from a seed.

    Raises `ExtraMissing` without torch or torchvision, `BadModel` if `weights` are not of this network.
    """
    needs("torch", "train"), needs("torchvision", "train")
    chosen = BUILD.get(name)
    build: Build = (lambda torch: chosen(torch, weights)) if chosen else lenet
    rate = rising_and_falling if name == "efficientnet" else lambda epoch: RATE
    return lambda seed: Trainer(seed, build, rate)


def _model(name: str, weights: Path | None, torch: Any) -> Any:
    model = getattr(needs("torchvision", "train").models, name)(weights=None)
    if weights:
        try:
            model.load_state_dict(torch.load(weights, map_location="cpu", weights_only=True))
        except Exception as error:  # of several kinds: no file, no archive, other layers
            raise BadModel(f"{weights}: no weights of {name}: {str(error).splitlines()[0]}") from None
    return model


def _colours(torch: Any) -> Any:
    """Return a layer that repeats one channel three times and does not learn."""
    layer = torch.nn.Conv2d(1, 3, 1, bias=False)
    torch.nn.init.ones_(layer.weight)
    return layer.requires_grad_(False)
