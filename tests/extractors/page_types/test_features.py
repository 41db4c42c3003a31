import pytest
from lxml import etree

from evaluation.page_type_learning import DECLARED
from extractors.html.lines import read_lines
from extractors.html.paths import PathTrie
from extractors.page_types.addresses import names_of_address
from extractors.page_types.features import address_of, body_features, features_of, names_for_kinds
from extractors.page_types.line_features import line_features
from extractors.page_types.list_words import SIGNS

from .made import article_page, list_page, parsed

URL = "https://gazette.example/town/1.html"


def test_every_page_has_the_same_numbers_in_one_order():
    for html in (article_page(), list_page(), "<p>Some words that are long enough to make a page at all.</p>"):
        assert set(features_of(parsed(html, URL))) == set(names_for_kinds())
        assert set(names_for_kinds()) - set(features_of(parsed(html))) == names_of_address()
    assert set(DECLARED) < set(names_for_kinds())


def test_a_page_without_lines_has_numbers_too():
    assert all(value == value for value in line_features(read_lines(etree.Element("html"), PathTrie()), -1).values())


def test_a_page_without_a_body_has_numbers_too():
    page = parsed(article_page())
    assert set(body_features(page.lines, page.prior, []).values()) == {0.0}


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("dates", "2026年11月3日 | 3/11/2026 | Nov 3rd | 3 November | 5小时前 | 2 days ago | 昨天"),
        ("dates", "11月03日 | 11-03"),
        ("more", "Read full story | Learn more | See all | View details | Show more | Load more | Find out more"),
        ("more", "Keep reading | Add to basket | Quick view | Apply now | View product | 阅读原文"),
        ("more", "查看详情 | 加载更多 | 更多» | 更多 | Snow falls […] | Snow falls [...]"),
        (
            "pagers",
            "Next page | « Prev | Older posts | Newer | First | Last | 下页 | 前一页 | 末页 | Page 2 of 9 | 共 12 条",
        ),
        ("pagers", "1 - 20 of 431 | 9 results | 9 products | 9 items | 9 courses | 9 jobs | 9 topics | 9 threads"),
        ("sorting", "Sorted | Sort by | Filters | Order | Refine | Narrow | Clear all | 排序 | 筛选 | 按价格排序"),
        ("prices", "$ 5 | 5 € | £5 | ¥5 | ￥5 | 5元 | 5 USD | 5 EUR"),
        ("neighbours", "下一篇 | 前章 | Previous article | Next post | Older story"),
        ("bylines", "by Ann Author | Written by | Posted on | Published at | Reported by | Edited by | 4 min read"),
        ("bylines", "来源：本报 | 作者 | 编辑 | 责编 | 记者 | 文／王某 | 发布于 | 发表于 | 阅读量：5"),
        ("bylines", "浏览数:5 | 点击：5"),
        ("endings", "责任编辑 | 责编 | Share this | Filed under | About the author | Leave a comment"),
        ("endings", "Related stories | 相关新闻 | 版权声明 | 本文来自 | 转载请注明"),
    ],
)
def test_each_form_of_a_sign_holds_one_of_its_parts(name, texts):
    form, parts = SIGNS[name]
    for text in texts.split(" | "):
        assert form.search(text), text
        assert any(part in text.lower() for part in parts), text


@pytest.mark.parametrize(
    ("url", "head", "found"),
    [
        (None, "", None),
        (URL, "", URL),
        (None, f'<link rel="canonical" href="{URL}">', URL),
        (None, f'<meta property="og:url" content="{URL}">', URL),
        (None, '<link rel="canonical" href="/town/1.html">', None),
        ("file:///town/1.html", "", None),
    ],
)
def test_address_is_the_pages_own_or_the_one_it_declares(url, head, found):
    assert address_of(parsed(article_page(head=head), url)) == found
