import numpy as np

from extractors import NoArticle, extract
from extractors.methods.line_blocks.verbatim import distribution, find_body, next_fall, next_rise, strip_tags
from tests.extractors.pages import BAKERY, HARBOUR


def sizes(*values):
    return np.array(values, np.int64)


def test_tags_go_and_the_lines_stay():
    assert strip_tags("<p>one\n<b>two</b>\n\n</p>\n three") == "one\ntwo\n\n\n three"


def test_scripts_and_comments_go_with_their_lines():
    assert strip_tags("<!DOCTYPE html>a<!-- x\ny --><script>\nif (1 < 2) {}\n</script>b<style>\n</style>") == "ab"


def test_character_references_become_a_space():
    assert strip_tags("a&nbsp;b&#160;c") == "a b c"


def test_rise_is_above_the_threshold_and_not_alone():
    assert next_rise(sizes(50, 87, 10, 0), 0) == 1
    assert next_rise(sizes(87, 0, 0, 0, 5), 0) is None
    assert next_rise(sizes(86, 86), 0) is None


def test_fall_is_two_empty_blocks():
    assert next_fall(sizes(90, 0, 90, 0, 0), 0) == 3
    assert next_fall(sizes(90, 90), 0) == 2


def test_body_holds_the_largest_block():
    assert find_body(sizes(100, 100, 0, 0, 200, 300, 0, 0)) == (4, 6)
    assert find_body(sizes(10, 20)) == (0, 0)
    assert find_body(sizes()) == (0, 0)


def test_distribution_is_what_the_figures_of_the_source_show():
    found = distribution("<p>ab</p>\n\n<p>c d</p>\n\n")
    assert found.lines == ["ab", "", "c d", "", ""]
    assert found.sizes.tolist() == [4, 2]


def test_paragraph_a_line_is_a_body():
    links = "\n".join(f'<li><a href="/{n}">Link {n}</a></li>' for n in range(9))
    story = "\n".join(f"<p>{text}</p>" for text in HARBOUR + BAKERY)
    page = f"<body>\n{links}\n</ul>\n\n\n\n\n<div>\n{story}\n</div>\n\n\n\n\n<p>Imprint</p>\n"
    assert extract(page, method="line-blocks-verbatim").text.split("\n\n") == list(HARBOUR + BAKERY)


def test_body_without_a_fall_runs_to_the_pages_end():
    story = "\n".join(HARBOUR + BAKERY)
    found = distribution(f"<body>\n{story}")
    assert "\n".join(found.lines[found.start : found.end]).strip() == story


def test_page_without_a_rise_is_no_article():
    assert isinstance(
        extract("<body>\n<p>Only a few words here, in one line.</p>\n", method="line-blocks-verbatim"), NoArticle
    )
