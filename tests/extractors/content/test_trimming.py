"""What leaves a body by its words, and what looks like it and stays."""

import pytest

from extractors import extract
from extractors.content.line_weights import prior_of
from extractors.content.trimming import without_bylines, without_template_words

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


def test_a_byline_in_the_cells_of_a_row_goes():
    cells = "".join(f"<td>{text}</td>" for text in ("发布日期：2026-11-25", "浏览次数：7", "字号：[ 大 中 小 ]"))
    lines = lines_of(f"<table><tr>{cells}</tr></table>{SECOND}")
    kept = without_bylines([*range(len(lines))], lines, prior_of(lines, []))
    assert [lines.texts[line] for line in kept] == [*BAKERY]


def test_a_table_of_labels_before_the_text_goes():
    labels = {"发文机关": "市政府", "发文字号": "〔2026〕8号", "成文日期": "2026年11月25日"}
    rows = "".join(f"<tr><td><b>{label}：</b></td><td>{value}</td></tr>" for label, value in labels.items())
    lines = lines_of(f"<table>{rows}</table>{SECOND}")
    prior, every = prior_of(lines, []), [*range(len(lines))]
    assert [lines.texts[line] for line in without_template_words(every, lines, prior)] == [*BAKERY]
    assert without_template_words(every[:6], lines, prior) == every[:6]  # nothing else is left
    lines = lines_of(f"<table>{rows.replace('：', '')}</table>{SECOND}")
    assert without_template_words(every, lines, prior_of(lines, [])) == every


def test_times_of_a_ticker_stay_and_the_time_above_its_first_sentence_goes():
    ticker = "".join(f"<p>{hour}:10</p><p>At {hour} the ferry left the pier again.</p>" for hour in range(10, 15))
    assert texts(f"<p>08:30</p><p>We report from the pier today.</p>{ticker}{SECOND}")[:4] == [
        "We report from the pier today.",
        "10:10",
        "At 10 the ferry left the pier again.",
        "11:10",
    ]


@pytest.mark.parametrize("heading", ["Related stories", "Related internet links", "延伸閱讀", "Más información"])
def test_heading_of_related_articles_goes_and_the_body_goes_on(heading):
    assert texts(f"{FIRST}<h3>{heading}</h3>{SECOND}") == [*HARBOUR, *BAKERY]


@pytest.mark.parametrize(
    "control",
    ["廣告", "点击上方蓝字关注我们", "Advertisement · Scroll to continue", "Story continues", "Suscríbete para leer"],
)
def test_control_of_the_page_goes(control):
    assert texts(f"{FIRST}<p>{control}</p>{SECOND}") == [*HARBOUR, *BAKERY]


@pytest.mark.parametrize(
    "line",
    [
        "特别声明：以上内容由用户上传，本平台仅提供信息存储服务。",
        "未经本报书面授权，不得以任何方式使用。",
        "标签：渡口 石磨",
        "校對：王小明",
        "Follow The Gazette on Facebook. Send your ideas to us.",
    ],
)
def test_boilerplate_at_the_tail_goes(line):
    assert texts(f"{FIRST}{SECOND}<p>{line}</p>") == [*HARBOUR, *BAKERY]


def test_a_lead_in_traditional_characters_goes():
    lead = '<p>推薦閱讀：<a href="/7">Old stamps wanted by the post</a></p>'
    assert texts(f"{FIRST}{lead}{SECOND}") == [*HARBOUR, *BAKERY]


def test_an_invitation_to_sign_up_goes():
    invitation = "<p>The Gazette's letter has all the news of the pier. Sign up <a href='/s'>here.</a></p>"
    assert texts(f"{FIRST}{invitation}{SECOND}") == [*HARBOUR, *BAKERY]


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


def test_words_in_brackets_that_begin_like_a_credit_stay():
    items = ["Bring your wallet (credit/debit cards, cash)", "Hire helpers for the day (photo, video, flowers)"]
    assert texts(f"{FIRST}<p>{items[0]}</p><p>{items[1]}</p>{SECOND}") == [*HARBOUR, *items, *BAKERY]


@pytest.mark.parametrize(
    "notice", ["Copyright 2026 The Gazette", "© 2026 Gazette Press, all rights reserved", "转载请注明出处：渡口日报"]
)
def test_body_of_a_range_of_lines_ends_at_a_legal_notice(notice):
    page = f"<body><h1>Bread</h1>{FIRST}{SECOND}<p>{notice}</p><p>Printed by the harbour, 7 Market Square.</p>"
    assert extract(page, method="line-blocks").text.split("\n\n") == [*HARBOUR, *BAKERY]


def test_notice_of_a_picture_within_the_body_ends_nothing():
    page = f"<body><h1>Bread</h1>{FIRST}<p>The pier. © 2026 Town Archive</p>{SECOND}"
    assert extract(page, method="line-blocks").text.split("\n\n")[-1] == BAKERY[-1]
