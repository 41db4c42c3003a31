"""The line model learns some pages as if their lines shared fewer words."""

import numpy as np

from evaluation import line_model
from evaluation.line_model import LabelledForm, learn
from extractors.content.confidence import Known
from extractors.content.line_model.cohesion import OF_LINE, OF_LINES
from extractors.content.line_model.line_columns import NAMES

SHARES = [NAMES.index(name) for name in (*OF_LINE, *OF_LINES)]


def pages(number):
    """Return pages of ten lines, of which those that share words are body."""
    for page in range(number):
        values = np.zeros((10, len(NAMES)), np.float32)
        values[::2, SHARES] = 0.5
        yield LabelledForm("set", "site", "plain", f"page {page}", frozenset(), values, values[:, SHARES[0]] * 2,
                           np.ones(10), 0.0, Known())  # fmt: skip


def test_half_of_the_pages_are_learned_with_fewer_shared_words_and_some_without(monkeypatch):
    learned = []
    monkeypatch.setattr(line_model, "fit", lambda names, values, *rest: learned.append(values))
    learn(list(pages(600)))
    shares = learned[0].reshape(600, 10, -1)[:, ::2, SHARES]
    whole, none = (shares == 0.5).all((1, 2)).mean(), (shares == 0).all((1, 2)).mean()
    assert (round(whole, 1), round(none, 1)) == (0.5, 0.2)
    some = shares[(shares < 0.5).all((1, 2)) & (shares > 0).any((1, 2))]
    of_line, of_lines = some[:, :, : len(OF_LINE)], some[:, :, len(OF_LINE) :]
    assert ((of_line == 0).any(1) & (of_line > 0).any(1)).any()  # of one page some lines, others not
    assert (of_lines == of_lines[:, :1]).all()


def test_pages_that_are_learned_stay_as_they_are():
    known = list(pages(60))
    learn(known)
    assert all((one.values[::2, SHARES] == 0.5).all() for one in known)
