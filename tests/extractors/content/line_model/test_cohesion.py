"""Numbers of cohesion: which words the lines of a page share."""

import numpy as np
import pytest

from extractors.content.line_model.cohesion import NAMES, cohesion_columns

STORY = (
    "Bread from the old mill is back in the bakeries of the harbour quarter.",
    "The mill grinds rye again, and three bakeries have ordered flour for the whole winter.",
)
OTHER = "Volunteers count migrating swans along seventeen kilometres of shallow lakes."


def cohesion_of(texts, kept=(), title=-1, long=None, box=None):
    """Return the numbers of the lines of a page, by name."""
    flags = np.isin(np.arange(len(texts)), kept)
    box = np.zeros(len(texts), np.intp) if box is None else np.array(box)
    columns = cohesion_columns(list(texts), title, flags, flags if long is None else np.array(long), box)
    return {name: np.broadcast_to(column, len(texts)).tolist() for name, column in zip(NAMES, columns, strict=True)}


def test_a_line_shares_words_with_other_lines_of_the_body_not_with_itself():
    found = cohesion_of([*STORY, OTHER], kept=[0, 1])
    assert min(found["of_body"][:2]) > 0.1  # "mill", "bakeries"
    assert found["of_body"][2] == 0  # "along" and the others stand nowhere else
    assert cohesion_of([*STORY, OTHER], kept=[2])["of_body"] == [0, 0, 0]
    assert cohesion_of([STORY[0], OTHER], kept=[0])["of_body"] == [0, 0]


def test_words_are_the_same_by_their_first_letters_and_short_ones_count_for_nothing():
    found = cohesion_of(["Migrates over the sea", "Migration and the sea"], kept=[0, 1])
    assert found["words"] == pytest.approx(np.log1p([2, 1]).tolist())  # "over" has four letters
    assert 0 < found["of_body"][0] < found["of_body"][1] == 1
    assert cohesion_of(["Bakeries", "Bakery"], kept=[0, 1])["of_body"] == [0, 0]  # "bakeri" and "bakery"


def test_chinese_words_are_two_characters_in_a_row():
    found = cohesion_of(["磨坊重新开始磨面", "磨坊前排起了长队", "湖边数天鹅"], kept=[0, 1])
    assert found["words"] == pytest.approx(np.log1p([7, 7, 4]).tolist())
    assert 0 < found["of_body"][0] < 0.2
    assert found["of_body"][2] == 0
    assert cohesion_of(["磨坊", "坊磨"], kept=[0, 1])["of_body"] == [0, 0]


def test_words_of_the_title_and_of_the_first_two_paragraphs():
    texts = ["The mill of the harbour", *STORY, OTHER, "Swans rest where the mill was."]
    found = cohesion_of(texts, title=0, long=[False, True, True, True, False])
    assert found["of_opening"][0] > 0 < found["of_opening"][4]  # "mill"
    assert found["of_opening"][3] == 0  # "swans" stands in the third paragraph, which is itself
    assert cohesion_of([*texts, "Swans"], title=0, long=[False, True, True, True, False, False])["of_opening"][5] == 0
    assert cohesion_of(["The mill", "Some mill"], title=0, long=[False, False])["of_opening"][1] > 0
    assert (
        cohesion_of(["Old mill", "Swans", "One mill"], long=[True, True, False])["of_opening"][2] == 0
    )  # the first is no text


def test_captions_that_differ_in_numbers_only_do_not_confirm_each_other():
    captions = [f"The crane lifts a barge, picture {number}" for number in range(4)]
    found = cohesion_of([STORY[0], *captions, captions[0]], kept=[1, 2, 3, 4, 5])
    assert found["of_body"] == [0] * 6
    assert found["of_before"] == found["of_after"] == [0] * 6


@pytest.mark.parametrize("texts", [["1"], ["...", "—"], ["é", "ab"]])
def test_a_page_without_words_has_no_shares(texts):
    found = cohesion_of(texts, kept=[0], title=0)
    assert all(found[name] == [0] * len(texts) for name in NAMES)
