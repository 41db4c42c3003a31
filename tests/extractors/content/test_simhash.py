"""SimHash: near for what says the same, far for what does not."""

import random
from itertools import islice

import pytest

from extractors.content.simhash import distance, simhash


def essay(seed, sentences=40):
    random_ = random.Random(seed)
    words = iter(lambda: "".join(random_.choices("etaoinshrdlu", k=random_.randint(2, 9))), "")
    return [" ".join(islice(words, 9)).capitalize() + "." for _ in range(sentences)]


def chinese(seed, characters=400):
    return "".join(random.Random(seed).choices([chr(code) for code in range(0x4E00, 0x4F00)], k=characters))


def test_what_does_not_count_changes_nothing():
    text = " ".join(essay(1))
    assert simhash(text) == simhash(text.upper().replace(" ", "\n\n").replace(".", "!"))


def test_one_sentence_of_forty_changes_little():
    sentences = essay(2)
    changed = [*sentences[:7], "Another sentence stands here now.", *sentences[8:]]
    assert distance(simhash(" ".join(sentences)), simhash(" ".join(changed))) <= 7


def test_other_texts_are_far():
    texts = [simhash(" ".join(essay(seed))) for seed in range(20)]
    for family in (texts, [simhash(chinese(seed)) for seed in range(20)]):
        pairs = [distance(a, b) for place, a in enumerate(family) for b in family[:place]]
        assert min(pairs) > 7


def test_the_value_does_not_depend_on_process_or_machine():
    assert simhash("港务局周一公布了新的渡轮时刻表。") == simhash("港务局周一公布了新的渡轮时刻表")
    assert simhash("The ferry leaves at nine.") == 0x52323ABF2C23B06


@pytest.mark.parametrize("text", ["", " \n", "a", "!?…", "\ud800", "\0\uffff", "🙂", "\u0301", "x" * 10_000])
def test_any_text_has_one(text):
    assert 0 <= simhash(text) < 2**64
