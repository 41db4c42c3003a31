"""What leaves a body by its words, and what looks like it and stays."""

import pytest

from extractors import extract
from extractors.content.line_weights import prior_of
from extractors.content.trimming import without_bylines

from ..pages import BAKERY, HARBOUR, lines_of, news_page

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul")
FIRST, SECOND = ("".join(f"<p>{line}</p>" for line in story) for story in (HARBOUR, BAKERY))


DECLARED = '<script type="application/ld+json">{"@type": "NewsArticle", "headline": "Bread from old stones"}</script>'


def texts(body):
    page = news_page("Bread from old stones", [], body=body).replace("</head>", f"{DECLARED}</head>")
    return extract(page).text.split("\n\n")


def test_heading_with_nothing_below_it_goes():
    assert texts(f"{FIRST}<h2>In the evening</h2>{SECOND}<h3>Something to consider</h3>") == [
        *HARBOUR,
        "In the evening",
        *BAKERY,
    ]


def test_a_column_named_like_a_control_of_the_page_stays():
    years = "".join(f"<tr><td>{year}</td><td>{year - 1870}</td></tr>" for year in range(1990, 2010))
    found = texts(f"{FIRST}<table><tr><th>Year</th><th>Share</th></tr>{years}</table>{SECOND}")
    assert [text.split("\n")[0] for text in found if "1990" in text] == ["Year\tShare"]
    controls = "<table><tr><td>Share</td><td>Print</td></tr></table>"
    assert texts(f"{FIRST}{controls}{SECOND}") == [*HARBOUR, *BAKERY]


def test_a_byline_in_a_table_of_the_layout_goes_and_a_table_of_dates_stays():
    byline = (
        "时间：2026-11-25 10:01&nbsp; 来源：<a href='/'>本站</a>&nbsp; 作者：李国强&nbsp; 点击：<script></script>次"
    )
    story = f"<table><tr><td class='info_text'>{byline}</td></tr><tr><td>{FIRST}{SECOND}</td></tr></table>"
    assert texts(story) == [*HARBOUR, *BAKERY]


def test_dates_in_a_table_with_other_cells_are_no_bylines():
    days = "".join(
        f"<tr><td>{month} 25, 2026</td><td>{line}</td></tr>" for month, line in zip(MONTHS, HARBOUR, strict=False)
    )
    lines = lines_of(f"<table>{days}</table>{SECOND}")
    kept = without_bylines([*range(len(lines))], lines, prior_of(lines, []))
    assert lines.texts[kept[0]] == "Jan 25, 2026"


def test_times_of_a_ticker_stay_and_the_time_above_its_first_sentence_goes():
    ticker = "".join(f"<p>{hour}:10</p><p>At {hour} the ferry left the pier again.</p>" for hour in range(10, 15))
    assert texts(f"<p>08:30</p><p>We report from the pier today.</p>{ticker}{SECOND}")[:4] == [
        "We report from the pier today.",
        "10:10",
        "At 10 the ferry left the pier again.",
        "11:10",
    ]


def test_heading_of_related_articles_goes_and_the_body_goes_on():
    assert texts(f"{FIRST}<h3>Related stories</h3>{SECOND}") == [*HARBOUR, *BAKERY]


def test_body_ends_at_the_heading_of_the_comments():
    remarks = "<ul><li>I have seen it with my own eyes.</li><li>So has my aunt, twice, from the pier.</li></ul>"
    assert texts(f"{FIRST}{SECOND}<h3>2 comments</h3>{remarks}") == [*HARBOUR, *BAKERY]


def test_body_ends_at_the_heading_of_its_author():
    assert texts(f"{FIRST}{SECOND}{FIRST}<h3>About the author</h3><p>He lives by the pier.</p>")[-1] == HARBOUR[-1]


def test_chapter_named_discussion_is_no_comments():
    assert texts(f"{FIRST}<h2>Discussion</h2>{SECOND}") == [*HARBOUR, "Discussion", *BAKERY]


@pytest.mark.parametrize("credit", ["[Image via Town Archive]", "(Photo: A. Mason)", "Photo by: A. Mason"])
def test_credit_of_a_picture_goes(credit):
    assert texts(f"{FIRST}<p>{credit}</p>{SECOND}") == [*HARBOUR, *BAKERY]


@pytest.mark.parametrize(
    "notice", ["Copyright 2026 The Gazette", "© 2026 Gazette Press, all rights reserved", "转载请注明出处：渡口日报"]
)
def test_body_of_a_range_of_lines_ends_at_a_legal_notice(notice):
    page = f"<body><h1>Bread</h1>{FIRST}{SECOND}<p>{notice}</p><p>Printed by the harbour, 7 Market Square.</p>"
    assert extract(page, method="line-blocks").text.split("\n\n") == [*HARBOUR, *BAKERY]


def test_notice_of_a_picture_within_the_body_ends_nothing():
    page = f"<body><h1>Bread</h1>{FIRST}<p>The pier. © 2026 Town Archive</p>{SECOND}"
    assert extract(page, method="line-blocks").text.split("\n\n")[-1] == BAKERY[-1]
