import pytest

from extractors import NoArticle, UnusablePage, extract
from extractors.content.line_membership import IN_SEGMENT
from extractors.methods.bp_network.extractor import (
    cut_by_line,
    cut_by_segment,
    lines_below,
)

from ...pages import BAKERY, HARBOUR, LIBRARY, news_page, parsed

CHINESE = (
    "港口管理处周一启用了新的潮汐观测站，此前的维修工作持续了整整两年时间。",
    "工程师们表示，自从那场风暴以来，旧的水位计读数一直偏差将近一个手掌的高度。",
    "渔民们可以在码头旁边的告示牌上随时查看数字，白天和夜晚都不收取任何费用。",
)
RUSSIAN = (
    "Портовое управление открыло в понедельник новую станцию наблюдения за приливами после ремонта.",
    "Инженеры говорят, что старый прибор ошибался почти на ладонь с тех пор, как прошла буря.",
    "Рыбаки могут бесплатно читать показания на доске у причала днём и ночью, в любую погоду.",
)


@pytest.mark.parametrize(("title", "story"), [("潮汐观测站", CHINESE), ("Станция", RUSSIAN)])
def test_languages(title, story):
    assert extract(news_page(title, story), method="bp-network").text.split("\n\n") == list(story)


def test_an_example_changes_nothing():
    page = news_page("Bread", BAKERY)
    assert extract(page, example=news_page("Tides", HARBOUR), method="bp-network") == extract(page, method="bp-network")


def test_a_heading_between_the_containers_of_a_body_stays():
    def container(story):
        return "".join(f"<p>{paragraph}</p>" for paragraph in story)

    first, second = (f'<div class="text">{container(story)}</div>' for story in (HARBOUR, BAKERY))
    article = extract(
        news_page("Tides", (), body=f"{first}<h3>In the old town</h3>{second}<h3>More of it</h3>"), method="bp-network"
    )
    assert article.text.split("\n\n") == [*HARBOUR, "In the old town", *BAKERY]
    aside = f"{first}<aside><h3>In the old town</h3></aside>{second}"
    article = extract(news_page("Tides", (), body=aside), method="bp-network")
    assert article.text.split("\n\n") == [*HARBOUR, *BAKERY]


def test_headings_and_single_lines_of_the_body_stay_in_a_box_that_does_not():
    below = lines_below([IN_SEGMENT] * 3, [0.2, 0.6, 0.2], [-1.0] * 3, [True, False, False], 0, 3)
    assert below == [True, True, False]


def test_the_body_ends_at_the_line_that_names_the_editor():
    story = "".join(f"<p>{paragraph}</p>" for paragraph in CHINESE)
    page = news_page("潮汐观测站", (), body=f"{story}<p>责任编辑：李明</p><p>{CHINESE[0]}{CHINESE[1]}</p>")
    assert extract(page, method="bp-network").text.split("\n\n") == list(CHINESE)


def test_the_titles_heading_is_not_repeated_in_the_text():
    body = "<h1>The travelling library</h1>" + "".join(f"<p>{paragraph}</p>" for paragraph in LIBRARY)
    page = f"<title>The travelling library - Gazette</title><body><article>{body}</article><a href=/>Home</a>"
    article = extract(page, method="bp-network")
    assert (article.title, article.text.split("\n\n")) == ("The travelling library", list(LIBRARY))


@pytest.mark.parametrize("method", ["bp-network", "bp-network-verbatim"])
def test_pages_without_text(method):
    assert isinstance(extract("<html><body><script src=app.js></script></body></html>", method=method), NoArticle)
    with pytest.raises(UnusablePage):
        extract("", method=method)


def test_verbatim_keeps_each_line_above_one_half():
    cut = cut_by_line([0.2, 0.6, 0.5, 0.9])
    assert cut.kept == [1, 3]
    assert cut_by_line([0.2, 0.5]) == "the network classifies no line as body"


def test_outputs_decide_where_the_body_is():
    found = parsed(news_page("Bread", BAKERY))
    body = [float(text in BAKERY) for text in found.lines.texts]
    cut = cut_by_segment(found, body)
    assert [found.lines.texts[line] for line in cut.kept] == list(BAKERY)
    assert cut_by_segment(found, [0.0] * len(body)) == "no running text: only links and fragments"


def test_a_story_that_is_only_the_likeliest_is_still_found():
    found = parsed(news_page("Bread", BAKERY))
    faint = [0.2 if text in BAKERY else 0.01 for text in found.lines.texts]
    assert [found.lines.texts[line] for line in cut_by_segment(found, faint).kept] == list(BAKERY)
