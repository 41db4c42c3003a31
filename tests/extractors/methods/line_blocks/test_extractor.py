import numpy as np

from extractors import extract
from extractors.html.tagless_text import read_ctext
from extractors.methods.line_blocks.extractor import (
    COMMENT,
    GAP,
    LINK,
    block_sizes,
    comments_line,
    dense_range,
    weights,
)
from tests.extractors.pages import BAKERY, HARBOUR, news_page

WRAPPERS = "<div></div>" * 14 + "<div>"  # what templates put between the parts of their pages


def lengths(*values):
    return np.array(values, np.int64)


def test_block_is_its_line_and_the_two_below():
    assert block_sizes(lengths(1, 2, 3, 4, 5)).tolist() == [6, 9, 12, 9, 5]


def test_line_weighs_its_text_less_its_links_and_an_empty_one_below_zero():
    ctext = read_ctext('<p>新闻 text</p><p>ab<a href="/">cde</a></p>')
    assert weights(ctext).tolist() == [-GAP, 8, -GAP, 2 - 3 * LINK, -GAP]


def test_text_after_a_heading_of_comments_counts_less():
    story, comments = ("".join(f"<p>{text}</p>" for text in texts) for texts in (HARBOUR * 3, BAKERY * 4))
    ctext = read_ctext(f"<h1>Tides</h1>{story}{WRAPPERS * 9}<h3>16 comments</h3>{comments}")

    def texts(comment):
        first, end = dense_range(weights(ctext, comment=comment))
        return [text for line in range(first, end) if (text := ctext.text(line))]

    assert texts(1) == ["16 comments", *BAKERY * 4]
    assert texts(COMMENT) == ["Tides", *HARBOUR * 3]


def test_button_for_comments_above_the_body_changes_nothing():
    ctext = read_ctext(f"<p>Tides</p><p>Comments</p><p>{'tide ' * 300}</p>")
    assert weights(ctext)[5] == 1_200
    assert comments_line(ctext) == len(ctext)
    assert comments_line(read_ctext(f"<p>{'tide ' * 300}</p><p>Comments</p><p>one</p>")) == 3


def test_page_without_text_has_no_body():
    assert dense_range(lengths(-GAP, -GAP, -8)) is None
    assert dense_range(lengths()) is None


def test_text_behind_a_gap_is_the_bodys_if_it_weighs_more_than_the_gap():
    gap = [-GAP] * 10
    assert dense_range(lengths(90, 90, *gap, 5 * GAP)) == (0, 2)
    assert dense_range(lengths(90, 90, *gap, 15 * GAP)) == (0, 13)


def test_range_with_most_text_is_the_body():
    gap = [-GAP] * 60
    assert dense_range(lengths(90, *gap, 60, 60, 60, *gap, 80)) == (1 + len(gap), 4 + len(gap))


def test_body_begins_and_ends_with_text():
    assert dense_range(lengths(-GAP, -30, 100, -GAP, 100, -30, -GAP)) == (2, 5)


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


def test_blocks_are_typed():
    page = f"<body><h2>Ovens</h2><p>{BAKERY[0]}</p><ul><li>{BAKERY[1]}</li></ul><pre>a\n  b = {'1' * 60}</pre>"
    kinds = [block.kind for block in extract(page, method="line-blocks").blocks]
    assert kinds == ["heading", "paragraph", "list", "code"]
