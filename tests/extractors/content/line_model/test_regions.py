"""Numbers of regions: how far lines are from the title and the first paragraph in the page's tree."""

from extractors.content.line_model.line_columns import NAMES, features_of
from extractors.content.page_body import rules_body

from ...pages import BAKERY, HARBOUR, parsed


def levels_of(html):
    page = parsed(html)
    values = features_of(page.lines, page.prior, rules_body(page.lines, page.prior))
    return page.lines.texts, {name: values[:, NAMES.index(name)].tolist() for name in NAMES if "levels" in name}


def test_levels_tell_the_text_below_the_title_from_the_box_beside():
    story, other, last = (f"<p>{text}</p>" for text in HARBOUR)
    html = f"<div class=a><h1>Tides rise</h1><div>{story}</div></div><div class=b><div><i>{other}</i></div></div>{last}"
    texts, levels = levels_of(f"<title>Tides rise</title><main>{html}</main>")
    assert texts == ["Tides rise", *HARBOUR]
    assert levels["title_levels"] == [0, 1, 2, 2]  # up to the box of the article, up to that of all
    assert levels["levels_to_title"] == [0, 2, 3, 1]
    assert levels["opening_levels"] == [2, 0, 3, 3]
    assert levels["levels_to_opening"] == [1, 0, 3, 1]


def test_levels_to_the_text_are_those_to_most_of_its_prose_whatever_comes_first():
    advert, *story = (f"<p>{text}</p>" for text in (*HARBOUR, *BAKERY))
    html = f"<main><h1>Tides rise</h1><table><tr><td>{advert}</td></tr></table><div>{''.join(story)}</div></main>"
    texts, levels = levels_of(f"<title>Tides rise</title>{html}")
    assert texts == ["Tides rise", *HARBOUR, *BAKERY]
    assert levels["opening_levels"][2:] == [4] * (len(texts) - 2)
    assert levels["main_levels"] == [2, 2] + [0] * (len(texts) - 2)
    assert levels["levels_to_main"] == [1, 4] + [0] * (len(texts) - 2)


def test_without_a_title_there_are_no_levels_to_it():
    texts, levels = levels_of(f"<div><p>{HARBOUR[0]}</p></div><p>{HARBOUR[1]}</p>")
    assert texts == list(HARBOUR[:2])
    assert levels["title_levels"] == levels["levels_to_title"] == [-1, -1]
    assert levels["opening_levels"] == [1, 0]  # without a title, the first line may be one
