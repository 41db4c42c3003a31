from pathlib import Path

import pytest

from extractors.content.line_weights import find_title_line, prior_of
from extractors.html.class_names import role_of
from tests.tables import rows

from ..pages import BAKERY, HARBOUR, lines_of


def priors(html, title=""):
    lines = lines_of(html)
    return dict(zip(lines.texts, prior_of(lines, [title]).by_line.tolist(), strict=True))


def text(paragraphs):
    return "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)


@pytest.mark.parametrize("row", rows(Path(__file__).with_name("roles.txt")))
def test_names_tell_body_from_noise(row):
    *attributes, body, noise = row
    assert role_of(*attributes) == (int(body), int(noise))


def test_named_noise_adds_less_than_a_declared_body():
    found = priors(f"<div class=article-body>{text(BAKERY)}</div><div class=comments>{text(HARBOUR)}</div>")
    assert found[BAKERY[0]] > 10 * found[HARBOUR[0]]


def test_lines_from_the_title_on_count_more_than_those_before():
    found = priors(f"<p>{HARBOUR[0]}</p><h1>Old stones</h1>{text(BAKERY)}", "Old stones | The Gazette")
    assert found[HARBOUR[0]] < 1 < found[BAKERY[0]]


def test_summary_after_a_linked_title_in_one_block_counts_little():
    found = priors(f'{text(BAKERY * 3)}<div><a href="/1">Tide station opens</a><br>{HARBOUR[0]}</div>')
    assert found[HARBOUR[0]] < 0.2 * found[BAKERY[0]]


@pytest.mark.parametrize(
    ("titles", "found"),
    [
        (["Old stones - The Gazette"], 1),
        (["The Gazette"], -1),
        ([], -1),
        (["Bread from Old stones, told by the miller himself in the shed"], -1),
    ],
)
def test_title_line_is_the_one_that_covers_the_title_best(titles, found):
    lines = lines_of("<p>Front page</p><h1>Old stones</h1><p>“Old stones” is no title here, but a start.</p>")
    assert find_title_line(lines, titles)[0] == found


def test_a_turkish_title_is_found_though_the_lower_case_of_its_capital_has_a_sign_of_its_own():
    lines = lines_of(f"<p>Anasayfa</p><p>İç liman derinleşiyor</p>{text(HARBOUR)}")
    assert find_title_line(lines, ["Liman Gazetesi - İç liman derinleşiyor"])[0] == 1


def test_heading_that_rewords_the_title_is_its_line():
    page = f"<h1>Harbour of the town: new tide station opens</h1>{text(HARBOUR)}"
    lines = lines_of(page)
    assert find_title_line(lines, ["Harbour of town: tide station opens"])[0] == 0
    assert find_title_line(lines, ["A bakery in the old town bakes again"])[0] == -1


def test_a_heading_of_comments_counts_only_after_enough_prose():
    early = priors(f"{text(BAKERY[:1])}<h3>12 comments</h3>{text(HARBOUR)}")
    assert early[HARBOUR[0]] == pytest.approx(1)
    little = f"{text(BAKERY * 3)}<h3>12 comments</h3>" + "".join(f"<p>{n}. {HARBOUR[0]}</p>" for n in range(2000))
    assert priors(little)[f"1999. {HARBOUR[0]}"] == pytest.approx(1)
    enough = priors(f"{text(BAKERY * 3)}<h3>12 comments</h3>{text(HARBOUR)}")
    assert enough[HARBOUR[0]] < 0.5
