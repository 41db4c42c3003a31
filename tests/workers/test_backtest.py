"""Back-tests: what another example or method changes on a page, and the figures of many."""

import json
from dataclasses import replace

from extractors import Section
from workers.page_store import StoredPage
from workers.redesign.backtest import BackTest, back_test, compare_page
from workers.redesign.text_comparison import shingle_f1

from .helpers import FETCHED_AT, archive, article, news, url


def stored(number, body):
    return StoredPage(url(number), body, "text/html; charset=utf-8", FETCHED_AT)


def section(method="auto"):
    return Section(article(0), url(0), method=method)


def test_pages_are_compared_field_by_field():
    old, new = section(), section("list-rank")
    same = compare_page(old, section(), url(1), stored(1, news(1)))
    assert (same.kind, same.f1, same.differing, same.old) == ("same", 1.0, (), same.new)
    empty = compare_page(old, new, url(2), stored(2, b" "))
    assert (empty.kind, empty.new.reason != "") == ("none", True)
    listed = compare_page(old, new, url(3), stored(3, archive()))
    assert (listed.kind, "a list of" in listed.new.reason, listed.f1) == ("gained", True, 0.0)


def test_a_changed_text_shows_its_ends_and_what_was_removed():
    longer = news(1).replace(b"</h1>", b"</h1><p>A summary that only one of the two methods takes, in some words.</p>")

    class CutSection:
        """A section that cuts the last words."""

        def extract(self, *args, **options):
            found = section().extract(*args, **options)
            return replace(found, text=found.text[:-200], title="Another title")

    page = compare_page(section(), CutSection(), url(1), stored(1, longer))
    assert (page.kind, page.differing) == ("changed", ("title", "text"))
    assert 0 < page.f1 < 1
    assert page.change.head.startswith("A summary") or page.change.head
    assert page.change.removed


def test_the_figures_survive_json():
    pages = [(url(number), stored(number, news(number))) for number in range(1, 4)]
    test = back_test(section(), section("density"), pages, "kept pages")
    assert sum(test.counts.values()) == 3
    assert test.lost == 0
    assert 0 <= test.mean_f1 <= 1
    again = BackTest.from_dict(json.loads(json.dumps(test.to_dict())))
    assert again == test
    assert (again.fitting(), again.confidence()) == (test.fitting(), test.confidence())
    assert BackTest.of([], "none").mean_f1 == 1.0


def test_texts_are_compared_by_words_and_chinese_characters():
    assert shingle_f1("", "") == 1.0
    assert shingle_f1("one two three four five", "one two three four five") == 1.0
    assert shingle_f1("one two three four five", "six seven eight nine ten") == 0.0
    assert 0 < shingle_f1("今天天气很好我们去公园", "今天天气很好我们回家去") < 1
