from pathlib import Path

import numpy as np
import pytest

from extractors.content.body import find_body
from extractors.content.line_weights import prior_of
from extractors.content.page_body import unmatched
from extractors.content.profile import NO_PROFILE, markup_of, profile_of
from extractors.content.turning_points import LineEvidence, turning_points
from extractors.html.paths import PathTrie
from tests.tables import rows

from ..pages import BAKERY, HARBOUR, lines_of

MENU = "<div class=menu>" + "".join(f"<a href=/{number}>Page {number}</a> " for number in range(9)) + "</div>"
PROSE = "".join(f"<p>{text}</p>" for text in HARBOUR + BAKERY)


def kept(html, profile=NO_PROFILE):
    lines = lines_of(html)
    return [lines.texts[index] for index in body_of(lines, profile=profile).kept]


def body_of(lines, similarity=None, profile=NO_PROFILE):
    alike = unmatched(lines) if similarity is None else similarity.tolist()
    return find_body(lines, LineEvidence(alike, prior_of(lines, []), profile))


@pytest.mark.parametrize(
    ("weights", "segment"),
    [
        ([], (0, 0)),
        ([-1, -2], (0, 0)),
        ([-5, 3, -1, 4, -9, 2], (1, 4)),
        ([2, -5, 2, 1], (2, 4)),
    ],
)
def test_turning_points_bound_the_segment_with_the_largest_sum(weights, segment):
    assert turning_points(list(map(float, weights))) == segment


def test_body_is_what_stands_below_the_element_that_holds_most_of_the_prose():
    page = f"<div class=menu>Menu</div><div class=story>{PROSE}<p>Short.</p></div><div class=foot>Imprint</div>"
    assert kept(page) == [*HARBOUR, *BAKERY, "Short."]


@pytest.mark.parametrize(("between", "stays"), rows(Path(__file__).with_name("between.txt")))
def test_what_stands_between_paragraphs_stays_or_goes(between, stays):
    page = f"{MENU}<div class=story>{PROSE}{between}<p>The last line.</p></div>"
    assert kept(page) == [*HARBOUR, *BAKERY, *(stays.split(" ¦ ") if stays else ()), "The last line."]


def test_contents_of_the_page_among_its_paragraphs_go():
    before, after = ("".join(f"<p>{text}</p>" for text in texts) for texts in (HARBOUR, BAKERY))
    contents = "<ul><li><a href=#keepers>The keepers</a></li><li><a href=#mill>The mill of the town</a></li></ul>"
    assert kept(f"{MENU}<div class=story>{before}{contents}{after}</div>") == [*HARBOUR, *BAKERY]


def test_heading_inside_a_small_wrapper_stays_within_the_segment_only():
    inside = (
        f"<div class=story>{PROSE}<div class=head><h2>Tides</h2></div>{PROSE}<div class=rel><h2>More</h2></div></div>"
    )
    assert "Tides" in kept(inside)
    assert "More" not in kept(inside)


def test_paragraphs_before_the_part_that_holds_most_belong_to_the_body():
    first = "".join(f"<p>{text}</p>" for text in BAKERY)
    page = f"<div class=story>{first}<div class=wall>{PROSE * 4}</div></div><p class=foot>Imprint</p>"
    assert kept(page) == [*BAKERY, *4 * [*HARBOUR, *BAKERY]]


TITLES = ("Who bakes?", "Who mills?", "Who buys?")


@pytest.mark.parametrize(("titles", "stay"), [(TITLES, True), (TITLES[:2], False), (["Advertisement"] * 3, False)])
def test_headings_between_the_elements_of_a_body_belong_to_it(titles, stay):
    items = [f"<div class=item><h3>{title}</h3><div class=panel><div>{PROSE}</div></div></div>" for title in titles]
    assert (titles[1] in kept(f"{MENU}<div class=all>{''.join(items)}</div>{MENU}")) == stay


def test_body_of_listings_is_not_one_listing():
    code = "".join(f"<tr><td class=code><pre>{'call(); ' * 40}</pre>")
    page = f"<div class=all><p>Try this.</p><div class=hl><table>{code}</table></div><p>It works.</p></div>"
    assert kept(page) == ["Try this.", "call(); " * 40, "It works."]


def test_caption_needs_no_name():
    caption = "The pier at noon, seen from the east, with the new board and the old gauge."
    picture = f"<div class=ab><div class=cd><img src=x></div><div class=ef>{caption}</div></div>"
    assert kept(f"<div class=story>{PROSE}{picture * 3}<p>The last line.</p></div>")[-1] == "The last line."
    assert caption not in kept(f"<div class=story>{PROSE}{picture * 3}<p>The last line.</p></div>")


def test_heading_of_a_box_leaves_with_it_and_a_wrapped_heading_stays():
    box = "<div class=box><h4>Current issue</h4><div class=inner>The new number is out.</div></div>"
    heading = "<div class=part><h3>In the evening</h3></div>"
    texts = kept(f"<div class=story>{PROSE}{box}{heading}{PROSE}</div>")
    assert texts == [*HARBOUR, *BAKERY, "In the evening", *HARBOUR, *BAKERY]


def test_example_s_profile_decides_between_two_candidates():
    comments = "".join(f"<div class=post>{text} I have seen it with my own eyes.</div>" for text in BAKERY)
    page = f"<div class=story>{''.join(f'<p>{t}</p>' for t in HARBOUR)}</div><div class=talk>{comments}</div>"
    trie = PathTrie()
    example = lines_of(f"<div class=story>{PROSE}</div>", trie)
    profile = profile_of(markup_of(example, list(range(len(example)))), unmatched(example))
    lines = lines_of(page, trie)
    alone, guided = body_of(lines), body_of(lines, profile=profile)
    assert [lines.texts[index] for index in guided.kept] == list(HARBOUR)
    assert alone.kept != guided.kept


def test_repeated_heading_stays_where_the_example_has_headings_in_its_body():
    page = (
        f"<div class=story>{PROSE}<h2>Questions</h2><p>{HARBOUR[0]}</p></div><div class=side><h2>Questions</h2></div>"
    )
    lines = lines_of(page)
    repeated = [float(text == "Questions") for text in lines.texts]

    def found(mostly):
        return find_body(lines, LineEvidence(repeated, prior_of(lines, []), mostly_body=frozenset(mostly)))

    heading = lines.paths[lines.texts.index("Questions")]
    assert {*found([heading]).kept} - {*found([]).kept} == {lines.texts.index("Questions")}


def test_line_that_repeats_the_example_stays_on_a_main_path_and_goes_elsewhere():
    page = f"<div class=story>{PROSE}<p>Good day, dear readers.</p><div>Share this story with friends.</div></div>"
    lines = lines_of(page)
    similarity = np.zeros(len(lines), np.float32)
    similarity[-2:] = 1
    texts = [lines.texts[index] for index in body_of(lines, similarity).kept]
    assert "Good day, dear readers." in texts
    assert "Share this story with friends." not in texts
