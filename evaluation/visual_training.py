"""`python -m evaluation.visual_training DIR`: train the network on screenshots of the sites that you extract.

DIR contains `article/` and `list/` with a PNG for each page, as `python -m evaluation.screenshots` takes them; begin
with twenty of each type and site. The network learns these sites: on others it is little better than a guess.

Source: 基于网页图像分类的自动化网页正文抽取模型 (Qin, Li, Mu, Li), section 1.2: Adam, learning rate 0.0002, batches of
16, cross entropy (given for ResNet-101; nothing is given for LeNet-5). Our addition: the rarer type has a larger
weight, so that both count alike. Needs PyTorch and onnx (extra `train`); a seed makes training repeatable on one
machine.
"""

import argparse
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from extractors.errors import needs
from extractors.training import add_held_out, run
from extractors.visual.screenshot_type import OWN_WEIGHTS, SIDE, TYPES, Floats, centred

from .labelled_screenshots import LabelledScreenshot, Pixels, read_labelled, screenshots
from .lenet import FLAT, KERNEL, POOL, to_onnx

RATE, BATCH = 0.0002, 16  # the source's
EPOCHS = 10  # the source has 30; nothing changes after 10
JUDGED_AT_ONCE = 64  # screenshots that are classified together

Build = Callable[[Any], Any]


class ValidationResult(NamedTuple):
    """The results of a network for some screenshots: mean cross entropy, and the share classified correctly."""

    loss: float
    right: float


class Trainer:
    """A network in training; `epoch` changes it.

    `build` makes the network, a sequence of parts, from the module torch; `rate` gives the learning rate of an epoch.
    """

    def __init__(self, seed: int, build: "Build | None" = None, rate: Callable[[int], float] = lambda epoch: RATE):
        self.torch: Any = needs("torch", "train")
        self.torch.manual_seed(seed)
        self.torch.set_num_threads(1)  # more gain little on pictures this small, and would change the sums
        self.random = np.random.default_rng(seed)
        self.layout = self.torch.channels_last  # half the time on a CPU
        self.network = (build or lenet)(self.torch).to(memory_format=self.layout)
        learned = [values for values in self.network.parameters() if values.requires_grad]
        self.optimiser = self.torch.optim.Adam(learned, lr=RATE, fused=True)
        self.rates = map(rate, count())

    def epoch(self, pages: LabelledScreenshot) -> None:
        """Train on each page once, in random order."""
        weigh = self.torch.nn.CrossEntropyLoss(self.torch.from_numpy(type_weights(pages.type)))
        for part in self.network:  # a part that learns nothing keeps its means, too
            part.train(all(values.requires_grad for values in part.parameters()))
        self.optimiser.param_groups[0]["lr"] = next(self.rates)
        order = self.random.permutation(len(pages))
        for start in range(0, len(pages), BATCH):
            batch = pages[order[start : start + BATCH]]
            loss = weigh(self.network(self._tensor(batch.grey)), self.torch.from_numpy(batch.type))
            self.optimiser.zero_grad()
            loss.backward()
            self.optimiser.step()

    def probabilities(self, grey: Pixels) -> Floats:
        """Return float32, shape (images, 2)."""
        self.network.eval()
        with self.torch.no_grad():
            parts = [
                self.network(self._tensor(grey[start : start + JUDGED_AT_ONCE])).softmax(1).numpy()
                for start in range(0, len(grey), JUDGED_AT_ONCE)
            ]
        result: Floats = np.concatenate(parts)
        return result

    def weights(self) -> dict[str, Floats]:
        """Return the weights, by layer: `conv1.weight`, `conv1.bias` and so on."""
        return {name: np.ascontiguousarray(value.numpy()).copy() for name, value in self.network.state_dict().items()}

    def _tensor(self, grey: Pixels) -> Any:
        values = centred(grey.astype(np.float32) / np.float32(255))[:, None]
        return self.torch.from_numpy(values).contiguous(memory_format=self.layout)


def lenet(torch: Any) -> Any:
    """Return LeNet-5 as in `network`, in PyTorch."""
    nn = torch.nn
    return nn.Sequential(
        OrderedDict(
            conv1=nn.Conv2d(1, 6, KERNEL),
            pool1=nn.MaxPool2d(POOL),
            relu1=nn.ReLU(),
            conv2=nn.Conv2d(6, 16, KERNEL),
            pool2=nn.MaxPool2d(POOL),
            relu2=nn.ReLU(),
            flatten=nn.Flatten(),
            dense1=nn.Linear(FLAT, 120),
            relu3=nn.ReLU(),
            dense2=nn.Linear(120, 84),
            relu4=nn.ReLU(),
            dense3=nn.Linear(84, len(TYPES)),
        )
    )


