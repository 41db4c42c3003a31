from dataclasses import replace
from pathlib import Path

import pytest

from extractors import extract
from extractors.article import Article, Block
from extractors.content.multipage import joined
from tests.tables import rows

from ..pages import BAKERY, HARBOUR, blog_page


def cut(*texts, confidence=0.9):
    blocks = tuple(Block("paragraph", text) for text in texts)
    return Article("\n\n".join(texts), blocks, "example", confidence, "", title="T")


def test_the_bodies_stand_in_order():
    found = joined(cut("a", "b"), [cut("c"), cut("d", "e")])
    assert found.text == "a\n\nb\n\nc\n\nd\n\ne"
    assert [block.text for block in found.blocks] == ["a", "b", "c", "d", "e"]


def test_what_each_page_repeats_at_head_and_tail_comes_once():
    found = joined(cut("Summary", "a", "Editor: Wang"), [cut("Summary", "b", "Editor: Wang")])
    assert found.text == "Summary\n\na\n\nEditor: Wang\n\nb"


def test_a_refrain_within_a_page_stays():
    assert joined(cut("a", "***", "b"), [cut("c", "***", "d")]).text == "a\n\n***\n\nb\n\nc\n\n***\n\nd"


def test_a_page_that_says_nothing_new_changes_nothing():
    first = cut("a", "b")
    assert joined(first, [cut("a", "b", confidence=0.1)]) == first


def test_the_least_sure_page_says_how_sure():
    assert joined(cut("a", confidence=0.9), [cut("b", confidence=0.4)]).confidence == 0.4


@pytest.mark.parametrize("pager", rows(Path(__file__).with_name("pagers.txt")))
def test_pager_at_head_or_tail_of_a_page_is_no_text(pager):
    further = [cut(*pager, "b", "Editor: Wang", *pager), cut("c", *pager, "Editor: Wang")]
    assert joined(cut("a", *pager), further).text == "a\n\nb\n\nEditor: Wang\n\nc"


@pytest.mark.parametrize(
    "text", ["2", "1984", "Page by page", "下一页的故事", "2:1", "05-03 08:30", "2024-03-05", "Next, the oven"]
)
def test_number_or_phrase_that_is_no_pager_stays(text):
    assert joined(cut("a", text), [cut(text + "!", "b")]).text == f"a\n\n{text}\n\n{text}!\n\nb"


def test_table_of_numbers_is_no_pager():
    table = Block("table", "1\t2\t3")
    assert joined(cut("a"), [replace(cut("b"), blocks=(Block("paragraph", "b"), table))]).blocks[-1] == table


@pytest.mark.parametrize(
    "headline", ["T(2)", "T（2）", "T - Page 2", "T (2/3)", "T | Page 2 of 3", "T 第2页", "T（第2页）", "t [2]", "T"]
)
def test_headline_that_a_further_page_repeats_is_no_text(headline):
    assert joined(cut("a"), [cut(headline, "b")]).text == "a\n\nb"


@pytest.mark.parametrize("heading", ["T 2", "T 2024", "T: the oven", "Part (2)"])
def test_heading_of_a_further_page_stays_if_it_is_another(heading):
    assert joined(cut("a"), [cut(heading, "b")]).text == f"a\n\n{heading}\n\nb"


def test_title_loses_its_number_where_the_further_pages_have_theirs():
    first, second = replace(cut("石磨面包(1)", "a"), title="石磨面包(1)"), replace(cut("b"), title="石磨面包(2)")
    assert joined(first, [second]).title == "石磨面包"
    assert joined(first, [second]).text == "石磨面包\n\na\n\nb"
    assert joined(first, [replace(second, title="城里的面包")]).title == "石磨面包(1)"


def test_the_html_of_all_pages_has_what_their_text_has():
    first, second = (
        extract(blog_page([*parts, "Page 2 of 2"]), refuse="never") for parts in (BAKERY, [BAKERY[0], *HARBOUR])
    )
    found = joined(first, [second])
    assert found.text == "\n\n".join([*BAKERY, *HARBOUR])
    assert found.html == "".join(f"<p>{part}</p>" for part in [*BAKERY, *HARBOUR])
