"""The learned parts read a page by the numbers with which they were trained: sums over pages of `learned/`.

Another sum: train the models again, then `python -m tests.extractors.test_learned_numbers` writes the sums of now.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from extractors.content import confidence
from extractors.content.line_model import context, line_columns
from extractors.content.page_body import rules_body
from extractors.learned import logistic
from extractors.methods.bp_network.line_inputs import line_values, source_values, with_neighbours
from extractors.page_types.addresses import address_features
from extractors.page_types.features import features_of

from .pages import parsed

FOLDER = Path(__file__).with_name("learned")
STORED = FOLDER / "numbers.json"
URLS = {
    "story.html": "https://gazette.example/news/2026/03/05/tides-rise-in-the-harbour.html",
    "chinese.html": "http://www.gangkou.example/a/2026/1103/2.html",
    "list.html": "https://gazette.example/town/",
    "thread.html": "https://forum.example/about/t/12",
    "bare.html": None,
}


def sums_of(file, url):
    """Return a sum of each kind of number over the lines of a page, each line with another weight."""
    page = parsed((FOLDER / file).read_text("utf-8"), url)
    lines, body = page.lines, rules_body(page.lines, page.prior)
    weight = np.arange(1.0, len(lines) + 1)
    values = line_columns.features_of(lines, page.prior, body, (weight % 3 / 2).tolist())
    odds = (weight * 1.7 % 9 - 4.5).astype(np.float32)
    kept = line_columns.flags_of(body.kept, len(lines))
    known = confidence.known_of(lines, page.head, body.kept, 0.7)
    doubts = confidence.doubts_of(values, logistic(odds), logistic(odds / 2), kept, logistic(odds[::-1]) > 0.5, known)
    inputs = with_neighbours(line_values(lines, ("tides", "磨坊")))
    source = with_neighbours(source_values(lines, ("tides", "磨坊"), page.page.html))
    return {
        "line": dict(zip(line_columns.NAMES, weight @ values, strict=True)),
        "context": dict(zip(context.CONTEXT_NAMES, weight @ context.context_columns(values, odds), strict=True)),
        "confidence": dict(zip(confidence.NAMES, doubts, strict=True)),
        "bp-network": dict(enumerate([*weight @ inputs, *weight @ source])),
        "page": features_of(page),
    }


def sums_of_addresses():
    """Return a sum of each number over some addresses."""
    found = [address_features(url) for url in (FOLDER / "addresses.txt").read_text("utf-8").split()]
    return {"address": {name: sum(at * one[name] for at, one in enumerate(found, 1)) for name in found[0]}}


def numbers():
    """Return all sums, rounded, by page and kind."""
    found = {file: sums_of(file, url) for file, url in URLS.items()} | {"addresses": sums_of_addresses()}
    return {
        page: {kind: {str(name): round(float(one), 4) for name, one in of.items()} for kind, of in kinds.items()}
        for page, kinds in found.items()
    }


def test_the_numbers_of_pages_are_those_with_which_the_models_were_trained():
    stored = json.loads(STORED.read_text("utf-8"))
    for page, kinds in numbers().items():
        for kind, found in kinds.items():
            assert found == pytest.approx(stored[page][kind], rel=1e-4, abs=1e-3), (page, kind)


if __name__ == "__main__":
    STORED.write_text(json.dumps(numbers(), ensure_ascii=False, indent=1) + "\n", "utf-8")
