import pytest

from extractors.titles import find_title


@pytest.mark.parametrize(
    "whole",
    [
        "Bread from old stones - The Gazette",
        "Bread from old stones | The Gazette",
        "Bread from old stones_The Gazette",
        "Bread from old stones — Town — The Gazette",
    ],
)
def test_site_name_is_cut_where_a_heading_shows_the_title(whole):
    assert find_title([], whole, ["Bread from old stones"], None) == "Bread from old stones"


def test_last_part_is_cut_where_nothing_else_is_known():
    assert find_title([], "Bread from old stones - Gazette", [], None) == "Bread from old stones"


def test_dash_inside_a_word_cuts_nothing():
    assert find_title([], "Self-made bread", [], None) == "Self-made bread"


def test_short_first_part_is_not_taken_for_the_title():
    assert find_title([], "Bread - a baker's life with stones", [], None) == "Bread - a baker's life with stones"


def test_known_site_name_is_cut_at_either_end():
    assert find_title(["The Gazette: Bread"], "", [], "The Gazette") == "The Gazette: Bread"
    assert find_title(["The Gazette | Bread"], "", [], "The Gazette") == "Bread"
    assert find_title(["Bread | The Gazette"], "", [], "The Gazette") == "Bread"


def test_what_most_places_agree_on_wins():
    declared = ["You won't believe this bread", "Bread from old stones"]
    assert find_title(declared, "Buy bread - The Gazette", ["Bread from old stones"], None) == "Bread from old stones"


def test_declared_title_wins_over_a_heading_that_is_the_site_s_name():
    assert find_title(["Bread from old stones"], "", ["The Gazette"], None) == "Bread from old stones"


def test_title_cut_at_an_unescaped_quotation_mark_is_mended():
    whole = '周刊走访老城"石磨"面包坊_示例新闻网'
    assert find_title(["周刊走访老城"], whole, [], None) == '周刊走访老城"石磨"面包坊'


def test_readers_quotation_marks_count():
    declared = ["Baker's 'old' bread"]
    assert find_title(declared, "Baker's 'old' bread", ["Baker’s ‘old’ bread"], None) == "Baker’s ‘old’ bread"


def test_heading_in_capitals_lends_no_form():
    assert find_title(["Old bread"], "Old bread - Gazette", ["OLD BREAD"], None) == "Old bread"


def test_logo_in_a_heading_is_no_title():
    assert find_title([], "Bread from old stones - The Gazette", ["The Gazette"], None) == "Bread from old stones"
    assert find_title([], "Gazette | Bread", ["Gazette"], None, "gazette.example") == "Bread"


def test_host_tells_the_site_s_name():
    assert find_title(["Bread | Town Gazette"], "", [], None, "www.towngazette.example") == "Bread"
    assert find_title(["Old - and new - bread"], "", [], None, "towngazette.example") == "Old - and new - bread"
    assert find_title(["Bread - what is it?"], "", [], None, "bread.example") == "Bread - what is it?"


@pytest.mark.parametrize(
    "whole", ["老城石磨面包坊-示例新闻网", "老城石磨面包坊--文化--示例网", "老城石磨面包坊_文化_示例网"]
)
def test_chinese_sites_add_section_and_name_without_spaces(whole):
    assert find_title([], whole, [], None) == "老城石磨面包坊"


def test_page_without_any_title_has_none():
    assert find_title([], "", [], None) is None
