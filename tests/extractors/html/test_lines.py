import gc
import weakref

import numpy as np
import pytest

from extractors.html.elements import MAX_DEPTH
from extractors.html.lines import PathTrie
from extractors.html.python_walk import fold
from tests.extractors.pages import lines_of

pytestmark = pytest.mark.usefixtures("form_of_walk")


def texts(html):
    return lines_of(html).texts


def path(lines, index):
    trie = lines.trie
    return "/".join(reversed([trie.tag[step] for step in trie.up(lines.paths[index])]))


def test_block_elements_and_br_end_a_line():
    assert texts("<div>one<p>two</p>three<br>four</div>") == ["one", "two", "three", "four"]


def test_inline_and_unknown_elements_do_not():
    assert texts("<p>one <b>two</b> <x-icon>three</x-icon> <a href=x>four</a></p>") == ["one two three four"]


def test_white_space_is_folded():
    assert texts("<p>\n  one\t two\u00a0\n</p><p> \n </p>") == ["one two"]


@pytest.mark.parametrize("at_once", [1, 5, 100])
def test_very_long_line_is_folded_alike(at_once):
    assert fold(" one\u00a0 two\n\tthree   four-and-five     \u3000", at_once) == "one two three four-and-five"


def test_pre_is_one_line_and_keeps_its_white_space():
    assert texts("<pre>\ndef f():\n    <b>return</b> 1<br>f()\n</pre>") == ["def f():\n    return 1\nf()"]


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>x()</script>",
        "<noscript>y</noscript>",
        "<p hidden>y</p>",
        '<p style="display : none">y</p>',
        '<b style="visibility:hidden">y</b>',
    ],
)
def test_what_a_reader_does_not_see_is_skipped_but_not_the_text_behind_it(hidden):
    assert texts(f"<div>one {hidden} two</div>") in (["one two"], ["one", "two"])


def test_width_is_bytes_and_linked_its_part_inside_links():
    lines = lines_of("<p>港口 <a href=x>abc</a></p>")
    assert lines.width.tolist() == [10]  # 2 × 3 bytes, a space, 3 letters
    assert lines.linked.tolist() == pytest.approx([3 * 10 / 6])  # 3 of 6 characters


def test_link_around_blocks_marks_their_lines():
    lines = lines_of("<a href=x><div>abc</div><div>de</div></a>")
    assert np.array_equal(lines.linked, lines.width)


def test_pages_of_a_section_share_paths_even_if_numbers_in_classes_differ():
    trie = PathTrie()
    first = lines_of('<div class="post post-17"><p>a</p></div>', trie)
    second = lines_of('<div class="post post-2893"><p>b</p></div>', trie)
    assert first.paths == second.paths


def test_the_reading_above_a_word_is_not_part_of_the_text():
    assert texts("<p><ruby>東京<rp>(</rp><rt>とうきょう</rt><rp>)</rp></ruby>の<ruby>港<rt>みなと</rt></ruby></p>") == [
        "東京の港"
    ]


@pytest.mark.parametrize("tag", ["div", "span", "section"])
def test_text_below_the_depth_limit_is_read_flat(tag):
    nested = f"<{tag}>" * (MAX_DEPTH + 50)
    assert texts(f"<p>top</p>{nested}deep <b>text</b><p>next</p><script>no</script>") == ["top", "deep text", "next"]


def test_moved_lines_mean_the_same_paths_in_a_fresh_trie():
    crowded = PathTrie()
    lines_of("<div class=a><p>x</p></div><div class=b><p>x</p></div>", crowded)
    lines = lines_of("<div class=c><p>one</p></div>", crowded)
    before = path(lines, 0)
    fresh = PathTrie()
    lines.move_to(fresh)
    assert path(lines, 0) == before
    assert len(fresh) == 4  # the document, body, div, p


def test_walk_leaves_no_cycle_that_keeps_the_page_alive():
    trie = PathTrie()
    alive = weakref.ref(trie)
    gc.disable()
    try:
        lines_of("<div><p>one</p><pre>two</pre></div>", trie)
        del trie
        assert alive() is None
    finally:
        gc.enable()


def test_page_with_too_many_lines_is_read_up_to_a_cap(monkeypatch):
    monkeypatch.setattr("extractors.html.lines.MAX_LINES", 3)
    assert texts("<p>a<p>b<p>c<p>d<p>e") == ["a", "b", "c"]


def test_text_in_a_head_that_was_never_closed_is_read():
    html = f"<head><title>Bread</title><article><p>{'Flour and water. ' * 10}</p></article>"
    assert [text[:5] for text in lines_of(html).texts] == ["Flour"]
