"""What the methods that work on a page's source share: the article from the part that they found."""

import pytest

from extractors import NoArticle, extract
from extractors.article import CHECK
from extractors.content.body_fragment import read_fragment, texts_before
from extractors.html.tagless_text import read_ctext
from extractors.page import Page

from ..pages import BAKERY, news_page


@pytest.mark.parametrize("method", ["line-blocks", "tag-paths", "article-deviation"])
def test_page_of_links_is_no_article(method):
    result = extract('<body><a href="/1">Weather for the week, and the tides of the harbour</a>', method=method)
    assert isinstance(result, NoArticle)
    assert method != "line-blocks" or "outside links" in result.reason


@pytest.mark.parametrize("method", ["line-blocks", "tag-paths", "article-deviation", "list-rank"])
@pytest.mark.parametrize("text", ["安全验证", "安全验证：您的访问过于频繁，请输入验证码后继续访问，谢谢您的配合。"])
def test_a_page_that_shows_a_check_is_no_article(method, text):
    page = f"<title>Harbour Gazette</title><body><div><p>{text}</p></div><p>© 2026 the Gazette, Harbour Street 1</p>"
    assert extract(page, method=method).reason.startswith(CHECK)
    assert method == "list-rank" or len(text) < 9 or extract(page, method=method, refuse="never")


@pytest.mark.parametrize("method", ["line-blocks", "tag-paths", "article-deviation"])
@pytest.mark.parametrize(
    "more", ["protected by reCAPTCHA", "Just a moment. " + "The wind rose and the boats lay still. " * 90]
)
def test_a_page_with_a_text_is_an_article_although_it_names_a_check(method, more):
    assert extract(news_page("Bread", BAKERY).replace("</body>", f"<footer>{more}</footer></body>"), method=method)


def test_metadata_come_from_the_whole_page():
    head = '<meta property="og:site_name" content="The Gazette"><link rel="canonical" href="/1.html">'
    page = news_page("Bread > stones", BAKERY, head=head)
    article = extract(page, "https://gazette.example/x", method="article-deviation")
    assert article.canonical_url == "https://gazette.example/1.html"
    assert article.title == "Bread > stones"
    assert article.language == "en"


def test_date_and_byline_come_from_the_lines_before_the_body():
    page = news_page("Bread", BAKERY).replace(
        '<div class="story">', "<span>By Ann Miller</span><p>4 March 2026</p><div>"
    )
    article = extract(page, method="article-deviation")
    assert article.published.isoformat() == "2026-03-04"


def test_lines_before_a_body_are_its_nearest():
    ctext = read_ctext("".join(f"<p>{number}</p>" for number in range(40)))
    assert texts_before(ctext, 60)[-1] == "29"
    assert len(texts_before(ctext, 60)) == 12


def test_fragment_knows_which_lines_are_the_bodys():
    parsed, kept = read_fragment(Page("<h1>Title</h1>"), ["before & after"], "<p>one</p></div><p>two</p>")
    assert [parsed.lines.texts[line] for line in kept] == ["one", "two"]
    assert "before & after" in parsed.lines.texts


def test_title_and_byline_in_the_body_are_metadata():
    opening = "<h2>Bread from old stones</h2><p>2026-03-04 10:20</p>"
    page = news_page("Bread from old stones", BAKERY).replace("<h1>Bread from old stones</h1>", "")
    article = extract(page.replace('<div class="story">', f'<div class="story">{opening}'), method="article-deviation")
    assert article.text.split("\n\n") == list(BAKERY)
    assert article.published.isoformat() == "2026-03-04T10:20:00"
