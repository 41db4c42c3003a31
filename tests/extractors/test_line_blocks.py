import numpy as np

from extractors import NoArticle, extract
from extractors.line_blocks import FALL, block_sizes, dense_range, ranges

from .pages import BAKERY, HARBOUR, news_page

WRAPPERS = "<div></div>" * FALL + "<div>"  # what templates put between the parts of their pages


def lengths(*values):
    return np.array(values, np.int64)


def test_block_is_its_line_and_the_two_below():
    assert block_sizes(lengths(1, 2, 3, 4, 5)).tolist() == [6, 9, 12, 9, 5]


def test_empty_lines_divide_ranges_when_there_are_enough():
    assert ranges(lengths(5, 0, 5, *[0] * FALL, 7)) == [(0, 3), (3 + FALL, 4 + FALL)]
    assert ranges(lengths(5, *[0] * (FALL - 1), 7)) == [(0, FALL + 1)]


def test_page_without_text_has_no_range():
    assert ranges(lengths(0, 0)) == []
    assert dense_range(lengths(0, 0)) is None


def test_range_with_most_text_is_the_body():
    gap = [0] * FALL
    assert dense_range(lengths(90, *gap, 60, 60, 60, *gap, 80)) == (1 + len(gap), 4 + len(gap))


def test_body_begins_at_the_sharp_rise():
    assert dense_range(lengths(3, 3, 3, 3, 100, 100)) == (2, 6)


def test_body_ends_with_its_last_block_of_text():
    assert dense_range(lengths(100, 100, 2, 2, 2, 2)) == (0, 4)


def test_range_without_rise_is_taken_whole():
    assert dense_range(lengths(4, 4)) == (0, 2)


def test_method_cuts_the_story_and_names_title_and_date():
    head = '<meta name="keywords" content="harbour, tides"><meta name="pubdate" content="2026-03-04">'
    page = news_page("Tide station opens", HARBOUR * 2, head=head)
    page = page.replace('<div class="main">', WRAPPERS).replace('<div class="foot">', WRAPPERS)
    article = extract(page, method="line-blocks")
    assert article.method == "line-blocks"
    assert article.text.split("\n\n") == list(HARBOUR * 2)
    assert article.title == "Tide station opens"
    assert article.keywords == ("harbour", "tides")
    assert article.published.isoformat() == "2026-03-04"


def test_link_lists_have_no_length():
    links = "".join(f'<li><a href="/{n}">{text}</a></li>' for n, text in enumerate(BAKERY * 5))
    page = f"<body><ul>{links}</ul>{WRAPPERS}<p>{HARBOUR[0]}</p><p>{HARBOUR[1]}</p></div>"
    assert extract(page, method="line-blocks").text.split("\n\n") == list(HARBOUR[:2])


def test_blocks_are_typed():
    page = f"<body><h2>Ovens</h2><p>{BAKERY[0]}</p><ul><li>{BAKERY[1]}</li></ul><pre>a\n  b = {'1' * 60}</pre>"
    kinds = [block.kind for block in extract(page, method="line-blocks").blocks]
    assert kinds == ["heading", "paragraph", "list", "code"]


def test_page_of_links_is_no_article():
    result = extract('<body><a href="/1">Weather for the week</a>', method="line-blocks")
    assert isinstance(result, NoArticle)
    assert "outside links" in result.reason
