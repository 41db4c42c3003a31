from extractors.article import Article, Block
from extractors.parts import joined


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
    assert joined(first, [cut("a", "b", confidence=0.1)]) is first


def test_the_least_sure_page_says_how_sure():
    assert joined(cut("a", confidence=0.9), [cut("b", confidence=0.4)]).confidence == 0.4
