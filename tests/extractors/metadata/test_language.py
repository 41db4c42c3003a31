import json
from pathlib import Path

import pytest

from extractors.metadata.language import find_language
from tests.tables import rows

# Our own short news, each of at least 220 characters, by the tag of their language
TEXTS = json.loads(Path(__file__).with_name("languages.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("declared", ["", "en-US", "zh-CN", "x-default"])
def test_the_language_of_a_text_is_found_whatever_its_page_declares(declared):
    found = {language: find_language(declared, text) for language, text in TEXTS.items() if len(text) >= 220}
    missed = {language: tag for language, tag in found.items() if tag != language}
    assert len(found) >= 40
    assert missed.keys() <= {"hr"}  # to the detector, Bosnian is the same
    assert set(missed.values()) <= {find_language(declared, "")}  # none is taken for another


@pytest.mark.parametrize(("length", "wrong"), [(30, 0.02), (100, 0.0)])
def test_a_short_text_has_no_language_rather_than_a_wrong_one(length, wrong):
    pieces = [(tag, text[at : at + length]) for tag, text in TEXTS.items() for at in range(0, len(text), length)]
    found = [(tag, find_language("", piece)) for tag, piece in pieces if len(piece) == length]
    assert sum(seen not in (tag, None) for tag, seen in found) <= wrong * len(found)
    assert sum(seen == tag for tag, seen in found) > 0.7 * len(found)


@pytest.mark.parametrize(
    ("declared", "text", "language"),
    [*rows(Path(__file__).with_name("declared_languages.txt")), ("", "a\ud800\0", None)],
)
def test_language_is_the_declared_one_unless_the_text_is_in_another(declared, text, language):
    assert find_language(declared, text) == language
