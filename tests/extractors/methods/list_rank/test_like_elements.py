import pytest

from extractors.methods.list_rank.like_elements import ids
from extractors.methods.list_rank.linked_tree import LinkedTree
from extractors.page import Page


def likes(source):
    """Return the texts of the paragraphs of each id that has three of them."""
    found = [
        ["".join(each.itertext()) for each in like.elements]
        for like in ids(LinkedTree(Page(source)))
        if like.elements[0].tag == "p"
    ]
    return [texts for texts in found if len(texts) > 2]


def entry(classes, text):
    return f'<p class="{classes}"><a href="/{text}">{text}</a></p>'


def test_siblings_of_one_tag_and_class_are_alike():
    source = f"<div>{entry('a', 1)}{entry('a', 2)}{entry('a', 3)}<p class='b'>4</p></div>"
    assert likes(source) == [["1", "2", "3"]]


@pytest.mark.parametrize("classes", [
    ("odd", "even", "odd last"), ("row1", "row2", "row1"), ("post-7 x", "post-9 y", "post-12 z"),
    ("teaser big", "teaser small", "teaser"), ("x y z", "w y z", "y z"),
])  # fmt: skip
def test_classes_of_one_list_may_differ(classes):
    source = "".join(map(entry, classes, (1, 2, 3)))
    assert ["1", "2", "3"] in likes(f"<div>{source}</div>")


def test_siblings_without_a_common_class_are_alike_if_none_is_the_most():
    assert likes(f"<div>{entry('xa', 1)}{entry('yb', 2)}{entry('zc', 3)}</div>") == [["1", "2", "3"]]


def test_children_of_like_containers_are_alike():
    rows = "".join(f"<div class='row'>{entry('e', n)}{entry('e', n + 1)}</div>" for n in (1, 3))
    assert ["1", "2", "3", "4"] in likes(f"<section>{rows}</section>")


def test_children_of_containers_that_differ_are_not():
    lists = (
        f"<div class='news'>{entry('e', 1)}{entry('e', 2)}{entry('e', 3)}</div><ul class='links'>{entry('e', 4)}</ul>"
    )
    assert likes(f"<section>{lists}</section>") == [["1", "2", "3"]]


@pytest.mark.parametrize("opening", ["<nav>", "<footer>", "<div role='navigation'>"])
def test_navigation_has_none(opening):
    source = f"{opening}{entry('e', 1)}{entry('e', 2)}{entry('e', 3)}</{opening[1:].split()[0].strip('>')}>"
    assert likes(f"<section>{source}</section>") == []
