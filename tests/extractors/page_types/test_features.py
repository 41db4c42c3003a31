import pytest

from extractors.lines import Lines
from extractors.page_types.features import NAMES, address_of, features_of
from extractors.page_types.learning import DECLARED, OF_ADDRESS
from extractors.page_types.line_features import line_features
from extractors.paths import PathTrie

from .made import article_page, list_page, parsed

URL = "https://gazette.example/town/1.html"


def test_every_page_has_the_same_numbers_in_one_order():
    for html in (article_page(), list_page(), "<p>Some words that are long enough to make a page at all.</p>"):
        assert tuple(features_of(parsed(html, URL))) == NAMES
        assert set(NAMES) - set(features_of(parsed(html))) == OF_ADDRESS
    assert set(DECLARED) < set(NAMES)


def test_a_page_without_lines_has_numbers_too():
    assert all(value == value for value in line_features(Lines(PathTrie(), [], [], [], []), -1).values())


def test_texts_of_an_article_follow_each_other():
    article, listing = features_of(parsed(article_page())), features_of(parsed(list_page()))
    assert article["place_near"] == 1 > listing["place_near"]
    assert article["run_bytes"] > listing["run_bytes"]
    assert article["title_to_prose"] < listing["title_to_prose"]


def test_a_list_has_many_linked_titles_in_one_place():
    article, listing = features_of(parsed(article_page())), features_of(parsed(list_page()))
    assert listing["like_entries"] > article["like_entries"]
    assert listing["like_text_span"] > 0.7
    assert listing["linked_headings_share"] > 0.8 > article["linked_headings_share"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("dates", "2026年11月3日 08:30"), ("dates", "3 hours ago"), ("more", "阅读全文"), ("more", "Read more"),
        ("pagers", "下一页"), ("pagers", "Next »"), ("sorting", "Sort by price"), ("prices", "¥ 12.50"),
        ("bylines", "责任编辑：王某"), ("bylines", "By Ann Author"), ("neighbours", "上一篇：旧闻"),
        ("endings", "Filed under: Town"), ("numbers", "12"),
    ],
)  # fmt: skip
def test_signs_are_counted_in_short_lines(name, text):
    page = f"<p>{'Words of a text that says nothing of the kind at all. ' * 3}</p><div>{text}</div>"
    assert features_of(parsed(page))[name] > features_of(parsed(page.replace(text, "Ink")))[name]


def test_what_the_head_declares():
    head = """<meta property="og:type" content="article"><link rel="next" href="/2">
        <link rel="alternate" type="application/rss+xml" href="/feed">
        <script type="application/ld+json">{"@type": ["ItemList", "Thing"], "itemListElement": []}</script>"""
    declared, silent = features_of(parsed(article_page(head=head))), features_of(parsed(article_page()))
    for name in ("og_article", "next_link", "feeds", "list_types"):
        assert declared[name] > silent[name] == 0


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
