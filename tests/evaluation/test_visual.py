"""How screenshots are dealt out, judged and rendered for the classifier `visual`."""

import gzip
import json
import urllib.request

import numpy as np
import pytest

from evaluation.data import read_sets
from evaluation.labelled_screenshots import LabelledScreenshot
from evaluation.styled_sites import design, pages
from evaluation.visual import RenderedPage, by_site, crossed, dealt
from evaluation.visual_networks import rising_and_falling, trainer
from evaluation.visual_pages import StoredSite
from extractors.errors import BadModel


def page(site, kind, number=0):
    return RenderedPage(site, site, kind, None, number)


PAGES = [
    page(site, kind, number) for site in ("styled_1", "styled_2", "a", "b") for kind in (0, 1) for number in "1234"
]


def test_each_fold_has_its_share_of_each_site_and_kind():
    folds = dealt(PAGES, 4, seed=1)
    groups = {(one.site, one.kind, fold) for one, fold in zip(PAGES, folds, strict=True)}
    assert len(groups) == 4 * 2 * 4
    assert folds == dealt(PAGES, 4, seed=1)


def test_a_site_is_in_one_fold_and_stored_sites_are_spread():
    folds = dict(zip((one.site for one in PAGES), by_site(PAGES, 2), strict=True))
    assert folds["a"] != folds["b"]
    assert folds["styled_1"] != folds["styled_2"]


def test_no_page_is_judged_by_what_has_learned_from_it():
    def learn(known):
        return lambda judged: np.array([float(one in known) for one in judged])

    outcome = crossed(PAGES, dealt(PAGES, 4, seed=1), learn)
    assert len(outcome.chance) == len(PAGES)
    assert outcome.chance.max() == 0


def test_a_styled_site_is_repeatable_and_has_both_kinds_in_one_template():
    written = list(pages(1, 3, count=2))
    assert written == list(pages(1, 3, count=2))
    assert [kind for kind, _ in written] == ["article", "list"] * 2
    assert len({text.partition("<style>")[2].partition("</style>")[0] for _, text in written}) == 1
    assert design(1, 3).chinese
    assert design(1, 3) != design(2, 3)


def test_stored_pages_are_unpacked_and_find_their_styles(tmp_path):
    (tmp_path / "a.html.gz").write_bytes(gzip.compress(b'<link href="https://news.example/s.css">'))
    (tmp_path / "s.css").write_text("p { color: red }")
    row = {"id": "a", "file": "a.html.gz", "url": "https://news.example/a", "site": "", "kind": "list", "body": None}
    (tmp_path / "truth.jsonl").write_text(json.dumps(row | {"section": ""}))
    [one] = read_sets(tmp_path)
    with StoredSite(tmp_path, one.rows) as site:
        address = site.address(one.rows[0])
        assert urllib.request.urlopen(address).read() == b'<link href="/s.css">'
        assert urllib.request.urlopen(address.replace("a.html.gz", "s.css")).read() == b"p { color: red }"
        assert site.answer("/truth.jsonl") is None
        assert site.answer("/../../etc/passwd") is None


def test_the_learning_rate_of_efficientnet_rises_and_falls():
    rates = [rising_and_falling(epoch) for epoch in range(30)]
    assert rates[:16] == sorted(rates[:16])
    assert rates[15:] == sorted(rates[15:], reverse=True)
    assert (rates[0], rates[15], rates[16]) == pytest.approx((0.00001, 0.0004, 0.000322))


def test_networks_of_the_source_learn_their_last_layers_with_given_weights(tmp_path):
    torch = pytest.importorskip("torch", reason="extra train is not installed")
    models = pytest.importorskip("torchvision", reason="extra train is not installed").models
    with pytest.raises(BadModel, match=r"gone\.pt: no weights of efficientnet_b0"):
        trainer("efficientnet", tmp_path / "gone.pt")(1)
    torch.save(models.efficientnet_b0(weights=None).state_dict(), tmp_path / "own.pt")
    pages = LabelledScreenshot(np.arange(2 * 224 * 224, dtype=np.uint8).reshape(2, 224, 224), np.array([0, 1]))
    learner = trainer("efficientnet", tmp_path / "own.pt")(1)
    before = {name: values.clone() for name, values in learner.network.state_dict().items()}
    learner.epoch(pages)
    changed = {name for name, values in learner.network.state_dict().items() if not values.equal(before[name])}
    assert {"head.2.bias", "body.8.0.weight"} <= changed
    assert not {"body.0.0.weight", "body.0.1.running_mean", "colours.weight"} & changed
    assert learner.probabilities(pages.grey).shape == (2, 2)
