from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.data import DataSet, Row
from evaluation.floors import Floors, failures, missing_sets, updated
from evaluation.predict import Selection
from evaluation.results import Prediction, evaluate

SETTINGS = Selection()
ROW = Row("a", Path("a"), "g", body="one two three four five six seven")
SET = DataSet("harbour", (ROW,), frozenset(), "checksum")


def result(words, method="density", peer=False):
    text = " ".join(ROW.body.split()[:words])
    return evaluate(SET, method, [Prediction("a", text, 1.0, 1.0, peer=peer)], {}, seed=1)


HIGH, LOW = result(7), result(5)


@pytest.fixture
def floors():
    return updated(Floors(), [HIGH], [SET], SETTINGS)


def test_changed_data_fails_and_keeps_its_floors(floors):
    other = replace(SET, checksum="another")
    assert "data differs" in failures(floors, [HIGH], [other])[0]
    assert updated(floors, [LOW], [other], SETTINGS) == floors
    assert updated(floors, [LOW], [other], SETTINGS, lower=True).checksums == {"harbour": "another"}


def test_sets_without_data_are_named(floors):
    assert missing_sets(floors, [SET]) == []
    assert missing_sets(floors, []) == ["harbour"]


def test_peers_have_no_floors():
    assert updated(Floors(), [result(7, "trafilatura", peer=True)], [SET], SETTINGS).f1 == {}
