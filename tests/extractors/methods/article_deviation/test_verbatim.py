from lxml import html

from extractors.methods.article_deviation.verbatim import article_extract


def found(source):
    """Return the id of the element that the pseudo-code finds."""
    return article_extract(html.fragment_fromstring(source)).get("id")


def test_element_without_children_gives_its_parent():
    assert found('<div id="top"><p id="only">text</p></div>') == "top"


def test_dominant_child_that_comes_first_is_the_text():
    assert found(f'<div id="top"><div id="body">{"x" * 300}</div><div>{"y" * 50}</div></div>') == "body"


def test_dominant_child_that_comes_second_is_not():
    assert found(f'<div id="top"><div id="menu">{"y" * 50}</div><div id="body">{"x" * 300}</div></div>') == "menu"


def test_small_lead_gives_the_element():
    assert found('<div id="top"><p>xxxxxxxxxx</p><p>y</p></div>') == "top"


def test_children_of_about_equal_length_lead_to_the_longest_ones_parent():
    assert found(f'<div id="top"><p>{"x" * 90}</p><p>{"y" * 90}</p><p>zz</p></div>') == "top"
