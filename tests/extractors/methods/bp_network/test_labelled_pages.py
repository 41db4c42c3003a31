import pytest

from extractors.methods.bp_network import labelled_pages
from extractors.methods.bp_network.labelled_pages import label_lines


def test_lines_of_the_right_text_are_body():
    found = label_lines(["Home", "Tides rise.", "They fall again.", "Imprint"], "Tides rise.\n\nThey fall again.")
    assert found.body.tolist() == [False, True, True, False]
    assert found.found == 1


def test_a_paragraph_shown_twice_counts_where_the_body_is():
    teaser_first = ["Tides rise twice.", "Menu", "Tickets", "Tides rise twice.", "They fall as well."]
    assert label_lines(teaser_first, "Tides rise twice. They fall as well.").body.tolist() == [False] * 3 + [True] * 2
    teaser_last = ["They rise twice.", "Tides fall.", "Menu", "Tickets", "Tides fall."]
    assert label_lines(teaser_last, "They rise twice. Tides fall.").body.tolist() == [True] * 2 + [False] * 3


def test_a_line_without_words_is_as_both_its_neighbours():
    assert label_lines(["* *", "One tide", "***", "Two tides", "—", "Menu"], "One tide Two tides").body.tolist() == [
        False, True, True, True, False, False,
    ]  # fmt: skip


def test_too_much_to_align_is_refused(monkeypatch):
    monkeypatch.setattr(labelled_pages, "MAX_WORDS", 3)
    with pytest.raises(ValueError, match="too many"):
        label_lines(["one two three four"], "one")
