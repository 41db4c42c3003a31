import pytest

from extractors import NoArticle, extract
from extractors.content.assembly import read as parsed_page
from extractors.content.page_body import rules_body
from extractors.html.paths import PathTrie
from extractors.methods.density import extractor as density
from extractors.page import make_page
from extractors.page_types.classify import PageVerdict, judge
from tests.extractors.pages import BAKERY, HARBOUR, blog_page, news_page
from tests.extractors.threads import ENGINES, THREAD


def test_body_of_a_page_alone():
    article = extract(blog_page(BAKERY))
    assert article.text.split("\n\n") == list(BAKERY)
    assert article.method == "density"
    assert article.reason == "no example"


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        ("<html><body><div id=root></div><script src=app.js></script></body></html>", "JavaScript"),
        ("<html><body><p>Loading …</p></body></html>", "almost no text"),
        (
            "<ul>" + "".join(f'<li><a href="/{n}">Chapter {n} of the long story</a></li>' for n in range(30)) + "</ul>",
            "only links",
        ),
        (
            "<ul>"
            + "".join(f'<li><a href="/{n}">Chapter {n} of the long story</a></li>' for n in range(30))
            + "</ul><div>The Gazette, 7 Market Square, is a weekly paper.</div>",
            "is links",
        ),
    ],
)
def test_page_without_an_article_says_why(page, reason):
    result = extract(page, "https://gazette.example/list", refuse="sure")
    assert isinstance(result, NoArticle)
    assert reason in result.reason
    assert result.url == "https://gazette.example/list"


def test_method_density_ignores_the_example():
    page = news_page("Bread", BAKERY)
    assert extract(page, example=news_page("Tides", HARBOUR), method="density") == extract(page)


def test_page_whose_text_is_mostly_unreadable_is_refused_with_the_reason():
    body = "".join(f"<p>{word} tide</p>" for word in ["\ufffd\ufffd\ufffd\ufffd \ufffd\ufffd\ufffd"] * 30)
    found = extract(f"<html><body>{body}</body></html>", method="density")
    assert isinstance(found, NoArticle)
    assert "unreadable" in found.reason


@pytest.mark.parametrize("example_is_article", [None, False, True])
def test_a_page_that_may_be_a_thread_and_has_posts_is_one_unless_the_example_is_an_article(example_is_article):
    page = parsed_page(make_page(ENGINES["reddit"](THREAD), "https://board.example/t/7"), PathTrie())
    rules = rules_body(page.lines, page.prior)
    verdict = judge(page, rules.kept)
    opinion, _, is_article = density.own_opinion(page, rules, verdict, example_is_article)
    text = "\n".join(page.lines.texts[line] for line in opinion.kept)
    assert verdict.may_be_thread
    assert is_article is (example_is_article is True)
    assert all(one.text in text for one in THREAD) is not is_article


@pytest.mark.parametrize(
    ("kinds", "may_be"),
    [({"thread": 0.2, "article": 0.4, "list": 0.4}, False), ({"thread": 0.35, "article": 0.65, "list": 0}, True),
     ({"thread": 0.33, "article": 0.67, "list": 0}, False), ({"article": 1.0}, False), ({}, False)],
)  # fmt: skip
def test_posts_may_be_the_text_where_a_thread_is_half_as_probable_as_an_article(kinds, may_be):
    assert PageVerdict(kinds=kinds).may_be_thread is may_be
