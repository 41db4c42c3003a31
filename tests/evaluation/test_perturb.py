import re

from lxml import html as lxml_html

from evaluation.data import read_sets
from evaluation.perturb import hash_names, page_of, perturbed, shorten

from . import layouts


def text_of(page):
    return " ".join(lxml_html.document_fromstring(page.decode()).text_content().split())


def row_of(tmp_path, name):
    (one,) = read_sets(layouts.normalised(tmp_path))
    return next(row for row in one.rows if row.id == name)


def test_hashed_names_keep_the_text_and_which_of_them_are_equal(tmp_path):
    row = row_of(tmp_path, "gauge")
    changed = hash_names(row.html(), row)
    assert text_of(changed) == text_of(row.html())
    classes = re.findall(r'class="(\w+)"', changed.decode())
    assert (len(classes), len(set(classes))) == (8, 4)


def test_short_page_has_three_paragraphs_and_all_around_them(tmp_path):
    row = row_of(tmp_path, "gauge")
    text = text_of(shorten(row.html(), row))
    first, second, third, *others = layouts.STORIES["gauge"]
    assert all(paragraph in text for paragraph in (first, second, third))
    assert not any(paragraph in text for paragraph in others)
    assert "printed on Tuesdays" in text
    assert "Letters to the editor" in text


def test_page_whose_body_is_not_found_is_left_out(tmp_path):
    row = row_of(tmp_path, "gauge")
    assert shorten(layouts.page("bakery"), row) is None


def test_perturbed_set_has_a_name_a_truth_and_pages_of_its_own(tmp_path):
    (plain,) = read_sets(layouts.normalised(tmp_path))
    short = perturbed(plain, "short")
    row = next(row for row in short.rows if row.id == "gauge")
    assert short.name == "gazette+short"
    assert row.paragraphs == list(layouts.STORIES["gauge"][:3])
    assert layouts.STORIES["gauge"][4] not in text_of(page_of(short, row, plain))
