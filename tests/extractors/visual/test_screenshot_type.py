import sys

import numpy as np
import pytest

from extractors import extract
from extractors.errors import BadModel, ExtraMissing
from extractors.visual.screenshot_type import OWN_WEIGHTS, UNSEEN_RIGHT, WEIGHTS, VisualClassifier
from extractors.visual.screenshot_type import classifier as of_environment
from tests.extractors.visual.pictures import article, png

pytest.importorskip("PIL", reason="extra vision is not installed")
pytest.importorskip("onnxruntime", reason="extra vision is not installed")


@pytest.fixture(scope="module")
def classifier():
    return VisualClassifier()


def test_a_screenshot_gets_a_kind_and_its_probability(classifier):
    answer = VisualClassifier(sure=0)(png(article()))
    assert answer.kind in ("article", "list")
    assert 0.5 <= answer.probability <= 1
    assert answer.reason == ""


def test_a_blank_page_and_a_broken_picture_get_no_answer(classifier):
    blank = classifier(png(np.full((50, 50), 255, np.uint8)))
    broken = classifier(b"no picture")
    assert (blank.kind, blank.reason) == (None, "the page is blank")
    assert broken.kind is None
    assert broken.reason.startswith("the screenshot cannot be read")


def test_it_does_not_answer_unless_it_is_sure():
    answer = VisualClassifier(sure=1.1)(png(article()))
    assert answer.kind is None
    assert answer.probability > 0.5
    assert answer.reason == "neither type has a probability above 110%"


def test_the_shipped_weights_say_what_they_learned_from(classifier):
    assert len(classifier.about["screenshots"]) == 2
    assert classifier.about["seed"] == 1


def test_a_file_that_is_no_network_is_named(tmp_path, monkeypatch):
    (tmp_path / "other.onnx").write_bytes(b"something else")
    monkeypatch.setenv(OWN_WEIGHTS, str(tmp_path / "other.onnx"))
    with pytest.raises(BadModel, match=r"other\.onnx is not a network"):
        VisualClassifier()
    with pytest.raises(BadModel, match=r"gone\.onnx: No such file"):
        VisualClassifier(tmp_path / "gone.onnx")


def own_network(folder):
    """A file that differs from the shipped one in the seed that it names."""
    stored = WEIGHTS.read_bytes()
    assert stored.count(b'"seed": 1,') == 1
    (folder / "mine.onnx").write_bytes(stored.replace(b'"seed": 1,', b'"seed": 7,'))
    return str(folder / "mine.onnx")


def test_the_environment_names_the_network_that_is_used(tmp_path, monkeypatch):
    assert of_environment().about["seed"] == 1
    monkeypatch.setenv(OWN_WEIGHTS, own_network(tmp_path))
    assert of_environment().about["seed"] == 7
    assert of_environment() is of_environment()
    monkeypatch.setenv(OWN_WEIGHTS, "")
    assert of_environment().about["seed"] == 1


def test_i_awce_asks_the_network_that_the_environment_names(tmp_path, monkeypatch):
    page = "<title>T</title><p>Words enough for a page of some sort stand here, and more of them.</p>"
    monkeypatch.setenv(OWN_WEIGHTS, own_network(tmp_path))
    assert extract(page, method="i-awce", screenshot=png(article())).reason
    monkeypatch.setenv(OWN_WEIGHTS, str(tmp_path / "gone.onnx"))
    with pytest.raises(BadModel, match=rf"{OWN_WEIGHTS}: .*gone\.onnx: No such file"):
        extract(page, method="i-awce", screenshot=png(article()))
    assert extract(page, method="i-awce").reason  # without a screenshot nobody asks it


def test_without_onnxruntime_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ExtraMissing, match="extra vision is not installed"):
        VisualClassifier()


def test_own_weights_are_as_reliable_as_was_measured_and_the_shipped_ones_as_on_unseen_sites():
    assert VisualClassifier().reliability == UNSEEN_RIGHT
    own = VisualClassifier(WEIGHTS)
    assert own.reliability == own.about["held_out_right"]
    for measured, expected in ((1.0, 0.99), (None, 0.5)):
        own.about["held_out_right"] = measured
        assert own.reliability == expected
