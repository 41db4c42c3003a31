"""Pages that are no articles, each as small as it can be, and articles that look a little like them."""

import pytest

from extractors import Article, NoArticle, Section, extract

from ..pages import BAKERY, HARBOUR, news_page

URL = "https://gazette.example/town/bread"


def refused(page, url=URL, refuse="notices"):
    result = extract(page, url, refuse=refuse)
    assert isinstance(result, NoArticle)
    return result.reason


def shop_page(title, text, extra=""):
    return f"<html><head><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p>{extra}</body></html>"


def entries(count, heading="h3"):
    return "".join(
        f'<div class=card><{heading}><a href="/{n}">Story number {n} of the week</a></{heading}>'
        f"<p>{HARBOUR[n % 3]} ({n})</p></div>"
        for n in range(count)
    )


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("404", "The page you are looking for could not be found on our server today."),
        ("Error 404", "Sorry, this article is no longer available. Please go back to the front page."),
        ("提示信息", "您访问的页面不存在，可能已经被删除，请返回首页查看其他内容，谢谢您的理解与支持。"),
    ],
)
def test_soft_404_quotes_what_the_page_says(title, text):
    assert "error page" in refused(shop_page(title, text))


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Just a moment...", "We are checking your browser before you can go on to the Gazette, please wait."),
        ("Access denied", "You do not have permission to look at this page. Reference number 18.5."),
        ("安全验证", "您的访问过于频繁，请完成验证后继续浏览，给您带来不便，敬请谅解，感谢您的配合。"),
    ],
)
def test_block_or_captcha_is_told_from_an_article(title, text):
    assert "denies access or shows a check" in refused(shop_page(title, text))


def test_shell_that_asks_for_javascript():
    assert "JavaScript" in refused(shop_page("Gazette", "You need to enable JavaScript to run this application."))


def test_article_about_robots_and_missing_pages_is_an_article():
    text = ("The town's archive said the page cannot be found.", "Are you a robot? asked the clerk, and laughed.")
    assert isinstance(extract(news_page("Lost page", [*text, *BAKERY * 12]), URL), Article)


def test_list_of_teasers_is_a_list():
    assert "a list" in refused(f"<html><body><div class=feed>{entries(12)}</div></body></html>", refuse="sure")


def test_notice_in_a_footer_refuses_nothing():
    foot = "<p>This site is protected by reCAPTCHA.</p><p>Please enable JavaScript to see the map.</p>"
    page = news_page("Bread", BAKERY[:2]).replace("</body>", f'<div class="foot">{foot}</div></body>')
    article = extract(page, URL)
    assert isinstance(article, Article)
    assert article.text.split("\n\n") == list(BAKERY[:2])


@pytest.mark.parametrize("refuse", ["notices", "never"])
def test_list_has_its_cards_as_text_where_lists_are_not_refused(refuse):
    article = extract(f"<html><body><div class=feed>{entries(12)}</div></body></html>", URL, refuse=refuse)
    assert isinstance(article, Article)
    assert article.page_type == "list"
    assert article.article_probability is not None
    assert article.article_probability < 0.5
    assert all(f"({number})" in article.text for number in range(12))


def test_the_strict_refuse_what_is_rather_a_list():
    cards = "".join(
        f"<div class=card><p>{line}</p><aside>Oven {n}<br>Tuesday<br>two coins<br>open</aside></div>"
        for n, line in enumerate(BAKERY * 2)
    )
    page = shop_page("Bakers", HARBOUR[0], f"<div class=cards>{cards}</div>")
    article = extract(page, URL)
    assert isinstance(article, Article)
    assert article.page_type == "uncertain"
    assert isinstance(extract(page, URL, refuse="likely"), NoArticle)


def test_unknown_refusal_is_an_error():
    with pytest.raises(ValueError, match="refuse must be one of sure, likely, notices, never"):
        extract(news_page("Bread", BAKERY), refuse="perhaps")


def test_section_of_lists_takes_pages_like_its_example():
    page = f"<html><body><div class=feed>{entries(12)}</div></body></html>"
    assert isinstance(extract(page, URL, refuse="sure"), NoArticle)
    other = page.replace("of the week", "of the year")
    assert isinstance(Section(page, URL).extract(other, URL, refuse="sure"), Article)


def test_list_page_of_a_section_is_refused_though_it_has_the_example_s_frame():
    section = Section(news_page("Tide station opens", HARBOUR))
    page = news_page("Town", (), body=entries(12))
    result = section.extract(page, URL, refuse="sure")
    assert isinstance(result, NoArticle)
    assert "list" in result.reason


def test_page_that_declares_an_article_may_link_its_headings():
    head = '<meta property="og:type" content="article">'
    body = "".join(
        f'<h2><a href="/{n}">Stop {n}</a></h2><p>{text}</p><p>{text}</p>' for n, text in enumerate(BAKERY * 2)
    )
    assert isinstance(extract(news_page("Eight bakeries", (), body=body, head=head), URL), Article)


TIDE_SONG = "".join(f"<p>{line}</p>" for line in ("The tide comes in,", "the tide goes out,", "the gulls complain."))


def test_short_poem_below_its_title_is_an_article():
    assert isinstance(extract(news_page("Tide song", (), body=TIDE_SONG * 2), URL), Article)


def test_notice_is_an_article_where_the_example_is_as_short():
    section = Section(news_page("Tide song", (), body=TIDE_SONG), URL)
    notice = news_page("Ferry", (), body="<p>The ferry rests on Sunday.</p><p>It sails again on Monday.</p>")
    article = section.extract(notice, "https://gazette.example/town/ferry")
    assert isinstance(article, Article)
    assert article.text == "The ferry rests on Sunday.\n\nIt sails again on Monday."


def test_introduction_to_a_page_of_links_is_no_article_though_titled():
    links = "".join(f'<li><a href="/{n}">Remote work at the mill, place number {n}</a></li>' for n in range(60))
    page = shop_page(
        "Work at the mill",
        "All open places of the week in one list, for you and for those who ask you.",
        f"<ul>{links}</ul>",
    )
    assert "is links" in refused(page, refuse="sure")
