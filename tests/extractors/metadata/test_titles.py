import pytest

from extractors.metadata.titles import find_title, page_titles, shared_names


@pytest.mark.parametrize(
    "whole",
    [
        "Bread from old stones - The Gazette",
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
    assert find_title(["Bread"], "", ["gazette.example"], None, "gazette.example") == "Bread"


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


def test_headline_that_readers_see_wins_over_titles_for_search_engines():
    declared = ["Best Stone Bread 2024: Recipes", "Best Stone Bread 2024: Recipes"]
    heading = "How to bake the best stone bread"
    assert find_title(declared, "Best Stone Bread 2024: Recipes | Gazette", [heading], None) == heading


def test_heading_unlike_all_declared_titles_is_no_headline():
    assert find_title(["Bread from old stones"], "Bread from old stones", ["Our town"], None) == "Bread from old stones"


def test_heading_most_like_the_declared_title_is_the_headline():
    headings = ["Town and country", "Bread from the mason's old stones", "Read on"]
    assert find_title(["Bread from old stones"], "Bread from old stones", headings, None) == headings[1]


def test_rubric_in_the_heading_is_no_part_of_the_title():
    assert find_title([], "Bread from old stones", ["Town | Bread from old stones"], None) == "Bread from old stones"
    assert find_title([], "Bread from old stones", ["Review: Bread from old stones"], None).startswith("Review")
    assert find_title([], "Bread from old stones", ["Title:Bread from old stones"], None) == "Bread from old stones"


def test_date_in_the_heading_is_no_part_of_the_title():
    for heading in ("Bread from old stones Posted on March 5, 2024 by Ada", "Mar 5 2024 Bread from old stones"):
        assert find_title(["Bread from old stones"], "", [heading], None) == "Bread from old stones"
    heading = "Bread from old stones in 2024"
    assert find_title(["Bread from old stones"], "", [heading], None) == heading


def test_heading_before_a_colon_and_the_declared_title_is_the_site_s_name():
    assert find_title(["Bread and stones"], "Town notes on bread: Bread and stones", ["Town notes on bread"], None) == (
        "Bread and stones"
    )


def shared(whole, *others):
    return shared_names(whole, [page_titles(declared, headings) for declared, headings in others])


def test_title_that_another_page_has_too_is_the_site_s_name():
    names = shared("Gazette of the Town", (["Gazette of the Town"], ["Gazette of the Town"]))
    found = find_title(
        ["Gazette of the Town"], "Gazette of the Town", ["Gazette of the Town", "Bread"], None, shared=names
    )
    assert found == "Bread"


@pytest.mark.parametrize(
    ("other", "whole"),
    [
        ("A chimney · The Old Mill", "Bread · The Old Mill"),
        ("The Old Mill | A chimney", "The Old Mill | Bread"),
        ("A chimney - Town and country - The Old Mill", "Bread - Town and country - The Old Mill"),
        ("烟囱-老磨坊记", "面包-老磨坊记"),
    ],
)
def test_site_s_name_is_learned_from_another_page_s_title(other, whole):
    found = find_title([], whole, [], None, shared=shared(whole, ([other], [])))
    assert found in ("Bread", "面包")


def test_word_that_two_titles_end_with_is_no_site_s_name():
    whole = "A self-made bread"
    assert find_title([], whole, [], None, shared=shared(whole, (["A home-made bread"], []))) == whole


def test_title_stays_where_nothing_but_the_other_page_s_is_left():
    whole = "The week in town"
    assert find_title([whole], whole, [whole], None, shared=shared(whole, ([whole], [whole]))) == whole


def test_title_stays_where_another_page_lists_it_in_a_heading():
    whole = "Bread from old stones - Gazette"
    names = shared(whole, (["A chimney - Gazette"], ["A chimney", "Bread from old stones"]))
    assert find_title(["Buy bread"], whole, ["Bread from old stones"], None, shared=names) == "Bread from old stones"


def test_heading_keeps_the_name_of_a_series_that_another_page_has_too():
    whole = "烘焙-笔记-面包 | 老磨坊记"
    names = shared(whole, (["烘焙-笔记-面团 | 老磨坊记"], ["烘焙-笔记-面团"]))
    assert find_title([], whole, ["烘焙-笔记-面包"], None, shared=names) == "烘焙-笔记-面包"
