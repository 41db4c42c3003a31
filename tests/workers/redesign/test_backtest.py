"""Back-tests: what another example or method changes on a page, and the figures of many."""

import json
from dataclasses import replace

import pytest

from extractors import Section
from tests.workers.helpers import FETCHED_AT, archive, article, news, url
from workers.page_store import StoredPage
from workers.redesign.backtest import BackTest, back_test, change_of, shared_ends, shingle_f1
from workers.redesign.proposal_finder import doubt_of
from workers.redesign.proposals import Proposal
from workers.stored_json import loaded


def stored(number, body):
    return StoredPage(url(number), body, "text/html; charset=utf-8", FETCHED_AT)


def section(method="auto"):
    return Section(article(0), url(0), method=method)


def compare_page(old, new, url, page):
    return back_test(old, new, [(url, page)], "").pages[0]


def test_pages_are_compared_field_by_field():
    old, new = section(), section("list-rank")
    same = compare_page(old, section(), url(1), stored(1, news(1)))
    assert (same.kind, same.f1, same.differing, same.old) == ("same", 1.0, (), same.new)
    empty = compare_page(old, new, url(2), stored(2, b" "))
    assert (empty.kind, empty.new.reason != "") == ("none", True)
    listed = compare_page(old, new, url(3), stored(3, archive()))
    assert (listed.kind, "a list of" in listed.new.reason, listed.f1) == ("gained", True, 0.0)


def test_the_figures_survive_json():
    pages = [(url(number), stored(number, news(number))) for number in range(1, 4)]
    test = back_test(section(), section("density"), pages, "kept pages")
    assert sum(test.counts.values()) == 3
    assert test.lost == 0
    assert 0 <= test.mean_f1 <= 1
    again = loaded(BackTest, json.dumps(test.to_dict()))
    assert again == test
    assert (again.fitting(), again.confidence()) == (test.fitting(), test.confidence())
    assert BackTest().mean_f1 == 1.0


def test_texts_are_compared_by_words_and_chinese_characters():
    assert shingle_f1("", "") == 1.0
    assert shingle_f1("one two three four five", "one two three four five") == 1.0
    assert shingle_f1("one two three four five", "six seven eight nine ten") == 0.0
    assert shingle_f1("", "word") == 0.0
    assert shingle_f1("一二三四五七", "一二三四五六") == pytest.approx(2 / 3)  # two of three runs of four characters
    assert shingle_f1("a b c d a b c d", "a b c d") == pytest.approx(1 / 3)  # one of five runs, and of one
    assert shingle_f1("江 面，很\n静。水", "江面很静水") == 1.0


def test_texts_that_end_with_lines_of_other_pages_are_marked():
    texts = [f"Story {name}\nBody of {name}, one line.\nRead next\nA teaser of {name}" for name in ("a", "b", "c")]
    assert shared_ends(texts) == [("Read next",)] * 3
    assert shared_ends(["Story\nOne body", "Story\nAnother body"]) == [(), ()]
    same = "Story\nThe same text twice\nRead next"
    assert shared_ends([same, same]) == [(), ()]


def test_a_change_shows_head_tail_and_lines_that_came_and_went():
    change = change_of("Old head\nBody stays\nGone", "New head\nBody stays\nA teaser")
    assert (change.added, change.removed) == (("New head", "A teaser"), ("Old head", "Gone"))
    long = change_of("", "word " * 100)
    assert long.head.startswith("word")
    assert len(long.head) <= 120
    assert len(long.tail) <= 120


def test_a_proposal_whose_texts_share_their_ends_waits_for_a_person():
    pages = [(url(number), stored(number, news(number))) for number in range(1, 6)]
    good = back_test(section(), section(), pages, "kept pages")
    fits = replace(good.pages[0].old, fits=False)
    better = BackTest(tuple(replace(page, old=fits) for page in good.pages))
    proposal = Proposal("task", "url", "", "", "", 0.0, 0.0, 5, 5, 0.9, better)
    assert doubt_of(proposal) == ""
    shared = [replace(page, ends_shared=("Read next",) if place < 2 else ()) for place, page in enumerate(better.pages)]
    assert "Read next" in doubt_of(replace(proposal, test=BackTest(tuple(shared))))
    unsure = [replace(page, new=replace(page.new, confidence=0.5)) for page in better.pages]
    assert "confidence" in doubt_of(replace(proposal, test=BackTest(tuple(unsure))))
