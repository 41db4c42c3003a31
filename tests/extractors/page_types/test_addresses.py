import pytest

from extractors.page_types.addresses import address_features, link_features, shape_of


@pytest.mark.parametrize(
    ("one", "other", "is_sibling"),
    [
        ("https://a.example/2026/11/03/some-story.html", "https://a.example/2026/10/28/another-one.html", True),
        ("https://a.example/show/12.html", "https://a.example/show/4711.html", True),
        ("https://a.example/2020/10/d61633e9.html", "https://a.example/2020/12/bf195a13.html", True),
        ("https://a.example/?p=12", "https://A.example/?p=13&utm_source=mail", True),
        ("https://a.example/show/12.html", "https://a.example/list/12.html", False),
        ("https://a.example/show/12.html", "https://b.example/show/12.html", False),
        ("https://a.example/show/12.html", "https://a.example/show/", False),
        ("https://a.example/?p=12", "https://a.example/?cat=12", False),
    ],
)
def test_siblings_have_one_shape_and_strangers_others(one, other, is_sibling):
    assert (shape_of(one) == shape_of(other)) == is_sibling


def test_text_that_is_no_address_is_its_own_shape():
    assert shape_of("mailto:a@b.example") == "mailto:a@b.example"


def test_address_of_an_article():
    found = address_features("https://a.example/news/2026/11/03/how-the-salt-marsh-was-built-again.html")
    assert (found["dated"], found["extension"], found["front"], found["list_last"]) == (1, 1, 0, 0)
    assert found["last_words"] == 7


@pytest.mark.parametrize(
    ("url", "sign"),
    [
        ("https://a.example/", "front"),
        ("https://a.example/index.html", "front"),
        ("https://a.example/news/?page=2", "page_number"),
        ("https://a.example/list_3.html", "page_number"),
    ],
)
def test_front_pages_and_numbers_of_pages(url, sign):
    assert address_features(url)[sign] == 1


def test_a_list_links_below_itself():
    links = ["/town/1.html", "/town/2.html#top", "https://a.example/town/3.html", "//b.example/town/4.html", "/sport/"]
    found = link_features("https://a.example/town/", links, links[:3])
    assert round(2.718281828 ** found["links_below"] - 1) == 3
    assert found["entries_below"] == 1


def test_an_article_links_to_its_siblings():
    found = link_features("https://a.example/town/1.html", (), ["/town/2.html", "3.html", "/town/4.html", "../x"])
    assert found["share_like_own"] == 1


@pytest.mark.parametrize("link", ["javascript:void(0)", "mailto:a@a.example", "#top", "?page=2", "", "http://["])
def test_what_leads_to_no_page_counts_for_nothing(link):
    assert link_features("https://a.example/town/", [link], [link])["links_below"] == 0
