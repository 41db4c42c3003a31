import pytest

from extractors.page_types.addresses import link_features, shape_of


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


@pytest.mark.parametrize("link", ["javascript:void(0)", "mailto:a@a.example", "#top", "?page=2", "", "http://["])
def test_what_leads_to_no_page_counts_for_nothing(link):
    assert link_features("https://a.example/town/", [link], [link])["links_below"] == 0
