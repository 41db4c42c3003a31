"""The page types of made pages; pages that are no articles, each as small as it can be, and articles that look a little
like them.
"""

import numpy as np
import pytest

from evaluation.sample_site import DESIGNS, LIST_PATHS, SECTIONS, TOPIC_PATHS, render_site, truth
from extractors import Article, NoArticle, extract
from extractors.page import make_page
from extractors.page_types.classify import PageType, classify, classify_together, kind_of_several, kinds_of_page
from tests.extractors.pages import BAKERY, HARBOUR, news_page

from .made import article_page, list_page, parsed

BASE = "https://paper.example"

URL = "https://gazette.example/town/bread"


def judged(design, paths):
    """Return the address and type of pages of the sample site, none of which was learned from."""
    pages = render_site(BASE, design)
    found = [(path, pages[path]) for path in paths]
    texts = [(path, page.body.decode("gbk" if path.startswith("/zh") else "utf-8")) for path, page in found]
    return [(BASE + path, classify(parsed(text, BASE + path))) for path, text in texts]


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("section", SECTIONS)
def test_lists_of_the_sample_site_are_no_articles(design, section):
    found = [kind for _, kind in judged(design, [*LIST_PATHS[section], TOPIC_PATHS[section]])]
    assert all(kind.kind != "article" and kind.probability < 0.5 for kind in found)
    assert [kind.kind for kind in found].count("list") >= 2


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("section", SECTIONS)
def test_articles_of_the_sample_site_are_no_lists(design, section):
    found = judged(design, [wanted.path for wanted in truth(section)])
    assert all(kind.kind != "list" and kind.probability > 0.7 for _, kind in found)


def test_pages_without_an_address():
    assert classify(parsed(list_page())).kind != "article"
    assert classify(parsed(article_page())).kind != "list"
    assert classify(parsed(article_page())).probability > classify(parsed(list_page())).probability


def test_each_kind_has_a_probability():
    kinds = kinds_of_page(make_page(article_page(), URL))
    assert len(kinds) == 7
    assert sum(kinds.values()) == pytest.approx(1)
    assert max(kinds, key=kinds.__getitem__) == "article"
    assert kinds_of_page(make_page(list_page(), "https://gazette.example/town/"))["list"] > 0.5 > kinds["list"]
    assert kinds_of_page(make_page("<p></p>")) == {}


def test_reasons_are_words_for_a_person():
    reasons = classify(parsed(list_page(), "https://gazette.example/town/")).reasons
    assert 1 <= len(reasons) <= 3
    assert any("link" in reason for reason in reasons)


def test_uncertain_pages_of_one_shape_are_surer_together():
    alone = PageType("uncertain", 0.8, ())
    assert classify_together([alone] * 16).kind == "article"
    assert classify_together([alone]).kind == "uncertain"


def test_a_shape_of_both_types_is_uncertain():
    pages = [PageType("article", 0.99, ())] * 3 + [PageType("list", 0.01, ())]
    found = classify_together(pages)
    assert (found.kind, found.reasons) == ("uncertain", ("4 pages of this shape: 3 articles, 1 lists",))


def test_one_page_does_not_outvote_all_others():
    assert kind_of_several(np.array([-30.0, 1, 1, 1, 1, 1, 1, 1, 1]), 2.0, -40.0) == "uncertain"
    assert kind_of_several(np.array([-30.0] + [1] * 40), 2.0, -40.0) == "article"


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


SAID = {  # why a page is no article: title and text
    "error page": [
        ("404", "The page you are looking for could not be found on our server today."),
        ("Error 404", "Sorry, this article is no longer available. Please go back to the front page."),
        ("提示信息", "您访问的页面不存在，可能已经被删除，请返回首页查看其他内容，谢谢您的理解与支持。"),
    ],
    "denies access or shows a check": [
        ("Just a moment...", "We are checking your browser before you can go on to the Gazette, please wait."),
        ("Access denied", "You do not have permission to look at this page. Reference number 18.5."),
        ("安全验证", "您的访问过于频繁，请完成验证后继续浏览，给您带来不便，敬请谅解，感谢您的配合。"),
    ],
    "JavaScript": [("Gazette", "You need to enable JavaScript to run this application.")],
}


@pytest.mark.parametrize(("reason", "page"), [(reason, page) for reason, pages in SAID.items() for page in pages])
def test_a_page_that_says_why_it_is_no_article_is_refused_for_that(reason, page):
    assert reason in refused(shop_page(*page))


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


def test_unknown_refusal_is_an_error():
    with pytest.raises(ValueError, match="refuse must be one of sure, likely, notices, never"):
        extract(news_page("Bread", BAKERY), refuse="perhaps")


TIDE_SONG = "".join(f"<p>{line}</p>" for line in ("The tide comes in,", "the tide goes out,", "the gulls complain."))


def test_short_poem_below_its_title_is_an_article():
    assert isinstance(extract(news_page("Tide song", (), body=TIDE_SONG * 2), URL), Article)
