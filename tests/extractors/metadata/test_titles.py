from pathlib import Path

import pytest

from extractors.metadata.titles import find_title, page_titles, shared_names
from tests.tables import rows


@pytest.mark.parametrize(("declared", "whole", "headings", "title"), rows(Path(__file__).with_name("titles.txt")))
def test_the_title_of_a_page_by_its_places(declared, whole, headings, title):
    several = ([text for text in cell.split(" ¦ ") if text] for cell in (declared, headings))
    assert find_title(next(several), whole, next(several), None) == title


@pytest.mark.parametrize(
    ("declared", "site", "host", "title"),
    [
        ("The Gazette: Bread", "The Gazette", "", "The Gazette: Bread"),
        ("The Gazette | Bread", "The Gazette", "", "Bread"),
        ("Bread | The Gazette", "The Gazette", "", "Bread"),
        ("Bread | Town Gazette", None, "www.towngazette.example", "Bread"),
        ("Old - and new - bread", None, "towngazette.example", "Old - and new - bread"),
        ("Bread - what is it?", None, "bread.example", "Bread - what is it?"),
    ],
)
def test_the_name_of_a_site_is_known_or_told_by_its_host(declared, site, host, title):
    assert find_title([declared], "", [], site, host) == title


def test_logo_in_a_heading_is_no_title():
    assert find_title([], "Gazette | Bread", ["Gazette"], None, "gazette.example") == "Bread"
    assert find_title(["Bread"], "", ["gazette.example"], None, "gazette.example") == "Bread"


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
