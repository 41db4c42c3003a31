import re
from pathlib import Path

from lxml import html as lxml_html

from evaluation.data import Row, read_sets
from evaluation.perturb import hash_names, page_of, perturbed, shorten, split_body

from . import layouts


def text_of(page):
    return " ".join(lxml_html.document_fromstring(page.decode()).text_content().split())


def row_of(tmp_path, name):
    (one,) = read_sets(layouts.normalised(tmp_path))
    return next(row for row in one.rows if row.id == name)


def test_hashed_names_keep_the_text(tmp_path):
    row = row_of(tmp_path, "gauge")
    changed = hash_names(row.html(), row)
    assert text_of(changed) == text_of(row.html())


def test_equal_names_stay_equal_and_different_ones_differ(tmp_path):
    row = row_of(tmp_path, "gauge")
    classes = re.findall(r'class="(\w+)"', hash_names(row.html(), row).decode())
    assert len(classes) == 8
    assert len(set(classes)) == 4


def test_lxml_reads_a_perturbed_page_to_its_end():
    text = '<html><head><meta charset="gb2312"></head><body><p>© 港务局</p><p>周一开放。</p></body></html>'
    changed = hash_names(text.encode("gb18030"), read_row(text.encode("gb18030")))
    assert lxml_html.document_fromstring(changed).text_content() == "© 港务局周一开放。"


def test_short_page_has_three_paragraphs_and_all_around_them(tmp_path):
    row = row_of(tmp_path, "gauge")
    text = text_of(shorten(row.html(), row))
    first, second, third, *others = layouts.STORIES["gauge"]
    assert all(paragraph in text for paragraph in (first, second, third))
    assert not any(paragraph in text for paragraph in others)
    assert "printed on Tuesdays" in text
    assert "Letters to the editor" in text


def test_lines_between_br_and_inline_tags_are_cut():
    paragraphs = layouts.STORIES["gauge"]
    lines = [f"{text[:20]}<b>{text[20:30]}</b>{text[30:]}" for text in paragraphs]
    page = f"<html><body><div>{'<br>'.join(lines)}</div><p>Letters</p></body></html>".encode()
    text = text_of(shorten(page, read_row(page, "\n\n".join(paragraphs))))
    assert text.startswith(paragraphs[0][:20])
    assert paragraphs[2][-30:] in text
    assert paragraphs[3][:15] not in text
    assert paragraphs[4][:15] not in text
    assert text.endswith("Letters")


def test_headings_do_not_count_as_paragraphs():
    gauge = layouts.STORIES["gauge"]
    row = read_row(b"", "\n\n".join(["What is new", gauge[0], "What was wrong", *gauge[1:]]))
    assert split_body(row)[0] == ["What is new", gauge[0], "What was wrong", gauge[1], gauge[2]]


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


def read_row(page, body=None):
    return Row(id="x", file=Path("x"), group="", body=body)