def trained(
    pages: LabelledScreenshot, seed: int = 1, epochs: int = EPOCHS, new: Callable[[int], Trainer] = Trainer
) -> Trainer:
    """Return a network that was trained on these pages; `new` makes it from the seed."""
    learner = new(seed)
    for _ in range(epochs):
        learner.epoch(pages)
    return learner


def type_weights(types: NDArray[np.int64]) -> Floats:
    """Return a weight for each type, so that both count alike; float32, shape (2,)."""
    counts = np.bincount(types, minlength=len(TYPES))
    return (len(types) / (len(TYPES) * np.maximum(counts, 1))).astype(np.float32)


def judge(learner: Trainer, pages: LabelledScreenshot) -> ValidationResult:
    """Return the results of a network for some pages."""
    chances = learner.probabilities(pages.grey)
    loss = -np.log(np.maximum(chances[np.arange(len(pages)), pages.type], 1e-7)).mean()
    return ValidationResult(float(loss), float((chances.argmax(axis=1) == pages.type).mean()))


def divide(pages: LabelledScreenshot, share: float, seed: int) -> tuple[LabelledScreenshot, LabelledScreenshot]:
    """Return the training pages and the held-out pages, with the same share of both types; the same for one seed."""
    random = np.random.default_rng([seed, 2])
    held: list[int] = []
    for kind in range(len(TYPES)):
        of_kind = random.permutation(np.flatnonzero(pages.type == kind))
        held += of_kind[: min(round(share * len(of_kind)), len(of_kind) - 1)].tolist()
    apart = np.zeros(len(pages), bool)
    apart[held] = True
    return pages[np.flatnonzero(~apart)], pages[np.flatnonzero(apart)]


def main(words: Sequence[str] | None = None) -> int:
    """Train, print the curve, write the network. Exit code 2 for a mistake in the call or the folder."""
    arguments = _parser().parse_args(words)
    return run(lambda: _write(arguments), arguments.out)


def _write(arguments: argparse.Namespace) -> str:
    needs("torch", "train"), needs("onnx", "train")  # missing packages are reported before the training
    pages, blank = read_labelled(screenshots(arguments.folder))
    learned, held_out = divide(pages, arguments.held_out, arguments.seed)
    print(f"{len(learned)} screenshots to learn from, {len(held_out)} held out; {len(blank)} blank ones left out")
    learner = Trainer(arguments.seed)
    for line in _curve(learner, learned, held_out, arguments.epochs):
        print(line, flush=True)
    arguments.out.write_bytes(to_onnx(learner.weights(), _about(arguments, learner, learned, held_out)))
    return f"\nnetwork: {arguments.out}; to use it: {OWN_WEIGHTS}={arguments.out}"


def _curve(learner: Trainer, learned: LabelledScreenshot, held_out: LabelledScreenshot, epochs: int) -> Iterator[str]:
    """Train, and yield the learning curve: one line per epoch."""
    yield f"{'epoch':>5}  {'loss':>6}  {'right':>6}  {'held out':>8}  {'right':>6}"
    for number in range(1, epochs + 1):
        learner.epoch(learned)
        own = judge(learner, learned)
        other = judge(learner, held_out) if len(held_out) else None
        apart = f"  {other.loss:8.4f}  {other.right:6.1%}" if other else ""
        yield f"{number:5}  {own.loss:6.4f}  {own.right:6.1%}{apart}"


def _about(
    arguments: argparse.Namespace, learner: Trainer, learned: LabelledScreenshot, held_out: LabelledScreenshot
) -> dict[str, str | int | float | list[int]]:
    """Return a description of the training, which is stored in the file."""
    about: dict[str, str | int | float | list[int]] = {
        "network": f"LeNet-5, {SIDE} × {SIDE} grey",
        "types": " ".join(TYPES),
        "screenshots": np.bincount(learned.type, minlength=len(TYPES)).tolist(),
        "held_out": len(held_out),
        "seed": arguments.seed,
        "epochs": arguments.epochs,
    }
    if len(held_out):
        about["held_out_right"] = round(judge(learner, held_out).right, 4)
    return about


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m evaluation.visual_training", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DIR", help="folder with article/ and list/, one PNG per page")
    parser.add_argument("--out", type=Path, default=Path("visual.onnx"), metavar="FILE", help="default: visual.onnx")
    parser.add_argument("--seed", type=int, default=1, help="default: 1")
    parser.add_argument("--epochs", type=int, default=EPOCHS, help=f"default: {EPOCHS}")
    add_held_out(parser, "screenshots")
    return parser


if __name__ == "__main__":
    sys.exit(main())
